// SPDX-License-Identifier: Apache-2.0
// Operands for random programs, and how two results differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

namespace ir = ttune::ir;
using ttune::dtype;

/// Makes small numbers: multiples of 1/4 for floats, so that sums are exact in any order. With `special`, some are
/// infinity or NaN.
[[nodiscard]] inline std::vector<ir::ndarray> random_operands(ir::program const& p, ttune::rng& random,
                                                              bool special = false) {
  std::vector<ir::ndarray> made;
  for (auto const& t : p.inputs) {
    if (t->role == ir::tensor_role::table) continue;
    ir::ndarray a(t->type, ir::shape_of(t));
    for (auto& v : a.reals) {
      v = static_cast<double>(random.below(33)) / 4 - 4;
      if (special && random.chance(0.05)) v = random.chance(0.5) ? std::nan("") : HUGE_VAL;
    }
    for (auto& v : a.integers) {
      v = static_cast<std::int64_t>(random.below(16)) - (ttune::is_unsigned(t->type) ? 0 : 8);
      if (t->has_range)
        v = t->low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(t->high - t->low)));
    }
    made.push_back(std::move(a));
  }
  return made;
}

/// Makes operands that use all bits of their types: integers of 8 and 16 bits of the whole range, floats with full
/// fractions, of many magnitudes for those of 16 bits. Some operands stay small. Sums are not exact in any order.
[[nodiscard]] inline std::vector<ir::ndarray> whole_operands(ir::program const& p, ttune::rng& random) {
  auto made = random_operands(p, random);
  std::size_t at = 0;
  for (auto const& t : p.inputs) {
    if (t->role == ir::tensor_role::table) continue;
    auto& a = made[at++];
    if (t->has_range || random.chance(0.3)) continue;
    if (size_in_bytes(t->type) <= 2)
      for (auto& v : a.integers) v = ir::wrapped_to(t->type, static_cast<std::int64_t>(random()));
    bool const many_magnitudes = size_in_bytes(t->type) == 2 && random.chance(0.5);
    for (auto& v : a.reals) {
      auto const fraction = random.uniform() * 8 - 4;
      auto const exponent = many_magnitudes ? static_cast<int>(random.below(24)) - 20 : 0;
      v = ir::rounded_to(t->type, std::ldexp(fraction, exponent));
    }
  }
  return made;
}

/// Makes operands for sums on tensor cores: those of f32 use all bits and have one sign, so that sums do not vanish.
[[nodiscard]] inline std::vector<ir::ndarray> positive_operands(ir::program const& p, ttune::rng& random) {
  auto made = random_operands(p, random);
  for (auto& a : made)
    if (a.type == dtype::f32)
      for (auto& v : a.reals) v = static_cast<double>(static_cast<float>(0.5 + random.uniform()));
  return made;
}

/// Returns an empty text if two results agree: integers exactly, floats up to `tolerance` relative to the larger of the
/// pair plus a unit in the last place of their type; NaN agrees with NaN.
[[nodiscard]] inline std::string difference(std::vector<ir::ndarray> const& a, std::vector<ir::ndarray> const& b,
                                            double tolerance = 1e-9) {
  if (a.size() != b.size()) return "different numbers of results";
  for (std::size_t r = 0; r < a.size(); ++r) {
    auto const unit = a[r].type == dtype::f16    ? 0x1p-10
                      : a[r].type == dtype::bf16 ? 0x1p-7
                      : a[r].type == dtype::f32  ? 0x1p-23
                                                 : 0x1p-52;
    auto const allowed = tolerance == 0 ? 0 : std::max(tolerance, unit);
    if (a[r].shape != b[r].shape || a[r].type != b[r].type)
      return "result " + std::to_string(r) + " has another shape or type";
    for (std::size_t i = 0; i < static_cast<std::size_t>(a[r].elements()); ++i) {
      auto const where = "result " + std::to_string(r) + " element " + std::to_string(i) + ": ";
      if (!is_float(a[r].type)) {
        if (a[r].integers[i] != b[r].integers[i])
          return where + std::to_string(a[r].integers[i]) + " and " + std::to_string(b[r].integers[i]);
        continue;
      }
      auto const x = a[r].reals[i];
      auto const y = b[r].reals[i];
      bool const same = x == y || (std::isnan(x) && std::isnan(y)) ||
                        std::abs(x - y) <= allowed * std::max({std::abs(x), std::abs(y), tolerance == 0 ? 0.0 : 1.0});
      if (!same) return where + std::to_string(x) + " and " + std::to_string(y);
    }
  }
  return {};
}

}  // namespace ttune_test
