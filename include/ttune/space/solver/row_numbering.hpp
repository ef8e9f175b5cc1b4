// SPDX-License-Identifier: Apache-2.0
// Numbers for distinct rows of numbers: a hash table with all rows in one array.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ttune { inline namespace v0 { namespace detail {

inline std::uint64_t mix_hash(std::uint64_t hash, std::uint64_t value) noexcept {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

/// Numbers distinct rows of `width` elements, in order of appearance.
template <class T>
class row_numbering {
 public:
  explicit row_numbering(std::size_t width) : width_(width), table_(64, none) {}

  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }
  [[nodiscard]] std::span<T const> row(std::uint32_t number) const noexcept {
    return {rows_.data() + number * width_, width_};
  }
  std::uint32_t number_of(T const* row_begin) {
    auto const hash = hash_of_row(row_begin);
    auto const place = place_of(row_begin, hash);
    if (table_[place] != none) return table_[place];
    table_[place] = count_;
    hashes_.push_back(hash);
    rows_.insert(rows_.end(), row_begin, row_begin + width_);
    if (++count_ * 2 > table_.size()) grow();
    return count_ - 1;
  }
  /// Returns `none` if there is no such row.
  [[nodiscard]] std::uint32_t find(T const* row_begin) const {
    return table_[place_of(row_begin, hash_of_row(row_begin))];
  }

  static constexpr std::uint32_t none = 0xffffffffU;

 private:
  std::uint64_t hash_of_row(T const* row_begin) const {
    std::uint64_t hash = 0x51ed270b;
    for (std::size_t i = 0; i < width_; ++i) hash = mix_hash(hash, static_cast<std::uint64_t>(row_begin[i]));
    return hash;
  }
  std::size_t place_of(T const* row_begin, std::uint64_t hash) const {
    auto const mask = table_.size() - 1;
    auto place = static_cast<std::size_t>(hash) & mask;
    while (table_[place] != none && !std::equal(row_begin, row_begin + width_, rows_.data() + table_[place] * width_))
      place = (place + 1) & mask;
    return place;
  }
  void grow() {
    table_.assign(table_.size() * 2, none);
    auto const mask = table_.size() - 1;
    for (std::uint32_t i = 0; i < count_; ++i) {
      auto place = static_cast<std::size_t>(hashes_[i]) & mask;
      while (table_[place] != none) place = (place + 1) & mask;
      table_[place] = i;
    }
  }
  std::size_t width_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> table_;
  std::vector<std::uint64_t> hashes_;
  std::vector<T> rows_;
};

}}}  // namespace ttune::v0::detail
