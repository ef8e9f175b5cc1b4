// SPDX-License-Identifier: Apache-2.0
// A map from extents to values that only grows: look-ups take no lock while another thread inserts.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Open addressing in a table of twice as many places as entries. A larger table replaces a full one, which stays for
/// those who still look into it: all of them together have no more places than the last.
template <class Value>
class shape_table {
 public:
  shape_table() { grow(8); }

  /// Returns the value of some extents; null if there is none. Costs some nanoseconds; any thread may call it.
  [[nodiscard]] Value const* find(std::span<std::int64_t const> extents) const noexcept {
    auto const& now = *current_.load(std::memory_order_acquire);
    for (auto at = hash_of(extents);; ++at) {
      auto const* const found = now.places[at & now.mask].load(std::memory_order_acquire);
      if (!found) return nullptr;
      if (std::ranges::equal(found->extents, extents)) return &found->value;
    }
  }
  /// Adds a value for extents that the table does not have. One thread at a time.
  Value const& insert(std::span<std::int64_t const> extents, Value value) {
    entry one{std::vector<std::int64_t>(extents.begin(), extents.end()), std::move(value)};
    auto const& made = entries_.emplace_back(std::make_unique<entry>(std::move(one)));
    if (2 * entries_.size() > tables_.back()->mask + 1) grow(2 * (tables_.back()->mask + 1));
    else put(*tables_.back(), *made);
    return made->value;
  }

 private:
  struct entry {
    std::vector<std::int64_t> extents;
    Value value;
  };
  struct table {
    explicit table(std::size_t size) : mask(size - 1), places(size) {}
    std::size_t mask;
    std::vector<std::atomic<entry const*>> places;
  };

  [[nodiscard]] static std::size_t hash_of(std::span<std::int64_t const> extents) noexcept {
    std::uint64_t made = 0;
    for (auto const e : extents) {
      made = (made ^ static_cast<std::uint64_t>(e)) * 0x9E3779B97F4A7C15;
      made ^= made >> 32;
    }
    return static_cast<std::size_t>(made);
  }
  static void put(table& in, entry const& one) noexcept {
    auto at = hash_of(one.extents);
    while (in.places[at & in.mask].load(std::memory_order_relaxed)) ++at;
    in.places[at & in.mask].store(&one, std::memory_order_release);
  }
  void grow(std::size_t size) {
    auto& made = tables_.emplace_back(std::make_unique<table>(size));
    for (auto const& e : entries_) put(*made, *e);
    current_.store(made.get(), std::memory_order_release);
  }

  std::atomic<table const*> current_{nullptr};
  std::vector<std::unique_ptr<table>> tables_;
  std::vector<std::unique_ptr<entry>> entries_;
};

}}}  // namespace ttune::v0::detail
