// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "ttune/records/export/build_archive.hpp"
#include "ttune/records/export/c_names.hpp"
#include "ttune/records/export/exported_kernel.hpp"
#include "ttune/records/export/library_code.hpp"
#include "ttune/records/export/library_header.hpp"
#include "ttune/records/export/library_source.hpp"
#include "ttune/records/export/select_kernels.hpp"
#include "ttune/records/export_kernels.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// A folder for files that are not complete yet, inside of another one; removed with its content.
class draft_folder {
 public:
  draft_folder(std::string const& inside, std::string const& name) : path_(inside + "/." + name + "-XXXXXX") {
    if (!mkdtemp(path_.data()))
      throw backend_error(inside + " cannot be written to: " + std::strerror(errno) + "; name another folder");
  }
  draft_folder(draft_folder const&) = delete;
  draft_folder& operator=(draft_folder const&) = delete;
  ~draft_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string const& path() const noexcept { return path_; }

 private:
  std::string path_;
};

inline void write_text(std::string const& path, std::string const& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw backend_error(path + " cannot be written: is the disk full?");
}

inline void make_folder(std::string const& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault && !std::filesystem::is_directory(folder))
    throw backend_error(folder + " cannot be made: " + fault.message() + "; name another folder");
}

/// Gives complete files their place. The archive is removed first and comes last: it never belongs to other files.
inline std::vector<std::string> publish(std::string const& draft, export_options const& options, bool has_archive) {
  auto const archive = "lib" + options.name + ".a";
  std::vector<std::string> names{options.name + ".h", options.name + ".c", options.name + "_code.S"};
  if (has_archive) names.push_back(archive);
  std::error_code fault;
  std::filesystem::remove(options.folder + "/" + archive, fault);
  std::vector<std::string> made;
  for (auto const& name : names) {
    made.push_back((std::filesystem::path(options.folder) / name).string());
    if (!fault) std::filesystem::rename(draft + "/" + name, made.back(), fault);
    if (fault) throw backend_error(made.back() + " cannot be replaced: " + fault.message());
  }
  return made;
}

inline std::vector<exported_function> reported_functions(std::string const& library,
                                                         std::vector<exported_kernel> const& kernels) {
  std::vector<exported_function> made;
  for (auto const& k : kernels) {
    exported_function one{library + "_" + k.name, k.title, {}};
    for (auto const& v : k.variants) one.targets.push_back(v.image().target);
    made.push_back(std::move(one));
  }
  return made;
}

}  // namespace detail

export_report export_kernels(record_store const& from, export_options const& options) {
  auto const& name = options.name;
  if (!detail::is_c_identifier(name) || detail::safe_word(name) != name)
    throw argument_error(
        "\"" + name +
        "\" cannot begin the names of functions in C: use letters, digits and _, and no word of C or C++");
  auto chosen = detail::select_kernels(from, options);
  detail::make_folder(options.folder);
  detail::draft_folder const draft(options.folder, name);
  auto const file = draft.path() + "/" + name;
  detail::write_text(file + ".h", detail::library_header(name, chosen.kernels));
  detail::write_text(file + ".c", detail::library_source(name, chosen.kernels));
  detail::write_text(file + "_code.S", detail::library_code(name, chosen.kernels));
  export_report made;
  bool const builds = options.archive != export_archive::never;
  if (builds) made.no_archive = detail::build_archive(draft.path(), options);
  if (options.archive == export_archive::always && !made.no_archive.empty()) throw backend_error(made.no_archive);
  made.files = detail::publish(draft.path(), options, builds && made.no_archive.empty());
  made.functions = detail::reported_functions(name, chosen.kernels);
  made.left_out = std::move(chosen.left_out);
  return made;
}

}}  // namespace ttune::v0
