// SPDX-License-Identifier: Apache-2.0
// Tells which programs are pipelines of stencils, and which of their stages are computed again wherever they are read.
#pragma once

#include <optional>

#include "ttune/autoschedule/keep_stage.hpp"
#include "ttune/autoschedule/lanes_in_order.hpp"
#include "ttune/schedule/primitive/expand_reduction.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Returns true if every reduced axis moves an index together with a free axis, as in I(y + r, x + s), or indexes few
/// values alone, as the weights W(r) of a filter.
[[nodiscard]] inline bool reduces_windows(plan const& p, stage_plan const& st) {
  auto const free = st.definition->axes.size();
  for (auto x = free; x < st.axis_count(); ++x) {
    bool in_window = false;
    for (auto const& a : st.accesses) {
      if (a.write) continue;
      bool const few = elements_of(p, st, a) <= static_cast<double>(primitives::most_expanded_terms);
      for (auto const& i : a.indices) {
        if (i.whole && !i.is_redirected()) return false;
        if (i.coefficient[x] == 0) continue;
        bool const beside_free = std::any_of(i.coefficient.begin(), i.coefficient.begin() + static_cast<long>(free),
                                             [](auto c) { return c != 0; });
        if (!beside_free && !few) return false;
        in_window = in_window || beside_free;
      }
    }
    if (!in_window) return false;
  }
  return true;
}

/// Returns true if a reduction has few terms, each of them of the same point: colours of a pixel in several planes.
[[nodiscard]] inline bool reduces_planes(plan const& p, stage_plan const& st) {
  constexpr std::int64_t most_planes = 4;
  auto const last = st.definition->axes.size();
  if (last == 0 || primitives::terms_of(*st.definition) > most_planes) return false;
  return std::all_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
    return a.write || stride(p, st, a, last - 1) != 0 ||
           elements_of(p, st, a) <= static_cast<double>(primitives::most_expanded_terms);
  });
}

/// Returns true if a reduction is a window over few elements, or over few planes: its terms may become an expression.
[[nodiscard]] inline bool is_small_window(plan const& p, stage_plan const& st) {
  auto const terms = primitives::terms_of(*st.definition);
  return st.definition->reduction.kind != ir::reduction_kind::tuple && terms > 0 && !is_sum_of_lanes(p, st) &&
         terms <= primitives::most_expanded_terms && (reduces_windows(p, st) || reduces_planes(p, st));
}

/// Returns true if a stage is read at several places around an element of its reader, or at another scale.
[[nodiscard]] inline bool is_read_through_window(stage_plan const& reader, std::int32_t producer) {
  for (auto const& a : reader.accesses) {
    if (a.write || a.producer != producer) continue;
    for (auto const& i : a.indices) {
      auto const moving = std::count_if(i.coefficient.begin(), i.coefficient.end(), [](auto c) { return c != 0; });
      bool const scaled = std::any_of(i.coefficient.begin(), i.coefficient.end(), [](auto c) { return c > 1; });
      if ((!i.whole || i.is_redirected()) && (moving > 1 || i.constant != 0 || i.divisor != 1 || scaled)) return true;
    }
  }
  return false;
}

/// Returns true if a window of the stage is clamped, mirrored or wrapped at the ends of what it reads. Lanes at the
/// ends are loaded one by one then, which a tile of registers cannot do. Few elements, as the factors of a transform of
/// blocks, D(x % 4, k), are no window.
[[nodiscard]] inline bool reads_redirected_window(plan const& p, stage_plan const& st) {
  return st.definition->reduces() && std::any_of(st.accesses.begin(), st.accesses.end(), [&](access_plan const& a) {
           return elements_of(p, st, a) > static_cast<double>(primitives::most_expanded_terms) &&
                  std::any_of(a.indices.begin(), a.indices.end(),
                              [](index_plan const& i) { return i.is_redirected(); });
         });
}

/// Returns true if a program has only maps and small windows, and at least one of them reads another one through a
/// window, or is redirected.
[[nodiscard]] inline bool is_stencil_pipeline(plan const& p) {
  bool windows = false;
  for (auto const& st : p.stages) {
    auto const& definition = *st.definition;
    if (definition.updates || definition.components.size() != 1 || !choosing_axes(definition).empty()) return false;
    windows = windows || reads_redirected_window(p, st);
    if (definition.reduces() ? !is_small_window(p, st) : is_of_constants(p, st)) return false;
    for (std::size_t q = 0; q < p.stages.size(); ++q)
      windows = windows || is_read_through_window(st, static_cast<std::int32_t>(q));
  }
  return windows;
}

/// The rough costs of one element of a stage, in operations on a vector.
struct element_cost {
  double arithmetic = 0;
  double loads = 0;
  std::size_t nodes = 0;  ///< in the tree of the stage's expression
};

[[nodiscard]] inline element_cost cost_of_element(stage_plan const& st) {
  constexpr double function = 15;
  constexpr double division = 5;
  element_cost made;
  ir::for_each_node(st.definition->components[0].value, [&](ir::expr const& e) {
    ++made.nodes;
    if (e->type == dtype::index) return;
    if (auto const* u = ir::as<ir::unary>(e))
      made.arithmetic += u->op >= ir::unary_op::sqrt && u->op <= ir::unary_op::erf ? function : 1;
    else if (auto const* b = ir::as<ir::binary>(e))
      made.arithmetic += b->op == ir::binary_op::power                                      ? function
                         : b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo ? division
                                                                                            : 1;
    else if (ir::as<ir::select>(e)) made.arithmetic += 1;
  });
  made.loads = static_cast<double>(st.accesses.size()) - 1;
  return made;
}

/// The largest expression that a stage gets by inlining: larger ones take too long to compile.
inline constexpr std::size_t most_nodes = 1500;

/// Returns true if computing a stage where it is read costs less than keeping it: a store, and a load for each read.
[[nodiscard]] inline bool is_cheaper_inline(plan const& p, std::size_t stage) {
  auto const& st = p.stages[stage];
  auto const times = times_computed(p, stage);
  auto const cost = cost_of_element(st);
  auto const copies = static_cast<double>(copies_if_inlined(p, stage));  // of the same element, too
  if (copies > 1 && static_cast<double>(cost.nodes) * copies > static_cast<double>(most_nodes)) return false;
  if (times <= 1) return true;
  if (cost.arithmetic <= 1) return true;  // a product goes into a multiply-add
  constexpr double store = 1.5;
  auto const element = cost.arithmetic + cost.loads;
  return times * element <= element + store + times;
}

}}}  // namespace ttune::v0::autoschedule
