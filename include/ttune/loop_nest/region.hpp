// SPDX-License-Identifier: Apache-2.0
// Finds the region of a stage that its readers touch while the loops inside of its place run: where it begins, as an
// affine form, and how many elements it has.
#pragma once

#include <algorithm>

#include "ttune/loop_nest/bounds_inference.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the number of rows along an axis that a stage keeps of earlier iterations if it slides: the rows that it
/// computes begin behind them.
[[nodiscard]] inline std::int32_t kept_rows(loop_nest const& n, std::size_t st, std::size_t axis) {
  auto const& s = n.stages[st];
  return s.slid_axis == static_cast<std::int32_t>(axis) ? s.window - s.extent[axis] : 0;
}

/// Returns true if stage `r`, or one that it is computed in, runs in iterations before the first one of a loop that is
/// further inside than a place. What it reads in them has no simple bounds as seen from the place.
[[nodiscard]] inline bool warms_up_inside(loop_nest const& n, std::size_t r, region_place const& at) {
  while (r != at.of && n.stages[r].attached_to >= 0) {
    auto const& s = n.stages[r];
    auto const around = static_cast<std::size_t>(s.attached_to);
    if (s.warm_up > 0 && (around != at.of || s.depth != at.depth)) return true;
    r = around;
  }
  return false;
}

/// Returns how far the dividend of an index of reader `r` moves.
[[nodiscard]] inline std::int64_t index_span(spans_inside& span, std::size_t r, index_plan const& index) {
  std::int64_t made = 0;
  for (std::size_t x = 0; x < index.coefficient.size(); ++x)
    if (index.coefficient[x] != 0) made += std::abs(index.coefficient[x]) * span(r, x);
  return made;
}

/// The smallest value of a dividend while a place's loops run, as an affine form over the axes of the place's stage.
struct low_form {
  std::array<std::int64_t, loop_nest::max_axes> coefficient;
  std::int64_t constant;
  bool exists;  ///< false: reads begin at places that do not move together, so there is no one form
};

/// Finds bounds of what stages read inside one place. What it finds about an axis of a stage it remembers: each read is
/// followed once, however many paths of reads lead to it.
class region_bounds {
 public:
  region_bounds(plan const& p, loop_nest const& n, region_place const& at) : p_(p), n_(n), at_(at), span_(p, n, at) {}

  /// Returns the smallest value of the dividend of an index of reader `r`.
  [[nodiscard]] low_form low_of(std::size_t r, index_plan const& index) {
    low_form made{{}, index.constant, true};
    for (std::size_t x = 0; x < index.coefficient.size() && made.exists; ++x) {
      auto const c = index.coefficient[x];
      if (c == 0) continue;
      add_low(r, x, c, made);
      if (c < 0) made.constant += c * span_(r, x);
    }
    return made;
  }

  /// Returns how far the dividend of an index of reader `r` moves.
  [[nodiscard]] std::int64_t span_of(std::size_t r, index_plan const& index) { return index_span(span_, r, index); }

 private:
  /// Adds `scale` times the smallest value of axis `x` of reader `r`.
  void add_low(std::size_t r, std::size_t x, std::int64_t scale, low_form& to) {
    if (r == at_.of) {
      if (moves_outside(x)) to.coefficient[x] += scale;
      return;
    }
    auto const& planned = p_.stages[r];
    if (x >= planned.definition->axes.size() || n_.stages[r].extent[x] >= planned.axis_size(x)) return;
    if (!lows_.find(r, x)) lows_.keep(r, x, find_low(r, x));
    auto const& least = *lows_.find(r, x);
    to.exists = least.exists;
    for (std::size_t i = 0; i < loop_nest::max_axes; ++i) to.coefficient[i] += scale * least.coefficient[i];
    to.constant += scale * least.constant;
  }

  /// Returns true if axis `x` of the place's stage moves while the loops around the place run.
  [[nodiscard]] bool moves_outside(std::size_t x) const {
    auto const& s = n_.stages[at_.of];
    auto const& of = p_.stages[at_.of];
    if (s.attached_to >= 0 && x < of.definition->axes.size() && s.extent[x] < of.axis_size(x)) return true;
    return own_span(n_, at_.of, x,
                    [&](std::int32_t i) { return i <= at_.depth && !(at_.group && over_threads(n_, at_.of, i)); }) != 0;
  }

  /// Returns the smallest value of axis `x` of stage `r`, which others read, from what they read.
  [[nodiscard]] low_form find_low(std::size_t r, std::size_t x) {
    low_form least{{}, 0, true};
    bool first = true;
    for (std::size_t q = r + 1; q < p_.stages.size(); ++q) {
      if (n_.stages[q].inlined || !is_in_loops_of(n_, q, static_cast<std::int16_t>(at_.of))) continue;
      index_plan const* before = nullptr;  // of this reader: elements of a window differ in their constants only
      low_form form{};
      for (auto const& a : p_.stages[q].accesses) {
        if (a.write || a.producer != static_cast<std::int32_t>(r)) continue;
        auto const& index = a.indices[x];
        if (before && before->coefficient == index.coefficient && before->divisor == index.divisor)
          form.constant += index.constant - before->constant;
        else form = low_of(q, index);
        before = &index;
        bool const together = first || form.coefficient == least.coefficient;
        if (index.divisor != 1 || !form.exists || !together) return {{}, 0, false};
        auto const constant = first ? form.constant : std::min(form.constant, least.constant);
        least = form;
        least.constant = constant;
        first = false;
      }
    }
    least.constant += kept_rows(n_, r, x);
    return least;
  }

  plan const& p_;
  loop_nest const& n_;
  region_place at_;
  spans_inside span_;
  axis_memo<low_form> lows_;
};

/// Calls `f(reader, access)` for every read of a stage in the loops in which it is computed. (An output may be read
/// behind them, too.)
template <class Function>
inline void for_each_read(plan const& p, loop_nest const& n, std::size_t st, Function const& f) {
  auto const of = n.stages[st].attached_to;
  for (std::size_t r = st + 1; r < p.stages.size(); ++r) {
    if (n.stages[r].inlined || (of >= 0 && !is_in_loops_of(n, r, of))) continue;
    for (auto const& a : p.stages[r].accesses)
      if (!a.write && a.producer == static_cast<std::int32_t>(st)) f(r, a);
  }
}

/// Returns the number of elements of dimension `d` that several reads touch together: all, if their bases move apart.
inline std::int64_t touched_by_several(plan const& p, loop_nest const& n, std::size_t st, std::size_t d) {
  region_bounds bounds(p, n, place_of(n, st));
  low_form base{};
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t divisor = 0;  // 0: no read yet
  bool together = true;
  for_each_read(p, n, st, [&](std::size_t r, access_plan const& a) {
    auto const& index = a.indices[d];
    if (!together) return;
    auto const form = bounds.low_of(r, index);
    together = form.exists && (divisor == 0 || (index.divisor == divisor && form.coefficient == base.coefficient));
    if (!together) return;
    if (divisor == 0) base = form;
    divisor = index.divisor;
    auto const begin = form.constant - base.constant;
    low = std::min(low, begin);
    high = std::max(high, begin + bounds.span_of(r, index));
  });
  auto const whole = p.stages[st].axis_size(d);
  return together ? std::min(whole, ceil_divide(high - low, divisor) + 1) : whole;
}

/// Returns the number of elements of dimension `d` of an attached stage that its readers touch inside its place: all of
/// them if a knob has put all readers elsewhere, which lowering refuses.
inline std::int64_t touched(plan const& p, loop_nest const& n, std::size_t st, std::size_t d) {
  int reads = 0;
  bool whole = false;
  index_plan const* index = nullptr;
  std::size_t reader = 0;
  for_each_read(p, n, st, [&](std::size_t r, access_plan const& a) {
    ++reads;
    reader = r;
    index = &a.indices[d];
    whole = whole || index->whole || warms_up_inside(n, r, place_of(n, st));
  });
  if (whole || reads == 0) return p.stages[st].axis_size(d);
  if (reads > 1) return touched_by_several(p, n, st, d);
  // The begin of the only region does not matter.
  spans_inside spans(p, n, place_of(n, st));
  auto const span = index_span(spans, reader, *index);
  return std::min(p.stages[st].axis_size(d), (index->divisor == 1 ? span : ceil_divide(span, index->divisor)) + 1);
}

}}}  // namespace ttune::v0::detail
