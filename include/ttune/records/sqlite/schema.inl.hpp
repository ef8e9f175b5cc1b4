// SPDX-License-Identifier: Apache-2.0
// The tables of a record file: creation, upgrades, and the checks when a file is opened.
#pragma once

#include "ttune/records/sqlite/connection.inl.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// SQLite application_id 'ttun': identifies record files, also for the command `file`.
inline constexpr std::int64_t sqlite_application = 0x7474756e;
/// Version of the tables; `upgrade` leads from each older version to this one.
inline constexpr std::int64_t sqlite_schema = 6;

/// Keys are found by the hash of their identifying members, records of a key by speed. Equal records are one row.
inline constexpr char const* sqlite_tables_1 = R"(
create table keys(id integer primary key, hash integer not null, text_hash integer not null, compute integer not null,
  text text not null, extents text not null, target text not null, space integer not null, objective text not null);
create index keys_by_hash on keys(hash);
create index keys_by_text on keys(text_hash);
create table records(id integer primary key, key integer not null references keys, hash integer not null,
  lowering integer not null, choices text not null, status integer not null, seconds real, spread real,
  samples integer not null, compile_seconds real, measure_seconds real, message text not null,
  timestamp integer not null, predicted real, version text not null, device text not null);
create unique index records_once on records(key, hash);
create index records_by_speed on records(key, status, seconds);
create table images(key integer primary key references keys, record integer not null references records,
  checksum integer not null, bytes blob not null);
pragma application_id = 1953789294;
pragma user_version = 1;
)";
inline constexpr char const* sqlite_tables_2 = R"(
create table explanations(key integer primary key references keys, schedule text not null, loops text not null,
  source text not null, flops real not null, peak real not null);
pragma user_version = 2;
)";
inline constexpr char const* sqlite_tables_3 = R"(
create table lessons(key integer primary key references keys, seconds real not null, schema integer not null,
  columns integer not null, rows blob not null);
pragma user_version = 3;
)";
inline constexpr char const* sqlite_tables_4 = R"(
alter table lessons add column speeds blob;
pragma user_version = 4;
)";
inline constexpr char const* sqlite_tables_5 = R"(
alter table records add column effort text;
pragma user_version = 5;
)";
inline constexpr char const* sqlite_tables_6 = R"(
alter table explanations add column work text;
pragma user_version = 6;
)";

/// Returns true if the file has no tables. This is also the first read, which fails if the file is not a database.
inline bool is_empty(sqlite_connection& on) { return on.integer_of("select count(*) from sqlite_schema") == 0; }

/// Returns the version of the tables; throws if the file is not a record file or newer than this library.
inline std::int64_t checked_schema(sqlite_connection& on) {
  if (on.integer_of("pragma application_id") != sqlite_application)
    throw record_error(on.path() + ": is an SQLite database of another program: name another file");
  auto const version = on.integer_of("pragma user_version");
  if (version > sqlite_schema)
    throw record_error(on.path() + ": was written by a newer ttune (schema " + std::to_string(version) +
                       ", this one knows up to " + std::to_string(sqlite_schema) +
                       "): update the program, or name another file");
  if (version < 1) throw record_error(on.path() + ": has no schema number: the file is damaged; delete it");
  return version;
}

/// Creates the tables in an empty file, or adds the missing ones to an older file. Safe if several processes do it at
/// the same time.
inline void upgrade(sqlite_connection& on) {
  on.write([&] {
    if (is_empty(on)) on.execute(sqlite_tables_1);
    if (checked_schema(on) < 2) on.execute(sqlite_tables_2);
    if (checked_schema(on) < 3) on.execute(sqlite_tables_3);
    if (checked_schema(on) < 4) on.execute(sqlite_tables_4);
    if (checked_schema(on) < 5) on.execute(sqlite_tables_5);
    if (checked_schema(on) < 6) on.execute(sqlite_tables_6);
    return true;
  });
}

/// Lets an older file that is only read look like a newer one: a view of this connection adds what its records lack.
inline void view_as_newest(sqlite_connection& on) {
  if (checked_schema(on) < 5) on.execute("create temp view records as select r.*, null as effort from main.records r");
}

}}}  // namespace ttune::v0::detail
