// SPDX-License-Identifier: Apache-2.0
// Estimates how often a condition over loop variables holds, so that passes do not make code for rare cases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "ttune/arith/simplify.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace lowering { namespace detail {

inline constexpr int share_samples = 48;

/// Calls f(values) with each variable of the expressions fixed at pseudo-random values of its range, the same ones at
/// each run.
template <class F>
void for_each_sample(std::vector<ir::expr> const& of, arith::ranges const& known, F const& f) {
  std::set<std::string> names;
  for (auto const& e : of)
    ir::for_each_node(e, [&](ir::expr const& n) {
      if (auto const* v = ir::as<ir::variable>(n)) names.insert(v->name);
    });
  std::uint64_t state = 0x9E3779B97F4A7C15u;
  for (int sample = 0; sample < share_samples; ++sample) {
    arith::ranges at;
    for (auto const& name : names) {
      auto const it = known.find(name);
      if (it == known.end() || !arith::is_bounded(it->second)) continue;
      state = state * 6364136223846793005u + 1442695040888963407u;
      auto const size = static_cast<std::uint64_t>(std::max<std::int64_t>(1, it->second.high - it->second.low + 1));
      auto const value = it->second.low + static_cast<std::int64_t>((state >> 33) % size);
      at[name] = {value, value};
    }
    f(std::as_const(at));
  }
}

/// Returns the share of points of the known ranges at which a condition holds; what depends on data may hold.
[[nodiscard]] inline double share_where(ir::expr const& condition, arith::ranges const& known) {
  int holds = 0;
  for_each_sample({condition}, known, [&](arith::ranges const& at) {
    holds += ir::is_constant(arith::simplify(condition, at), 0) ? 0 : 1;
  });
  return static_cast<double>(holds) / share_samples;
}

}}}}  // namespace ttune::v0::lowering::detail
