// SPDX-License-Identifier: Apache-2.0
// Writes quotients and remainders of a phase as affine forms: (p + 1) / 2 is p, and (p + 1) % 2 is 1 - p, for p in 0, 1
// (split_phases.hpp, split_axis.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "ttune/arith/interval.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// Returns the expression with affine forms in place of the quotients and remainders of `phase` alone, which is in [0,
/// period), where they have one.
class phase_forms {
 public:
  phase_forms(std::string phase, std::int64_t period) : phase_(std::move(phase)), period_(period) {}

  [[nodiscard]] ir::expr affine(ir::expr const& e) const {
    auto const* b = ir::as<ir::binary>(e);
    bool const divides =
        b && e->type == dtype::index && (b->op == ir::binary_op::floor_divide || b->op == ir::binary_op::floor_modulo);
    if (!divides || !is_of_phase(e)) return ir::map_operands(e, [&](ir::expr const& o) { return affine(o); });
    auto const first = value_at(e, 0);
    auto const each = value_at(e, 1) - first;
    bool fits = true;
    for (std::int64_t p = 2; p < period_; ++p) fits = fits && value_at(e, p) == first + each * p;
    return fits ? ir::make_variable(phase_) * each + first : e;
  }

 private:
  /// Returns true if an expression has the phase as its only variable, and reads nothing.
  [[nodiscard]] bool is_of_phase(ir::expr const& e) const {
    return !ir::contains(e, [&](ir::expr const& n) {
      auto const* v = ir::as<ir::variable>(n);
      return v ? v->name != phase_ : !ir::as<ir::binary>(n) && !ir::as<ir::constant>(n);
    });
  }

  [[nodiscard]] std::int64_t value_at(ir::expr const& e, std::int64_t phase) const {
    return arith::bounds(e, {{phase_, {phase, phase}}}).low;
  }

  std::string phase_;
  std::int64_t period_;
};

}}}  // namespace ttune::v0::primitives
