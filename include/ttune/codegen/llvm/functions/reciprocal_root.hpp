// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x) of floats from the processor's estimate of 14 bits and one step of Newton's method, with fused
// multiply-adds (P. Markstein, "IA-64 and Elementary Functions", 2000, ch. 9): as exact as a root and a division, in a
// third of the time.
#pragma once

#include <string>

#include "ttune/codegen/llvm/lane_code.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

/// Returns lanes [first, first + count) of a vector; lanes behind its end may be anything.
[[nodiscard]] inline lane_value lanes_from(lane_value const& x, int first, int count) {
  std::string places = "<";
  for (int lane = first; lane < first + count; ++lane)
    places += (lane != first ? ", i32 " : "i32 ") + (lane < x.lanes ? std::to_string(lane) : std::string("undef"));
  auto const text = x.sink->define("shufflevector " + x.type() + " " + x.text + ", " + x.type() + " undef, <" +
                                   std::to_string(count) + " x i32> " + places + ">");
  return {x.sink, text, x.scalar, count};
}

[[nodiscard]] inline lane_value side_by_side(lane_value const& a, lane_value const& b) {
  std::string places = "<i32 0";
  for (int lane = 1; lane < a.lanes + b.lanes; ++lane) places += ", i32 " + std::to_string(lane);
  auto const text = a.sink->define("shufflevector " + a.type() + " " + a.text + ", " + b.type() + " " + b.text + ", <" +
                                   std::to_string(a.lanes + b.lanes) + " x i32> " + places + ">");
  return {a.sink, text, a.scalar, a.lanes + b.lanes};
}

/// Returns 1 / sqrt(x) within 2^-14, by AVX-512's instruction for 4, 8 or 16 lanes. Other numbers of lanes, which are
/// powers of two, use parts or more of one.
[[nodiscard]] inline lane_value estimated_reciprocal_root(lane_value const& x) {
  if (x.lanes > 16)
    return side_by_side(estimated_reciprocal_root(lanes_from(x, 0, x.lanes / 2)),
                        estimated_reciprocal_root(lanes_from(x, x.lanes / 2, x.lanes / 2)));
  if (x.lanes == 1) {
    auto const one = x.sink->define("insertelement <4 x float> undef, float " + x.text + ", i32 0");
    auto const made = estimated_reciprocal_root({x.sink, one, x.scalar, 4});
    return x.named(x.sink->define("extractelement <4 x float> " + made.text + ", i32 0"), x.scalar);
  }
  if (x.lanes < 4) return lanes_from(estimated_reciprocal_root(lanes_from(x, 0, 4)), 0, x.lanes);
  auto const name = "@llvm.x86.avx512.rsqrt14.ps." + std::to_string(32 * x.lanes);
  auto const mask = x.lanes == 16 ? std::string("i16") : std::string("i8");
  x.sink->declare("declare " + x.type() + " " + name + "(" + x.type() + ", " + x.type() + ", " + mask + ")");
  return x.named(x.sink->define("call " + x.type() + " " + name + "(" + x.type() + " " + x.text + ", " + x.type() +
                                " zeroinitializer, " + mask + " -1)"),
                 x.scalar);
}

}  // namespace detail

/// Returns 1 / sqrt(x) for floats; the machine has AVX-512 with vectors of all lengths. Every number of lanes gives the
/// same bits. Where the step makes no number, at 0, at infinity and below 0, the estimate is the result.
[[nodiscard]] inline lane_value reciprocal_root(lane_value const& x) {
  auto const estimate = detail::estimated_reciprocal_root(x);
  auto const error = fused(-(x * estimate), estimate, x.number(1));
  auto const made = fused(estimate * x.number(0.5), error, estimate);
  return made.compared("ord", made).choose(made, estimate);
}

}}}  // namespace ttune::v0::codegen
