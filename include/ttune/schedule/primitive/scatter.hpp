// SPDX-License-Identifier: Apache-2.0
// scatter: each term of a reduction (arith/scatter_form.hpp) goes to the one result that data choose, instead of all
// results looking at all terms.
//
//   for b < B: H[b] = 0                              for b < B: H[b] = 0
//   for k < N                                  →     for k < N                                             scatter()
//     for b < B: if G[k] == b: H[b] += e(k)            H[G[k]] += e(k)
//
// The loops over the scattered axes inside of the first reduced loop run for the identity only; those outside of it
// remain, and an iteration takes the terms that fall into its part. Terms may meet at one place: reduced loops run one
// after the other (rfactor gives cores results of their own), and lanes must share their places.
//
// .scatter() prints
//
//   for H.b < 4
//     H[H.b] = 0.0
//   for H.k < 9
//     for H.b < 4
//       H[H.b] += select(G[H.k] == cast<i32>(H.b), V[H.k], 0.0)
// →
//   for H.b < 4
//     H[H.b] = 0.0
//   for H.k < 9
//     if 0 <= at(G[H.k]) && at(G[H.k]) < 4
//       let H.b = at(G[H.k]) in [0, 4)
//       H[H.b] += V[H.k]
#pragma once

#include <string>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class scatter_call {
 public:
  /// Each term of the current stage goes to the place that data choose.
  [[nodiscard]] auto scatter() const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::scatter, {}, {}, {});
  }
};

template <>
struct rules<primitive::scatter> : default_rules {
  static void apply(plan& p, step const& s);
  static void check(plan& p);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <algorithm>
#include <memory>
#include <utility>

#include "ttune/arith/scatter_form.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/schedule/primitive/leaves.hpp"
#include "ttune/schedule/primitive/loop_kind.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

void rules<primitive::scatter>::apply(plan& p, step const& s) {
  auto& st = stage_of(p, s);
  auto form = arith::scatter_form_of(*st.definition);
  if (!form)
    refuse(s, s.stage,
           "is no scatter: it needs terms select(place == b, e, identity) with an axis b of the results and a place "
           "that reads data");
  if (st.scattered) refuse(s, s.stage, "is scattered already");
  if (st.carried >= 0) refuse(s, s.stage, "carries its results: one term a result cannot go elsewhere");
  st.scattered = std::make_shared<arith::scatter_form const>(std::move(*form));
}

namespace detail {

/// Checks the loops of a scatter from the first reduced one on.
class scattered_loops {
 public:
  scattered_loops(plan const& p, stage_plan const& st) : p_(p), st_(st) {}

  void check() {
    bool reduced = false;
    for (auto const id : st_.order) {
      auto const& l = loop(id);
      reduced = reduced || is_reduction_axis(st_, l.axis);
      if (reduced && is_permuted(st_, id)) say(l.name, "is moved by a knob: reorder the loops of a scatter instead");
      if (is_reduction_axis(st_, l.axis)) check_reduced(l);
      else if (l.kind == ir::loop_kind::vectorized) check_lanes(l);
      if (reduced && !is_reduction_axis(st_, l.axis)) check_inside(id);
    }
    for (std::size_t a = 0; a < st_.definition->axes.size(); ++a) check_order(a);
    check_places();
  }

 private:
  [[noreturn]] static void say(std::string const& culprit, std::string const& sentence) {
    throw schedule_error("scatter", culprit, sentence);
  }

  [[nodiscard]] loop_plan const& loop(std::int32_t id) const { return st_.loops[static_cast<std::size_t>(id)]; }

  [[nodiscard]] bool is_scattered(std::int32_t axis) const {
    auto const& axes = st_.scattered->axes;
    return std::any_of(axes.begin(), axes.end(),
                       [&](auto const& s) { return s.axis == static_cast<std::size_t>(axis); });
  }

  static void check_reduced(loop_plan const& l) {
    if (l.kind == ir::loop_kind::tensorized) say(l.name, "is tensorized: one instruction would sum several terms");
  }

  /// Lanes of another axis have a place of their own for each row, if all lanes share it.
  void check_lanes(loop_plan const& l) const {
    if (is_scattered(l.axis)) return;
    for (auto const& s : st_.scattered->axes)
      if (ir::mentions(s.place, {st_.axis_name(static_cast<std::size_t>(l.axis))}))
        say(l.name, "runs in lanes, but the place " + ir::print(s.place) + " is another one in each");
  }

  /// Checks a loop over a free axis inside of a reduced one.
  void check_inside(std::int32_t id) {
    auto const& l = loop(id);
    if (!is_scattered(l.axis)) return;
    if (l.fused || !l.group.empty()) say(l.name, "is fused with another loop: terms choose their place along it");
    bool const in_order =
        l.kind == ir::loop_kind::serial || l.kind == ir::loop_kind::unrolled || l.kind == ir::loop_kind::vectorized;
    if (!in_order) say(l.name, "runs at once inside of a reduced loop: move it outside");
    found_.push_back(id);
  }

  /// The loops that the places replace are the innermost parts of their axis, in its order.
  void check_order(std::size_t axis) const {
    std::vector<std::int32_t> along;
    append_leaves(st_, static_cast<std::int32_t>(axis), along);
    std::vector<std::int32_t> inside;
    for (auto const id : found_)
      if (loop(id).axis == static_cast<std::int32_t>(axis)) inside.push_back(id);
    if (inside.size() > along.size() || !std::equal(inside.rbegin(), inside.rend(), along.rbegin()))
      say(st_.axis_name(axis), "has parts out of their order inside of a reduced loop: reorder them");
  }

  /// Stages are computed outside of the loops that do not run.
  void check_places() const {
    auto const first = std::find_if(st_.order.begin(), st_.order.end(), [&](std::int32_t id) {
      return std::find(found_.begin(), found_.end(), id) != found_.end();
    });
    for (auto const& other : p_.stages)
      for (auto const& place : other.places)
        if (place.kind == place_plan::sort::inside &&
            p_.stages[static_cast<std::size_t>(place.stage)].definition == st_.definition &&
            std::find(first, st_.order.end(), place.loop) != st_.order.end())
          say(other.definition->name, "is computed inside of loops over a scattered axis: choose a loop outside");
  }

  plan const& p_;
  stage_plan const& st_;
  std::vector<std::int32_t> found_;  ///< the loops that places replace
};

}  // namespace detail

/// Checks that terms which meet at one place are added one after the other.
void rules<primitive::scatter>::check(plan& p) {
  for (auto const& st : p.stages)
    if (st.scattered) detail::scattered_loops(p, st).check();
}

}}}  // namespace ttune::v0::primitives
#endif
