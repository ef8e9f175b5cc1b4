// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>
#include <thread>

#include "ttune/records/json_parts.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/records/sqlite/schema.inl.hpp"
#include "ttune/records/trust.hpp"
#include "ttune/support/bytes.hpp"
#include "ttune/support/hash.hpp"

namespace ttune::inline v0 {

namespace detail {

inline std::string to_json(json_value const& value) {
  std::string out;
  write_json(out, value);
  return out;
}

/// NaN would be stored as null and sorted before all numbers.
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
  "r.message, r.timestamp, r.predicted, r.version, r.device"
#define TTUNE_DETAIL_KEY_COLUMNS "k.compute, k.text, k.extents, k.target, k.space, k.objective"

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
  return r;
}

inline bool file_is_empty(std::string const& path) noexcept {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) != 0 || facts.st_size == 0;
}

/// A path as a URI, for an option that paths have no place for.
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

/// SQLite would create a file that the group may write to where the umask says so; its images would be refused.
/// A file that is there is not touched: closing it would release the locks that this process may hold on it.
inline void create_file(std::string const& path) {
  auto const descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) ::close(descriptor);
  else if (errno != EEXIST || ::faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK, AT_EACCESS) != 0)
    throw record_error(path + ": cannot be opened for writing: " + std::strerror(errno));
}

/// Also the journal decides what is read, as long as there is one.
inline availability images_trusted(std::string const& path) {
  auto trusted = written_by_owner_only(path);
  for (auto const* const journal : {"-wal", "-shm", "-journal"})
    if (trusted && ::access((path + journal).c_str(), F_OK) == 0) trusted = not_writable_by_others(path + journal);
  return trusted;
}

}  // namespace detail

/// The file, or memory in its place. Functions that are named `..._here` want the lock held and the file open.
struct sqlite::database {
  using connection = detail::sqlite_connection;

  database(std::string where, record_mode how) : path(std::move(where)), mode(how) {}

  // ---- opening

  void open() {
    switch (mode) {
      case record_mode::read_write: return open_for_writing();
      case record_mode::read_only:
      case record_mode::must_hit: return open_for_reading();
      case record_mode::best_effort: return open_somehow();
    }
  }

  /// Another process may be about to do the same, or to close the file as the last; not all of that can wait inside
  /// SQLite.
  void open_for_writing() {
    detail::create_file(path);
    for (auto const start = std::chrono::steady_clock::now();;) try {
        return open_for_writing_once();
      } catch (detail::sqlite_failure const& e) {
        if (e.code != SQLITE_BUSY || std::chrono::steady_clock::now() - start > std::chrono::seconds(10)) throw;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
  }

  void open_for_writing_once() {
    file = std::make_unique<connection>(path, path, SQLITE_OPEN_READWRITE);
    if (detail::is_empty(*file)) file->execute("pragma journal_mode = wal");
    else detail::checked_schema(*file);
    if (file->integer_of("pragma user_version") < detail::sqlite_schema) detail::upgrade(*file);
    // Exported files come with another journal; a commit in WAL mode outlives the process without a sync.
    file->execute("pragma journal_mode = wal; pragma synchronous = normal");
    can_write = true;
  }

  void open_for_reading() {
    if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0)
      throw record_error(path + ": cannot be read: " + std::strerror(errno) +
                         "; a mode that only reads needs a file that is there");
    try {
      file = std::make_unique<connection>(path, path, SQLITE_OPEN_READONLY);
      check_contents();
    } catch (detail::sqlite_failure const& e) {
      // Where nothing may be written SQLite cannot share the file's journal; an empty journal is not needed.
      if ((e.code != SQLITE_CANTOPEN && e.code != SQLITE_READONLY) || !file ||
          !detail::file_is_empty(file->real_path() + "-wal"))
        throw;
      file = std::make_unique<connection>(path, detail::immutable_uri(path), SQLITE_OPEN_READONLY);
      check_contents();
    }
  }

  void check_contents() {
    if (detail::is_empty(*file)) throw record_error(path + ": is empty: no ttune database");
    detail::checked_schema(*file);
  }

  void open_somehow() {
    try {
      return open_for_writing();
    } catch (record_error const& e) {
      why = e.what();
      file.reset();
    }
    try {
      open_for_reading();
      why += " (opened for reading; new records are kept in memory)";
    } catch (record_error const&) {
      file.reset();
      why += " (going on with records in memory)";
    }
  }

  // ---- what every function goes through

  /// Reads from the file; where effort is enough a failure is a reason and the answer `otherwise`.
  template <class Result, class Body>
  Result read(Result otherwise, Body const& body) {
    std::lock_guard const guard(lock);
    if (!file) return otherwise;
    try {
      return body();
    } catch (record_error const& e) {
      if (mode != record_mode::best_effort) throw;
      why = e.what();
      return otherwise;
    }
  }

  /// Writes to the file, or does the same to memory where effort is enough.
  template <class Body, class Fallback>
  void write(Body const& body, Fallback const& fallback) {
    std::lock_guard const guard(lock);
    if (mode == record_mode::read_only || mode == record_mode::must_hit)
      throw record_error(path + ": was opened for reading only: open it with record_mode::read_write to append");
    if (can_write) try {
        file->write(body);
        return;
      } catch (record_error const& e) {
        if (mode != record_mode::best_effort) throw;
        why = e.what();
      }
    fallback(memory);
  }

  // ---- keys and records

  std::int64_t find_key_here(record_key const& key) {
    auto q = file->query("select id, compute, space, target, objective from keys where hash = ?");
    q.bind(hash_of(key));
    while (q.next()) {
      auto const id = q.integer();
      if (q.hash() == key.compute && q.hash() == key.space && q.text() == key.target && q.text() == key.objective)
        return id;
    }
    return 0;
  }

  std::int64_t add_key_here(record_key const& key) {
    if (auto const id = find_key_here(key)) return id;
    auto const extents = detail::to_json(detail::json_integers(key.extents));
    auto q = file->query(
        "insert into keys(hash, text_hash, compute, text, extents, target, space, objective) values(?,?,?,?,?,?,?,?)");
    q.bind(hash_of(key)).bind(text_hash(key)).bind(key.compute).bind(std::string_view(key.compute_text));
    q.bind(std::string_view(extents)).bind(std::string_view(key.target)).bind(key.space);
    q.bind(std::string_view(key.objective)).next();
    return file->last_row();
  }

  static std::uint64_t text_hash(record_key const& key) { return hasher{}.add(key.compute_text).value(); }

  void append_here(record const& r) {
    auto const choices = detail::to_json(detail::json_choices(r.choices));
    auto const& m = r.result;
    auto const key = add_key_here(r.key);
    auto q = file->query(
        "insert or ignore into records(key, hash, lowering, choices, status, seconds, spread, samples, compile_seconds,"
        " measure_seconds, message, timestamp, predicted, version, device) values(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    q.bind(key).bind(hash_of(r)).bind(std::int64_t{r.lowering_version}).bind(std::string_view(choices));
    q.bind(static_cast<std::int64_t>(m.status)).bind(detail::finite(m.seconds)).bind(detail::finite(m.spread));
    q.bind(std::int64_t{m.samples}).bind(detail::finite(m.compile_seconds)).bind(detail::finite(m.measure_seconds));
    q.bind(std::string_view(m.message)).bind(r.timestamp).bind(r.predicted);
    q.bind(std::string_view(r.library_version)).bind(std::string_view(r.device)).next();
  }

  void put_image_here(record const& of, std::span<std::uint8_t const> bytes) {
    append_here(of);
    auto q = file->query(
        "insert or replace into images(key, record, checksum, bytes)"
        " select key, id, ?, ? from records where key = ? and hash = ?");
    q.bind(hasher{}.add(bytes).value()).bind(bytes).bind(find_key_here(of.key)).bind(hash_of(of)).next();
  }

  std::optional<record> best_here(record_key const& key, std::int64_t id) {
    auto q = file->query("select " TTUNE_DETAIL_RECORD_COLUMNS
                         " from records r where key = ? and status = 0 and seconds is not null"
                         " order by seconds limit 1");
    q.bind(id);
    if (!q.next()) return std::nullopt;
    return detail::read_record(q, key, path);
  }

  std::vector<record> all_here(record_key const& key) {
    std::vector<record> result;
    auto q = file->query("select " TTUNE_DETAIL_RECORD_COLUMNS " from records r where key = ? order by id");
    q.bind(find_key_here(key));
    while (q.next()) result.push_back(detail::read_record(q, key, path));
    return result;
  }

  std::vector<record> near_here(record_key const& key, std::size_t limit) {
    struct neighbour {
      double distance;
      std::int64_t id;
      record_key key;
    };
    std::vector<neighbour> found;
    {
      auto q = file->query("select k.id, " TTUNE_DETAIL_KEY_COLUMNS " from keys k where text_hash = ?");
      q.bind(text_hash(key));
      while (q.next()) {
        auto const id = q.integer();
        auto other = detail::read_key(q);
        auto const d = distance(key, other);
        if (std::isfinite(d) && other != key) found.push_back({d, id, std::move(other)});
      }
    }
    std::ranges::sort(
        found, [](auto const& a, auto const& b) { return std::pair(a.distance, a.id) < std::pair(b.distance, b.id); });
    std::vector<record> result;
    for (auto const& n : found) {
      if (result.size() == limit) break;
      if (auto r = best_here(n.key, n.id)) result.push_back(std::move(*r));
    }
    return result;
  }

  image_lookup get_image_here(record_key const& key) {
    auto q = file->query("select i.checksum, i.bytes, " TTUNE_DETAIL_RECORD_COLUMNS
                         " from images i join records r on r.id = i.record where i.key = ?");
    q.bind(find_key_here(key));
    if (!q.next()) return {{}, {}, "no image is stored"};
    auto const checksum = q.hash();
    auto const bytes = q.bytes();
    image_lookup found{{}, detail::read_record(q, key, path), {}};
    if (auto const trusted = detail::images_trusted(file->real_path()); !trusted) found.reason = trusted.reason;
    else if (bytes.empty() || hasher{}.add(bytes).value() != checksum)
      found.reason = path + ": the checksum of the stored image differs: it is damaged";
    else found.bytes.assign(bytes.begin(), bytes.end());
    return found;
  }

  void put_explanation_here(record_key const& of, kernel_explanation const& text) {
    auto const key = add_key_here(of);
    auto q = file->query(
        "insert or replace into explanations(key, schedule, loops, source, flops, peak) values(?,?,?,?,?,?)");
    q.bind(key).bind(std::string_view(text.schedule)).bind(std::string_view(text.loops));
    q.bind(std::string_view(text.source)).bind(text.flops).bind(text.peak_flops_per_second).next();
  }

  /// A file of the first schema that may only be read has none.
  std::optional<kernel_explanation> explanation_here(record_key const& of) {
    if (file->integer_of("pragma user_version") < 2) return std::nullopt;
    auto q = file->query("select schedule, loops, source, flops, peak from explanations where key = ?");
    q.bind(find_key_here(of));
    if (!q.next()) return std::nullopt;
    kernel_explanation text;
    text.schedule = q.text();
    text.loops = q.text();
    text.source = q.text();
    text.flops = q.real();
    text.peak_flops_per_second = q.real();
    return text;
  }

  void put_lesson_here(lesson const& taught) {
    byte_sink rows, speeds;
    rows.put(taught.rows);
    speeds.put(taught.speeds);
    auto const of_rows = rows.take(), of_speeds = speeds.take();
    auto const key = add_key_here(taught.of);
    auto q =
        file->query("insert or replace into lessons(key, seconds, schema, columns, rows, speeds) values(?,?,?,?,?,?)");
    q.bind(key).bind(taught.seconds).bind(taught.schema).bind(static_cast<std::int64_t>(taught.columns));
    q.bind(std::span<std::uint8_t const>(of_rows)).bind(std::span<std::uint8_t const>(of_speeds)).next();
  }

  /// Newest keys first. A file of an older schema that may only be read has none.
  std::vector<lesson> lessons_here(std::size_t limit) {
    auto const version = file->integer_of("pragma user_version");
    if (version < 3) return {};
    std::vector<lesson> found;
    std::string const column = version < 4 ? "null" : "l.speeds";
    auto const text = "select l.seconds, l.schema, l.columns, l.rows, " + column +
                      ", " TTUNE_DETAIL_KEY_COLUMNS
                      " from lessons l join keys k on k.id = l.key order by l.key desc limit ?";
    auto q = file->query(text.c_str());
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
        throw record_error(path + ": holds a lesson that cannot be read: the file is damaged");
      one.of = detail::read_key(q);
    }
    return found;
  }

  /// All but the `keep` fastest records of each key, or of one; what has an image stays.
  std::int64_t prune_here(std::int64_t keep, std::optional<record_key> const& only) {
    auto q = file->query(
        "delete from records where id not in (select record from images) and id in (select id from (select id, key,"
        " row_number() over (partition by key order by status <> 0, seconds is null, seconds, id) as place"
        " from records) where place > ?1 and (?2 < 0 or key = ?2))");
    q.bind(keep).bind(only ? find_key_here(*only) : std::int64_t{-1}).next();
    return file->integer_of("select changes()");
  }

  /// Returns whether to go on.
  bool for_each_here(std::function<bool(record const&)> const& visit) {
    auto q = file->query("select " TTUNE_DETAIL_RECORD_COLUMNS ", " TTUNE_DETAIL_KEY_COLUMNS
                         " from records r join keys k on k.id = r.key order by r.id");
    while (q.next()) {
      auto r = detail::read_record(q, {}, path);
      r.key = detail::read_key(q);
      if (!visit(r)) return false;
    }
    return true;
  }

  std::vector<key_summary> keys_here() {
    std::vector<key_summary> result;
    auto q = file->query("select " TTUNE_DETAIL_KEY_COLUMNS
                         ", (select count(*) from records r where r.key = k.id),"
                         " (select count(*) from records r where r.key = k.id and r.status = 0),"
                         " (select min(seconds) from records r where r.key = k.id and r.status = 0),"
                         " exists(select 1 from images i where i.key = k.id) from keys k order by k.id");
    while (q.next()) {
      key_summary s;
      s.key = detail::read_key(q);
      s.records = q.integer();
      s.successes = q.integer();
      s.best_seconds = q.optional_real().value_or(0);
      s.has_image = q.integer() != 0;
      result.push_back(std::move(s));
    }
    return result;
  }

  std::string path;
  record_mode mode;
  std::mutex lock;
  std::unique_ptr<connection> file;  ///< null: best_effort found none
  bool can_write = false;
  std::string why;
  memory_store memory;  ///< what best_effort could not write
};

#undef TTUNE_DETAIL_RECORD_COLUMNS
#undef TTUNE_DETAIL_KEY_COLUMNS

TTUNE_INLINE sqlite::sqlite(std::string path, record_mode mode)
    : database_(std::make_unique<database>(std::move(path), mode)) {
  database_->open();
}
TTUNE_INLINE sqlite::sqlite(sqlite&&) noexcept = default;
TTUNE_INLINE sqlite& sqlite::operator=(sqlite&&) noexcept = default;
TTUNE_INLINE sqlite::~sqlite() = default;

TTUNE_INLINE void sqlite::append(record const& r) {
  database_->write([&] { return database_->append_here(r), true; }, [&](memory_store& m) { m.append(r); });
}

TTUNE_INLINE std::optional<record> sqlite::best(record_key const& key) const {
  auto found = database_->read(std::optional<record>(),
                               [&] { return database_->best_here(key, database_->find_key_here(key)); });
  auto in_memory = database_->memory.best(key);
  if (in_memory && (!found || is_faster(*in_memory, *found))) found = std::move(in_memory);
  if (!found && database_->mode == record_mode::must_hit)
    throw record_error(path() + ": has no record of " + title_of(key) + " for " + key.target +
                       ", and record_mode::must_hit forbids to tune: tune it where that is allowed, and ship the file");
  return found;
}

TTUNE_INLINE std::vector<record> sqlite::all(record_key const& key) const {
  auto found = database_->read(std::vector<record>(), [&] { return database_->all_here(key); });
  for (auto& r : database_->memory.all(key)) found.push_back(std::move(r));
  return found;
}

TTUNE_INLINE std::vector<record> sqlite::near(record_key const& key, std::size_t limit) const {
  auto found = database_->read(std::vector<record>(), [&] { return database_->near_here(key, limit); });
  auto in_memory = database_->memory.near(key, limit);
  if (in_memory.empty()) return found;
  std::ranges::move(in_memory, std::back_inserter(found));
  std::ranges::sort(found, {}, [&](record const& r) { return distance(key, r.key); });
  if (found.size() > limit) found.resize(limit);
  return found;
}

TTUNE_INLINE void sqlite::put_image(record const& of, std::span<std::uint8_t const> bytes) {
  database_->write([&] { return database_->put_image_here(of, bytes), true; },
                   [&](memory_store& m) { m.put_image(of, bytes); });
}

TTUNE_INLINE image_lookup sqlite::get_image(record_key const& key) const {
  auto in_memory = database_->memory.get_image(key);  // the newer one, if there is one
  if (in_memory) return in_memory;
  return database_->read(std::move(in_memory), [&] { return database_->get_image_here(key); });
}

TTUNE_INLINE void sqlite::put_explanation(record_key const& of, kernel_explanation const& text) {
  database_->write([&] { return database_->put_explanation_here(of, text), true; },
                   [&](memory_store& m) { m.put_explanation(of, text); });
}

TTUNE_INLINE std::optional<kernel_explanation> sqlite::explanation(record_key const& of) const {
  auto in_memory = database_->memory.explanation(of);
  if (in_memory) return in_memory;
  return database_->read(std::move(in_memory), [&] { return database_->explanation_here(of); });
}

TTUNE_INLINE void sqlite::put_lesson(lesson const& taught) {
  database_->write([&] { return database_->put_lesson_here(taught), true; },
                   [&](memory_store& m) { m.put_lesson(taught); });
}

TTUNE_INLINE std::vector<lesson> sqlite::lessons(std::size_t limit) const {
  auto found = database_->memory.lessons(limit);
  auto in_file = database_->read(std::vector<lesson>(), [&] { return database_->lessons_here(limit); });
  for (auto& one : in_file)
    if (found.size() < limit && std::ranges::find(found, one.of, &lesson::of) == found.end())
      found.push_back(std::move(one));
  return found;
}

TTUNE_INLINE std::int64_t sqlite::prune(std::int64_t keep, std::optional<record_key> const& only) {
  std::int64_t removed = 0;
  database_->write([&] { return removed = database_->prune_here(keep, only), true; }, [](memory_store&) {});
  std::lock_guard const guard(database_->lock);
  if (removed > 0) database_->file->execute("vacuum");
  return removed;
}

TTUNE_INLINE void sqlite::for_each(std::function<bool(record const&)> const& visit) const {
  if (database_->read(true, [&] { return database_->for_each_here(visit); })) database_->memory.for_each(visit);
}

TTUNE_INLINE std::vector<key_summary> sqlite::keys() const {
  auto found = database_->read(std::vector<key_summary>(), [&] { return database_->keys_here(); });
  for (auto& s : database_->memory.keys()) {
    auto const same = std::ranges::find(found, s.key, &key_summary::key);
    if (same == found.end()) {
      found.push_back(std::move(s));
      continue;
    }
    same->records += s.records;
    same->successes += s.successes;
    same->has_image = same->has_image || s.has_image;
    if (s.successes > 0 && (same->best_seconds == 0 || s.best_seconds < same->best_seconds))
      same->best_seconds = s.best_seconds;
  }
  return found;
}

TTUNE_INLINE std::int64_t sqlite::count() const {
  return database_->memory.count() +
         database_->read(std::int64_t{0}, [&] { return database_->file->integer_of("select count(*) from records"); });
}

TTUNE_INLINE bool sqlite::writable() const {
  return database_->mode == record_mode::read_write || database_->mode == record_mode::best_effort;
}
TTUNE_INLINE std::string sqlite::reason() const {
  std::lock_guard const guard(database_->lock);
  return database_->why;
}
TTUNE_INLINE std::string const& sqlite::path() const noexcept { return database_->path; }

TTUNE_INLINE void sqlite::append_all(record_store const& from) {
  if (dynamic_cast<sqlite const*>(&from) == this) return;
  database_->write(
      [&] {
        from.for_each([&](record const& r) { return database_->append_here(r), true; });
        for (auto const& s : from.keys()) {
          auto const image = s.has_image ? from.get_image(s.key) : image_lookup{};
          auto const better = detail::is_better_image(image, database_->get_image_here(s.key));
          if (better) database_->put_image_here(image.of, image.bytes);
          if (auto const text = from.explanation(s.key); text && (better || !database_->explanation_here(s.key)))
            database_->put_explanation_here(s.key, *text);
        }
        for (auto const& one : detail::better_lessons(from, database_->lessons_here(all_lessons)))
          database_->put_lesson_here(one);
        return true;
      },
      [&](memory_store& m) { merge_records(from, m); });
}

TTUNE_INLINE export_summary sqlite::export_best(std::string const& to) const {
  export_summary summary;
  memory_store chosen;
  for (auto const& s : keys()) {
    if (s.successes == 0) continue;
    auto const b = best(s.key);
    if (!b) continue;
    chosen.append(*b);
    ++summary.keys;
    if (auto const text = explanation(s.key)) chosen.put_explanation(s.key, *text);
    if (!s.has_image) continue;
    if (auto const image = get_image(s.key)) {
      chosen.put_image(image.of, image.bytes);
      ++summary.images;
    } else if (summary.reason.empty()) {
      summary.reason = image.reason;
    }
  }
  auto const draft = to + ".part";
  std::remove(draft.c_str());
  for (auto const& one : lessons(all_lessons)) chosen.put_lesson(one);
  try {
    sqlite out(draft);
    out.append_all(chosen);
    // Without a log beside it the file can be read where nothing may be written.
    out.database_->file->execute("pragma journal_mode = delete; vacuum");
  } catch (...) {
    std::remove(draft.c_str());
    throw;
  }
  ::chmod(draft.c_str(), 0444);
  if (std::rename(draft.c_str(), to.c_str()) == 0) return summary;
  auto const failure = errno;
  std::remove(draft.c_str());
  throw record_error(to + ": cannot be written: " + std::strerror(failure));
}

}  // namespace ttune::inline v0
