// SPDX-License-Identifier: Apache-2.0
// Collects the steps, knobs and constraints of a derived space, and the seed's choice for each knob.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/space/factors.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class space_builder {
 public:
  space_builder(handle<ir::program> program, target const& machine) : machine_(machine) {
    made_.program = std::move(program);
  }

  [[nodiscard]] target const& machine() const { return machine_; }
  [[nodiscard]] handle<ir::program> const& program() const { return made_.program; }

  void step(primitive what, std::string stage, std::vector<std::string> loops, std::vector<std::string> results = {},
            std::vector<knob_value> values = {}) {
    made_.steps.push_back({what, std::move(stage), std::move(loops), std::move(results), std::move(values)});
  }

  /// Returns true if a step has made a loop parallel.
  [[nodiscard]] bool is_parallel(std::string const& stage, std::string const& loop) const {
    return std::any_of(made_.steps.begin(), made_.steps.end(), [&](v0::step const& s) {
      return s.what == primitive::parallel && s.stage == stage && s.loops == std::vector{loop};
    });
  }
  void step(v0::step made) { made_.steps.push_back(std::move(made)); }
  void bind(std::string const& stage, std::string const& loop, ir::loop_kind kind) {
    step(primitive::bind, stage, {loop}, {}, {literal(static_cast<std::int64_t>(kind))});
  }
  /// Fuses adjacent loops and returns the name of the result; a single loop keeps its name.
  [[nodiscard]] std::string fused(std::string const& stage, std::vector<std::string> const& loops, std::string whole) {
    if (loops.size() == 1) return loops[0];
    step(primitive::fuse, stage, loops, {whole});
    return whole;
  }

  /// Adds a knob whose seed is its choice `seed`.
  knob_value add(knob k, std::int32_t seed) {
    made_.knobs.push_back(std::move(k));
    made_.seed.choices.push_back(seed);
    return {static_cast<std::int32_t>(made_.knobs.size()) - 1, 0, 0};
  }
  /// Adds a knob whose seed is the value nearest to `seed`. A single value becomes a literal instead.
  knob_value one_of(std::string name, std::vector<std::int32_t> values, std::int64_t seed) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::size_t nearest = 0;
    auto const distance = [&](std::size_t i) { return std::abs(values[i] - seed); };
    for (std::size_t i = 1; i < values.size(); ++i)
      if (distance(i) < distance(nearest)) nearest = i;
    if (values.size() == 1 || settled_) return literal(values[nearest]);
    return add(one_of_knob(std::move(name), std::move(values)), static_cast<std::int32_t>(nearest));
  }
  knob_value permutation(std::string name, std::int32_t loops) {
    return add(permutation_knob(std::move(name), loops), 0);
  }
  knob_value location(std::string name, std::int32_t places, std::int32_t seed) {
    return add(location_knob(std::move(name), places), seed);
  }

  /// From now on takes the seed's choice instead of adding knobs, for stages that need little of the time.
  void settle(bool yes) { settled_ = yes; }

  void require(knob_expression condition, std::string text) {
    made_.constraints.push_back({std::move(condition), std::move(text)});
  }

  [[nodiscard]] space finish() { return std::move(made_); }

 private:
  space made_;
  target const& machine_;
  bool settled_ = false;
};

/// Returns 1, 2, 4, … below `most`, and `most`: numbers of tiles in a middle loop.
[[nodiscard]] inline std::vector<std::int32_t> doublings(std::int64_t most) {
  std::vector<std::int32_t> values;
  for (std::int64_t v = 1; v < most; v *= 2) values.push_back(static_cast<std::int32_t>(v));
  values.push_back(static_cast<std::int32_t>(std::max<std::int64_t>(most, 1)));
  return values;
}

}}}  // namespace ttune::v0::autoschedule
