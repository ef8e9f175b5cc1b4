// SPDX-License-Identifier: Apache-2.0
// Reads and writes the tables of a record file (schema.inl.hpp): keys with their records, images, explanations,
// transfer samples. All functions work on an open connection, which one thread uses at a time.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ttune/records/effort_json.hpp"
#include "ttune/records/json_parts.hpp"
#include "ttune/records/sqlite/file.inl.hpp"
#include "ttune/records/store.hpp"
#include "ttune/records/work_json.hpp"
#include "ttune/support/bytes.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline std::string to_json(json_value const& value) {
  std::string out;
  write_json(out, value);
  return out;
}

/// Replaces NaN, which would be stored as null and sorted before all numbers.
inline std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

inline record_key read_key(sqlite_query& q) {
  record_key key;
  key.compute = q.hash();
  key.compute_text = q.text();
  if (auto const extents = parse_json(q.text()); extents.value) read_integers(&*extents.value, key.extents);
  key.target = q.text();
  key.space = q.hash();
  key.objective = q.text();
  return key;
}

#define TTUNE_DETAIL_RECORD_COLUMNS                                                                         \
  "r.lowering, r.choices, r.status, r.seconds, r.spread, r.samples, r.compile_seconds, r.measure_seconds, " \
  "r.message, r.timestamp, r.predicted, r.version, r.device, r.effort"
#define TTUNE_DETAIL_KEY_COLUMNS "k.compute, k.text, k.extents, k.target, k.space, k.objective"

/// Reads a column of efforts; files of earlier versions have none.
inline recorded_effort effort_of(std::string const& column) {
  if (column.empty()) return {};
  auto const read = parse_json(column);
  return read.value ? read_effort(&*read.value) : recorded_effort();
}

inline record read_record(sqlite_query& q, record_key key, std::string const& path) {
  record r;
  r.key = std::move(key);
  r.lowering_version = static_cast<std::uint32_t>(q.integer());
  auto const choices = parse_json(q.text());
  auto const status = q.integer();
  if (!choices.value || !read_choices(&*choices.value, r.choices) || status < 0 ||
      status > static_cast<int>(trial_status::cut_off))
    throw record_error(path + ": holds a record that cannot be read: the file is damaged");
  auto& m = r.result;
  m.status = static_cast<trial_status>(status);
  m.seconds = q.real();
  m.spread = q.real();
  m.samples = static_cast<std::int32_t>(q.integer());
  m.compile_seconds = q.real();
  m.measure_seconds = q.real();
  m.message = q.text();
  r.timestamp = q.integer();
  r.predicted = q.optional_real();
  r.library_version = q.text();
  r.device = q.text();
  r.effort = effort_of(q.text());
  return r;
}

/// Returns a hash that is equal for keys that differ only in extents.
inline std::uint64_t text_hash(record_key const& key) { return hasher{}.add(key.compute_text).value(); }

/// Returns the row of a key; 0 if there is none.
inline std::int64_t find_key(sqlite_connection& on, record_key const& key) {
  auto q = on.query("select id, compute, space, target, objective from keys where hash = ?");
  q.bind(hash_of(key));
  while (q.next()) {
    auto const id = q.integer();
    if (q.hash() == key.compute && q.hash() == key.space && q.text() == key.target && q.text() == key.objective)
      return id;
  }
  return 0;
}

inline std::int64_t add_key(sqlite_connection& on, record_key const& key) {
  if (auto const id = find_key(on, key)) return id;
  auto const extents = to_json(json_integers(key.extents));
  auto q = on.query(
      "insert into keys(hash, text_hash, compute, text, extents, target, space, objective) values(?,?,?,?,?,?,?,?)");
  q.bind(hash_of(key)).bind(text_hash(key)).bind(key.compute).bind(std::string_view(key.compute_text));
  q.bind(std::string_view(extents)).bind(std::string_view(key.target)).bind(key.space);
  q.bind(std::string_view(key.objective)).next();
  return on.last_row();
}

inline void append_record(sqlite_connection& on, record const& r) {
  auto const choices = to_json(json_choices(r.choices));
  auto const effort = r.effort ? to_json(json_of(r.effort)) : std::string();
  auto const& m = r.result;
  auto const key = add_key(on, r.key);
  auto q = on.query(
      "insert or ignore into records(key, hash, lowering, choices, status, seconds, spread, samples, compile_seconds,"
      " measure_seconds, message, timestamp, predicted, version, device, effort)"
      " values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  q.bind(key).bind(hash_of(r)).bind(std::int64_t{r.lowering_version}).bind(std::string_view(choices));
  q.bind(static_cast<std::int64_t>(m.status)).bind(finite(m.seconds)).bind(finite(m.spread));
  q.bind(std::int64_t{m.samples}).bind(finite(m.compile_seconds)).bind(finite(m.measure_seconds));
  q.bind(std::string_view(m.message)).bind(r.timestamp).bind(r.predicted);
  q.bind(std::string_view(r.library_version)).bind(std::string_view(r.device));
  q.bind(std::string_view(effort)).next();
}

inline void put_image(sqlite_connection& on, record const& of, std::span<std::uint8_t const> bytes) {
  append_record(on, of);
  auto q = on.query(
      "insert or replace into images(key, record, checksum, bytes)"
      " select key, id, ?, ? from records where key = ? and hash = ?");
  q.bind(hasher{}.add(bytes).value()).bind(bytes).bind(find_key(on, of.key)).bind(hash_of(of)).next();
}

inline std::optional<record> best_record(sqlite_connection& on, record_key const& key, std::int64_t id) {
  auto q = on.query("select " TTUNE_DETAIL_RECORD_COLUMNS
                    " from records r where key = ? and status = 0 and seconds is not null"
                    " order by seconds, hash limit 1");  // is_faster
  q.bind(id);
  if (!q.next()) return std::nullopt;
  return read_record(q, key, on.path());
}

inline std::vector<record> all_records(sqlite_connection& on, record_key const& key) {
  std::vector<record> result;
  auto q = on.query("select " TTUNE_DETAIL_RECORD_COLUMNS " from records r where key = ? order by id");
  q.bind(find_key(on, key));
  while (q.next()) result.push_back(read_record(q, key, on.path()));
  return result;
}

inline std::vector<record> nearest_records(sqlite_connection& on, record_key const& key, std::size_t limit) {
  struct neighbour {
    double distance;
    std::int64_t id;
    record_key key;
  };
  std::vector<neighbour> found;
  {
    auto q = on.query("select k.id, " TTUNE_DETAIL_KEY_COLUMNS " from keys k where text_hash = ?");
    q.bind(text_hash(key));
    while (q.next()) {
      auto const id = q.integer();
      auto other = read_key(q);
      auto const d = distance(key, other);
      if (std::isfinite(d) && other != key) found.push_back({d, id, std::move(other)});
    }
  }
  std::ranges::sort(
      found, [](auto const& a, auto const& b) { return std::pair(a.distance, a.id) < std::pair(b.distance, b.id); });
  std::vector<record> result;
  for (auto const& n : found) {
    if (result.size() == limit) break;
    if (auto r = best_record(on, n.key, n.id)) result.push_back(std::move(*r));
  }
  return result;
}

inline image_lookup get_image(sqlite_connection& on, record_key const& key) {
  auto q = on.query("select i.checksum, i.bytes, " TTUNE_DETAIL_RECORD_COLUMNS
                    " from images i join records r on r.id = i.record where i.key = ?");
  q.bind(find_key(on, key));
  if (!q.next()) return {{}, {}, "no image is stored"};
  auto const checksum = q.hash();
  auto const bytes = q.bytes();
  image_lookup found{{}, read_record(q, key, on.path()), {}};
  auto const trusted = on.is_in_memory() ? availability{} : images_trusted(on.real_path());
  if (!trusted) found.reason = trusted.reason;
  else if (bytes.empty() || hasher{}.add(bytes).value() != checksum)
    found.reason = on.path() + ": the checksum of the stored image differs: it is damaged";
  else found.bytes.assign(bytes.begin(), bytes.end());
  return found;
}

inline void put_explanation(sqlite_connection& on, record_key const& of, kernel_explanation const& text) {
  auto const key = add_key(on, of);
  auto q = on.query(
      "insert or replace into explanations(key, schedule, loops, source, flops, peak, work) values(?,?,?,?,?,?,?)");
  auto const work = text.work.known() ? to_json(json_of(text.work)) : std::string();
  q.bind(key).bind(std::string_view(text.schedule)).bind(std::string_view(text.loops));
  q.bind(std::string_view(text.source)).bind(text.flops).bind(text.peak_flops_per_second);
  q.bind(std::string_view(work)).next();
}

/// Returns nothing for a read-only file of the first schema.
inline std::optional<kernel_explanation> get_explanation(sqlite_connection& on, record_key const& of) {
  auto const version = on.integer_of("pragma user_version");
  if (version < 2) return std::nullopt;
  // Both texts are literals: their addresses identify prepared statements.
  auto q = on.query(version < 6 ? "select schedule, loops, source, flops, peak, null from explanations where key = ?"
                                : "select schedule, loops, source, flops, peak, work from explanations where key = ?");
  q.bind(find_key(on, of));
  if (!q.next()) return std::nullopt;
  kernel_explanation text;
  text.schedule = q.text();
  text.loops = q.text();
  text.source = q.text();
  text.flops = q.real();
  text.peak_flops_per_second = q.real();
  if (auto const work = parse_json(q.text()); work.value) text.work = read_work(&*work.value);
  return text;
}

inline void put_transfer_sample(sqlite_connection& on, transfer_sample const& taught) {
  byte_sink rows, speeds;
  rows.put(taught.rows);
  speeds.put(taught.speeds);
  auto const of_rows = rows.take(), of_speeds = speeds.take();
  auto const key = add_key(on, taught.of);
  auto q = on.query("insert or replace into lessons(key, seconds, schema, columns, rows, speeds) values(?,?,?,?,?,?)");
  q.bind(key).bind(taught.seconds).bind(taught.schema).bind(static_cast<std::int64_t>(taught.columns));
  q.bind(std::span<std::uint8_t const>(of_rows)).bind(std::span<std::uint8_t const>(of_speeds)).next();
}

/// Returns transfer samples, newest keys first; none for a read-only file of an older schema.
inline std::vector<transfer_sample> get_samples(sqlite_connection& on, std::size_t limit) {
  auto const version = on.integer_of("pragma user_version");
  if (version < 3) return {};
  std::vector<transfer_sample> found;
  // Both texts are literals: their addresses identify prepared statements.
#define TTUNE_DETAIL_LESSONS(speeds)                                                     \
  "select l.seconds, l.schema, l.columns, l.rows, " speeds ", " TTUNE_DETAIL_KEY_COLUMNS \
  " from lessons l join keys k on k.id = l.key order by l.key desc limit ?"
  auto q = on.query(version < 4 ? TTUNE_DETAIL_LESSONS("null") : TTUNE_DETAIL_LESSONS("l.speeds"));
#undef TTUNE_DETAIL_LESSONS
  q.bind(static_cast<std::int64_t>(limit));
  while (q.next()) {
    auto& one = found.emplace_back();
    one.seconds = q.real();
    one.schema = q.hash();
    one.columns = static_cast<std::size_t>(q.integer());
    byte_source(q.bytes()).get(one.rows);
    if (auto const speeds = q.bytes(); !speeds.empty()) byte_source(speeds).get(one.speeds);
    if (one.columns == 0 || one.rows.size() % one.columns != 0 ||
        (!one.speeds.empty() && one.speeds.size() != one.size()))
      throw record_error(on.path() + ": holds a transfer_sample that cannot be read: the file is damaged");
    one.of = read_key(q);
  }
  return found;
}

/// Removes all but the `keep` fastest records of each key, or of one key; records with an image stay.
inline std::int64_t prune_records(sqlite_connection& on, std::int64_t keep, std::optional<record_key> const& only) {
  auto q = on.query(
      "delete from records where id not in (select record from images) and id in (select id from (select id, key,"
      " row_number() over (partition by key order by status <> 0, seconds is null, seconds, id) as place"
      " from records) where place > ?1 and (?2 < 0 or key = ?2))");
  q.bind(keep).bind(only ? find_key(on, *only) : std::int64_t{-1}).next();
  return on.integer_of("select changes()");
}

/// Calls `visit` for each record; returns false if it stopped the loop.
inline bool for_each_record(sqlite_connection& on, std::function<bool(record const&)> const& visit) {
  auto q = on.query("select " TTUNE_DETAIL_RECORD_COLUMNS ", " TTUNE_DETAIL_KEY_COLUMNS
                    " from records r join keys k on k.id = r.key order by r.id");
  while (q.next()) {
    auto r = read_record(q, {}, on.path());
    r.key = read_key(q);
    if (!visit(r)) return false;
  }
  return true;
}

inline std::vector<key_summary> summarize_keys(sqlite_connection& on) {
  std::vector<key_summary> result;
  auto q = on.query("select " TTUNE_DETAIL_KEY_COLUMNS
                    ", (select count(*) from records r where r.key = k.id),"
                    " (select count(*) from records r where r.key = k.id and r.status = 0),"
                    " (select min(seconds) from records r where r.key = k.id and r.status = 0),"
                    " exists(select 1 from images i where i.key = k.id),"
                    " (select effort from records r where r.key = k.id and effort is not null and effort <> ''"
                    " order by id desc limit 1) from keys k order by k.id");
  while (q.next()) {
    key_summary s;
    s.key = read_key(q);
    s.records = q.integer();
    s.successes = q.integer();
    s.best_seconds = q.optional_real().value_or(0);
    s.has_image = q.integer() != 0;
    s.effort = effort_of(q.text());
    result.push_back(std::move(s));
  }
  return result;
}

#undef TTUNE_DETAIL_RECORD_COLUMNS
#undef TTUNE_DETAIL_KEY_COLUMNS

}}}  // namespace ttune::v0::detail
