// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "ttune/runtime/strided_call.hpp"
#include "ttune/runtime/strided_operand.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Elements of an operand are at most this far apart, and sums of distances in bytes do not overflow.
inline constexpr std::int64_t most_stride = std::int64_t{1} << 46;

/// Decides about a call in any case. It is off the path of ordinary calls.
class strides_of_call {
 public:
  strides_of_call(kernel_signature const& s, std::span<void* const> operands, std::span<std::int64_t const> strides)
      : signature_(s), operands_(operands) {
    for (auto const& o : s.operands) {
      auto const count = o.strides == operand_strides::dense ? 0 : o.shape.size();
      own_.push_back(strides.first(count));
      strides = strides.subspan(count);
    }
  }

  void check() const {
    for (std::size_t i = 0; i < own_.size(); ++i) {
      if (signature_.operands[i].elements() == 0) continue;
      check_pointer(i);
      check_strides(i);
    }
    for (std::size_t i = 0; i < own_.size(); ++i)
      for (std::size_t j = 0; j < own_.size(); ++j)
        if (i != j && is_written(i) && overlap(i, j))
          refuse_argument(signature_, i, "overlaps operand " + signature_.operands[j].name);
  }

 private:
  [[nodiscard]] bool is_written(std::size_t i) const {
    auto const direction = signature_.operands[i].direction;
    return direction == operand_direction::out || direction == operand_direction::inout;
  }
  void check_pointer(std::size_t i) const {
    if (!operands_[i]) refuse_argument(signature_, i, "is a null pointer");
    if (reinterpret_cast<std::uintptr_t>(operands_[i]) % size_in_bytes(signature_.operands[i].type) != 0)
      refuse_argument(signature_, i, "is not aligned for its element type");
  }
  void check_strides(std::size_t i) const {
    auto const& o = signature_.operands[i];
    auto const strides = strides_of(i);
    for (std::size_t d = 0; d < strides.size(); ++d) {
      if (o.shape[d] < 2) continue;
      if (strides[d] < 0)
        refuse_argument(signature_, i,
                        "has the negative stride " + std::to_string(strides[d]) + ": pass it in the order of memory");
      if (strides[d] > most_stride / o.shape[d])
        refuse_argument(signature_, i, "has the stride " + std::to_string(strides[d]) + ", beyond all memory");
    }
    if (o.strides == operand_strides::outer && o.shape.back() > 1 && strides.back() != 1)
      refuse_argument(signature_, i,
                      "has elements that are " + std::to_string(strides.back()) +
                          " apart in its contiguous dimension: declare it any_strides, or pass a copy of it");
    if (is_written(i) && !is_apart(o, strides))
      refuse_argument(signature_, i, "is written, and several of its elements have one place in memory");
  }
  /// Returns the strides of an operand. That of a dimension with one element means nothing, and is 0.
  [[nodiscard]] std::vector<std::int64_t> strides_of(std::size_t i) const {
    auto const& o = signature_.operands[i];
    if (o.strides == operand_strides::dense) return dense_strides(o.shape);
    std::vector<std::int64_t> made(own_[i].begin(), own_[i].end());
    for (std::size_t d = 0; d < made.size(); ++d)
      if (o.shape[d] < 2) made[d] = 0;
    return made;
  }
  /// Returns true if no two elements have one place: each stride passes all that the smaller ones reach.
  [[nodiscard]] static bool is_apart(operand_info const& o, std::vector<std::int64_t> const& strides) {
    std::vector<std::size_t> order;
    for (std::size_t d = 0; d < strides.size(); ++d)
      if (o.shape[d] > 1) order.push_back(d);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
    std::int64_t reach = 1;
    for (auto const d : order) {
      if (strides[d] < reach) return false;
      reach += (o.shape[d] - 1) * strides[d];
    }
    return true;
  }

  /// Bytes from the first element of an operand on: those that the dimensions with strides below a period reach.
  [[nodiscard]] std::int64_t reach(std::size_t i, std::int64_t period) const {
    auto const& o = signature_.operands[i];
    auto const bytes = static_cast<std::int64_t>(size_in_bytes(o.type));
    auto const strides = strides_of(i);
    auto sum = bytes;
    for (std::size_t d = 0; d < strides.size(); ++d)
      if (strides[d] * bytes < period) sum += (o.shape[d] - 1) * strides[d] * bytes;
    return sum;
  }
  /// Returns true if all strides of an operand are below a period, or multiples of it.
  [[nodiscard]] bool repeats(std::size_t i, std::int64_t period) const {
    auto const bytes = static_cast<std::int64_t>(size_in_bytes(signature_.operands[i].type));
    auto const strides = strides_of(i);
    for (std::size_t d = 0; d < strides.size(); ++d)
      if (signature_.operands[i].shape[d] > 1 && strides[d] * bytes > period && strides[d] * bytes % period != 0)
        return false;
    return true;
  }
  /// Returns true if two operands may have a byte in common. Blocks of one matrix lie between each other's rows; they
  /// have none if they take other parts of its rows.
  [[nodiscard]] bool overlap(std::size_t i, std::size_t j) const {
    if (signature_.operands[i].elements() == 0 || signature_.operands[j].elements() == 0) return false;
    auto const begin = [&](std::size_t k) { return reinterpret_cast<std::intptr_t>(operands_[k]); };
    auto const end = [&](std::size_t k) { return begin(k) + reach(k, std::numeric_limits<std::int64_t>::max()); };
    if (begin(i) >= end(j) || begin(j) >= end(i)) return false;
    auto const bytes = static_cast<std::int64_t>(size_in_bytes(signature_.operands[i].type));
    for (auto const stride : strides_of(i)) {
      auto const period = stride * bytes;
      if (period <= 0 || !repeats(i, period) || !repeats(j, period)) continue;
      auto const distance = ((begin(j) - begin(i)) % period + period) % period;
      if (distance >= reach(i, period) && distance + reach(j, period) <= period) return false;
    }
    return true;
  }

  kernel_signature const& signature_;
  std::span<void* const> operands_;
  std::vector<std::span<std::int64_t const>> own_;  ///< by operand; empty for those without gaps
};

/// The bytes from the first element of an operand to the end of the last one.
struct byte_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Returns the range of an operand whose pointer is valid and whose strides are those of a part of a larger row-major
/// tensor: each passes all that the ones behind it reach. Returns nothing for another operand.
inline std::optional<byte_range> ordinary_range(operand_info const& o, void const* pointer,
                                                std::span<std::int64_t const> strides) {
  auto const bytes = static_cast<std::int64_t>(size_in_bytes(o.type));
  auto const begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (begin == 0 || begin % static_cast<std::uintptr_t>(bytes) != 0) return std::nullopt;
  std::int64_t reach = 1;  // elements
  for (std::size_t d = o.shape.size(); d-- > 0;) {
    auto const contiguous = strides.empty() || (o.strides == operand_strides::outer && d + 1 == o.shape.size());
    auto const stride = strides.empty() ? reach : strides[d];
    if (stride < reach || stride > most_stride / std::max<std::int64_t>(1, o.shape[d])) return std::nullopt;
    if (contiguous && stride != reach) return std::nullopt;
    reach += (o.shape[d] - 1) * stride;
  }
  return byte_range{begin, begin + static_cast<std::uintptr_t>(reach * bytes)};
}

/// Returns true if all operands are ordinary, and no result lies among the bytes of another operand. Costs some
/// nanoseconds for each operand.
inline bool is_ordinary_call(kernel_signature const& s, std::span<void* const> operands,
                             std::span<std::int64_t const> strides) {
  std::array<byte_range, 64> ranges;
  if (operands.size() > ranges.size()) return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    auto const& o = s.operands[i];
    auto const own = strides.first(o.strides == operand_strides::dense ? 0 : o.shape.size());
    auto const range = ordinary_range(o, operands[i], own);
    if (!range) return false;
    ranges[i] = *range;
    strides = strides.subspan(own.size());
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (s.operands[i].direction != operand_direction::out && s.operands[i].direction != operand_direction::inout)
      continue;
    for (std::size_t j = 0; j < operands.size(); ++j)
      if (i != j && ranges[i].begin < ranges[j].end && ranges[j].begin < ranges[i].end) return false;
  }
  return true;
}

void check_strided_memory(kernel_signature const& s, std::span<void* const> operands,
                          std::span<std::int64_t const> strides) {
  if (!is_ordinary_call(s, operands, strides)) strides_of_call(s, operands, strides).check();
}

}}}  // namespace ttune::v0::detail
