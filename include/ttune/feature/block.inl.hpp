// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "ttune/feature/block.hpp"
#include "ttune/feature/chain.inl.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

// Constants of NVIDIA's cores since Maxwell. For other devices they are a guess of the right magnitude, and the model
// learns the deviations.
inline constexpr int warp = 32;
inline constexpr double warps_issued = 4;  ///< warp instructions per cycle and core
inline constexpr double core_warps = 64;
inline constexpr double core_blocks = 32;
inline constexpr double core_registers = 65536;
inline constexpr double core_group_memory = 2;  ///< relative to the limit of one block
inline constexpr double thread_registers = 255;
inline constexpr double fetch_bytes_per_cycle = 32;  ///< from L2, per core
inline constexpr double sector_words = 8;
inline constexpr double addressing = 4;  ///< instructions per fetched word

/// Statistics of sectors, banks or words of a warp: the number of distinct values, and the largest number on one of 32
/// banks.
struct lane_spread {
  double distinct = 0;
  double most = 0;
};

/// Computes the spread for the first `lanes` lanes. There are few values, so duplicates are found by comparison.
inline lane_spread spread_of_lanes(std::array<std::int32_t, warp> const& word, int lanes) {
  std::array<std::int32_t, warp> sorted = word;
  auto const last = sorted.begin() + lanes;
  if (!std::is_sorted(sorted.begin(), last)) std::sort(sorted.begin(), last);  // usually they are sorted
  std::array<std::int8_t, warp> bank{};
  lane_spread s;
  for (int i = 0; i < lanes; ++i) {
    if (i > 0 && sorted[static_cast<std::size_t>(i)] == sorted[static_cast<std::size_t>(i - 1)]) continue;
    ++s.distinct;
    auto& b = bank[static_cast<std::size_t>(sorted[static_cast<std::size_t>(i)] & (warp - 1))];
    s.most = std::max<double>(s.most, ++b);
  }
  return s;
}

}  // namespace detail

/// The bound loops of the root stage, per direction x, y, z, and its virtual threads.
struct block_builder::threads_of {
  std::array<thread_loop, 3> direction = {{{0, 0, 1}, {0, 0, 1}, {0, 0, 1}}};
  std::array<thread_loop, 8> virtual_loops;
  std::size_t virtual_count = 0;
  double blocks = 1;
  double threads = 1;
  double virtual_threads = 1;
  int lanes = 1;
  std::array<std::array<std::int32_t, 3>, detail::warp> of_lane;  ///< [lane]: x, y, z of the thread
};

block_builder::block_builder(plan const&, target const& machine)
    : cores_(std::max(1, machine.cores)), group_limit_(std::max(1024.0, static_cast<double>(machine.l1_bytes))) {}

void block_builder::find_threads(loop_nest const& n, std::size_t root, threads_of& found) {
  auto const& s = n.stages[root];
  auto kind = ir::loop_kind::serial;
  for (std::int32_t i = s.count; i-- > 0;) {
    auto const& l = n.loops[static_cast<std::size_t>(s.first + i)];
    if (!l.fused) kind = l.kind;
    thread_loop const bound{l.axis, l.stride, l.extent};
    switch (kind) {
      case ir::loop_kind::block_x:
      case ir::loop_kind::block_y:
      case ir::loop_kind::block_z: found.blocks *= l.extent; break;
      case ir::loop_kind::thread_x:
      case ir::loop_kind::thread_y:
      case ir::loop_kind::thread_z:
        found.direction[kind == ir::loop_kind::thread_x ? 0U : kind == ir::loop_kind::thread_y ? 1U : 2U] = bound;
        found.threads *= l.extent;
        break;
      case ir::loop_kind::virtual_thread:
        found.virtual_threads *= l.extent;
        if (l.extent > 1 && found.virtual_count < found.virtual_loops.size())
          found.virtual_loops[found.virtual_count++] = bound;
        break;
      default: break;
    }
  }
  found.lanes = static_cast<int>(std::min<double>(found.threads, detail::warp));
  for (int lane = 0; lane < found.lanes; ++lane) {
    auto rest = lane;
    for (std::size_t d = 0; d < 3; ++d) {
      found.of_lane[static_cast<std::size_t>(lane)][d] = rest % found.direction[d].extent;
      rest /= found.direction[d].extent;
    }
  }
}

/// Counts the sectors of the source that a warp touches when the tile is divided among the threads, z first, in the
/// tile's order.
void block_builder::count_sectors(loop_nest const& n, detail::stage_facts const& facts, std::size_t group,
                                  threads_of const& t, block_work::operand& o) {
  auto const& extent = n.stages[group].extent;
  std::array<std::int32_t, 3> chunk;  // words between neighbouring threads in x, y, z
  auto left = static_cast<std::int32_t>(o.group_words);
  for (std::size_t d = 3; d-- > 0;) chunk[d] = left = (left + t.direction[d].extent - 1) / t.direction[d].extent;
  o.fetch_words = left;
  o.fetch_use = o.group_words / (o.fetch_words * t.threads);
  o.fetch_run = 1;
  for (auto x = facts.free_axes; x-- > 0;) {
    o.fetch_run *= extent[x];
    if (extent[x] < facts.sizes[x]) break;
  }
  std::array<std::int32_t, detail::warp> stored, sector;
  int lanes = 0;
  for (int lane = 0; lane < t.lanes; ++lane) {
    auto const& at = t.of_lane[static_cast<std::size_t>(lane)];
    auto const word = at[0] * chunk[0] + at[1] * chunk[1] + at[2] * chunk[2];
    if (word >= o.group_words) continue;
    auto rest = word;
    double address = 0, below = 1;
    for (auto x = facts.free_axes; x-- > 0;) {
      address += (rest % extent[x]) * below;
      rest /= extent[x];
      below *= facts.sizes[x];
    }
    stored[static_cast<std::size_t>(lanes)] = word;
    sector[static_cast<std::size_t>(lanes++)] = static_cast<std::int32_t>(address / detail::sector_words);
  }
  o.store_conflict = detail::spread_of_lanes(stored, lanes).most;
  o.fetch_sectors = detail::spread_of_lanes(sector, lanes).distinct;
}

/// Computes the layout of the tile, and the addresses at which the threads of a warp read it.
void block_builder::place(loop_nest const& n, chain_builder const& chains, std::size_t group, std::size_t root,
                          threads_of const& t, block_work::operand& o) {
  auto const& facts = chains.facts(group);
  auto const& extent = n.stages[group].extent;
  std::array<double, loop_nest::max_axes> below;
  o.group_words = 1;
  for (auto x = facts.free_axes; x-- > 0;) {
    below[x] = o.group_words;
    o.group_words *= extent[x];
  }
  count_sectors(n, facts, group, t, o);
  std::array<double, 3> move{};  // words between neighbouring threads in x, y, z
  for (auto const& b : facts.bases[root])
    for (std::size_t d = 0; d < 3; ++d)
      if (b.reader_axis == t.direction[d].axis && t.direction[d].extent > 1)
        move[d] += static_cast<double>(b.coefficient) * t.direction[d].stride * below[static_cast<std::size_t>(b.axis)];
  std::array<std::int32_t, detail::warp> word;
  for (int lane = 0; lane < t.lanes; ++lane) {
    auto const& at = t.of_lane[static_cast<std::size_t>(lane)];
    word[static_cast<std::size_t>(lane)] =
        static_cast<std::int32_t>(at[0] * move[0] + at[1] * move[1] + at[2] * move[2]);
  }
  auto const spread = detail::spread_of_lanes(word, t.lanes);
  o.load_conflict = spread.most;
  o.load_words = spread.distinct;
}

/// Computes the unrolled loops as TVM does: from the innermost loop outwards, while the statements stay within the
/// limit.
void block_builder::unroll_loops(loop_nest const& n, double limit, block_work& out) {
  auto const& s = n.stages[static_cast<std::size_t>(out.stage)];
  auto const loaded_inside = out.loaded_inside;
  auto body = out.virtual_threads;
  auto inner = body;  // statements between two loads of a thread if all loops were unrolled
  bool whole = true;
  out.unrolled_tile = limit > 0;
  out.unrolled_levels = 0;
  for (auto i = s.count; i-- > 0;) {
    auto const& l = n.loops[static_cast<std::size_t>(s.first + i)];
    if (i > loaded_inside) inner *= l.extent;
    if (l.extent == 1) continue;
    if (i == loaded_inside && whole)  // the loads of a thread are part of the body
      for (auto const& o : out.operands) body += o.thread_words;
    whole = whole && body * l.extent <= limit;
    if (whole) {
      body *= l.extent;
      ++out.unrolled_levels;
    } else if (i > loaded_inside && limit > 0 && inner <= 4 * out.accumulators) {
      out.unrolled_tile = out.unrolled_tile && inner > out.accumulators;
    }
  }
  out.unrolled_body = body;
  out.unrolled_share = inner / std::max(limit, 1.0);
}

void block_builder::occupy(block_work& out) const {
  auto const warps = std::ceil(out.threads / detail::warp);
  auto const used = std::min(out.registers, detail::thread_registers);
  out.spilled = out.registers - used;
  out.resident = detail::core_blocks;
  out.resident = std::min(out.resident, std::floor(detail::core_warps / warps));
  out.resident = std::min(out.resident, std::floor(detail::core_registers / (used * warps * detail::warp)));
  out.resident =
      std::min(out.resident, std::floor(detail::core_group_memory * group_limit_ / std::max(out.group_bytes, 1.0)));
  out.resident = std::max(out.resident, 1.0);
  auto const each = std::ceil(out.blocks / cores_);
  out.resident = std::min(out.resident, each);
  out.occupancy = std::min(1.0, out.resident * warps / detail::core_warps);
  out.waves = std::ceil(each / out.resident);
  out.tail = each * cores_ / out.blocks;
  out.warp_fill = out.threads / (warps * detail::warp);
}

void block_builder::time(block_work& out) const {
  auto const warps = std::ceil(out.threads / detail::warp);
  auto const each = std::ceil(out.blocks / cores_);
  auto const points = out.accumulators * out.reduction;  // per thread
  auto const ideal = out.blocks * out.threads * points / (detail::warp * detail::warps_issued * cores_);
  double load = 0, store = 0, fetch = 0, traffic = 0, words = 0, fetched = 0;
  for (auto const& o : out.operands) {
    load += o.thread_words * std::max(1.0, o.load_conflict) * out.middle * out.steps;
    store += o.fetch_words * o.store_conflict * out.steps;
    fetch += o.fetch_words * o.fetch_sectors * out.steps;
    traffic += o.group_words * out.steps;
    words += o.thread_words * out.middle * out.steps;
    fetched += o.fetch_words;
  }
  out.time_fma = each * warps * points / detail::warps_issued / ideal;
  out.time_load = each * warps * load / ideal;
  out.time_store = each * warps * store / ideal;
  out.time_fetch = each * warps * fetch / 4 / ideal;
  out.time_traffic = each * traffic * 4 / detail::fetch_bytes_per_cycle / ideal;
  auto const instructions =
      points + words + detail::addressing * fetched * out.steps + 2 * out.spilled * out.middle * out.steps;
  out.time_issue = each * warps * instructions / detail::warps_issued / ideal;
  auto const latency = out.steps * (440 + 20 * fetched + 30 * out.middle);
  out.time_latency = each * latency / out.resident / ideal;
  // Other warps hide most of the time that is not arithmetic. The coefficients were chosen on half of the run files of
  // two recorded tasks.
  out.time = out.time_fma + 0.1 * (out.time_load + out.time_store) +
             0.05 * (out.time_fetch + out.time_traffic + out.time_issue) + 0.25 * out.time_latency;
}

/// Returns the stage with the most work in its domain. Iterations are no measure: repeated copies may run more often
/// than their readers.
std::size_t block_builder::dominating(loop_nest const& n, chain_builder const& chains) {
  std::size_t most = 0;
  double work = -1;
  for (auto i = static_cast<std::size_t>(n.stage_count); i-- > 0;) {
    auto const& f = chains.facts(i);
    auto const own = n.stages[i].inlined || f.prepared ? -1 : f.points * (f.flops_per_point + 1);
    if (own <= work) continue;
    work = own;
    most = i;
  }
  return most;
}

void block_builder::build(loop_nest const& n, chain_builder const& chains, double unroll, block_work& out) const {
  out = {};
  auto const st = dominating(n, chains);
  auto root = st;
  while (n.stages[root].attached_to >= 0) root = static_cast<std::size_t>(n.stages[root].attached_to);
  threads_of t;
  find_threads(n, root, t);
  out.there = t.threads * t.blocks > 1;
  if (!out.there) return;
  out.blocks = t.blocks;
  out.threads = t.threads;
  out.virtual_threads = t.virtual_threads;
  auto const& facts = chains.facts(st);
  std::int32_t fetched_inside = -1, loaded_inside = -1;  // loops of the dominating stage
  std::size_t count = 0;
  for (auto const& a : facts.tables.accesses) {
    if (a.write || a.producer < 0 || count == block_work::max_operands) continue;
    auto& o = out.operands[count++];
    auto from = static_cast<std::size_t>(a.producer);
    if (!chains.facts(from).in_group &&
        static_cast<std::size_t>(n.stages[from].attached_to) == st) {  // the thread holds it
      o.thread_words = 1;
      for (std::size_t x = 0; x < chains.facts(from).free_axes; ++x) o.thread_words *= n.stages[from].extent[x];
      loaded_inside = std::max<std::int32_t>(loaded_inside, n.stages[from].depth);
      for (auto const& b : chains.facts(from).tables.accesses)
        if (!b.write && b.producer >= 0) from = static_cast<std::size_t>(b.producer);
    }
    if (!chains.facts(from).in_group || n.stages[from].inlined) continue;
    place(n, chains, from, root, t, o);
    out.group_bytes += o.group_words * chains.facts(from).element_bytes;
    if (static_cast<std::size_t>(n.stages[from].attached_to) == st)
      fetched_inside = std::max<std::int32_t>(fetched_inside, n.stages[from].depth);
    for (std::size_t v = 0; v < t.virtual_count; ++v)  // virtual threads that read another part hold it, too
      for (auto const& b : chains.facts(from).bases[root])
        if (b.reader_axis == t.virtual_loops[v].axis) {
          o.thread_words *= t.virtual_loops[v].extent;
          break;
        }
  }
  out.accumulators = t.virtual_threads;
  auto const& s = n.stages[st];
  for (std::int32_t i = 0; i < s.count; ++i) {
    auto const& l = n.loops[static_cast<std::size_t>(s.first + i)];
    if (static_cast<std::size_t>(l.axis) < facts.free_axes) {
      out.accumulators *= l.extent;
      continue;
    }
    out.reduction *= l.extent;
    if (i <= fetched_inside) out.steps *= l.extent;
    else if (i <= loaded_inside) out.middle *= l.extent;
    else out.inner_reduction *= l.extent;
  }
  std::array<std::int32_t, detail::warp> sector;
  for (int lane = 0; lane < t.lanes; ++lane) {
    double address = 0, below = 1;
    auto const& root_facts = chains.facts(root);
    for (auto x = root_facts.free_axes; x-- > 0;) {
      for (std::size_t d = 0; d < 3; ++d)
        if (t.direction[d].axis == static_cast<std::int32_t>(x) && t.direction[d].extent > 1)
          address += below * t.direction[d].stride * t.of_lane[static_cast<std::size_t>(lane)][d];
      below *= root_facts.sizes[x];
    }
    sector[static_cast<std::size_t>(lane)] = static_cast<std::int32_t>(address / detail::sector_words);
  }
  out.output_sectors = detail::spread_of_lanes(sector, t.lanes).distinct;
  constexpr double bookkeeping = 20;
  out.registers = out.accumulators + bookkeeping;
  for (auto const& o : out.operands) out.registers += std::ceil(o.thread_words / out.inner_reduction);
  out.stage = static_cast<std::int32_t>(st);
  out.loaded_inside = loaded_inside;
  unroll_loops(n, unroll, out);
  occupy(out);
  time(out);
}

}}  // namespace ttune::v0
