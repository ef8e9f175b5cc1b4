// SPDX-License-Identifier: Apache-2.0
// Computes where the region of each stage begins, as an expression over the loops around its place.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "ttune/loop_nest/region.hpp"
#include "ttune/lowering/statements/scope.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

class bases {
 public:
  explicit bases(scope const& s) : p_(s.p), n_(s.n), scope_(s), base_(s.p.stages.size()) {}

  /// Returns where each axis of a stage begins.
  [[nodiscard]] exprs const& operator[](std::size_t st) const { return base_[st]; }

  /// A stage that is computed whole begins at 0.
  void set_whole(std::size_t st) { base_[st].assign(p_.stages[st].axis_count(), ir::make_index(0)); }

  /// Finds where the regions of stages begin that are computed at one place, inside the loops that are around now.
  void find(std::vector<std::size_t> const& stages) {
    lows_.clear();  // what is known of the loops around may have changed
    for (auto const q : stages) {
      set_whole(q);
      for (std::size_t d = 0; d < p_.stages[q].definition->axes.size(); ++d)
        base_[q][d] = computed_low(q, d, ttune::detail::place_of(n_, q));
    }
  }

 private:
  /// Returns the first element of an axis that is computed where a stage stands: a stage that slides has the rows
  /// before it already.
  [[nodiscard]] ir::expr computed_low(std::size_t st, std::size_t d, ttune::detail::region_place const& at) {
    return region_low(st, d, at) + ttune::detail::kept_rows(n_, st, d);
  }

  /// Returns the smallest value of an axis of reader `r` inside a place.
  [[nodiscard]] ir::expr low(std::size_t r, std::size_t axis, ttune::detail::region_place const& at) {
    if (r != at.of) {
      if (axis >= p_.stages[r].definition->axes.size()) return ir::make_index(0);
      return computed_low(r, axis, at);
    }
    auto value = at.group ? base_for_all(r, axis) : base_[r][axis];
    for (std::int32_t i = 0; i <= at.depth; ++i) {
      auto const& l = scope_.loop(r, i);
      if (static_cast<std::size_t>(l.axis) == axis && !(at.group && ttune::detail::over_threads(n_, r, i)))
        value = value + scope_.distance(r, i);
    }
    return value;
  }

  /// Returns the base of a stage's axis for all threads around it together.
  [[nodiscard]] ir::expr base_for_all(std::size_t st, std::size_t axis) {
    auto const& s = n_.stages[st];
    if (s.attached_to < 0 || axis >= p_.stages[st].definition->axes.size()) return base_[st][axis];
    return region_low(st, axis, {static_cast<std::size_t>(s.attached_to), s.depth, true});
  }

  /// Returns the smallest index of dimension `d` of stage `st` that is read inside a place. It is found once: paths of
  /// reads from a place's stage to another one can be many.
  [[nodiscard]] ir::expr region_low(std::size_t st, std::size_t d, ttune::detail::region_place const& at) {
    if (n_.stages[st].extent[d] >= p_.stages[st].axis_size(d)) return ir::make_index(0);
    low_key const key{at.of, at.depth, at.group, st, d};
    if (auto const found = lows_.find(key); found != lows_.end()) return found->second;
    auto const least = find_region_low(st, d, at);
    lows_.emplace(key, least);
    return least;
  }

  [[nodiscard]] ir::expr find_region_low(std::size_t st, std::size_t d, ttune::detail::region_place const& at) {
    ir::expr least;
    ttune::detail::spans_inside span(p_, n_, at);
    ttune::detail::for_each_read(p_, n_, st, [&](std::size_t r, access_plan const& a) {
      auto const& index = a.indices[d];
      auto value = ir::make_index(index.constant);
      for (std::size_t x = 0; x < index.coefficient.size(); ++x) {
        auto const c = index.coefficient[x];
        if (c == 0) continue;
        value = value + low(r, x, at) * c;
        if (c < 0) value = value + c * span(r, x);
      }
      if (index.divisor != 1)
        value = ir::make_binary(ir::binary_op::floor_divide, value, ir::make_index(index.divisor));
      value = arith::simplify(value, scope_.ranges);
      least = least ? arith::simplify(ir::make_binary(ir::binary_op::minimum, least, value), scope_.ranges) : value;
    });
    return least;
  }

  using low_key = std::tuple<std::size_t, std::int32_t, bool, std::size_t, std::size_t>;

  plan const& p_;
  loop_nest const& n_;
  scope const& scope_;
  std::vector<exprs> base_;           ///< by stage and axis
  std::map<low_key, ir::expr> lows_;  ///< what one call of find() has found, by place, stage and axis
};

}}}  // namespace ttune::v0::lowering
