// SPDX-License-Identifier: Apache-2.0
// Makes the facts of a stage (stage_facts.hpp) from a plan, once for all configurations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/feature/stage_facts.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr std::size_t chain_dims = 8;    ///< further outer dimensions are folded into the last one
inline constexpr std::size_t chain_blocks = 4;  ///< blocks of four accesses
inline constexpr std::size_t chain_row = chain_dims * chain_blocks;

/// Counts arithmetic operations on elements, without those in the indices of an access.
inline double flops_of(ir::expr const& e) {
  double count = 0;
  auto const visit = [&count](auto const& self, ir::expr const& n) -> void {
    if (ir::is_arithmetic(n)) ++count;
    if (ir::as<ir::access>(n)) return;
    ir::for_each_operand(n, [&](ir::expr const& o) { self(self, o); });
  };
  visit(visit, e);
  return count;
}

/// Extents of a source, starting with the dimension contiguous in memory, and the mapping of its dimensions to that
/// order.
struct source_shape {
  std::vector<double> extents;
  bool reversed = true;  ///< row-major: dimension rank − 1 − i is at position i
  double element_bytes = 4;

  [[nodiscard]] std::size_t dimension(std::size_t i) const { return reversed ? extents.size() - 1 - i : i; }
  [[nodiscard]] double bytes() const {
    double product = element_bytes;
    for (auto const e : extents) product *= e;
    return product;
  }
};

inline source_shape shape_of_source(plan const& p, stage_plan const& st, access_plan const& a) {
  source_shape made;
  if (a.operand >= 0) {
    auto const& t = *p.program->inputs[static_cast<std::size_t>(a.operand)];
    for (auto const& e : t.shape) made.extents.push_back(static_cast<double>(e.value));
    made.element_bytes = static_cast<double>(size_in_bytes(t.type));
  } else {
    auto const& from = a.write ? *st.definition : *p.stages[static_cast<std::size_t>(a.producer)].definition;
    for (auto const& x : from.axes) made.extents.push_back(static_cast<double>(x.size()));
    made.element_bytes = static_cast<double>(size_in_bytes(from.type()));
  }
  if (made.reversed) std::reverse(made.extents.begin(), made.extents.end());
  return made;
}

inline bool same_movement(access_plan const& a, access_plan const& b) {
  if (a.operand != b.operand || a.producer != b.producer || a.write != b.write) return false;
  for (std::size_t d = 0; d < a.indices.size(); ++d) {
    auto const& x = a.indices[d];
    auto const& y = b.indices[d];
    if (x.whole != y.whole || x.divisor != y.divisor || x.coefficient != y.coefficient) return false;
  }
  return true;
}

/// Accesses that move in the same way, listed in sequence.
using access_group = std::vector<access_plan const*>;

/// Returns the accesses of a stage, ordered by bytes of their sources, at most most_accesses.
inline std::vector<access_group> group_accesses(plan const& p, stage_plan const& st) {
  std::vector<access_group> groups;
  for (auto const& a : st.accesses) {
    if (a.along) continue;
    auto const same = [&](access_group const& g) { return same_movement(*g.front(), a); };
    auto const found = std::find_if(groups.begin(), groups.end(), same);
    if (found != groups.end()) found->push_back(&a);
    else groups.push_back({&a});
  }
  auto const rank = [&](access_group const& g) { return shape_of_source(p, st, *g.front()).bytes(); };
  std::sort(groups.begin(), groups.end(), [&](access_group const& a, access_group const& b) {
    auto const x = rank(a);
    auto const y = rank(b);
    if (x != y) return x > y;
    if (a.front()->write != b.front()->write) return a.front()->write;
    return a.front() < b.front();  // in the order of the stage
  });
  if (groups.size() > most_accesses) {
    auto const write = std::find_if(groups.begin(), groups.end(), [](access_group const& g) { return g[0]->write; });
    auto const last = groups.begin() + static_cast<std::ptrdiff_t>(most_accesses) - 1;
    if (write > last) *last = *write;
    groups.resize(most_accesses);
  }
  return groups;
}

/// Fills lane `slot` of the tables with dimension `d` of an access, the `i`-th from the contiguous one. `below`:
/// elements of the inner dimensions that share the lane.
inline void table_dimension(access_tables& t, access_group const& g, std::size_t slot, std::size_t i, std::size_t d,
                            double extent, double below) {
  auto const at = std::min(i, t.dims - 1) * t.blocks + slot / 4;
  auto const lane = slot % 4;
  auto const& index = g.front()->indices[d];
  auto& limit = t.limit[at].v;
  limit[lane] = static_cast<float>((static_cast<double>(limit[lane]) + 1) * extent - 1);
  if (index.whole) {
    t.first[at].v[lane] += static_cast<float>(below * (extent - 1));
    return;
  }
  auto low = index.constant;
  auto high = index.constant;
  for (auto const* a : g) {
    low = std::min(low, a->indices[d].constant);
    high = std::max(high, a->indices[d].constant);
  }
  auto const scale = below / static_cast<double>(index.divisor);
  t.first[at].v[lane] += static_cast<float>(static_cast<double>(high - low) * scale);
  for (std::size_t x = 0; x < index.coefficient.size(); ++x)
    t.step[x * t.row() + at].v[lane] += static_cast<float>(std::abs(static_cast<double>(index.coefficient[x])) * scale);
}

inline access_tables make_tables(plan const& p, stage_plan const& st) {
  access_tables t;
  auto const groups = group_accesses(p, st);
  for (auto const& g : groups) t.dims = std::max(t.dims, std::min(g.front()->indices.size(), chain_dims));
  t.blocks = std::max<std::size_t>(1, (groups.size() + 3) / 4);
  t.step.resize(st.axis_count() * t.row());
  t.first.resize(t.row());
  t.limit.resize(t.row());
  t.bytes.resize(t.blocks);
  for (std::size_t slot = 0; slot < groups.size(); ++slot) {
    auto const& a = *groups[slot].front();
    auto const shape = shape_of_source(p, st, a);
    double below = 1;
    for (std::size_t i = 0; i < shape.extents.size(); ++i) {
      table_dimension(t, groups[slot], slot, i, shape.dimension(i), shape.extents[i], below);
      below = i + 1 >= t.dims ? below * shape.extents[i] : 1;
    }
    auto const bytes = static_cast<float>(shape.element_bytes);
    t.bytes[slot / 4].v[slot % 4] = bytes;
    t.accesses.push_back({a.producer, a.operand, a.write, shape.bytes(), bytes});
  }
  return t;
}

/// Returns the steps of the bases of stage `st` with the axes of `reader`, which reads it directly or through other
/// stages.
inline std::vector<base_step> make_bases(plan const& p, std::size_t st, std::size_t reader,
                                         std::vector<stage_facts> const& known) {
  std::vector<base_step> made;
  auto const add = [&made](std::int32_t axis, std::int32_t reader_axis, float coefficient) {
    for (auto& m : made)
      if (m.axis == axis && m.reader_axis == reader_axis) {
        m.coefficient = std::max(m.coefficient, coefficient);
        return;
      }
    made.push_back({axis, reader_axis, coefficient});
  };
  for (std::size_t r = st + 1; r <= reader; ++r)
    for (auto const& a : p.stages[r].accesses) {
      if (a.write || a.producer != static_cast<std::int32_t>(st)) continue;
      for (std::size_t d = 0; d < a.indices.size(); ++d)
        for (std::size_t x = 0; x < a.indices[d].coefficient.size(); ++x) {
          auto const c =
              static_cast<float>(std::abs(a.indices[d].coefficient[x])) / static_cast<float>(a.indices[d].divisor);
          if (c == 0) continue;
          if (r == reader) add(static_cast<std::int32_t>(d), static_cast<std::int32_t>(x), c);
          else
            for (auto const& b : known[r].bases[reader])
              if (static_cast<std::size_t>(b.axis) == x)
                add(static_cast<std::int32_t>(d), b.reader_axis, c * b.coefficient);
        }
    }
  return made;
}

inline stage_facts make_facts(plan const& p, std::size_t index, target const& machine) {
  auto const& st = p.stages[index];
  auto const& definition = *st.definition;
  stage_facts f;
  f.tables = make_tables(p, st);
  f.bases.resize(p.stages.size());
  f.axes = st.axis_count();
  f.free_axes = definition.axes.size();
  for (std::size_t x = 0; x < f.axes; ++x) {
    auto const size = static_cast<double>(st.axis_size(x));
    f.points *= size;
    f.sizes.push_back(static_cast<std::int32_t>(st.axis_size(x)));
    if (x >= f.free_axes) f.reduced_points *= size;
  }
  for (auto const& c : definition.components) f.flops_per_point += flops_of(c.value) + (definition.reduces() ? 1 : 0);
  for (auto const& c : definition.reduction.combine) f.flops_per_point += flops_of(c);
  f.element_bytes = static_cast<double>(size_in_bytes(definition.type()));
  f.lanes = machine.lanes(definition.type());
  f.in_registers = st.where == ir::memory::registers;
  f.in_group = st.where == ir::memory::shared;
  f.prepared = st.where == ir::memory::prepared;
  f.packed = st.packed;
  f.reads_producer = std::any_of(f.tables.accesses.begin(), f.tables.accesses.end(),
                                 [](merged_access const& a) { return a.producer >= 0; });
  return f;
}

}}}  // namespace ttune::v0::detail
