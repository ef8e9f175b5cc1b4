// SPDX-License-Identifier: Apache-2.0
// 1 / sqrt(x) from the processor's estimate and steps of an iteration, with fused multiply-adds: as exact as a root and
// a division, in a fraction of the time. A step of Newton's method doubles the bits (P. Markstein, "IA-64 and
// Elementary Functions", 2000, ch. 9); one with the next term of the series of (1 - e)^(-1/2), too, makes three times
// as many.
#pragma once

#include <string>

#include "ttune/codegen/llvm/functions/lane_parts.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

/// Returns 1 / sqrt(x) within 2^-14, by AVX-512's instructions for 128, 256 or 512 bits.
[[nodiscard]] inline lane_value estimated_reciprocal_root(lane_value const& any) {
  bool const wide = any.wide();
  return in_parts(any, wide ? 2 : 4, wide ? 8 : 16, [&](lane_value const& x) {
    auto const bits = (wide ? 64 : 32) * x.lanes;
    auto const name = std::string("@llvm.x86.avx512.rsqrt14.") + (wide ? "pd." : "ps.") + std::to_string(bits);
    auto const mask = std::string(x.lanes == 16 ? "i16" : "i8");
    x.sink->declare("declare " + x.type() + " " + name + "(" + x.type() + ", " + x.type() + ", " + mask + ")");
    return x.named(x.sink->define("call " + x.type() + " " + name + "(" + x.type() + " " + x.text + ", " + x.type() +
                                  " zeroinitializer, " + mask + " -1)"),
                   x.scalar);
  });
}

/// Returns 1 / sqrt(x) within 1.5 * 2^-12 for positive normal numbers, by SSE's or AVX's instruction.
[[nodiscard]] inline lane_value roughly_estimated_reciprocal_root(lane_value const& any) {
  return in_parts(any, 4, 8, [](lane_value const& x) {
    auto const name = std::string(x.lanes == 4 ? "@llvm.x86.sse.rsqrt.ps" : "@llvm.x86.avx.rsqrt.ps.256");
    x.sink->declare("declare " + x.type() + " " + name + "(" + x.type() + ")");
    return x.named(x.sink->define("call " + x.type() + " " + name + "(" + x.type() + " " + x.text + ")"), x.scalar);
  });
}

/// Returns y / sqrt(x y^2) for a y near 1 / sqrt(x): with three times as many exact bits, or twice as many.
[[nodiscard]] inline lane_value cubic_step(lane_value const& x, lane_value const& y) {
  auto const error = fused(-(x * y), y, x.number(1));
  return fused(y * error, fused(error, x.number(0.375), x.number(0.5)), y);
}
[[nodiscard]] inline lane_value newton_step(lane_value const& x, lane_value const& y) {
  auto const error = fused(-(x * y), y, x.number(1));
  return fused(y * x.number(0.5), error, y);
}

}  // namespace detail

/// Returns 1 / sqrt(x); the machine has AVX-512 with vectors of all lengths. Every number of lanes gives the same bits.
/// The estimate is the result where the steps make no number: at 0, at infinity and below 0.
[[nodiscard]] inline lane_value reciprocal_root(lane_value const& x) {
  auto const estimate = detail::estimated_reciprocal_root(x);
  auto const made = detail::newton_step(x, x.wide() ? detail::cubic_step(x, estimate) : estimate);
  return made.compared("ord", made).choose(made, estimate);
}

/// Returns 1 / sqrt(x) for positive normal floats; the machine has AVX and multiply-adds. Every number of lanes gives
/// the same bits.
[[nodiscard]] inline lane_value reciprocal_root_of_normal(lane_value const& x) {
  return detail::cubic_step(x, detail::roughly_estimated_reciprocal_root(x));
}

}}}  // namespace ttune::v0::codegen
