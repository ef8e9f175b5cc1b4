// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <mutex>

#include "ttune/records/memory_store.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/records/sqlite/tables.inl.hpp"

namespace ttune { inline namespace v0 {

/// The open file, or the store in memory that replaces it.
struct sqlite::database {
  using connection = detail::sqlite_connection;

  database(std::string where, record_mode how) : path(std::move(where)), mode(how) {}

  void open() {
    switch (mode) {
      case record_mode::read_write: return open_for_writing();
      case record_mode::read_only:
      case record_mode::must_hit: file = detail::open_for_reading(path); return;
      case record_mode::best_effort: return open_somehow();
    }
  }

  void open_for_writing() {
    file = detail::open_for_writing(path);
    can_write = true;
  }

  void open_somehow() {
    try {
      return open_for_writing();
    } catch (record_error const& e) {
      why = e.what();
    }
    try {
      file = detail::open_for_reading(path);
      why += " (opened for reading; new records are kept in memory)";
    } catch (record_error const&) {
      why += " (going on with records in memory)";
    }
  }

  /// Reads from the file. In mode best_effort a failure sets `reason` and returns `otherwise`.
  template <class Result, class Body>
  Result read(Result otherwise, Body const& body) {
    std::lock_guard const guard(lock);
    if (!file) return otherwise;
    try {
      return body(*file);
    } catch (record_error const& e) {
      if (mode != record_mode::best_effort) throw;
      why = e.what();
      return otherwise;
    }
  }

  /// Writes to the file. In mode best_effort a failure runs `fallback`, which writes to memory.
  template <class Body, class Fallback>
  void write(Body const& body, Fallback const& fallback) {
    std::lock_guard const guard(lock);
    if (mode == record_mode::read_only || mode == record_mode::must_hit)
      throw record_error(path + ": was opened for reading only: open it with record_mode::read_write to append");
    if (can_write) try {
        file->write([&] { return body(*file), true; });
        return;
      } catch (record_error const& e) {
        if (mode != record_mode::best_effort) throw;
        why = e.what();
      }
    fallback(memory);
  }

  std::string path;
  record_mode mode;
  std::mutex lock;
  std::unique_ptr<connection> file;  ///< null: best_effort could not open a file
  bool can_write = false;
  std::string why;
  memory_store memory;  ///< records that best_effort could not write to the file
};

sqlite::sqlite(std::string path, record_mode mode) : database_(std::make_unique<database>(std::move(path), mode)) {
  database_->open();
}
sqlite::sqlite(std::unique_ptr<database> opened) noexcept : database_(std::move(opened)) {}

sqlite sqlite::of_bytes(std::span<std::uint8_t const> bytes) {
  auto made = std::make_unique<database>("records of the program", record_mode::best_effort);
  made->file = detail::open_bytes(made->path, bytes);
  return sqlite(std::move(made));
}

sqlite::sqlite(sqlite&&) noexcept = default;
sqlite& sqlite::operator=(sqlite&&) noexcept = default;
sqlite::~sqlite() = default;

void sqlite::append(record const& r) {
  database_->write([&](auto& file) { detail::append_record(file, r); }, [&](memory_store& m) { m.append(r); });
}

std::optional<record> sqlite::best(record_key const& key) const {
  auto found = database_->read(std::optional<record>(),
                               [&](auto& file) { return detail::best_record(file, key, detail::find_key(file, key)); });
  auto in_memory = database_->memory.best(key);
  if (in_memory && (!found || is_faster(*in_memory, *found))) found = std::move(in_memory);
  if (!found && database_->mode == record_mode::must_hit)
    throw record_error(path() + ": has no record of " + title_of(key) + " for " + key.target +
                       ", and record_mode::must_hit forbids to tune: tune it where that is allowed, and ship the file");
  return found;
}

std::vector<record> sqlite::all(record_key const& key) const {
  auto found = database_->read(std::vector<record>(), [&](auto& file) { return detail::all_records(file, key); });
  for (auto& r : database_->memory.all(key)) found.push_back(std::move(r));
  return found;
}

std::vector<record> sqlite::near(record_key const& key, std::size_t limit) const {
  auto found =
      database_->read(std::vector<record>(), [&](auto& file) { return detail::nearest_records(file, key, limit); });
  auto in_memory = database_->memory.near(key, limit);
  if (in_memory.empty()) return found;
  std::ranges::move(in_memory, std::back_inserter(found));
  std::ranges::sort(found, {}, [&](record const& r) { return distance(key, r.key); });
  if (found.size() > limit) found.resize(limit);
  return found;
}

void sqlite::put_image(record const& of, std::span<std::uint8_t const> bytes) {
  database_->write([&](auto& file) { detail::put_image(file, of, bytes); },
                   [&](memory_store& m) { m.put_image(of, bytes); });
}

image_lookup sqlite::get_image(record_key const& key) const {
  auto in_memory = database_->memory.get_image(key);  // the newer one, if there is one
  if (in_memory) return in_memory;
  return database_->read(std::move(in_memory), [&](auto& file) { return detail::get_image(file, key); });
}

void sqlite::put_explanation(record_key const& of, kernel_explanation const& text) {
  database_->write([&](auto& file) { detail::put_explanation(file, of, text); },
                   [&](memory_store& m) { m.put_explanation(of, text); });
}

std::optional<kernel_explanation> sqlite::explanation(record_key const& of) const {
  auto in_memory = database_->memory.explanation(of);
  if (in_memory) return in_memory;
  return database_->read(std::move(in_memory), [&](auto& file) { return detail::get_explanation(file, of); });
}

void sqlite::put_transfer_sample(transfer_sample const& taught) {
  database_->write([&](auto& file) { detail::put_transfer_sample(file, taught); },
                   [&](memory_store& m) { m.put_transfer_sample(taught); });
}

std::vector<transfer_sample> sqlite::transfer_samples(std::size_t limit) const {
  auto found = database_->memory.transfer_samples(limit);
  auto in_file =
      database_->read(std::vector<transfer_sample>(), [&](auto& file) { return detail::get_samples(file, limit); });
  for (auto& one : in_file)
    if (found.size() < limit && std::ranges::find(found, one.of, &transfer_sample::of) == found.end())
      found.push_back(std::move(one));
  return found;
}

std::int64_t sqlite::prune(std::int64_t keep, std::optional<record_key> const& only) {
  std::int64_t removed = 0;
  database_->write([&](auto& file) { removed = detail::prune_records(file, keep, only); }, [](memory_store&) {});
  std::lock_guard const guard(database_->lock);
  if (removed > 0) database_->file->execute("vacuum");
  return removed;
}

void sqlite::for_each(std::function<bool(record const&)> const& visit) const {
  if (database_->read(true, [&](auto& file) { return detail::for_each_record(file, visit); }))
    database_->memory.for_each(visit);
}

std::vector<key_summary> sqlite::keys() const {
  auto found = database_->read(std::vector<key_summary>(), [&](auto& file) { return detail::summarize_keys(file); });
  for (auto& s : database_->memory.keys()) {
    auto const same = std::ranges::find(found, s.key, &key_summary::key);
    if (same == found.end()) {
      found.push_back(std::move(s));
      continue;
    }
    same->records += s.records;
    same->successes += s.successes;
    same->has_image = same->has_image || s.has_image;
    if (s.effort) same->effort = s.effort;
    if (s.successes > 0 && (same->best_seconds == 0 || s.best_seconds < same->best_seconds))
      same->best_seconds = s.best_seconds;
  }
  return found;
}

std::int64_t sqlite::count() const {
  return database_->memory.count() +
         database_->read(std::int64_t{0}, [](auto& file) { return file.integer_of("select count(*) from records"); });
}

bool sqlite::writable() const {
  return database_->mode == record_mode::read_write || database_->mode == record_mode::best_effort;
}
bool sqlite::lasting() const { return database_->can_write; }
std::string sqlite::reason() const {
  std::lock_guard const guard(database_->lock);
  return database_->why;
}
std::string const& sqlite::path() const noexcept { return database_->path; }

void sqlite::append_all(record_store const& from) {
  if (dynamic_cast<sqlite const*>(&from) == this) return;
  database_->write(
      [&](auto& file) {
        from.for_each([&](record const& r) { return detail::append_record(file, r), true; });
        for (auto const& s : from.keys()) {
          auto const image = s.has_image ? from.get_image(s.key) : image_lookup{};
          auto const better = detail::is_better_image(image, detail::get_image(file, s.key));
          if (better) detail::put_image(file, image.of, image.bytes);
          if (auto const text = from.explanation(s.key); text && (better || !detail::get_explanation(file, s.key)))
            detail::put_explanation(file, s.key, *text);
        }
        for (auto const& one : detail::better_samples(from, detail::get_samples(file, all_transfer_samples)))
          detail::put_transfer_sample(file, one);
      },
      [&](memory_store& m) { merge_records(from, m); });
}

export_summary sqlite::export_best(std::string const& to) const {
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
  for (auto const& one : transfer_samples(all_transfer_samples)) chosen.put_transfer_sample(one);
  try {
    sqlite out(draft);
    out.append_all(chosen);
    // A file without a write-ahead log can be read from a folder without write permission.
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

}}  // namespace ttune::v0
