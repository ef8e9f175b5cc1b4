// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "ttune/records/memory_store.hpp"

namespace ttune { inline namespace v0 {

struct memory_store::contents {
  struct entry {
    record_key key;
    std::vector<std::size_t> records;  ///< positions
    std::ptrdiff_t best = -1;          ///< position
    std::vector<std::uint8_t> image;
    std::size_t image_of = 0;  ///< position
    std::optional<kernel_explanation> explanation;
    std::optional<transfer_sample> taught;
  };

  entry const* find(record_key const& key) const {
    auto const at = places.find(hash_of(key));
    return at == places.end() ? nullptr : &entries[at->second];
  }
  entry& find_or_add(record_key const& key) {
    auto const [at, is_new] = places.try_emplace(hash_of(key), entries.size());
    if (is_new) entries.push_back({key, {}, -1, {}, 0, {}, {}});
    return entries[at->second];
  }
  /// Appends a record unless the store has it already.
  void append(record const& r) {
    if (!known.insert(hash_of(r)).second) return;
    auto& e = find_or_add(r.key);
    e.records.push_back(records.size());
    if (r.result.ok() && (e.best < 0 || is_faster(r, records[static_cast<std::size_t>(e.best)])))
      e.best = static_cast<std::ptrdiff_t>(records.size());
    records.push_back(r);
  }
  std::size_t position(record const& r) const {
    auto const wanted = hash_of(r);
    for (auto const i : find(r.key)->records)
      if (hash_of(records[i]) == wanted) return i;
    return records.size() - 1;
  }

  std::mutex lock;
  std::vector<record> records;
  std::vector<entry> entries;
  std::unordered_map<std::uint64_t, std::size_t> places;  ///< hash of a key -> entry
  std::unordered_set<std::uint64_t> known;                ///< hashes of all records
};

memory_store::memory_store() : contents_(std::make_unique<contents>()) {}
memory_store::memory_store(memory_store&&) noexcept = default;
memory_store& memory_store::operator=(memory_store&&) noexcept = default;
memory_store::~memory_store() = default;

void memory_store::append(record const& r) {
  std::lock_guard const guard(contents_->lock);
  contents_->append(r);
}

std::optional<record> memory_store::best(record_key const& key) const {
  std::lock_guard const guard(contents_->lock);
  auto const* const e = contents_->find(key);
  if (!e || e->best < 0) return std::nullopt;
  return contents_->records[static_cast<std::size_t>(e->best)];
}

std::vector<record> memory_store::all(record_key const& key) const {
  std::lock_guard const guard(contents_->lock);
  std::vector<record> result;
  if (auto const* const e = contents_->find(key))
    for (auto const i : e->records) result.push_back(contents_->records[i]);
  return result;
}

std::vector<record> memory_store::near(record_key const& key, std::size_t limit) const {
  std::lock_guard const guard(contents_->lock);
  std::vector<std::pair<double, std::ptrdiff_t>> found;  // (distance, position)
  for (auto const& e : contents_->entries)
    if (auto const d = distance(key, e.key); e.best >= 0 && std::isfinite(d) && e.key != key)
      found.emplace_back(d, e.best);
  std::ranges::sort(found);
  std::vector<record> result;
  for (auto const& [d, i] : std::span(found).first(std::min(limit, found.size())))
    result.push_back(contents_->records[static_cast<std::size_t>(i)]);
  return result;
}

void memory_store::put_image(record const& of, std::span<std::uint8_t const> bytes) {
  std::lock_guard const guard(contents_->lock);
  contents_->append(of);
  auto& e = contents_->find_or_add(of.key);
  e.image.assign(bytes.begin(), bytes.end());
  e.image_of = contents_->position(of);
}

image_lookup memory_store::get_image(record_key const& key) const {
  std::lock_guard const guard(contents_->lock);
  auto const* const e = contents_->find(key);
  if (!e || e->image.empty()) return {{}, {}, "no image is stored"};
  return {e->image, contents_->records[e->image_of], {}};
}

void memory_store::put_explanation(record_key const& of, kernel_explanation const& text) {
  std::lock_guard const guard(contents_->lock);
  contents_->find_or_add(of).explanation = text;
}

std::optional<kernel_explanation> memory_store::explanation(record_key const& of) const {
  std::lock_guard const guard(contents_->lock);
  auto const* const e = contents_->find(of);
  return e ? e->explanation : std::nullopt;
}

void memory_store::put_transfer_sample(transfer_sample const& taught) {
  std::lock_guard const guard(contents_->lock);
  contents_->find_or_add(taught.of).taught = taught;
}

std::vector<transfer_sample> memory_store::transfer_samples(std::size_t limit) const {
  std::lock_guard const guard(contents_->lock);
  std::vector<transfer_sample> result;
  for (auto const& e : contents_->entries)
    if (e.taught && result.size() < limit) result.push_back(*e.taught);
  return result;
}

void memory_store::for_each(std::function<bool(record const&)> const& visit) const {
  std::lock_guard const guard(contents_->lock);
  for (auto const& r : contents_->records)
    if (!visit(r)) return;
}

std::vector<key_summary> memory_store::keys() const {
  std::lock_guard const guard(contents_->lock);
  std::vector<key_summary> result;
  for (auto const& e : contents_->entries) {
    key_summary s{e.key, static_cast<std::int64_t>(e.records.size()), 0, 0, !e.image.empty(), {}};
    for (auto const i : e.records) {
      s.successes += contents_->records[i].result.ok() ? 1 : 0;
      if (contents_->records[i].effort) s.effort = contents_->records[i].effort;
    }
    if (e.best >= 0) s.best_seconds = contents_->records[static_cast<std::size_t>(e.best)].result.seconds;
    result.push_back(std::move(s));
  }
  return result;
}

std::int64_t memory_store::count() const {
  std::lock_guard const guard(contents_->lock);
  return static_cast<std::int64_t>(contents_->records.size());
}

bool memory_store::contains(record const& r) const {
  std::lock_guard const guard(contents_->lock);
  return contents_->known.contains(hash_of(r));
}

}}  // namespace ttune::v0
