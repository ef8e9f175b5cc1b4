// SPDX-License-Identifier: Apache-2.0
// The file of a record store: creation, opening, read-only use, and permission checks.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "ttune/records/file_permissions.hpp"
#include "ttune/records/sqlite/schema.inl.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline bool file_is_empty(std::string const& path) noexcept {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) != 0 || facts.st_size == 0;
}

/// Converts a path to a URI with the option `immutable`, which plain paths cannot express.
inline std::string immutable_uri(std::string const& path) {
  static constexpr std::string_view hex = "0123456789ABCDEF";
  std::string uri = "file:";
  for (auto const c : path) {
    if (c != '%' && c != '?' && c != '#') {
      uri += c;
      continue;
    }
    uri += '%';
    uri += hex[static_cast<unsigned char>(c) >> 4];
    uri += hex[static_cast<unsigned char>(c) & 15];
  }
  return uri + "?immutable=1";
}

/// Creates the file with permissions 0644. SQLite would make it writable for the group if the umask allows that, and
/// its images would be refused. An existing file is not opened: closing it would release the locks that this process
/// may hold on it.
inline void create_file(std::string const& path) {
  auto const descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) ::close(descriptor);
  else if (errno != EEXIST || ::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
    throw record_error(path + ": cannot be opened for writing: " + std::strerror(errno));
}

/// Opens the file and upgrades its tables; tries once.
inline std::unique_ptr<sqlite_connection> open_for_writing_once(std::string const& path) {
  auto file = std::make_unique<sqlite_connection>(path, path, SQLITE_OPEN_READWRITE);
  if (is_empty(*file)) file->execute("pragma journal_mode = wal");
  else checked_schema(*file);
  if (file->integer_of("pragma user_version") < sqlite_schema) upgrade(*file);
  // Exported files have another journal mode; a commit in WAL mode survives the end of the process without a sync.
  file->execute("pragma journal_mode = wal; pragma synchronous = normal");
  return file;
}

/// Opens the file, with retries: another process may be upgrading it, or closing it as its last user, and SQLite cannot
/// wait for all of that by itself.
inline std::unique_ptr<sqlite_connection> open_for_writing(std::string const& path) {
  create_file(path);
  for (auto const start = std::chrono::steady_clock::now();;) try {
      return open_for_writing_once(path);
    } catch (sqlite_failure const& e) {
      if (e.code != SQLITE_BUSY || std::chrono::steady_clock::now() - start > std::chrono::seconds(10)) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

inline void check_contents(sqlite_connection& file) {
  if (is_empty(file)) throw record_error(file.path() + ": is empty: no ttune database");
  view_as_newest(file);
}

inline std::unique_ptr<sqlite_connection> open_for_reading(std::string const& path) {
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0)
    throw record_error(path + ": cannot be read: " + std::strerror(errno) +
                       "; a mode that only reads needs a file that is there");
  std::unique_ptr<sqlite_connection> file;
  try {
    file = std::make_unique<sqlite_connection>(path, path, SQLITE_OPEN_READONLY);
    check_contents(*file);
  } catch (sqlite_failure const& e) {
    // SQLite cannot share the file's journal in a place that is not writable; an empty journal is not needed.
    if ((e.code != SQLITE_CANTOPEN && e.code != SQLITE_READONLY) || !file || !file_is_empty(file->real_path() + "-wal"))
      throw;
    file = std::make_unique<sqlite_connection>(path, immutable_uri(path), SQLITE_OPEN_READONLY);
    check_contents(*file);
  }
  return file;
}

/// Opens the bytes of a file; errors call it `name`.
inline std::unique_ptr<sqlite_connection> open_bytes(std::string const& name, std::span<std::uint8_t const> bytes) {
  auto file = std::make_unique<sqlite_connection>(name, ":memory:", SQLITE_OPEN_READWRITE);
  file->replace_content(bytes);
  check_contents(*file);
  return file;
}

/// Checks the permissions of the file and of its journals, since a journal also decides what is read.
inline availability images_trusted(std::string const& path) {
  auto trusted = written_by_owner_only(path);
  for (auto const* const journal : {"-wal", "-shm", "-journal"})
    if (trusted && ::access((path + journal).c_str(), F_OK) == 0) trusted = not_writable_by_others(path + journal);
  return trusted;
}

}}}  // namespace ttune::v0::detail
