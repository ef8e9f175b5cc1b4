// SPDX-License-Identifier: Apache-2.0
// Changes a file of records without the store, and makes numbered records for it.
#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>

#include "samples.hpp"

namespace ttune_test {

/// Returns a record of one of seven keys, in turn; later numbers are slower.
inline ttune::record numbered_record(int writer, int number) {
  return sample_record(1 + writer * 100'000 + number, sample_key(number % 7));
}

inline void execute(std::string const& path, char const* sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
  CHECK(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(connection);
}

inline std::string integrity(std::string const& path) {
  sqlite3* connection = nullptr;
  sqlite3_stmt* statement = nullptr;
  sqlite3_open(path.c_str(), &connection);
  sqlite3_prepare_v2(connection, "pragma integrity_check", -1, &statement, nullptr);
  std::string result = "no answer";
  if (sqlite3_step(statement) == SQLITE_ROW) result = reinterpret_cast<char const*>(sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  return result;
}

}  // namespace ttune_test
