// SPDX-License-Identifier: Apache-2.0
// Decides which stages without a reduction are not inlined into their readers.
#pragma once

#include <algorithm>
#include <map>
#include <variant>
#include <vector>

#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/core/dot_product.hpp"
#include "ttune/ir/find_dot.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

[[nodiscard]] inline bool calls_function(ir::stage const& st) {
  bool found = false;
  for (auto const& c : st.components)
    ir::for_each_node(c.value, [&](ir::expr const& e) {
      auto const* u = ir::as<ir::unary>(e);
      found = found || (u && u->op >= ir::unary_op::sqrt && u->op <= ir::unary_op::erf);
      auto const* b = ir::as<ir::binary>(e);
      found = found || (b && b->op == ir::binary_op::power);
    });
  return found;
}
[[nodiscard]] inline bool divides(ir::stage const& st) {
  bool found = false;
  for (auto const& c : st.components)
    ir::for_each_node(c.value, [&](ir::expr const& e) {
      auto const* b = ir::as<ir::binary>(e);
      found = found || (b && (b->op == ir::binary_op::divide || b->op == ir::binary_op::modulo));
    });
  return found;
}

/// Returns how often an element of a stage would be computed in its readers.
[[nodiscard]] inline double times_computed(plan const& p, std::size_t stage) {
  auto const& st = p.stages[stage];
  double times = 0;
  for (auto const& reader : p.stages) {
    std::vector<access_plan const*> reads;
    for (auto const& a : reader.accesses) {
      bool const again =
          std::any_of(reads.begin(), reads.end(), [&](access_plan const* b) { return is_same_element(a, *b); });
      if (!a.write && a.producer == static_cast<std::int32_t>(stage) && !again) reads.push_back(&a);
    }
    times += static_cast<double>(reads.size()) * static_cast<double>(iterations_of(reader)) /
             static_cast<double>(iterations_of(st));
  }
  return times;
}

/// Returns true if inlining would call a function such as exp twice for an element, or repeat a division too often.
[[nodiscard]] inline bool is_worth_keeping(plan const& p, std::size_t stage) {
  auto const times = times_computed(p, stage);
  auto const& st = *p.stages[stage].definition;
  return (times > 1 && calls_function(st)) || (times >= 4 && divides(st));
}

/// Returns true for a stage that combines elements, and is read at places that data give more often than it has
/// elements: inlined, all that it combines would be gathered each time.
[[nodiscard]] inline bool is_gathered_often(plan const& p, std::size_t stage) {
  constexpr std::size_t result_and_one_read = 2;
  if (p.stages[stage].accesses.size() <= result_and_one_read || times_computed(p, stage) < 2) return false;
  auto const reads_at_data = [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    auto const* from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
    return from && *from == p.stages[stage].definition &&
           std::any_of(a->indices.begin(), a->indices.end(), [](ir::expr const& i) {
             return ir::contains(i, [](ir::expr const& part) { return ir::as<ir::access>(part) != nullptr; });
           });
  };
  return std::any_of(p.stages.begin(), p.stages.end(), [&](stage_plan const& reader) {
    auto const& values = reader.definition->components;
    return std::any_of(values.begin(), values.end(),
                       [&](auto const& c) { return ir::contains(c.value, reads_at_data); });
  });
}

/// Returns the number of reads of a stage in the expressions of other stages, those of the same element included.
[[nodiscard]] inline std::size_t copies_if_inlined(plan const& p, std::size_t stage) {
  std::size_t reads = 0;
  for (auto const& st : p.stages)
    for (auto const& c : st.definition->components)
      ir::for_each_node(c.value, [&](ir::expr const& e) {
        auto const* a = ir::as<ir::access>(e);
        auto const* from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
        if (from && *from == p.stages[stage].definition) ++reads;
      });
  return reads;
}

/// Returns for each stage whether its readers would become too large if all stages without a reduction were inlined: a
/// chain of stages that each read the one before twice doubles with each stage.
[[nodiscard]] inline std::vector<bool> too_large_to_inline(plan const& p) {
  constexpr double most = 512;  // nodes of all copies
  struct inlined {
    double nodes = 0;  ///< of one copy
    double reads = 0;
    std::vector<ir::stage const*> sources;  ///< one for each read
  };
  std::map<ir::stage const*, inlined> stages;
  for (auto const& st : p.stages)
    for (auto const& c : st.definition->components)
      ir::for_each_node(c.value, [&](ir::expr const& e) {
        auto& reader = stages[st.definition.get()];
        ++reader.nodes;
        auto const* a = ir::as<ir::access>(e);
        auto const* from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
        if (!from) return;
        ++stages[from->get()].reads;
        reader.sources.push_back(from->get());
      });
  std::vector<bool> stays;
  for (auto const& st : p.stages) {
    auto& made = stages[st.definition.get()];
    for (auto const* source : made.sources) made.nodes += stages[source].nodes;
    stays.push_back(made.reads > 1 && made.nodes * made.reads > most);
    if (stays.back() || st.definition->reduces()) made.nodes = 0;
  }
  return stays;
}

/// Returns true for a stage that chooses its expression by an axis, which helps only if it is unrolled as a stage of
/// its own, and for its producers and readers, which would otherwise repeat it.
[[nodiscard]] inline bool stands_beside_choice(plan const& p, std::size_t stage) {
  auto const chooses = [&](std::size_t i) { return !choosing_axes(*p.stages[i].definition).empty(); };
  if (chooses(stage)) return true;
  for (auto const& a : p.stages[stage].accesses)
    if (!a.write && a.producer >= 0 && chooses(static_cast<std::size_t>(a.producer))) return true;
  for (auto const r : readers_of(p, static_cast<std::int32_t>(stage)))
    if (chooses(static_cast<std::size_t>(r))) return true;
  return false;
}

/// Returns true for a stage that only moves elements, or chooses among expressions by remainders of its axes, and whose
/// only reader takes its rows unchanged: moving them twice gains nothing.
[[nodiscard]] inline bool moves_for_rows(plan const& p, std::size_t stage) {
  auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
  auto const& st = *p.stages[stage].definition;
  auto const choices = choices_of_axes(st);
  bool const by_remainders =
      !choices.empty() && std::all_of(choices.begin(), choices.end(), [](compared const& c) { return c.period > 0; });
  if ((!ir::as<ir::access>(st.components[0].value) && !by_remainders) || readers.size() != 1) return false;
  auto const& reader = p.stages[static_cast<std::size_t>(readers[0])];
  if (reader.definition->reduces() || !choosing_axes(*reader.definition).empty()) return false;
  auto const last = reader.definition->axes.size() - 1;
  return std::all_of(reader.accesses.begin(), reader.accesses.end(), [&](access_plan const& a) {
    return a.producer != static_cast<std::int32_t>(stage) || a.write || stride(p, reader, a, last) == 1;
  });
}

/// Returns true for computations with constants, which are done once, before all calls.
[[nodiscard]] inline bool is_prepared_for_reduction(plan const& p, std::size_t stage) {
  if (!is_of_constants(p, p.stages[stage]) || p.stages[stage].accesses.size() < 3) return false;
  auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
  return std::all_of(readers.begin(), readers.end(), [&](std::int32_t r) {
    auto const& reader = p.stages[static_cast<std::size_t>(r)];
    return reader.definition->reduces() || is_of_constants(p, reader);
  });
}

/// Returns true for a factor of many products that combines several elements: it is not repeated for each product (a
/// transform to one point, in C12 of ResNet-18: products 140 us before, then 20).
[[nodiscard]] inline bool is_combined_for_reduction(plan const& p, std::size_t stage) {
  constexpr std::size_t several = 2;
  constexpr double many = 64;
  if (p.stages[stage].accesses.size() <= several || times_computed(p, stage) < many) return false;
  auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
  return std::all_of(readers.begin(), readers.end(),
                     [&](std::int32_t r) { return p.stages[static_cast<std::size_t>(r)].definition->reduces(); });
}

/// Returns true for a stage of more than an element, or than an element and a zero outside of some axes but the last
/// one. Inlined into a sum of products, it would hide from dot products that their terms are neighbours in memory.
[[nodiscard]] inline bool hides_terms(ir::stage const& st) {
  auto const& value = st.components[0].value;
  if (ir::as<ir::access>(value)) return false;
  auto const* guarded = ir::as<ir::select>(value);
  if (!guarded || !ir::as<ir::access>(guarded->when_true) || !ir::is_constant(guarded->when_false, 0)) return true;
  return ir::contains(guarded->condition, [&](ir::expr const& e) {
    auto const* v = ir::as<ir::variable>(e);
    return v && v->name == st.axes.back().name;
  });
}

/// Returns true if a stage sums products, of this stage and of another one, that an instruction of the machine can sum.
[[nodiscard]] inline bool sums_dots_of(target const& machine, ir::stage const& reader, ir::stage const& factor) {
  if (reader.reduction.kind != ir::reduction_kind::sum || reader.components.size() != 1) return false;
  auto const term = ir::find_dot(machine, reader.components[0].value, reader.type());
  if (!term) return false;
  auto const reads = [&](ir::expr const& e) {
    auto const* const from = std::get_if<handle<ir::stage>>(&ir::as<ir::access>(e)->from);
    return from && (*from)->name == factor.name;
  };
  return reads(term->left) || reads(term->right);
}

/// Returns true for a factor of dot products, such as pixels with a border that is not zero, or channels filled up to
/// four, that is computed much less often than its elements are used. (The first layer of ResNet-18 in bytes, 3
/// channels, pixels outside of 114: 1.33 ms inlined, 0.37 ms kept.)
[[nodiscard]] inline bool is_factor_of_dots(plan const& p, std::size_t stage, target const& machine) {
  constexpr double many = 16;
  auto const& st = *p.stages[stage].definition;
  bool const of_constants = is_of_constants(p, p.stages[stage]);
  if (st.axes.empty() || st.components.size() != 1 || ir::as<ir::access>(st.components[0].value)) return false;
  if (!of_constants && (!hides_terms(st) || times_computed(p, stage) < many)) return false;
  auto const readers = readers_of(p, static_cast<std::int32_t>(stage));
  return !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](std::int32_t r) {
    return sums_dots_of(machine, *p.stages[static_cast<std::size_t>(r)].definition, st);
  });
}

/// Returns true for a stage that chooses by its own axes among several reductions: it joins the results of a block.
[[nodiscard]] inline bool puts_side_by_side(plan const& p, stage_plan const& st) {
  if (st.definition->reduces() || !ir::as<ir::select>(st.definition->components[0].value)) return false;
  std::vector<std::int32_t> reductions;
  for (auto const& a : st.accesses)
    if (!a.write && a.producer >= 0 && p.stages[static_cast<std::size_t>(a.producer)].definition->reduces())
      reductions.push_back(a.producer);
  std::sort(reductions.begin(), reductions.end());
  return std::unique(reductions.begin(), reductions.end()) - reductions.begin() > 1;
}

}}}  // namespace ttune::v0::autoschedule
