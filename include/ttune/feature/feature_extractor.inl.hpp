// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include "ttune/feature/feature_extractor.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns log2 of a positive normal number with an error of at most 2e-5, exact at powers of two. It is one chain of
/// multiplications, so that loops of it vectorise.
inline float fast_log2(float x) noexcept {
  auto const bits = std::bit_cast<std::int32_t>(x);
  auto const exponent = static_cast<float>((bits >> 23) - 127);
  auto const f = std::bit_cast<float>((bits & 0x007fffff) | 0x3f800000) - 1.0F;  // in [0, 1)
  auto const bend = 0.44183587F + f * (-0.26653628F + f * (0.14701877F + f * -0.04424374F));
  return exponent + f + f * (1.0F - f) * bend;
}

inline constexpr auto feature_is_logarithmic = logarithmic_features();

inline constexpr std::size_t shown_accesses = 4;
/// Sustained bandwidth of one core in bytes per cycle: from L2 into L1, from L3 into L2, from memory into L3.
/// Deliberately rough: the estimate must rank, and the model learns the deviations.
inline constexpr std::array<double, 3> bytes_per_cycle = {32, 10, 5};
inline constexpr double ports = 2;            ///< multiply-adds, and loads, per cycle
inline constexpr double pipeline = 8;         ///< multiply-adds in flight: ports × latency
inline constexpr double copy_vectors = 1;     ///< vectors copied per cycle
inline constexpr double copy_elements = 0.7;  ///< elements copied per cycle by scalar code

}  // namespace detail

/// The feature row that is being written, and values that several groups of features share.
struct feature_extractor::row {
  // The chain stays uninitialised because it is large.
  row(loop_nest const& of, float* to, block_work& threads) noexcept : n(of), block(threads), out(to) {}

  loop_nest const& n;
  block_work& block;
  float* out;
  std::size_t at = 0;
  loop_chain c;
  chain_builder::work work;
  detail::stage_facts const* facts = nullptr;
  double flops = 0;         ///< arithmetic of the dominating stage's domain
  double vectors = 1;       ///< instructions of one run of the vectorised loop
  std::int32_t tile = 0;    ///< levels [1, tile] are unrolled or vectorised
  double tile_fmas = 1;     ///< vector multiply-adds of one run of those levels
  double accumulators = 1;  ///< number of vectors
  double loads = 0;         ///< loads per multiply-add
  double tasks = 1;
  double other_cycles = 0;  ///< cycles of other stages, all cores together
  double imbalance = 1;     ///< time of the slowest core relative to an even split
  std::array<double, 3> traffic = {};

  void put(double value) { out[at++] = static_cast<float>(value); }
  [[nodiscard]] loop_chain::level const& level(std::int32_t i) const { return c.levels[static_cast<std::size_t>(i)]; }
  [[nodiscard]] float touched(std::int32_t i, std::size_t access) const {
    return c.touched[static_cast<std::size_t>(i)][access];
  }
  [[nodiscard]] float lines(std::int32_t i, std::size_t access) const {
    return c.lines[static_cast<std::size_t>(i)][access];
  }
  [[nodiscard]] std::size_t accesses() const { return static_cast<std::size_t>(c.access_count); }
  [[nodiscard]] bool is_reduced(loop_chain::level const& l) const {
    return static_cast<std::size_t>(n.loops[static_cast<std::size_t>(l.loop)].axis) >= facts->free_axes;
  }
  /// Returns the loads of `extent` elements along the vectorised loop, given the stride in memory.
  [[nodiscard]] double pieces(double extent, float stride) const {
    if (stride == 0) return 1;
    return stride == 1 ? std::ceil(extent / facts->lanes) : extent;
  }
};

feature_extractor::feature_extractor(plan const& p, target const& machine)
    : chains_(p, machine),
      blocks_(p, machine),
      cache_bytes_{static_cast<double>(machine.l1_bytes), static_cast<double>(machine.l2_bytes),
                   static_cast<double>(machine.l3_bytes)},
      vector_registers_(machine.vector_registers),
      cores_(std::max(1, machine.cores)) {
  for (std::size_t other = first_columns, k = 0; k < p.knobs.size(); ++k) {
    auto const& of = p.knobs[k];
    auto const width = static_cast<std::size_t>(of.width);
    knob_slot const first{k, width, knob_values_.size()};
    if (of.name == "auto_unroll_max_step") unroll_limit_ = first;
    if (of.name == "unroll_explicit") unroll_explicit_ = first;
    if (k < first_columns) knob_slots_[k] = first;
    for (std::size_t column = 1; column < width && other < knob_slots; ++column)
      knob_slots_[other++] = {k, width, first.first + column};
    for (auto const value : of.values) knob_values_.push_back(static_cast<float>(std::max(0, value)));
  }
  for (auto& bytes : cache_bytes_) bytes = std::max(bytes, 1024.0);
  std::vector<bool> read(p.knobs.size(), false);
  auto const reads = [&read](knob_value const& v) {
    if (!v.is_literal()) read[static_cast<std::size_t>(v.knob)] = true;
  };
  for (auto const& s : p.stages) {
    reads(s.place);
    reads(s.permutation);
    for (auto const& l : s.loops) {
      reads(l.kind_enabled);
      for (auto const& f : l.factors) reads(f);
    }
  }
  for (std::size_t k = 0; k < read.size(); ++k)
    if (read[k]) nest_knobs_.push_back(k);
}

loop_chain feature_extractor::chain(loop_nest const& n) const {
  loop_chain made;
  chain_builder::work w;
  chains_.count_work(n, w);
  chains_.build(n, w, made);
  return made;
}

bool feature_extractor::same_nest(configuration const& a, configuration const& b) const noexcept {
  return a.choices.size() == b.choices.size() &&
         std::all_of(nest_knobs_.begin(), nest_knobs_.end(), [&](auto k) { return a.choices[k] == b.choices[k]; });
}

void feature_extractor::extract(loop_nest const& n, configuration const& chosen, std::span<float> out) const {
  block_work kept;
  extract(n, chosen, out, kept);
}

void feature_extractor::extract(loop_nest const& n, configuration const& chosen, std::span<float> out,
                                block_work& kept) const {
  assert(out.size() >= size());
  row r(n, out.data(), kept);
  chains_.count_work(n, r.work);
  chains_.build(n, r.work, r.c);
  r.facts = &chains_.facts(static_cast<std::size_t>(r.c.stage));
  blocks_.build(n, chains_, chosen_value(unroll_limit_, chosen), r.block);
  write_task(r);
  write_machine(r);
  write_tile(r);
  write_waste(r);
  write_threads(r);
  write_caches(r);
  write_curve(r);
  write_other_stages(r);
  write_estimate(r);
  write_block(chosen, r);
  write_knobs(chosen, r);
  assert(r.at == size());
  for (std::size_t i = 0; i < feature_count; ++i) {
    auto const logarithm = detail::fast_log2(1.0F + out[i]);
    out[i] = detail::feature_is_logarithmic[i] ? logarithm : out[i];
  }
}

void feature_extractor::extract_again(loop_nest const& n, configuration const& chosen, block_work& kept,
                                      std::span<float> out) const {
  constexpr auto unrolling = detail::feature_index("unroll_limit");
  constexpr auto knobs = feature_count - knob_slots;
  row r(n, out.data(), kept);
  auto const finish = [&](std::size_t first) {
    for (auto i = first; i < r.at; ++i)
      if (detail::feature_is_logarithmic[i]) out[i] = detail::fast_log2(1.0F + out[i]);
  };
  if (kept.there) {
    block_builder::unroll_loops(n, chosen_value(unroll_limit_, chosen), kept);
    r.at = unrolling;
    write_unrolling(chosen, r);
    finish(unrolling);
  }
  r.at = knobs;
  write_knobs(chosen, r);
  finish(knobs);
}

void feature_extractor::write_task(row& r) const {
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

void feature_extractor::write_machine(row& r) const {
  r.put(r.facts->lanes);
  r.put(vector_registers_);
  r.put(cores_);
  for (auto const bytes : cache_bytes_) r.put(bytes / 1024);
}

/// Writes the features of the register tile: the innermost loops that are unrolled or vectorised form straight-line
/// code.
void feature_extractor::write_tile(row& r) const {
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
  r.put(std::min(16.0, r.accumulators / vector_registers_));
  r.put(r.loads);
  r.put(extent);
  r.put(extent / (std::ceil(extent / r.facts->lanes) * r.facts->lanes));
  r.put(r.tile_fmas);
  r.put(r.tile_fmas * (1 + r.loads));
  r.put(unrolled_reduction);
  r.put(r.tile < c.count ? r.level(r.tile + 1).extent : 1);
  auto const per_line = static_cast<double>(c.line_bytes) / r.facts->element_bytes;
  for (std::size_t a = 0; a < detail::shown_accesses; ++a) {
    auto const stride = a < r.accesses() ? c.vector_stride[a] : 0.0F;
    r.put(stride <= 1 ? std::ceil(stride) : stride < per_line ? 2 : 3);
  }
  for (std::size_t a = 0; a < detail::shown_accesses; ++a)
    r.put(a < r.accesses() && r.facts->tables.accesses[a].write ? 1 : 0);
}

/// Writes the features of wasted work: tiles that do not divide an extent, and regions that are computed repeatedly.
void feature_extractor::write_waste(row& r) const {
  auto const dominating = static_cast<std::size_t>(r.c.stage);
  double vector_axis = 1;
  double worst = 1;
  for (auto st = r.c.stage; st >= 0; st = r.n.stages[static_cast<std::size_t>(st)].attached_to) {
    auto const& s = r.n.stages[static_cast<std::size_t>(st)];
    auto const axes = chains_.facts(static_cast<std::size_t>(st)).axes;
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

void feature_extractor::write_threads(row& r) const {
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
    auto const& f = chains_.facts(st);
    if (!f.in_group || r.n.stages[st].inlined) continue;
    double bytes = f.element_bytes;
    for (std::size_t x = 0; x < f.free_axes; ++x) bytes *= r.n.stages[st].extent[x];
    group_bytes += bytes;
  }
  auto const spread = blocks > 1 ? blocks : r.tasks;
  r.imbalance = std::ceil(spread / cores_) * cores_ / spread;
  r.put(r.tasks);
  r.put(r.imbalance);
  r.put(r.flops / spread);
  r.put(r.level(inside).footprint);
  r.put(blocks);
  r.put(threads);
  r.put(virtual_threads);
  r.put(group_bytes);
}

/// Writes the cache features. Data that fits is loaded once per run of the loop around it. If that loop and loops
/// further out do not move an access, its lines stay in the cache, because they are used again and again.
void feature_extractor::write_caches(row& r) const {
  auto const& c = r.c;
  std::array<std::int32_t, 3> fits;
  std::int32_t level = 0;
  for (std::size_t cache = 0; cache < cache_bytes_.size(); ++cache) {
    auto const bytes = static_cast<float>(cache_bytes_[cache]);
    while (level < c.count && r.level(level + 1).footprint <= bytes) ++level;
    fits[cache] = level;
    std::array<double, detail::shown_accesses> shown = {};
    double total = 0;
    for (std::size_t a = 0; a < r.accesses(); ++a) {
      auto at = std::min(level + 1, c.count);
      if (level < c.count && r.lines(at, a) == r.lines(level, a))
        while (at < c.count && r.lines(at + 1, a) == r.lines(at, a)) ++at;
      auto const came_in = static_cast<double>(r.lines(at, a)) * c.outer(at) * c.line_bytes;
      if (a < detail::shown_accesses) shown[a] = came_in;
      total += came_in;
    }
    r.traffic[cache] = total;
    r.put(c.count > 0 ? static_cast<double>(level) / c.count : 1);
    r.put(r.level(level).inner);
    r.put(static_cast<double>(r.level(level).footprint) / cache_bytes_[cache]);
    r.put(total);
    r.put(1000 * total / r.flops);
    for (auto const bytes_of : shown) r.put(bytes_of);
  }
  for (std::size_t cache = 0; cache < 2; ++cache)
    for (std::size_t a = 0; a < detail::shown_accesses; ++a)
      r.put(a < r.accesses() ? r.level(fits[cache]).inner / r.touched(fits[cache], a) : 0);
}

/// Writes the iterations per cache line that caches of 2^8, 2^10, … 2^26 bytes allow.
void feature_extractor::write_curve(row& r) const {
  std::int32_t level = 0;
  float bytes = 256;
  for (int sample = 0; sample < 10; ++sample, bytes *= 4) {
    while (level < r.c.count && r.level(level + 1).footprint <= bytes) ++level;
    r.put(r.level(level).inner * static_cast<float>(r.c.line_bytes) / r.level(level).footprint);
  }
}

/// Writes the features of other stages: copies, producers, and stages that store the tile's results.
void feature_extractor::write_other_stages(row& r) const {
  auto const dominating = static_cast<std::size_t>(r.c.stage);
  double attached_bytes = 0;
  double apart_bytes = 0;
  double recomputed = 0;
  double copied = 0;
  double stored = 0;
  double scalar = 0;
  std::int32_t reader = r.n.stages[dominating].attached_to;
  for (std::size_t st = 0; st < static_cast<std::size_t>(r.n.stage_count); ++st) {
    auto const& f = chains_.facts(st);
    auto const& s = r.n.stages[st];
    if (st == dominating || s.inlined || f.prepared) continue;
    auto const points = r.work.iterations[st];
    bool vectorized = false;
    for (std::int32_t l = s.count; l-- > 0 && !vectorized;)
      vectorized = r.n.loops[static_cast<std::size_t>(s.first + l)].kind == ir::loop_kind::vectorized;
    auto const cores = s.attached_to >= 0 || is_parallel(r.n, s) ? cores_ / r.imbalance : 1;
    r.other_cycles += points / (vectorized ? detail::copy_vectors * f.lanes : detail::copy_elements) / cores;
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

bool feature_extractor::is_parallel(loop_nest const& n, loop_nest::stage const& s) {
  for (std::int32_t l = 0; l < s.count; ++l)
    if (n.loops[static_cast<std::size_t>(s.first + l)].kind == ir::loop_kind::parallel) return true;
  return false;
}

/// Writes a roofline estimate: the slowest resource hides the others, except for the time of other stages. In cycles,
/// all cores together.
void feature_extractor::write_estimate(row& r) const {
  auto const each = std::max(1.0, r.facts->flops_per_point / 2);  // in instructions: a multiply-add is one
  auto const runs = r.work.iterations[static_cast<std::size_t>(r.c.stage)] / r.level(r.tile).inner;
  auto const fmas = runs * r.tile_fmas * each;
  auto const ideal = r.facts->points * each / (r.facts->lanes * detail::ports * cores_);
  auto const latency = std::max(1.0, detail::pipeline / r.accumulators);
  auto const spilled = std::max(0.0, (r.accumulators + r.vectors + 1) / vector_registers_ - 1);
  auto const split = r.imbalance / cores_;
  double const fma = fmas * latency / detail::ports * split;
  double const load = fmas / each * (r.loads + 2 * spilled) / detail::ports * split;
  double slowest = std::max(fma, load);
  r.put(fma / ideal);
  r.put(load / ideal);
  for (std::size_t cache = 0; cache < 3; ++cache) {
    auto const time = r.traffic[cache] / detail::bytes_per_cycle[cache] * split;
    slowest = std::max(slowest, time);
    r.put(time / ideal);
  }
  auto const total = r.block.there ? r.block.time * ideal : slowest + r.other_cycles;
  r.put(r.other_cycles / ideal);
  r.put(total / ideal);
  r.put(ideal / total);
  r.put(total);
}

/// Returns the chosen value; 0 if the knob does not exist.
float feature_extractor::chosen_value(knob_slot const& s, configuration const& chosen) const {
  if (s.width == 0 || s.knob >= chosen.choices.size()) return 0;
  return knob_values_[s.first + static_cast<std::size_t>(chosen.choices[s.knob]) * s.width];
}

/// Writes the features of a GPU block of threads: its work and an estimate of its time.
void feature_extractor::write_block(configuration const& chosen, row& r) const {
  constexpr double thousand = 1000;  // scales small ratios so that log2(1 + x) keeps their digits
  auto const& b = r.block;
  if (!b.there) {
    auto const last = size() - knob_slots;
    while (r.at < last) r.put(0);
    return;
  }
  double loads = 0, fetched = 0, words = 0;
  for (auto const& o : b.operands) {
    loads += o.thread_words * std::max(1.0, o.load_conflict);
    fetched += o.fetch_words;
    words += o.group_words;
  }
  auto const both = [&](double block_work::operand::* field) {
    for (auto const& o : b.operands) r.put(o.*field);
  };
  using operand = block_work::operand;
  both(&operand::group_words);
  r.put(b.group_bytes / cache_bytes_[0]);
  both(&operand::fetch_words);
  both(&operand::fetch_use);
  both(&operand::fetch_run);
  both(&operand::fetch_sectors);
  both(&operand::store_conflict);
  both(&operand::thread_words);
  both(&operand::load_conflict);
  both(&operand::load_words);
  r.put(b.output_sectors);
  r.put(fetched * b.steps);
  r.put(b.steps);
  r.put(b.middle);
  r.put(b.accumulators);
  r.put(b.inner_reduction);
  r.put(thousand * loads / (b.accumulators * b.inner_reduction));
  r.put(words > 0 ? b.accumulators * b.threads * b.reduction / b.steps / words : 0);
  r.put(b.registers);
  r.put(b.spilled);
  r.put(b.resident);
  r.put(b.occupancy);
  r.put(b.waves);
  r.put(b.tail);
  r.put(std::min(1.0, b.blocks / cores_));
  r.put(b.warp_fill);
  write_unrolling(chosen, r);
  for (auto const t :
       {b.time_fma, b.time_load, b.time_store, b.time_fetch, b.time_traffic, b.time_issue, b.time_latency, b.time})
    r.put(thousand * t);
}

void feature_extractor::write_unrolling(configuration const& chosen, row& r) const {
  auto const& b = r.block;
  r.put(chosen_value(unroll_limit_, chosen));
  r.put(chosen_value(unroll_explicit_, chosen));
  r.put(b.unrolled_body);
  r.put(b.unrolled_levels);
  r.put(b.unrolled_share);
  r.put(b.unrolled_tile ? 1 : 0);
}

void feature_extractor::write_knobs(configuration const& chosen, row& r) const {
  for (auto const& s : knob_slots_) r.put(chosen_value(s, chosen));
}

}}  // namespace ttune::v0
