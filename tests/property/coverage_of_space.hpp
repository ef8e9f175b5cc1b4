// SPDX-License-Identifier: Apache-2.0
// The rules of derived spaces that a space shows by the names of its stages and loops (coverage.cpp).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "property/coverage_of_text.hpp"
#include "support/program_kinds.hpp"
#include "ttune/schedule/space.hpp"

namespace ttune_test {

using namespace ttune;

inline bool unrolls(space const& s, std::string const& stage, std::string const& loop) {
  return std::any_of(s.steps.begin(), s.steps.end(), [&](step const& one) {
    return one.what == primitive::unroll && one.stage == stage && one.loops[0] == loop;
  });
}

/// Returns true if a stage reads tiles that are loaded along another axis than its lanes
/// (autoschedule/rows_in_lanes.hpp).
inline bool is_transposed(space const& s, std::string const& stage) {
  return std::any_of(s.steps.begin(), s.steps.end(), [&](step const& one) {
    return one.what == primitive::vectorize && one.stage.starts_with(stage + ".");
  });
}

inline ir::stage const* stage_of(ir::program const& p, step const& one) {
  for (auto const& st : p.stages)
    if (st->name == one.stage) return st.get();
  return nullptr;
}

/// Returns true if a step merges free axes of a reduction (autoschedule/cpu/fused_columns.hpp).
inline bool merges_columns(ir::program const& p, step const& one) {
  auto const* st = stage_of(p, one);
  return st && st->reduces() &&
         std::any_of(st->axes.begin(), st->axes.end(), [&](ir::axis const& a) { return a.name == one.loops[0]; });
}

/// Returns true if a step splits an axis of a stage that has no reduction (autoschedule/cpu/phase_axes.hpp).
inline bool joins_groups(ir::program const& p, step const& one) {
  auto const* st = stage_of(p, one);
  return st && !st->reduces();
}

/// Looks for rules of derived spaces by the names of stages and loops that they make.
inline void look_at_rules(space const& s, reached& all) {
  reached here;
  auto const& stages = s.program->stages;
  bool const slides =
      std::any_of(s.steps.begin(), s.steps.end(), [](step const& one) { return one.what == primitive::slide; });
  auto const is_output = [&](std::string const& stage) {
    return std::any_of(s.program->outputs.begin(), s.program->outputs.end(),
                       [&](auto const& out) { return out->name == stage; });
  };
  auto const has_stage = [&](std::string const& name) {
    return std::any_of(stages.begin(), stages.end(), [&](auto const& st) { return st->name == name; });
  };
  for (auto const& one : s.steps) {
    auto const makes = [&](std::string_view end) { return !one.results.empty() && one.results[0].ends_with(end); };
    bool const splits_phases = one.what == primitive::split && one.results.back().ends_with("_p");
    if (one.what == primitive::cache_read && makes(".rows")) ++here["rows packed term by term"];
    if (one.what == primitive::cache_read && has_stage(one.loops[0])) ++here["panels of what another stage computes"];
    if (one.what == primitive::compute_at && one.loops.size() == 4) ++here["panels of a task made before its loops"];
    if (one.what == primitive::carry && is_transposed(s, one.stage)) ++here["scans with rows in lanes"];
    if (one.what == primitive::rfactor && makes(".turns")) ++here["vectors that take terms in turn"];
    if (one.what == primitive::rfactor && makes(".shares")) ++here["terms shared by the cores"];
    if (one.what == primitive::fuse && makes("panels")) ++here["panels of a constant shared by the cores"];
    if (one.what == primitive::compute_at && one.stage.find(".value") != std::string::npos)
      ++here["values computed for each vector"];
    if (one.what == primitive::compute_along) ++here["rows computed in the loops of column sums"];
    if (one.what == primitive::compute_at && is_output(one.stage)) ++here["an output computed where it is read"];
    if (one.what == primitive::compute_with && slides)
      ++here[is_output(one.stage) ? "results of a pipeline in one loop nest"
                                  : "siblings of a pipeline in one loop nest"];
    if (one.what == primitive::fuse_axes && is_pipeline(*s.program) && makes("xc"))
      ++here["vectors along interleaved pixels"];
    if (one.what == primitive::fuse_axes && merges_columns(*s.program, one))
      ++here["rows and columns of sums in one axis"];
    if (one.what == primitive::split_axis && joins_groups(*s.program, one)) ++here["groups of sums in registers"];
    if (splits_phases) ++here[one.results.size() == 3 ? "phases of rows" : "phases of vectors"];
    if (splits_phases && one.results.size() == 2 && one.values[0].literal > 8)
      ++here["more than eight phases of vectors"];
    if (splits_phases && one.results.size() == 3 && !unrolls(s, one.stage, one.results.back()))
      ++here["phases of rows that stay a loop"];
  }
  if (std::any_of(stages.begin(), stages.end(), [](auto const& st) { return st->name.ends_with(".parts"); }))
    ++here["rows summed in order by all cores"];
  for (auto const& [name, count] : here) ++all["derived space: " + name];
}

}  // namespace ttune_test
