// SPDX-License-Identifier: Apache-2.0
// Random schedules of any program, for property tests: every primitive with arguments that may fit or not, literals and
// knobs. Steps that make_plan refuses are removed; the remaining ones must keep the program's meaning.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/primitive/all.hpp"
#include "ttune/schedule/space.hpp"
#include "ttune/space/factors.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

/// Numbers of applications and refusals of each primitive.
struct primitive_counts {
  std::array<long, ttune::primitive_count> applied{};
  std::array<long, ttune::primitive_count> refused{};

  [[nodiscard]] std::string text() const {
    std::string made;
    for (int p = 0; p < ttune::primitive_count; ++p)
      made += std::string(made.empty() ? "" : ", ") + name_of(static_cast<ttune::primitive>(p)) + " " +
              std::to_string(applied[static_cast<std::size_t>(p)]) + " (" +
              std::to_string(refused[static_cast<std::size_t>(p)]) + " refused)";
    return made;
  }
};

/// Returns the primitives that change the program, or all others, then `more` of them, which are drawn more often.
[[nodiscard]] inline std::vector<ttune::primitive> primitives_that(bool change_program,
                                                                   std::vector<ttune::primitive> const& more) {
  std::vector<ttune::primitive> made;
  for (int p = 0; p < ttune::primitive_count; ++p)
    if (auto const one = static_cast<ttune::primitive>(p); changes_program(one) == change_program) made.push_back(one);
  made.insert(made.end(), more.begin(), more.end());
  return made;
}

struct random_schedule_options {
  int structural = 3;  ///< attempts at steps that change the program
  int loops = 10;      ///< attempts at steps that change loops and places
  std::vector<ttune::primitive> structural_primitives =
      primitives_that(true, {ttune::primitive::compute_once, ttune::primitive::separate});
  std::vector<ttune::primitive> loop_primitives =
      primitives_that(false, {ttune::primitive::split, ttune::primitive::split, ttune::primitive::reorder,
                              ttune::primitive::compute_at, ttune::primitive::compute_at, ttune::primitive::compute_at,
                              ttune::primitive::slide, ttune::primitive::slide});
  std::vector<ttune::ir::memory> memories{ttune::ir::memory::operand,   ttune::ir::memory::prepared,
                                          ttune::ir::memory::workspace, ttune::ir::memory::local,
                                          ttune::ir::memory::registers, ttune::ir::memory::shared};
};

/// Options for CPUs: no blocks and threads, no memory of theirs; more vectors and buffers in registers.
[[nodiscard]] inline random_schedule_options cpu_schedules() {
  using p = ttune::primitive;
  random_schedule_options made;
  made.loops = 14;
  made.loop_primitives.insert(made.loop_primitives.end(), {p::store_in, p::store_in, p::vectorize, p::unroll});
  ttune::primitives::for_each_rules([&]<class Rules>(p one) {
    if (!Rules::on_cpus) std::erase(made.loop_primitives, one);
  });
  std::erase(made.memories, ttune::ir::memory::shared);
  return made;
}

/// Options for CPUs and programs that scan an axis.
[[nodiscard]] inline random_schedule_options scanning_schedules() {
  using p = ttune::primitive;
  auto made = cpu_schedules();
  made.structural_primitives.insert(made.structural_primitives.end(), 6, p::split_scan);
  made.loop_primitives.insert(made.loop_primitives.end(), 6, p::carry);
  made.loop_primitives.insert(made.loop_primitives.end(), 4, p::compute_at);
  return made;
}

/// Options for CPUs and programs in which data choose the places of terms.
[[nodiscard]] inline random_schedule_options scattering_schedules() {
  using p = ttune::primitive;
  auto made = cpu_schedules();
  made.structural_primitives.insert(made.structural_primitives.end(), 3, p::rfactor);
  made.loop_primitives.insert(made.loop_primitives.end(), 8, p::scatter);
  made.loop_primitives.insert(made.loop_primitives.end(), 4, p::reorder);
  return made;
}

/// Options for GPUs: copies in shared memory, loops over blocks and threads.
[[nodiscard]] inline random_schedule_options gpu_schedules() {
  using p = ttune::primitive;
  random_schedule_options made;
  made.loops = 14;
  made.structural_primitives = {p::cache_read, p::cache_read, p::cache_write, p::fuse_axes, p::rfactor};
  made.loop_primitives = {p::split,         p::reorder,    p::bind,       p::bind,     p::bind,     p::bind,
                          p::compute_at,    p::compute_at, p::compute_at, p::store_in, p::store_in, p::double_buffer,
                          p::double_buffer, p::fuse,       p::unroll,     p::swizzle,  p::swizzle};
  made.memories = {ttune::ir::memory::shared};
  return made;
}

/// Options for stages inside of each other's loops, whose rows slide.
[[nodiscard]] inline random_schedule_options sliding_schedules() {
  using p = ttune::primitive;
  random_schedule_options made;
  made.loops = 40;
  made.structural_primitives = {p::expand_reduction, p::cache_read, p::separate};
  made.loop_primitives = {p::split,      p::split,      p::reorder, p::parallel, p::vectorize, p::unroll,
                          p::compute_at, p::compute_at, p::slide,   p::slide,    p::slide,     p::slide,
                          p::compute_at, p::compute_at, p::fuse,    p::store_in, p::compute_at};
  made.memories = {ttune::ir::memory::workspace, ttune::ir::memory::local};
  return made;
}

class schedule_generator {
 public:
  schedule_generator(ttune::rng& random, ttune::handle<ttune::ir::program> program, primitive_counts& counts,
                     random_schedule_options const& options)
      : random_(random), counts_(counts), options_(options) {
    made_.program = std::move(program);
    plan_ = make_plan(made_);
  }

  ttune::space make() {
    for (auto n = pick(options_.structural + 1); n > 0; --n) attempt(one_of(options_.structural_primitives));
    for (auto n = pick(options_.loops + 1); n > 0; --n) attempt(one_of(options_.loop_primitives));
    return made_;
  }

  // ---- what the primitives draw their arguments from (`draw` in schedule/primitive/)

  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(below)));
  }
  [[nodiscard]] bool chance(double probability) { return random_.chance(probability); }
  template <class T>
  T const& one_of(std::vector<T> const& values) {
    return values[random_.below(values.size())];
  }
  std::string fresh(char const* stem) { return stem + std::to_string(names_++); }
  std::int32_t add_knob(ttune::knob k) {
    made_.knobs.push_back(std::move(k));
    return static_cast<std::int32_t>(made_.knobs.size()) - 1;
  }
  [[nodiscard]] std::vector<ttune::ir::memory> const& memories() const { return options_.memories; }

  [[nodiscard]] static std::vector<std::string> loops_of(ttune::stage_plan const& st) {
    std::vector<std::string> names;
    for (auto const id : st.order) {
      auto const& l = st.loops[static_cast<std::size_t>(id)];
      if (!l.fused) names.push_back(l.group.empty() ? l.name : l.group);
    }
    return names;
  }
  /// Returns "none" for a stage of one element.
  std::string some_axis(ttune::stage_plan const& st) {
    std::vector<std::string> names;
    for (std::size_t a = 0; a < st.axis_count(); ++a) names.push_back(st.axis_name(a));
    return names.empty() ? "none" : one_of(names);
  }
  std::string some_loop(ttune::stage_plan const& st) {
    auto const names = loops_of(st);
    return names.empty() ? "none" : one_of(names);
  }
  std::string some_source(ttune::stage_plan const& st) {
    std::vector<std::string> names;
    for (auto const& a : st.accesses) {
      if (a.producer >= 0) names.push_back(plan_.stages[static_cast<std::size_t>(a.producer)].definition->name);
      if (a.operand >= 0) names.push_back(plan_.program->inputs[static_cast<std::size_t>(a.operand)]->name);
    }
    return names.empty() ? "none" : one_of(names);
  }
  ttune::stage_plan const& some_stage() { return one_of(plan_.stages); }
  /// Returns a stage that reads this one if there is any, but sometimes just any stage.
  ttune::stage_plan const& some_reader(ttune::stage_plan const& st) {
    auto const self = static_cast<std::size_t>(&st - plan_.stages.data());
    std::vector<std::size_t> readers;
    for (auto r = self + 1; r < plan_.stages.size(); ++r)
      for (auto const& a : plan_.stages[r].accesses)
        if (a.producer == static_cast<std::int32_t>(self)) readers.push_back(r);
    auto const any = random_.below(plan_.stages.size());
    return plan_.stages[readers.empty() || chance(0.1) ? any : one_of(readers)];
  }
  /// Returns a stage of the same iteration space, if there is one.
  std::string some_twin(ttune::stage_plan const& st) {
    auto const has_axes_of = [](ttune::stage_plan const& a, ttune::stage_plan const& b) {
      bool same = a.axis_count() == b.axis_count() && a.definition->axes.size() == b.definition->axes.size();
      for (std::size_t x = 0; same && x < a.axis_count(); ++x) same = a.axis_size(x) == b.axis_size(x);
      return same;
    };
    std::vector<std::string> twins;
    for (auto const& other : plan_.stages)
      if (&other != &st && has_axes_of(other, st)) twins.push_back(other.definition->name);
    return twins.empty() ? one_of(plan_.stages).definition->name : one_of(twins);
  }

 private:
  void attempt(ttune::primitive what) {
    auto const knobs = made_.knobs.size();
    auto const& st = one_of(plan_.stages);
    ttune::step s{what, st.definition->name, {}, {}, {}};
    ttune::primitives::with_rules(what, [&]<class Rules>() { Rules::draw(*this, st, s); });
    made_.steps.push_back(std::move(s));
    try {
      plan_ = make_plan(made_);
      ++counts_.applied[static_cast<std::size_t>(what)];
    } catch (ttune::schedule_error const&) {
      made_.steps.pop_back();
      made_.knobs.resize(knobs);
      ++counts_.refused[static_cast<std::size_t>(what)];
    }
  }

  ttune::rng& random_;
  primitive_counts& counts_;
  random_schedule_options const& options_;
  ttune::space made_;
  ttune::plan plan_;
  int names_ = 0;
};

[[nodiscard]] inline ttune::space random_schedule(ttune::rng& random, ttune::handle<ttune::ir::program> program,
                                                  primitive_counts& counts,
                                                  random_schedule_options const& options = {}) {
  return schedule_generator(random, std::move(program), counts, options).make();
}

[[nodiscard]] inline ttune::configuration random_choices(ttune::rng& random, std::vector<ttune::knob> const& knobs) {
  ttune::configuration made;
  for (auto const& k : knobs)
    made.choices.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(k.choices()))));
  return made;
}

/// Returns the number of computed elements, repetitions in loops included: programs that take minutes are skipped.
[[nodiscard]] inline double computed_elements(ttune::space const& s, ttune::configuration const& chosen) {
  ttune::loop_nest n;
  ttune::instantiate(make_plan(s), chosen, n);
  double most = 0;
  for (std::int16_t st = 0; st < n.stage_count; ++st) {
    double elements = 1;
    auto levels = n.stages[static_cast<std::size_t>(st)].count;
    for (std::int16_t at = st; at >= 0;) {
      auto const& stage = n.stages[static_cast<std::size_t>(at)];
      for (std::int16_t l = 0; l < levels; ++l) elements *= n.loops[static_cast<std::size_t>(stage.first + l)].extent;
      levels = static_cast<std::int16_t>(stage.depth + 1);
      at = stage.attached_to;
    }
    most = std::max(most, elements);
  }
  return most;
}

/// Returns true if an unrolled loop, or one over the terms of an instruction, has thousands of iterations: the compiler
/// needs minutes for as many copies.
[[nodiscard]] inline bool expands_thousands(ttune::space const& s, ttune::configuration const& chosen) {
  ttune::loop_nest n;
  ttune::instantiate(make_plan(s), chosen, n);
  bool found = false;
  for (std::int16_t st = 0; st < n.stage_count; ++st) {
    auto const& stage = n.stages[static_cast<std::size_t>(st)];
    for (std::int16_t l = 0; l < stage.count; ++l) {
      auto const& one = n.loops[static_cast<std::size_t>(stage.first + l)];
      bool const expands = one.kind == ttune::ir::loop_kind::tensorized || one.kind == ttune::ir::loop_kind::unrolled;
      found = found || (expands && one.extent > 1000);
    }
  }
  return found;
}

}  // namespace ttune_test
