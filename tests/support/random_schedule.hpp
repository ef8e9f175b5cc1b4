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
#include "ttune/schedule/primitive/compute_once.hpp"
#include "ttune/schedule/space.hpp"
#include "ttune/space/factors.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

inline constexpr int primitive_count = static_cast<int>(ttune::primitive::separate) + 1;

/// Numbers of applications and refusals of each primitive.
struct primitive_counts {
  std::array<long, primitive_count> applied{};
  std::array<long, primitive_count> refused{};

  [[nodiscard]] std::string text() const {
    std::string made;
    for (int p = 0; p < primitive_count; ++p)
      made += std::string(made.empty() ? "" : ", ") + name_of(static_cast<ttune::primitive>(p)) + " " +
              std::to_string(applied[static_cast<std::size_t>(p)]) + " (" +
              std::to_string(refused[static_cast<std::size_t>(p)]) + " refused)";
    return made;
  }
};

struct random_schedule_options {
  int structural = 3;  ///< attempts at steps that change the program
  int loops = 10;      ///< attempts at steps that change loops and places
  std::vector<ttune::primitive> structural_primitives{
      ttune::primitive::merge,        ttune::primitive::cache_read,       ttune::primitive::cache_write,
      ttune::primitive::rfactor,      ttune::primitive::inline_stage,     ttune::primitive::compute_with,
      ttune::primitive::compute_once, ttune::primitive::expand_reduction, ttune::primitive::separate,
      ttune::primitive::compute_once, ttune::primitive::separate};
  std::vector<ttune::primitive> loop_primitives{
      ttune::primitive::split,      ttune::primitive::split,      ttune::primitive::split,
      ttune::primitive::fuse,       ttune::primitive::reorder,    ttune::primitive::reorder,
      ttune::primitive::parallel,   ttune::primitive::vectorize,  ttune::primitive::unroll,
      ttune::primitive::bind,       ttune::primitive::compute_at, ttune::primitive::compute_at,
      ttune::primitive::compute_at, ttune::primitive::compute_at, ttune::primitive::store_in,
      ttune::primitive::pack,       ttune::primitive::annotate,   ttune::primitive::double_buffer,
      ttune::primitive::prefetch,   ttune::primitive::tensorize,  ttune::primitive::swizzle,
      ttune::primitive::slide,      ttune::primitive::slide,      ttune::primitive::slide};
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
  std::erase(made.loop_primitives, ttune::primitive::bind);
  std::erase(made.loop_primitives, ttune::primitive::double_buffer);
  std::erase(made.loop_primitives, ttune::primitive::swizzle);
  std::erase(made.memories, ttune::ir::memory::shared);
  return made;
}

/// Options for GPUs: copies in shared memory, loops over blocks and threads.
[[nodiscard]] inline random_schedule_options gpu_schedules() {
  using p = ttune::primitive;
  random_schedule_options made;
  made.loops = 14;
  made.structural_primitives = {p::cache_read, p::cache_read, p::cache_write, p::merge, p::rfactor};
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

 private:
  using primitive = ttune::primitive;

  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(below)));
  }
  template <class T>
  T const& one_of(std::vector<T> const& values) {
    return values[random_.below(values.size())];
  }
  std::string fresh(char const* stem) { return stem + std::to_string(names_++); }

  void attempt(primitive what) {
    auto const knobs = made_.knobs.size();
    auto s = proposal(what);
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

  std::int32_t add_knob(ttune::knob k) {
    made_.knobs.push_back(std::move(k));
    return static_cast<std::int32_t>(made_.knobs.size()) - 1;
  }

  ttune::step proposal(primitive what) {
    auto const& st = plan_.stages[random_.below(plan_.stages.size())];
    ttune::step s{what, st.definition->name, {}, {}, {}};
    switch (what) {
      case primitive::merge: s.results = {fresh("m")}; return with_adjacent_axes(st, std::move(s));
      case primitive::cache_read:
        s.results = {fresh("copy")};
        s.loops = {some_source(st)};
        if (random_.chance(0.3)) s.loops.push_back(st.axis_name(random_.below(st.axis_count())));
        return s;
      case primitive::cache_write: s.results = {fresh("acc")}; return s;
      case primitive::rfactor: return rfactor(st, std::move(s));
      case primitive::inline_stage: return s;
      case primitive::compute_with: s.loops = {some_twin(st)}; return s;
      case primitive::compute_once:
        s.results = {fresh("once")};
        s.loops = random_.chance(0.4) ? std::vector{some_source(st)} : axes_of_some_function(st);
        return s;
      case primitive::separate:
        s.results = {fresh("part")};
        s.loops = {st.definition->reduction.axes.empty() ? "none" : one_of(st.definition->reduction.axes).name};
        return s;
      case primitive::split: return split(st, std::move(s));
      case primitive::fuse: s.results = {fresh("f")}; return fuse(st, std::move(s));
      case primitive::reorder: return reorder(st, std::move(s));
      case primitive::parallel:
      case primitive::vectorize:
      case primitive::unroll:
        s.loops = {some_loop(st)};
        if (random_.chance(0.3)) s.values = {{add_knob(ttune::boolean_knob(fresh("maybe"))), 0, 0}};
        return s;
      case primitive::tensorize:
        s.loops = {random_.chance(0.2) || st.order.empty() ? some_loop(st)
                                                           : st.loops[static_cast<std::size_t>(st.order.back())].name};
        return s;
      case primitive::bind:
        s.loops = {some_loop(st)};
        s.values = {ttune::literal(static_cast<std::int64_t>(ttune::ir::loop_kind::block_x) + pick(7))};
        return s;
      case primitive::compute_at: return compute_at(st, std::move(s));
      case primitive::store_in:
        s.values = {ttune::literal(static_cast<std::int64_t>(one_of(options_.memories)))};
        if (random_.chance(0.3)) s.values.push_back(ttune::literal(pick(5)));
        return s;
      case primitive::swizzle:
        if (random_.chance(0.3)) s.values = {{add_knob(ttune::one_of_knob(fresh("apart"), {1, 2, 3, 8})), 0, 0}};
        else if (random_.chance(0.5)) s.values = {ttune::literal(1 + pick(8)), ttune::literal(1 + pick(2))};
        return s;
      case primitive::slide:
      case primitive::expand_reduction:
      case primitive::pack: return s;
      case primitive::double_buffer:
        if (random_.chance(0.3)) s.values = {{add_knob(ttune::one_of_knob(fresh("buffers"), {1, 2, 3, 4})), 0, 0}};
        else if (random_.chance(0.5)) s.values = {ttune::literal(2 + pick(3))};
        return s;
      case primitive::prefetch:
        s.loops = {some_loop(st)};
        s.results = {some_source(st)};
        s.values = {random_.chance(0.3)
                        ? ttune::knob_value{add_knob(ttune::one_of_knob(fresh("ahead"), {0, 1, 5})), 0, 0}
                        : ttune::literal(1 + pick(8))};
        return s;
      case primitive::annotate:
        s.loops = {some_loop(st)};
        s.results = {"note"};
        s.values = {ttune::literal(pick(8))};
        return s;
    }
    return s;
  }

  [[nodiscard]] static std::vector<std::string> loops_of(ttune::stage_plan const& st) {
    std::vector<std::string> names;
    for (auto const id : st.order) {
      auto const& l = st.loops[static_cast<std::size_t>(id)];
      if (!l.fused) names.push_back(l.group.empty() ? l.name : l.group);
    }
    return names;
  }
  std::string some_loop(ttune::stage_plan const& st) {
    auto const names = loops_of(st);
    return names.empty() ? "none" : one_of(names);
  }

  std::vector<std::string> axes_of_some_function(ttune::stage_plan const& st) {
    using namespace ttune::primitives::detail;
    std::vector<std::vector<std::string>> found{{"none"}};
    for (auto const& c : st.definition->components)
      ttune::ir::for_each_node(c.value, [&](ttune::ir::expr const& e) {
        if (!is_function(e)) return;
        found.emplace_back();
        for (auto const& a : axes_of(e, *st.definition)) found.back().push_back(a.name);
      });
    return found.back();
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

  ttune::step with_adjacent_axes(ttune::stage_plan const& st, ttune::step s) {
    auto const& reduced = st.definition->reduction.axes;
    auto const& axes = reduced.size() > 1 && random_.chance(0.4) ? reduced : st.definition->axes;
    auto const at = random_.below(axes.size());
    for (auto a = at; a < std::min(axes.size(), at + 2); ++a) s.loops.push_back(axes[a].name);
    return s;
  }

  std::string some_source(ttune::stage_plan const& st) {
    std::vector<std::string> names;
    for (auto const& a : st.accesses) {
      if (a.producer >= 0) names.push_back(plan_.stages[static_cast<std::size_t>(a.producer)].definition->name);
      if (a.operand >= 0) names.push_back(plan_.program->inputs[static_cast<std::size_t>(a.operand)]->name);
    }
    return names.empty() ? "none" : one_of(names);
  }

  ttune::step rfactor(ttune::stage_plan const& st, ttune::step s) {
    auto const& reduced = st.definition->reduction.axes;
    s.loops = {reduced.empty() ? "none" : one_of(reduced).name};
    s.results = {fresh("part"), fresh("l")};
    std::int64_t const factors[] = {1, 2, -2, 4, -3, 6};  // lengths of runs; negative ones are numbers of runs
    s.values = {ttune::literal(factors[pick(6)])};
    return s;
  }

  ttune::step split(ttune::stage_plan const& st, ttune::step s) {
    auto const name = some_loop(st);
    s.loops = {name};
    auto const parts = 2 + static_cast<std::int32_t>(pick(2));
    for (std::int32_t i = 0; i < parts; ++i) s.results.push_back(fresh("p"));
    auto const extent = extent_of_axis(st, name);
    if (extent > 0 && random_.chance(0.5)) {
      constexpr ttune::factor_policy policies[] = {ttune::factor_policy::exact, ttune::factor_policy::powers_of_two,
                                                   ttune::factor_policy::any};
      auto const id = add_knob(ttune::factors_knob(fresh("tile"), extent, parts, policies[pick(3)]));
      for (std::int32_t c = 1; c < parts; ++c) s.values.push_back({id, c, 0});
    } else {
      for (std::int32_t c = 1; c < parts; ++c) s.values.push_back(ttune::literal(1 + pick(7)));
    }
    return s;
  }
  [[nodiscard]] static std::int64_t extent_of_axis(ttune::stage_plan const& st, std::string const& name) {
    for (std::size_t a = 0; a < st.axis_count(); ++a)
      if (st.axis_name(a) == name) return st.axis_size(a);
    return 0;
  }

  ttune::step fuse(ttune::stage_plan const& st, ttune::step s) {
    auto const names = loops_of(st);
    if (names.empty()) return s;
    auto const from = random_.below(names.size());
    for (auto i = from; i < std::min(names.size(), from + 2 + random_.below(2)); ++i) s.loops.push_back(names[i]);
    return s;
  }

  ttune::step reorder(ttune::stage_plan const& st, ttune::step s) {
    auto names = loops_of(st);
    for (auto i = names.size(); i > 1; --i) std::swap(names[i - 1], names[random_.below(i)]);
    names.resize(std::min<std::size_t>(names.size(), 1 + random_.below(4)));
    s.loops = names;
    if (!names.empty() && random_.chance(0.3))
      s.values = {{add_knob(ttune::permutation_knob(fresh("order"), static_cast<std::int32_t>(names.size()))), 0, 0}};
    return s;
  }

  ttune::step compute_at(ttune::stage_plan const& st, ttune::step s) {
    std::size_t self = 0;
    while (&plan_.stages[self] != &st) ++self;
    std::vector<std::string> readers;
    for (auto r = self + 1; r < plan_.stages.size(); ++r)
      for (auto const& a : plan_.stages[r].accesses)
        if (a.producer == static_cast<std::int32_t>(self)) readers.push_back(plan_.stages[r].definition->name);
    auto const& any = one_of(plan_.stages).definition->name;
    s.loops = {readers.empty() || random_.chance(0.1) ? any : one_of(readers)};
    ttune::stage_plan const* reader = &st;
    for (auto const& other : plan_.stages)
      if (other.definition->name == s.loops[0]) reader = &other;
    auto const places = random_.chance(0.3) ? 2 + pick(2) : 1;
    for (std::int64_t i = 0; i < places; ++i)
      s.loops.push_back(random_.chance(0.1)   ? ttune::place_root
                        : random_.chance(0.1) ? ttune::place_inline
                                              : some_loop(*reader));
    if (places > 1)
      s.values = {{add_knob(ttune::location_knob(fresh("place"), static_cast<std::int32_t>(places))), 0, 0}};
    return s;
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

}  // namespace ttune_test
