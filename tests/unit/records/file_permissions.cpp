// SPDX-License-Identifier: Apache-2.0
// Decides which files have machine code that may be run.
#include "ttune/records/file_permissions.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/require.hpp"
#include "support/temporary_folder.hpp"

namespace file_permissions_tests {

using namespace ttune;

TEST_CASE("written_by_owner_only: neither the file nor its folder may be writable by others") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "images";
  std::ofstream(path) << "x";
  ::chmod(path.c_str(), 0644);
  CHECK(written_by_owner_only(path));
  for (auto const mode : {0664U, 0646U, 0666U, 0620U}) {
    ::chmod(path.c_str(), mode);
    auto const result = written_by_owner_only(path);
    CHECK(!result);
    CHECK(result.reason.find("chmod go-w") != std::string::npos);
  }
  ::chmod(path.c_str(), 0644);
  for (auto const mode : {0770U, 0702U, 01777U}) {
    ::chmod(folder.path().c_str(), mode);
    CHECK(!written_by_owner_only(path));
  }
  ::chmod(folder.path().c_str(), 0755);
  CHECK(written_by_owner_only(path));
}

TEST_CASE("written_by_owner_only: the target of a link counts") {
  ttune_test::temporary_folder const safe, open;
  std::ofstream(open / "images") << "x";
  ::chmod(open.path().c_str(), 0777);
  std::filesystem::create_symlink(open / "images", safe / "link");
  CHECK(!written_by_owner_only(safe / "link"));
  CHECK(!written_by_owner_only(safe / "absent"));
}

TEST_CASE("written_by_owner_only: another user may own neither the file nor its folder") {
  TTUNE_SKIP_UNLESS("root", ::geteuid() == 0, "only root can give files to other users");
  ttune_test::temporary_folder const folder;
  auto const path = folder / "images";
  std::ofstream(path) << "x";
  constexpr uid_t other = 65534;
  REQUIRE(::chown(path.c_str(), other, static_cast<gid_t>(-1)) == 0);
  CHECK(written_by_owner_only(path).reason.find("belongs to another user") != std::string::npos);
  REQUIRE(::chown(path.c_str(), 0, static_cast<gid_t>(-1)) == 0);
  CHECK(written_by_owner_only(path));
  REQUIRE(::chown(folder.path().c_str(), other, static_cast<gid_t>(-1)) == 0);
  CHECK(!written_by_owner_only(path));
  REQUIRE(::chown(folder.path().c_str(), 0, static_cast<gid_t>(-1)) == 0);
}

}  // namespace file_permissions_tests
