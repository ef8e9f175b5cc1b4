// SPDX-License-Identifier: Apache-2.0
// Fifty random schedules of five operators, the same ones in each program that draws them.
#pragma once

#include <string>
#include <vector>

#include "support/random_schedule.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/statements.hpp"

namespace ttune_test {

inline constexpr char const* operators[] = {"matmul", "conv", "softmax", "stencil", "pool"};
inline constexpr int schedules_each = 10;

struct drawn {
  std::string name;  ///< name of the operator
  ttune::space space;
  ttune::configuration chosen;
};

/// Draws schedules of one operator. A schedule is drawn again if a place chosen by a knob does not suit its readers.
[[nodiscard]] inline std::vector<drawn> draw(std::string const& name,
                                             ttune::handle<ttune::ir::program> const& program) {
  std::vector<drawn> made;
  primitive_counts counts;
  for (std::uint64_t seed = 1; made.size() < schedules_each; ++seed) {
    ttune::rng random(seed);
    random_schedule_options options = seed % 3 == 0 ? gpu_schedules() : random_schedule_options{};
    options.loops = 24;
    drawn one{name, random_schedule(random, program, counts, options), {}};
    one.chosen = random_choices(random, one.space.knobs);
    try {
      auto const p = make_plan(one.space);
      ttune::loop_nest n;
      instantiate(p, one.chosen, n);
      (void)ttune::lowering::build_statements(p, n);
    } catch (ttune::schedule_error const&) {
      continue;
    }
    made.push_back(std::move(one));
  }
  return made;
}

/// Returns the loops of all computed stages, outermost first, and the place of each stage.
[[nodiscard]] inline std::string loops_of(ttune::plan const& p, ttune::configuration const& chosen) {
  ttune::loop_nest n;
  instantiate(p, chosen, n);
  std::string text;
  auto const number = [](auto v) { return std::to_string(static_cast<int>(v)); };
  for (std::size_t s = 0; s < p.stages.size(); ++s) {
    auto const& st = n.stages[s];
    if (st.inlined) continue;
    text += p.stages[s].definition->name;
    if (st.attached_to >= 0)
      text += " at " + p.stages[static_cast<std::size_t>(st.attached_to)].definition->name + " " + number(st.depth);
    text += st.buffers > 1 ? " buffers " + number(st.buffers) : "";
    text += st.group ? " group\n" : "\n";
    for (int l = 0; l < st.count; ++l) {
      auto const& loop = n.loops[static_cast<std::size_t>(st.first + l)];
      text += "  " + p.stages[s].loops[static_cast<std::size_t>(loop.source)].name + " " + number(loop.extent) + " * " +
              number(loop.stride) + " kind " + number(loop.kind) + (loop.fused ? " fused\n" : "\n");
    }
  }
  return text;
}

}  // namespace ttune_test
