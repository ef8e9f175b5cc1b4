// SPDX-License-Identifier: Apache-2.0
// An operand as a reference sees it: elements accessed by their indices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ttune/runtime/argument.hpp"

namespace ttune { inline namespace v0 { namespace testing {

/// A contiguous operand, row-major unless `ColumnMajor`; does not own its memory. Converts to a std::span, or if it is
/// row-major to a ttune::view, when the reference takes one. `T` is const for operands that the operator does not
/// write.
template <class T, int Rank, bool ColumnMajor = false>
struct operand_view {
  using element_type = T;
  static constexpr int rank = Rank;
  static constexpr bool column_major = ColumnMajor;
  T* data = nullptr;
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> shape{};

  [[nodiscard]] std::int64_t extent(int d) const noexcept { return shape[static_cast<std::size_t>(d)]; }
  [[nodiscard]] std::int64_t elements() const noexcept {
    std::int64_t n = 1;
    for (auto const e : shape) n *= e;
    return n;
  }
  /// `C(i, j) = …`; indices are not checked.
  template <class... Indices>
  [[nodiscard]] T& operator()(Indices... indices) const noexcept {
    static_assert(sizeof...(Indices) == Rank, "ttune: another number of indices than the operand has dimensions");
    std::array<std::int64_t, static_cast<std::size_t>(Rank)> const at{static_cast<std::int64_t>(indices)...};
    std::int64_t place = 0;
    for (std::size_t n = 0; n < at.size(); ++n) {  // outermost in memory first
      auto const d = ColumnMajor ? at.size() - 1 - n : n;
      place = place * shape[d] + at[d];
    }
    return data[place];
  }
  operator std::span<T>() const noexcept { return {data, static_cast<std::size_t>(elements())}; }
  operator view<T, Rank>() const noexcept
    requires(!ColumnMajor)
  {
    view<T, Rank> made;
    made.data = data;
    for (std::size_t d = 0; d < shape.size(); ++d) made.shape[d] = shape[d];
    return made;
  }
};

}}}  // namespace ttune::v0::testing
