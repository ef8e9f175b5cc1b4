// SPDX-License-Identifier: Apache-2.0
// Features of the stage with the most work: the operator and the machine, the register tile, wasted work, threads; and
// of the stages beside it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ttune/feature/feature_row.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/loop_nest/loop_nest.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline void write_task(feature_row& r) {
  auto const& f = *r.facts;
  r.flops = f.points * std::max(1.0, f.flops_per_point);
  double compulsory = 0;
  for (auto const& a : f.tables.accesses) compulsory += a.bytes;
  r.put(f.points);
  r.put(r.flops);
  r.put(f.flops_per_point);
  r.put(f.element_bytes);
  r.put(static_cast<double>(f.tables.accesses.size()) - 1);
  r.put(f.reduced_points);
  r.put(compulsory);
  r.put(1000 * r.flops / std::max(1.0, compulsory));
}

inline void write_machine(extracted_for const& machine, feature_row& r) {
  r.put(r.facts->lanes);
  r.put(machine.vector_registers);
  r.put(machine.cores);
  for (auto const bytes : machine.cache_bytes) r.put(bytes / 1024);
}

/// Writes the features of the register tile: the innermost loops that are unrolled or vectorised form straight-line
/// code.
inline void write_tile(extracted_for const& machine, feature_row& r) {
  auto const& c = r.c;
  double const extent = c.vector_level > 0 ? r.level(c.vector_level).extent : 1;
  double unrolled_reduction = 1;
  r.vectors = c.vector_level > 0 ? std::ceil(extent / r.facts->lanes) : 1;
  for (std::int32_t i = 1; i <= c.own_count; ++i) {
    auto const& l = r.level(i);
    if (l.kind != ir::loop_kind::unrolled && l.kind != ir::loop_kind::vectorized && l.kind != ir::loop_kind::tensorized)
      break;
    r.tile = i;
    if (r.is_reduced(l)) unrolled_reduction *= l.extent;
  }
  r.tile_fmas = r.level(r.tile).inner / extent * r.vectors;
  double loads = 0;
  for (std::size_t a = 0; a < r.accesses(); ++a) {
    auto const stride = c.vector_stride[a];
    auto const along = stride == 0 ? 1 : extent;
    auto const rows = r.touched(r.tile, a) / along;
    if (!r.facts->tables.accesses[a].write) {
      loads += rows * r.pieces(extent, stride);
      continue;
    }
    // If the results are kept in registers, the whole region is: other loops of the region run once or do not move it.
    auto const held = r.facts->in_registers ? r.touched(c.own_count, a) / along : rows;
    r.accumulators = std::max(1.0, held * (stride == 0 ? 1 : r.vectors));
  }
  r.loads = loads / r.tile_fmas;
  auto const held_vectors = std::min(r.accumulators, r.vectors);
  r.put(c.count);
  r.put(r.accumulators / held_vectors);
  r.put(held_vectors);
  r.put(r.accumulators);
  r.put(std::min(16.0, r.accumulators / machine.vector_registers));
  r.put(r.loads);
  r.put(extent);
  r.put(extent / (std::ceil(extent / r.facts->lanes) * r.facts->lanes));
  r.put(r.tile_fmas);
  r.put(r.tile_fmas * (1 + r.loads));
  r.put(unrolled_reduction);
  r.put(r.tile < c.count ? r.level(r.tile + 1).extent : 1);
  auto const per_line = static_cast<double>(c.line_bytes) / r.facts->element_bytes;
  for (std::size_t a = 0; a < shown_accesses; ++a) {
    auto const stride = a < r.accesses() ? c.vector_stride[a] : 0.0F;
    r.put(stride <= 1 ? std::ceil(stride) : stride < per_line ? 2 : 3);
  }
  for (std::size_t a = 0; a < shown_accesses; ++a) r.put(a < r.accesses() && r.facts->tables.accesses[a].write ? 1 : 0);
}

/// Writes the features of wasted work: tiles that do not divide an extent, and regions that are computed repeatedly.
inline void write_waste(chain_builder const& chains, feature_row& r) {
  auto const dominating = static_cast<std::size_t>(r.c.stage);
  double vector_axis = 1;
  double worst = 1;
  for (auto st = r.c.stage; st >= 0; st = r.n.stages[static_cast<std::size_t>(st)].attached_to) {
    auto const& s = r.n.stages[static_cast<std::size_t>(st)];
    auto const axes = chains.facts(static_cast<std::size_t>(st)).axes;
    std::array<double, loop_nest::max_axes> run;
    for (std::size_t x = 0; x < axes; ++x) run[x] = 1;
    std::size_t vectorized = axes;
    for (std::int32_t i = 0; i < s.count; ++i) {
      auto const& l = r.n.loops[static_cast<std::size_t>(s.first + i)];
      run[static_cast<std::size_t>(l.axis)] *= l.extent;
      if (l.kind == ir::loop_kind::vectorized) vectorized = static_cast<std::size_t>(l.axis);
    }
    for (std::size_t x = 0; x < axes; ++x) worst = std::max(worst, run[x] / s.extent[x]);
    if (vectorized < axes) vector_axis *= run[vectorized] / s.extent[vectorized];
  }
  double region = r.work.invocations[dominating];
  for (std::size_t x = 0; x < r.facts->axes; ++x) region *= r.n.stages[dominating].extent[x];
  r.put(r.work.iterations[dominating] / region - 1);
  r.put(std::max(0.0, region / r.facts->points - 1));
  r.put(vector_axis - 1);
  r.put(worst - 1);
}

inline void write_threads(chain_builder const& chains, extracted_for const& machine, feature_row& r) {
  double blocks = 1;
  double threads = 1;
  double virtual_threads = 1;
  std::int32_t inside = r.c.count;  // the level whose body one task runs
  for (std::int32_t i = r.c.count; i > 0; --i) {
    auto const& l = r.level(i);
    switch (l.kind) {
      case ir::loop_kind::parallel:
        r.tasks *= l.extent;
        inside = i - 1;
        break;
      case ir::loop_kind::block_x:
      case ir::loop_kind::block_y:
      case ir::loop_kind::block_z:
        blocks *= l.extent;
        inside = i - 1;
        break;
      case ir::loop_kind::thread_x:
      case ir::loop_kind::thread_y:
      case ir::loop_kind::thread_z: threads *= l.extent; break;
      case ir::loop_kind::virtual_thread: virtual_threads *= l.extent; break;
      default: break;
    }
  }
  double group_bytes = 0;
  for (std::size_t st = 0; st < static_cast<std::size_t>(r.n.stage_count); ++st) {
    auto const& f = chains.facts(st);
    if (!f.in_group || r.n.stages[st].inlined) continue;
    double bytes = f.element_bytes;
    for (std::size_t x = 0; x < f.free_axes; ++x) bytes *= r.n.stages[st].extent[x];
    group_bytes += bytes;
  }
  auto const spread = blocks > 1 ? blocks : r.tasks;
  r.imbalance = std::ceil(spread / machine.cores) * machine.cores / spread;
  r.put(r.tasks);
  r.put(r.imbalance);
  r.put(r.flops / spread);
  r.put(r.level(inside).footprint);
  r.put(blocks);
  r.put(threads);
  r.put(virtual_threads);
  r.put(group_bytes);
}

[[nodiscard]] inline bool is_parallel(loop_nest const& n, loop_nest::stage const& s) {
  for (std::int32_t l = 0; l < s.count; ++l)
    if (n.loops[static_cast<std::size_t>(s.first + l)].kind == ir::loop_kind::parallel) return true;
  return false;
}

inline constexpr double copy_vectors = 1;     ///< vectors copied per cycle
inline constexpr double copy_elements = 0.7;  ///< elements copied per cycle by scalar code

/// Writes the features of other stages: copies, producers, and stages that store the tile's results.
inline void write_other_stages(chain_builder const& chains, extracted_for const& machine, feature_row& r) {
  auto const dominating = static_cast<std::size_t>(r.c.stage);
  double attached_bytes = 0;
  double apart_bytes = 0;
  double recomputed = 0;
  double copied = 0;
  double stored = 0;
  double scalar = 0;
  std::int32_t reader = r.n.stages[dominating].attached_to;
  for (std::size_t st = 0; st < static_cast<std::size_t>(r.n.stage_count); ++st) {
    auto const& f = chains.facts(st);
    auto const& s = r.n.stages[st];
    if (st == dominating || s.inlined || f.prepared) continue;
    auto const points = r.work.iterations[st];
    bool vectorized = false;
    for (std::int32_t l = s.count; l-- > 0 && !vectorized;)
      vectorized = r.n.loops[static_cast<std::size_t>(s.first + l)].kind == ir::loop_kind::vectorized;
    auto const cores = s.attached_to >= 0 || is_parallel(r.n, s) ? machine.cores / r.imbalance : 1;
    r.other_cycles += points / (vectorized ? copy_vectors * f.lanes : copy_elements) / cores;
    if (static_cast<std::int32_t>(st) == reader) {  // the stage that stores the accumulated results
      stored += points;
      reader = s.attached_to;
      continue;
    }
    (s.attached_to >= 0 ? attached_bytes : apart_bytes) += points * f.element_bytes;
    recomputed = std::max(recomputed, points / f.points);
    copied += points;
    if (!vectorized) scalar += points;
  }
  r.put(attached_bytes);
  r.put(apart_bytes);
  r.put(recomputed);
  r.put(1000 * copied / r.facts->points);
  r.put(1000 * stored / r.facts->points);
  r.put(copied > 0 ? scalar / copied : 0);
}

}}}  // namespace ttune::v0::detail
