// SPDX-License-Identifier: Apache-2.0
// Vectors cut into parts and put together: instructions with a fixed number of lanes serve vectors of other lengths.
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include "ttune/codegen/llvm/lane_code.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace detail {

/// Returns lanes [first, first + count) of a vector; lanes behind its end may be anything.
[[nodiscard]] inline lane_value lanes_from(lane_value const& x, int first, int count) {
  std::string places = "<";
  for (int lane = first; lane < first + count; ++lane)
    places += (lane != first ? ", i32 " : "i32 ") + (lane < x.lanes ? std::to_string(lane) : std::string("undef"));
  auto const text = x.sink->define("shufflevector " + x.type() + " " + x.text + ", " + x.type() + " undef, <" +
                                   std::to_string(count) + " x i32> " + places + ">");
  return {x.sink, text, x.scalar, count};
}

/// Returns the lanes of a, then those of b; both have as many.
[[nodiscard]] inline lane_value side_by_side(lane_value const& a, lane_value const& b) {
  std::string places = "<i32 0";
  for (int lane = 1; lane < a.lanes + b.lanes; ++lane) places += ", i32 " + std::to_string(lane);
  auto const text = a.sink->define("shufflevector " + a.type() + " " + a.text + ", " + b.type() + " " + b.text + ", <" +
                                   std::to_string(a.lanes + b.lanes) + " x i32> " + places + ">");
  return {a.sink, text, a.scalar, a.lanes + b.lanes};
}

/// Applies a function of `least` to `most` lanes, which are powers of two, to any number of lanes.
template <class Function>
[[nodiscard]] lane_value in_parts(lane_value const& x, int least, int most, Function const& f) {
  if (x.lanes == 1) {
    auto const type = vector_of(x.scalar, least);
    auto const one = x.sink->define("insertelement " + type + " undef, " + x.scalar + " " + x.text + ", i32 0");
    auto const made = f({x.sink, one, x.scalar, least});
    return x.named(x.sink->define("extractelement " + made.type() + " " + made.text + ", i32 0"), made.scalar);
  }
  auto const whole = std::max(least, static_cast<int>(std::bit_ceil(static_cast<unsigned>(x.lanes))));
  if (whole != x.lanes) return lanes_from(in_parts(lanes_from(x, 0, whole), least, most, f), 0, x.lanes);
  if (whole <= most) return f(x);
  return side_by_side(in_parts(lanes_from(x, 0, whole / 2), least, most, f),
                      in_parts(lanes_from(x, whole / 2, whole / 2), least, most, f));
}

}}}}  // namespace ttune::v0::codegen::detail
