// SPDX-License-Identifier: Apache-2.0
// The largest and the smallest elements of rows.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "numbers.hpp"
#include "ttune/ops/top_k.hpp"

namespace ttune_test {

template <bool Smallest>
inline constexpr auto ranked = [](auto X, auto V, auto P) {
  using limits = std::numeric_limits<std::remove_cvref_t<decltype(V(0, 0))>>;
  auto const n = static_cast<int>(X.extent(1));
  for (int i = 0; i < X.extent(0); ++i) {
    std::vector<int> places(static_cast<std::size_t>(n));
    std::iota(places.begin(), places.end(), 0);
    std::sort(places.begin(), places.end(), [&](int a, int b) {
      auto const x = number(X(i, a)), y = number(X(i, b));
      return x != y ? (Smallest ? x < y : x > y) : a < b;
    });
    for (int r = 0; r < V.extent(1); ++r) {
      bool const has = r < n;
      P(i, r) = has ? places[static_cast<std::size_t>(r)] : std::numeric_limits<std::int32_t>::max();
      auto const nothing = Smallest ? (limits::has_infinity ? limits::infinity() : limits::max())
                                    : (limits::has_infinity ? -limits::infinity() : limits::lowest());
      V(i, r) = has ? X(i, places[static_cast<std::size_t>(r)]) : nothing;
    }
  }
};

template <class Check>
void top_k_cases(Check const& check) {
  using namespace ttune;
  check(ops::top_k(3, 100, 4), ranked<false>);
  check(ops::top_k(1, 70'000, 10), ranked<false>);
  check(ops::top_k(1, 100'000, 3), ranked<false>);  // vectors without a change are passed over
  check(ops::top_k<std::int32_t>(1, 50'001, 2, true), ranked<true>);
  check(ops::top_k(200, 133, 3), ranked<false>);  // tasks of rows, the last one smaller
  check(ops::top_k(5, 1, 1), ranked<false>);
  check(ops::top_k(2, 3, 5), ranked<false>);  // less elements than places in the list
  check(ops::top_k(7, 61, 2, true), ranked<true>);
  check(ops::top_k<double>(4, 90, 7, true), ranked<true>);
  check(ops::top_k<std::uint8_t>(3, 500, 6), ranked<false>);  // many equal ones
  check(ops::top_k<std::int64_t>(2, 55, 3), ranked<false>);
}

}  // namespace ttune_test
