// SPDX-License-Identifier: Apache-2.0
// The region of a stage that its readers touch while the loops inside of its place run: where it begins, as an affine
// form, and how many elements it has.
#pragma once

#include <algorithm>

#include "ttune/schedule/span.hpp"
#include "ttune/support/integer.hpp"

namespace ttune::inline v0::detail {

/// Rows along an axis that a stage which slides keeps of earlier iterations: what it computes begins behind them.
[[nodiscard]] inline std::int32_t kept_rows(nest const& n, std::size_t st, std::size_t axis) {
  auto const& s = n.stages[st];
  return s.slid_axis == static_cast<std::int32_t>(axis) ? s.window - s.extent[axis] : 0;
}

/// Whether stage `r`, or one that it is computed in, runs in iterations before the first one of a loop further inside
/// than a place: what it reads then has no simple bounds as seen from there.
[[nodiscard]] inline bool warms_up_inside(nest const& n, std::size_t r, region_place const& at) {
  while (r != at.of && n.stages[r].attached_to >= 0) {
    auto const& s = n.stages[r];
    auto const around = static_cast<std::size_t>(s.attached_to);
    if (s.warm_up > 0 && (around != at.of || s.depth != at.depth)) return true;
    r = around;
  }
  return false;
}

/// The smallest value of a dividend while a place's loops run, as an affine form over the axes of the place's stage.
struct low_form {
  std::array<std::int64_t, nest::max_axes> coefficient{};
  std::int64_t constant = 0;
};

/// Whether axis `x` of the place's stage moves while the loops around the place run.
inline bool moves_outside(plan const& p, nest const& n, std::size_t x, region_place const& at) {
  auto const& s = n.stages[at.of];
  auto const& of = p.stages[at.of];
  if (s.attached_to >= 0 && x < of.definition->axes.size() && s.extent[x] < of.axis_size(x)) return true;
  return own_span(n, at.of, x,
                  [&](std::int32_t i) { return i <= at.depth && !(at.group && over_threads(n, at.of, i)); }) != 0;
}

inline bool add_low(plan const& p, nest const& n, std::size_t r, std::size_t x, std::int64_t scale,
                    region_place const& at, low_form& to);

/// That of one index of reader `r`. False if there is no one form for it.
inline bool low_of(plan const& p, nest const& n, std::size_t r, planned_index const& index, region_place const& at,
                   low_form& to) {
  to.constant += index.constant;
  for (std::size_t x = 0; x < index.coefficient.size(); ++x) {
    auto const c = index.coefficient[x];
    if (c == 0) continue;
    if (!add_low(p, n, r, x, c, at, to)) return false;
    if (c < 0) to.constant += c * axis_span(p, n, r, x, at);
  }
  return true;
}

/// Adds `scale` times the smallest value of axis `x` of reader `r`.
inline bool add_low(plan const& p, nest const& n, std::size_t r, std::size_t x, std::int64_t scale,
                    region_place const& at, low_form& to) {
  if (r == at.of) {
    if (moves_outside(p, n, x, at)) to.coefficient[x] += scale;
    return true;
  }
  auto const& planned = p.stages[r];
  if (x >= planned.definition->axes.size() || n.stages[r].extent[x] >= planned.axis_size(x)) return true;
  low_form least;
  bool first = true;
  for (std::size_t q = r + 1; q < p.stages.size(); ++q) {
    if (n.stages[q].inlined) continue;
    planned_index const* before = nullptr;  // of this reader: elements of a window differ in their constants only
    low_form form;
    for (auto const& a : p.stages[q].accesses) {
      if (a.write || a.producer != static_cast<std::int32_t>(r)) continue;
      auto const& index = a.indices[x];
      if (before && before->coefficient == index.coefficient && before->divisor == index.divisor) {
        form.constant += index.constant - before->constant;
      } else {
        form = {};
        if (index.divisor != 1 || !low_of(p, n, q, index, at, form)) return false;
      }
      before = &index;
      if (!first && form.coefficient != least.coefficient) return false;
      auto const constant = first ? form.constant : std::min(form.constant, least.constant);
      least = form;
      least.constant = constant;
      first = false;
    }
  }
  for (std::size_t i = 0; i < nest::max_axes; ++i) to.coefficient[i] += scale * least.coefficient[i];
  to.constant += scale * (least.constant + kept_rows(n, r, x));
  return true;
}

/// How far the dividend of one index moves inside a place.
inline std::int64_t index_span(plan const& p, nest const& n, std::size_t r, planned_index const& index,
                               region_place const& at) {
  std::int64_t span = 0;
  for (std::size_t x = 0; x < index.coefficient.size(); ++x)
    if (index.coefficient[x] != 0) span += std::abs(index.coefficient[x]) * axis_span(p, n, r, x, at);
  return span;
}

/// Calls `f(reader, access)` for every read of a stage where it is computed.
template <class Function>
inline void for_each_read(plan const& p, nest const& n, std::size_t st, Function const& f) {
  for (std::size_t r = st + 1; r < p.stages.size(); ++r) {
    if (n.stages[r].inlined) continue;
    for (auto const& a : p.stages[r].accesses)
      if (!a.write && a.producer == static_cast<std::int32_t>(st)) f(r, a);
  }
}

/// How many elements of dimension `d` several reads touch together: all, if their bases move apart.
inline std::int64_t touched_by_several(plan const& p, nest const& n, std::size_t st, std::size_t d) {
  auto const at = place_of(n, st);
  low_form base;
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t divisor = 0;  // 0: no read yet
  bool together = true;
  for_each_read(p, n, st, [&](std::size_t r, planned_access const& a) {
    auto const& index = a.indices[d];
    low_form form;
    if (!together || !low_of(p, n, r, index, at, form) ||
        (divisor != 0 && (index.divisor != divisor || form.coefficient != base.coefficient))) {
      together = false;
      return;
    }
    if (divisor == 0) base = form;
    divisor = index.divisor;
    auto const begin = form.constant - base.constant;
    low = std::min(low, begin);
    high = std::max(high, begin + index_span(p, n, r, index, at));
  });
  auto const whole = p.stages[st].axis_size(d);
  return together ? std::min(whole, ceil_divide(high - low, divisor) + 1) : whole;
}

/// How many elements of dimension `d` of an attached stage its readers touch inside its place.
inline std::int64_t touched(plan const& p, nest const& n, std::size_t st, std::size_t d) {
  int reads = 0;
  bool whole = false;
  planned_index const* index = nullptr;
  std::size_t reader = 0;
  for_each_read(p, n, st, [&](std::size_t r, planned_access const& a) {
    ++reads;
    reader = r;
    index = &a.indices[d];
    whole = whole || index->whole || warms_up_inside(n, r, place_of(n, st));
  });
  if (reads == 0) return 0;
  if (whole) return p.stages[st].axis_size(d);
  if (reads > 1) return touched_by_several(p, n, st, d);
  // Where the only one begins does not matter.
  auto const span = index_span(p, n, reader, *index, place_of(n, st));
  return std::min(p.stages[st].axis_size(d), (index->divisor == 1 ? span : ceil_divide(span, index->divisor)) + 1);
}

}  // namespace ttune::inline v0::detail
