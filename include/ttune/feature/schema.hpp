// SPDX-License-Identifier: Apache-2.0
// The list of features: one list of fixed length for every operator, schedule and target, so that a model trained on
// one task can score another. tune/README.md explains each feature.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// One feature, or several adjacent ones of the same kind.
struct feature_group {
  char const* name;
  char const* unit;  ///< unit of x, before the logarithm
  bool logarithmic;  ///< stored as log2(1 + x)
  int count = 1;
};

/// All features in the order of the row. "access" is one of the first four accesses of the dominating stage, by bytes.
inline constexpr feature_group feature_groups[] = {
    // the computation
    {"points", "iterations", true},
    {"flops", "flop", true},
    {"flops_per_point", "flop", true},
    {"element", "byte", true},
    {"reads", "accesses", false},
    {"reduced", "iterations", true},
    {"compulsory", "byte", true},
    {"intensity", "flop/kB", true},
    // the machine
    {"lanes", "elements", true},
    {"vector_registers", "registers", true},
    {"cores", "threads", true},
    {"cache", "kB (L1, L2, L3)", true, 3},
    // register tile
    {"levels", "loops", false},
    {"tile_rows", "rows", true},
    {"tile_vectors", "vectors", true},
    {"accumulators", "vectors", true},
    {"register_share", "of the register file", false},
    {"loads_per_fma", "loads/multiply-add", false},
    {"vector_extent", "elements", true},
    {"lane_use", "share", false},
    {"body", "multiply-adds unrolled", true},
    {"body_instructions", "instructions", true},
    {"unrolled_reduction", "iterations", true},
    {"inner_trips", "iterations", true},
    {"vector_stride", "0 none, 1 contiguous, 2 within a line, 3 beyond; an access", false, 4},
    {"is_write", "0 or 1; an access", false, 4},
    // iterations without useful work
    {"waste_loops", "wasted/useful", false},
    {"waste_overlap", "wasted/useful", false},
    {"waste_vector_axis", "wasted/useful", false},
    {"waste_worst_axis", "wasted/useful", false},
    // threads
    {"tasks", "tasks", true},
    {"imbalance", "time/ideal", false},
    {"grain", "flop/task", true},
    {"task_footprint", "byte", true},
    {"blocks", "blocks", true},
    {"threads", "threads/block", true},
    {"virtual_threads", "threads", true},
    {"group_memory", "byte", true},
    // caches: the share that fits, and the traffic from the next outer level
    {"l1_depth", "share of the loops inside", false},
    {"l1_iterations", "iterations", true},
    {"l1_fill", "share of the cache", false},
    {"l1_traffic", "byte", true},
    {"l1_traffic_per_flop", "byte/kflop", true},
    {"l1_traffic_of", "byte; an access", true, 4},
    {"l2_depth", "share of the loops inside", false},
    {"l2_iterations", "iterations", true},
    {"l2_fill", "share of the cache", false},
    {"l2_traffic", "byte", true},
    {"l2_traffic_per_flop", "byte/kflop", true},
    {"l2_traffic_of", "byte; an access", true, 4},
    {"l3_depth", "share of the loops inside", false},
    {"l3_iterations", "iterations", true},
    {"l3_fill", "share of the cache", false},
    {"l3_traffic", "byte", true},
    {"l3_traffic_per_flop", "byte/kflop", true},
    {"l3_traffic_of", "byte; an access", true, 4},
    {"l1_reuse", "iterations/element; an access", true, 4},
    {"l2_reuse", "iterations/element; an access", true, 4},
    {"curve", "iterations/line, in 256 B, 1 kB, … 64 MB", true, 10},
    // other stages
    {"copied", "byte, attached copies", true},
    {"copied_apart", "byte, stages at the root", true},
    {"recomputed", "times", true},
    {"copied_share", "points/1000 points", true},
    {"stored_share", "points of the readers/1000 points", true},
    {"copied_scalar", "share without vectors", false},
    // estimate, in cycles of a core relative to those of the multiply-adds alone
    {"time_fma", "ratio", true},
    {"time_load", "ratio", true},
    {"time_l1", "ratio", true},
    {"time_l2", "ratio", true},
    {"time_l3", "ratio", true},
    {"time_other", "ratio", true},
    {"time", "ratio", true},
    {"efficiency", "1/ratio", false},
    {"cycles", "cycles", true},
    // a GPU block of threads; "operand" is one of the first two reads of the dominating stage; 0 for CPUs
    {"group_words", "words; an operand", true, 2},
    {"group_share", "of what a block may have", false},
    {"fetch_words", "words a thread; an operand", true, 2},
    {"fetch_use", "share; an operand", false, 2},
    {"fetch_run", "words; an operand", true, 2},
    {"fetch_sectors", "sectors a warp; an operand", true, 2},
    {"store_conflict", "turns a warp; an operand", true, 2},
    {"thread_words", "words a thread; an operand", true, 2},
    {"load_conflict", "turns a warp; an operand", true, 2},
    {"load_words", "words a warp; an operand", true, 2},
    {"output_sectors", "sectors a warp", true},
    {"fetched_in_turn", "words a thread, all steps", true},
    {"steps", "fetches of the block", true},
    {"middle", "loads of a thread a step", true},
    {"thread_accumulators", "elements", true},
    {"inner_reduction", "iterations", true},
    {"loads_per_point", "turns/1000 multiply-adds", true},
    {"points_per_word", "multiply-adds/word fetched", true},
    {"thread_registers", "registers", true},
    {"spilled", "registers", true},
    {"resident", "blocks a core", true},
    {"occupancy", "share of the warps", false},
    {"waves", "waves", true},
    {"tail", "busiest core/even share", false},
    {"busy_cores", "share", false},
    {"warp_fill", "share of the lanes", false},
    {"unroll_limit", "statements", true},
    {"unroll_explicit", "0 or 1", false},
    {"unrolled_body", "statements", true},
    {"unrolled_levels", "loops", false},
    {"unrolled_share", "of the limit", true},
    {"unrolled_tile", "0 or 1", false},
    {"block_fma", "1000 × ratio", true},
    {"block_load", "1000 × ratio", true},
    {"block_store", "1000 × ratio", true},
    {"block_fetch", "1000 × ratio", true},
    {"block_traffic", "1000 × ratio", true},
    {"block_issue", "1000 × ratio", true},
    {"block_latency", "1000 × ratio", true},
    {"block_time", "1000 × ratio", true},
    // the chosen values of knobs
    {"knob", "first column of the chosen value", true, 16},
    {"knob_inner", "the other columns, of one knob after the other", true, 32},
};

namespace detail {

consteval std::size_t count_features() {
  std::size_t n = 0;
  for (auto const& g : feature_groups) n += static_cast<std::size_t>(g.count);
  return n;
}

/// Returns the FNV-1a hash of names, transforms and counts.
consteval std::uint64_t hash_features(std::uint64_t revision) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ revision;
  auto const add = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (auto const& g : feature_groups) {
    for (char const* c = g.name; *c != '\0'; ++c) add(static_cast<unsigned char>(*c));
    add(g.logarithmic ? 1 : 2);
    add(static_cast<std::uint64_t>(g.count));
  }
  return hash;
}

/// Returns the position of a group's first feature in the row.
consteval std::size_t feature_index(std::string_view name) {
  std::size_t at = 0;
  for (auto const& g : feature_groups) {
    if (g.name == name) return at;
    at += static_cast<std::size_t>(g.count);
  }
  throw "no such feature";
}

/// Returns for each feature if it is stored as a logarithm.
consteval auto logarithmic_features() {
  std::array<bool, count_features()> flags{};
  std::size_t i = 0;
  for (auto const& g : feature_groups)
    for (int k = 0; k < g.count; ++k) flags[i++] = g.logarithmic;
  return flags;
}

}  // namespace detail

inline constexpr std::size_t feature_count = detail::count_features();
/// Increment the number when a feature of the same name changes its meaning. Models and stored features of another
/// schema are not used.
inline constexpr std::uint64_t feature_schema = detail::hash_features(2);

/// Returns a name such as "l1_traffic_of.2".
[[nodiscard]] inline std::string feature_name(std::size_t index) {
  for (auto const& g : feature_groups) {
    auto const count = static_cast<std::size_t>(g.count);
    if (index < count) return count == 1 ? g.name : g.name + ("." + std::to_string(index));
    index -= count;
  }
  return "none";
}

}}  // namespace ttune::v0
