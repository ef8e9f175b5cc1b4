// SPDX-License-Identifier: Apache-2.0
// Finds out where the terms of a window lie in a row: a stage whose terms depend on a free and a reduced axis by one
// sum only shares them between neighbouring windows (separate.hpp).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "ttune/arith/affine.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The place p * x + q * s of a term in a row, for a free axis x and a reduced axis s.
struct place_in_row {
  std::size_t free = 0;     ///< the number of the axis x
  std::size_t reduced = 0;  ///< the number of the axis s, among the reduced ones
  std::int64_t p = 0;
  std::int64_t q = 0;  ///< both are 0 as long as nothing is known
};

/// Finds the form of the places of all terms of a stage, for a free axis and a reduced one.
class place_finder {
 public:
  place_finder(ir::stage const& st, std::size_t free, std::size_t reduced)
      : st_(st), x_(st.axes[free].name), s_(st.reduction.axes[reduced].name) {
    place_.free = free;
    place_.reduced = reduced;
  }

  /// Returns nothing if there is no such form.
  [[nodiscard]] std::optional<place_in_row> find() {
    look(st_.components[0].value);
    if (st_.predicate) look(st_.predicate);
    if (!fits_ || place_.q == 0 || place_.p < 1 || (place_.p != 1 && place_.q != 1)) return std::nullopt;
    return place_;
  }

 private:
  void look(ir::expr const& e) {
    if (!fits_) return;
    auto const affine = e->type == dtype::index ? arith::to_affine(e) : std::nullopt;
    if (!affine) return ir::for_each_operand(e, [&](ir::expr const& o) { look(o); });
    auto const p = affine->coefficient_of(x_);
    auto const q = affine->coefficient_of(s_);
    if (p == 0 && q == 0) return;
    auto const common = std::gcd(p, q) * (p < 0 ? -1 : 1);
    if (place_.p == 0 && place_.q == 0) place_.p = p / common, place_.q = q / common;
    fits_ = fits_ && p == place_.p * common && q == place_.q * common;
  }

  ir::stage const& st_;
  std::string const& x_;
  std::string const& s_;
  place_in_row place_;
  bool fits_ = true;
};

/// Returns the first and the last place in the row.
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> places_of(ir::stage const& st, place_in_row const& form) {
  auto const& x = st.axes[form.free];
  auto const& s = st.reduction.axes[form.reduced];
  auto const end = form.q * (s.end.value - 1);
  auto const begin = form.q * s.begin;
  auto const last = form.p * (x.end.value - 1);
  return {form.p * x.begin + std::min(begin, end), last + std::max(begin, end)};
}

/// Returns the form of the places along a reduced axis and a free one, the last one that fits. Places between the
/// windows would be computed for nothing: there are none.
[[nodiscard]] inline std::optional<place_in_row> place_along(ir::stage const& st, std::size_t reduced) {
  auto const& s = st.reduction.axes[reduced];
  for (auto x = st.axes.size(); x-- > 0;) {
    if (!st.axes[x].end.is_constant() || !s.end.is_constant() || st.axes[x].size() < 1 || s.size() < 1) continue;
    auto const form = place_finder(st, x, reduced).find();
    if (form && form->p <= s.size() && std::abs(form->q) <= st.axes[x].size()) return form;
  }
  return std::nullopt;
}

}}}  // namespace ttune::v0::primitives
