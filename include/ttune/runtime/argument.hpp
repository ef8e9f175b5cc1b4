// SPDX-License-Identifier: Apache-2.0
// Argument types of kernel calls: views of memory. Types of other libraries are accepted after specialising
// argument_traits (<ttune/eigen.hpp> does so).
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "ttune/core/dtype.hpp"

namespace ttune { inline namespace v0 {

/// A contiguous, row-major view of memory with a shape. It does not own the memory.
template <class T, int Rank>
struct view {
  T* data = nullptr;
  std::int64_t shape[Rank == 0 ? 1 : Rank] = {};
};

/// A view of a part of a larger tensor, for operands that are `strided` or of `any_strides`. It does not own the
/// memory.
template <class T, int Rank>
struct strided_view {
  T* data = nullptr;
  std::int64_t shape[Rank] = {};
  std::int64_t strides[Rank] = {};  ///< distance of neighbours in each dimension, in elements
};

/// Describes how a type is passed to a kernel: `element` (const for read-only types), `rank` (-1: any rank, only the
/// number of elements counts), `column_major`, and the functions `data`, `extent` (of a dimension, in the object's own
/// order), `elements` (only for rank -1) and, for types that may have gaps in memory, `contiguous` and `stride` (of a
/// dimension, in elements).
template <class X>
struct argument_traits {
  static constexpr bool known = false;
};

template <class T, int Rank>
struct argument_traits<view<T, Rank>> {
  static constexpr bool known = true;
  using element = T;
  static constexpr int rank = Rank;
  static constexpr bool column_major = false;
  static T* data(view<T, Rank> const& v) { return v.data; }
  static std::int64_t extent(view<T, Rank> const& v, int d) { return v.shape[d]; }
};

template <class T, int Rank>
struct argument_traits<strided_view<T, Rank>> {
  static constexpr bool known = true;
  using element = T;
  static constexpr int rank = Rank;
  static constexpr bool column_major = false;
  static T* data(strided_view<T, Rank> const& v) { return v.data; }
  static std::int64_t extent(strided_view<T, Rank> const& v, int d) { return v.shape[d]; }
  static std::int64_t stride(strided_view<T, Rank> const& v, int d) { return v.strides[d]; }
  static bool contiguous(strided_view<T, Rank> const& v) {
    std::int64_t dense = 1;
    for (int d = Rank; d-- > 0; dense *= v.shape[d])
      if (v.shape[d] > 1 && v.strides[d] != dense) return false;
    return true;
  }
};

template <class T, std::size_t N>
struct argument_traits<std::span<T, N>> {
  static constexpr bool known = true;
  using element = T;
  static constexpr int rank = -1;
  static constexpr bool column_major = false;
  static T* data(std::span<T, N> s) { return s.data(); }
  static std::int64_t elements(std::span<T, N> s) { return static_cast<std::int64_t>(s.size()); }
};

template <class T>
struct argument_traits<std::vector<T>> {
  static constexpr bool known = true;
  using element = T;
  static constexpr int rank = -1;
  static constexpr bool column_major = false;
  static T const* data(std::vector<T> const& s) { return s.data(); }
  static T* data(std::vector<T>& s) { return s.data(); }
  static std::int64_t elements(std::vector<T> const& s) { return static_cast<std::int64_t>(s.size()); }
};

/// A single element, for operands of rank 0.
template <class T>
  requires element<T>
struct argument_traits<T> {
  static constexpr bool known = true;
  using element = T;
  static constexpr int rank = 0;
  static constexpr bool column_major = false;
  static T const* data(T const& v) { return &v; }
  static T* data(T& v) { return &v; }
  static std::int64_t extent(T const&, int) { return 1; }
};

}}  // namespace ttune::v0
