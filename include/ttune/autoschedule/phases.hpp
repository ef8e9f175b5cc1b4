// SPDX-License-Identifier: Apache-2.0
// Axes whose elements are computed in alternating ways: the indices or conditions of a stage have i % 2, i / 3 or (i +
// r) % 4 == 0. Such an axis is split by its period, and the loop over the phases is unrolled. Inside of a phase all
// indices are affine.
//
//   for i in 0..n: A[i / 2] + select(i % 2 == 0, …)   →   for o in 0..n / 2: unroll p in 0..2: A[o] + … of phase p
//
// Transposed convolutions, resampling, pixel shuffles and mosaics of colours have such stages.
#pragma once

#include <numeric>
#include <optional>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Maximum of phases that get code of their own.
inline constexpr std::int64_t most_phases = 8;

/// Maximum of phases along the vectors of a stage without a reduction: they are interleaved in registers.
inline constexpr std::int64_t most_phases_of_points = 16;

/// The motion of an expression along an axis: every `period` elements it grows by `step`, or returns to its value while
/// `step` is unknown (conditions, data).
struct motion {
  std::int64_t period = 1;
  std::optional<std::int64_t> step = 0;
};

/// Returns the motion of an expression with two parts; `step` is the step of their sum.
[[nodiscard]] inline motion joined(motion const& a, motion const& b, std::int64_t times_b = 1) {
  motion made{std::lcm(a.period, b.period), std::nullopt};
  if (a.step && b.step) made.step = *a.step * (made.period / a.period) + times_b * *b.step * (made.period / b.period);
  return made;
}

[[nodiscard]] inline motion motion_of(ir::expr const& e, std::string const& axis);

/// Returns the motion of floor(a / by), or of its remainder. A part with an unknown step adds no phase.
[[nodiscard]] inline motion divided(motion a, std::int64_t by, bool remainder) {
  if (!a.step || by <= 0) return {a.period, std::nullopt};
  auto const turns = by / std::gcd(by, std::abs(*a.step));
  return {a.period * turns, remainder ? 0 : *a.step * turns / by};
}

[[nodiscard]] inline motion binary_motion(ir::binary const& b, std::string const& axis) {
  auto const left = motion_of(b.left, axis);
  auto const right = motion_of(b.right, axis);
  switch (b.op) {
    case ir::binary_op::add: return joined(left, right);
    case ir::binary_op::subtract: return joined(left, right, -1);
    case ir::binary_op::multiply:
      if (ir::is_constant(b.right))
        return {left.period, left.step ? std::optional(*left.step * ir::constant_integer(b.right)) : std::nullopt};
      if (ir::is_constant(b.left))
        return {right.period, right.step ? std::optional(*right.step * ir::constant_integer(b.left)) : std::nullopt};
      break;
    case ir::binary_op::floor_divide:
    case ir::binary_op::floor_modulo:
      if (ir::is_constant(b.right))
        return divided(left, ir::constant_integer(b.right), b.op == ir::binary_op::floor_modulo);
      break;
    case ir::binary_op::minimum:
    case ir::binary_op::maximum: {
      auto made = joined(left, right);
      if (!left.step || !right.step || *left.step * right.period != *right.step * left.period) made.step.reset();
      return made;
    }
    default: break;
  }
  return {std::lcm(left.period, right.period), std::nullopt};
}

/// Returns the motion of an index. Elements of a tensor move as its indices do, but their values are unknown.
[[nodiscard]] inline motion motion_of(ir::expr const& e, std::string const& axis) {
  if (ir::as<ir::constant>(e)) return {};
  if (auto const* v = ir::as<ir::variable>(e)) return {1, v->name == axis ? 1 : 0};
  if (auto const* b = ir::as<ir::binary>(e); b && e->type == dtype::index) return binary_motion(*b, axis);
  return {1, std::nullopt};
}

/// Returns the number of phases of an axis in one expression: 1 if it has none, 0 if it has more than `most`.
[[nodiscard]] inline std::int64_t phases_in(ir::expr const& e, std::string const& axis, std::int64_t most) {
  std::int64_t period = 1;
  ir::for_each_node(e, [&](ir::expr const& n) {
    auto const* b = ir::as<ir::binary>(n);
    if (!b || period == 0 || n->type != dtype::index ||
        (b->op != ir::binary_op::floor_divide && b->op != ir::binary_op::floor_modulo))
      return;
    auto const one = motion_of(n, axis).period;
    period = one > most ? 0 : std::lcm(period, one);
    if (period > most) period = 0;
  });
  return period;
}

/// Returns the number of phases of an axis of a stage: 1 if it has none, or more than `most`, or is a free axis shorter
/// than two periods.
[[nodiscard]] inline std::int64_t phases_of(stage_plan const& st, std::string const& axis,
                                            std::int64_t most = most_phases) {
  std::int64_t period = 1;
  auto const look = [&](ir::expr const& e) {
    if (e && period != 0) period = std::lcm(period, phases_in(e, axis, most));
    if (period > most) period = 0;
  };
  for (auto const& c : st.definition->components) look(c.value);
  look(st.definition->predicate);
  if (period <= 1) return 1;
  for (std::size_t x = 0; x < st.definition->axes.size(); ++x)
    if (st.axis_name(x) == axis && st.axis_size(x) < 2 * period) return 1;
  return period;
}

}}}  // namespace ttune::v0::autoschedule
