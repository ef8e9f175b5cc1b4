// SPDX-License-Identifier: Apache-2.0
// A temporary folder for databases.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace ttune_bench {

/// A folder that only this user may write to (otherwise its images are not trusted); removed at the end.
class own_folder {
 public:
  own_folder() {
    auto name = (std::filesystem::temp_directory_path() / "ttune-bench-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error(name + ": cannot be made");
    path_ = name;
  }
  own_folder(own_folder const&) = delete;
  own_folder& operator=(own_folder const&) = delete;
  ~own_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(std::string const& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ttune_bench
