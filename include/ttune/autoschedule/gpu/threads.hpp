// SPDX-License-Identifier: Apache-2.0
// Divides the elements of a stage among blocks of threads: a block has the last axes, as many of them as it has threads
// for.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Loops of a stage: those over blocks, then those over threads. Both groups must be adjacent, then fused and bound.
struct dealt_loops {
  std::vector<std::string> blocks;
  std::vector<std::string> threads;
};

/// Splits one of these axes of a stage at a place that a knob chooses. A block has the axes after it completely.
[[nodiscard]] inline dealt_loops deal_to_threads(space_builder& out, stage_plan const& st,
                                                 std::vector<std::size_t> axes) {
  auto const most = std::min<std::int64_t>(out.machine().block_threads, 256);
  dealt_loops made;
  std::int64_t inside = 1;
  while (axes.size() > 1 && 2 * inside * st.axis_size(axes.back()) <= most) {
    inside *= st.axis_size(axes.back());
    made.threads.insert(made.threads.begin(), st.axis_name(axes.back()));
    axes.pop_back();
  }
  auto const& cut = st.axis_name(axes.back());
  auto const size = st.axis_size(axes.back());
  std::int64_t others = 1;
  for (std::size_t i = 0; i + 1 < axes.size(); ++i) others *= st.axis_size(axes[i]);
  std::vector<std::int32_t> parts;
  std::int64_t seed = 1;  // the largest that leaves no processor without a block and no warp without work
  for (std::int32_t t = 1; t <= std::min(size, most / inside); t *= 2) {
    parts.push_back(t);
    bool const keeps_all_busy = others * ceil_divide(size, t) >= out.machine().cores;
    if (keeps_all_busy || inside * t <= out.machine().warp_threads) seed = t;
  }
  auto const& name = st.definition->name;
  auto const knob = out.one_of(name + ".threads", parts, seed);
  out.step(primitive::split, name, {cut}, {cut + "_b", cut + "_t"}, {knob});
  for (auto const x : axes) made.blocks.push_back(st.axis_name(x));
  made.blocks.back() = cut + "_b";
  made.threads.insert(made.threads.begin(), cut + "_t");
  return made;
}

/// Fuses and binds the loops after their reorder: one over blocks, one over threads. Returns the name of the latter.
inline std::string bind_dealt(space_builder& out, std::string const& stage, dealt_loops const& loops) {
  out.bind(stage, out.fused(stage, loops.blocks, "blocks"), ir::loop_kind::block_x);
  auto threads = out.fused(stage, loops.threads, "threads");
  out.bind(stage, threads, ir::loop_kind::thread_x);
  return threads;
}

}}}  // namespace ttune::v0::autoschedule
