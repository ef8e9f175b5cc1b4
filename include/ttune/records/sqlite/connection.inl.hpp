// SPDX-License-Identifier: Apache-2.0
// SQLite's C interface as objects: a connection, prepared statements, transactions.
#pragma once

#include <sqlite3.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns advice for a person who gets a result code.
inline char const* sqlite_advice(int code) noexcept {
  switch (code & 0xff) {
    case SQLITE_NOTADB: return "this is no ttune database: name another file, or delete this one";
    case SQLITE_CORRUPT: return "the file is damaged: delete it, or save what is left with `sqlite3 FILE .recover`";
    case SQLITE_FULL: return "the disk is full: make room, or name a file elsewhere";
    case SQLITE_READONLY: return "there is no right to write: open it with record_mode::read_only";
    case SQLITE_CANTOPEN: return "the file or its folder is missing or may not be accessed";
    case SQLITE_BUSY: return "another process holds the file for longer than 10 s";
    case SQLITE_IOERR: return "the disk fails, or is no local one";
    default: return "";
  }
}

/// A record_error with SQLite's result code, for callers that handle certain codes.
struct sqlite_failure : record_error {
  sqlite_failure(int result_code, std::string const& sentence) : record_error(sentence), code(result_code & 0xff) {}
  int code;
};

[[noreturn]] inline void throw_sqlite(std::string const& path, int code, char const* what) {
  std::string const advice = sqlite_advice(code);
  throw sqlite_failure(code, path + ": " + what + (advice.empty() ? "" : "; " + advice));
}

/// One execution of a prepared statement: parameters are bound from left to right; the destructor resets it.
class sqlite_query {
 public:
  sqlite_query(sqlite3_stmt* statement, sqlite3* connection, std::string const& path) noexcept
      : statement_(statement), connection_(connection), path_(path) {}
  sqlite_query(sqlite_query const&) = delete;
  sqlite_query& operator=(sqlite_query const&) = delete;
  ~sqlite_query() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }

  sqlite_query& bind(std::int64_t value) { return check(sqlite3_bind_int64(statement_, ++bound_, value)); }
  sqlite_query& bind(std::uint64_t value) { return bind(static_cast<std::int64_t>(value)); }
  sqlite_query& bind(double value) { return check(sqlite3_bind_double(statement_, ++bound_, value)); }
  sqlite_query& bind(std::optional<double> value) {
    return value ? bind(*value) : check(sqlite3_bind_null(statement_, ++bound_));
  }
  /// Binds a text, which must live as long as the query.
  sqlite_query& bind(std::string_view text) {
    return check(sqlite3_bind_text64(statement_, ++bound_, text.data() ? text.data() : "", text.size(), SQLITE_STATIC,
                                     SQLITE_UTF8));
  }
  sqlite_query& bind(std::span<std::uint8_t const> bytes) {
    return check(sqlite3_bind_blob64(statement_, ++bound_, bytes.data(), bytes.size(), SQLITE_STATIC));
  }

  /// Steps to the next row; returns false if there is none.
  bool next() {
    column_ = 0;
    auto const code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) check(code);
    return code == SQLITE_ROW;
  }

  // These functions read the columns of a row from left to right.
  std::int64_t integer() { return sqlite3_column_int64(statement_, column_++); }
  std::uint64_t hash() { return static_cast<std::uint64_t>(integer()); }
  double real() { return optional_real().value_or(std::numeric_limits<double>::quiet_NaN()); }
  std::optional<double> optional_real() {
    auto const at = column_++;
    if (sqlite3_column_type(statement_, at) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_double(statement_, at);
  }
  std::string text() {
    auto const at = column_++;
    auto const* const begin = reinterpret_cast<char const*>(sqlite3_column_text(statement_, at));
    return begin ? std::string(begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, at))) : std::string();
  }
  std::span<std::uint8_t const> bytes() {  ///< valid until the next step
    auto const at = column_++;
    auto const* const begin = static_cast<std::uint8_t const*>(sqlite3_column_blob(statement_, at));
    return {begin, begin ? static_cast<std::size_t>(sqlite3_column_bytes(statement_, at)) : 0};
  }

 private:
  sqlite_query& check(int code) {
    if (code != SQLITE_OK) throw_sqlite(path_, code, sqlite3_errmsg(connection_));
    return *this;
  }
  sqlite3_stmt* statement_;
  sqlite3* connection_;
  std::string const& path_;
  int bound_ = 0;
  int column_ = 0;
};

/// An open connection. Not thread-safe: the database object locks a mutex around each use.
class sqlite_connection {
 public:
  /// `name` is a path or a file: URI; error messages name `path`.
  sqlite_connection(std::string path, std::string const& name, int flags) : path_(std::move(path)) {
    auto const code =
        sqlite3_open_v2(name.c_str(), &connection_, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
    if (code != SQLITE_OK) {
      std::string const what = connection_ ? sqlite3_errmsg(connection_) : "out of memory";
      sqlite3_close(connection_);
      throw_sqlite(path_, code, what.c_str());
    }
    sqlite3_extended_result_codes(connection_, 1);
    sqlite3_busy_timeout(connection_, 10'000);
  }
  sqlite_connection(sqlite_connection const&) = delete;
  sqlite_connection& operator=(sqlite_connection const&) = delete;
  ~sqlite_connection() {
    for (auto const& [text, statement] : prepared_) sqlite3_finalize(statement);
    sqlite3_close(connection_);
  }

  /// Returns a prepared statement. `sql` must be a literal: its address is the key of the cache.
  sqlite_query query(char const* sql) {
    auto& statement = prepared_[sql];
    if (!statement) {
      auto const code = sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
      if (code != SQLITE_OK) throw_sqlite(path_, code, sqlite3_errmsg(connection_));
    }
    return {statement, connection_, path_};
  }

  /// Runs statements that are used only once.
  void execute(char const* sql) {
    auto const code = sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) throw_sqlite(path_, code, sqlite3_errmsg(connection_));
  }
  std::int64_t integer_of(char const* sql) {
    auto q = query(sql);
    return q.next() ? q.integer() : 0;
  }
  /// Replaces the content by that of a file that is in memory; it cannot be written to.
  void replace_content(std::span<std::uint8_t const> bytes) {
    auto const size = static_cast<sqlite3_int64>(bytes.size());
    auto* const data = const_cast<unsigned char*>(bytes.data());  // SQLite writes nothing with this flag
    auto const code = sqlite3_deserialize(connection_, "main", data, size, size, SQLITE_DESERIALIZE_READONLY);
    if (code != SQLITE_OK) throw_sqlite(path_, code, sqlite3_errmsg(connection_));
    in_memory_ = true;
  }
  [[nodiscard]] bool is_in_memory() const noexcept { return in_memory_; }
  /// Returns the path of the file with links resolved; its journals are beside it.
  [[nodiscard]] std::string real_path() const {
    auto const* const name = sqlite3_db_filename(connection_, "main");
    return name && *name ? name : path_;
  }
  [[nodiscard]] std::int64_t last_row() const noexcept { return sqlite3_last_insert_rowid(connection_); }
  [[nodiscard]] std::string const& path() const noexcept { return path_; }

  /// Runs `body` in a transaction that takes the write lock at once, so that it cannot fail half way because of another
  /// writer. Inside another transaction, it becomes part of that one.
  template <class Body>
  auto write(Body const& body) {
    if (sqlite3_get_autocommit(connection_) == 0) return body();
    struct rollback {
      sqlite_connection& on;
      ~rollback() {
        if (sqlite3_get_autocommit(on.connection_) == 0)
          sqlite3_exec(on.connection_, "rollback", nullptr, nullptr, nullptr);
      }
    } const guard{*this};
    step("begin immediate");
    auto result = body();
    step("commit");
    return result;
  }

 private:
  void step(char const* sql) { query(sql).next(); }

  std::string path_;
  sqlite3* connection_ = nullptr;
  bool in_memory_ = false;
  std::unordered_map<void const*, sqlite3_stmt*> prepared_;
};

}}}  // namespace ttune::v0::detail
