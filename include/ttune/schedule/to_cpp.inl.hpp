// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "ttune/ir/stmt.hpp"
#include "ttune/schedule/plan.hpp"
#include "ttune/schedule/primitive/all.hpp"
#include "ttune/schedule/to_cpp.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// Returns the steps of a space in one configuration: without knobs, and without steps about missing stages or loops.
class fixed_steps {
 public:
  fixed_steps(space const& of, configuration const& chosen) : of_(of), chosen_(chosen) {
    bool fits = chosen.choices.size() == of.knobs.size();
    for (std::size_t i = 0; fits && i < chosen.choices.size(); ++i)
      fits = chosen.choices[i] >= 0 && chosen.choices[i] < of.knobs[i].choices();
    if (!fits) throw argument_error("to_cpp: the configuration is none of the space of " + of.program->name);
  }

  std::vector<step> run() {
    find_inlined();
    for (auto const& s : of_.steps)
      if (!is_gone(s)) add(s);
    for (auto const& name : inlined_) made_.push_back({primitive::inline_stage, name, {}, {}, {}});
    keep_memory();
    return std::move(made_);
  }

 private:
  using name_list = std::vector<std::string>;

  [[nodiscard]] std::int64_t value(knob_value const& v) const {
    if (v.is_literal()) return v.literal;
    auto const k = static_cast<std::size_t>(v.knob);
    return of_.knobs[k].choice(chosen_.choices[k])[static_cast<std::size_t>(v.column)];
  }
  [[nodiscard]] std::string const& place(step const& s) const {
    return s.loops.at(1 + static_cast<std::size_t>(s.values.empty() ? 0 : value(s.values[0])));
  }
  static bool contains(name_list const& all, std::string const& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  }

  /// Finds stages that the configuration inlines. A copy without further steps is treated as if it had never been
  /// made.
  void find_inlined() {
    for (auto const& s : of_.steps)
      if (s.what == primitive::compute_at && place(s) == place_inline && !contains(inlined_, s.stage))
        inlined_.push_back(s.stage);
    auto const is_copy = [&](std::string const& name) {
      bool made = false;
      bool spoken_of = false;
      for (auto const& s : of_.steps) {
        made = made || (s.what == primitive::cache_read && s.results[0] == name);
        spoken_of = spoken_of || (s.stage == name && changes_program(s.what)) ||
                    ((s.what == primitive::cache_read || s.what == primitive::compute_at) && s.loops[0] == name);
      }
      return made && !spoken_of;
    };
    std::copy_if(inlined_.begin(), inlined_.end(), std::back_inserter(vanished_), is_copy);
    std::erase_if(inlined_, is_copy);
  }
  [[nodiscard]] bool is_gone(step const& s) const {
    if (s.what == primitive::cache_read && contains(vanished_, s.results[0])) return true;
    return contains(vanished_, s.stage) || (contains(inlined_, s.stage) && !changes_program(s.what));
  }

  void add(step s) {
    bool const is_switch = s.what == primitive::parallel || s.what == primitive::vectorize ||
                           s.what == primitive::unroll || s.what == primitive::tensorize;
    if (is_switch && !s.values.empty() && value(s.values[0]) == 0) return;
    if (s.what == primitive::reorder && !s.values.empty()) s.loops = ordered(s);
    if (s.what == primitive::slide && stands_at_root(s.stage)) return;
    if (s.what == primitive::compute_at) {
      if (place(s) == place_root) return;
      s.loops = {s.loops[0], place(s)};
    }
    if (is_switch || s.what == primitive::reorder || s.what == primitive::compute_at) s.values.clear();
    for (auto& v : s.values) v = literal(value(v));
    made_.push_back(std::move(s));
  }
  [[nodiscard]] bool stands_at_root(std::string const& stage) const {
    return std::any_of(of_.steps.begin(), of_.steps.end(), [&](step const& s) {
      return s.what == primitive::compute_at && s.stage == stage && place(s) == place_root;
    });
  }
  [[nodiscard]] name_list ordered(step const& s) const {
    auto const k = static_cast<std::size_t>(s.values[0].knob);
    name_list names;
    for (auto const i : of_.knobs[k].choice(chosen_.choices[k])) names.push_back(s.loops[static_cast<std::size_t>(i)]);
    return names;
  }

  /// Keeps the memory of buffers: it is decided for all configurations of a space; one alone might prepare more.
  void keep_memory() {
    auto const all = make_plan(of_);
    for (auto next = all.stages.begin(); next != all.stages.end(); ++next) {
      plan one;
      try {
        one = make_plan({of_.program, made_, {}, {}, {}});
      } catch (schedule_error const&) {
        return;  // simplification may remove this reader; that is known only when a space is lowered
      }
      auto const more = std::find_if(one.stages.begin(), one.stages.end(), [&](stage_plan const& st) {
        return st.where == ir::memory::prepared && !is_prepared(all, st.definition->name);
      });
      if (more == one.stages.end()) return;
      made_.push_back({primitive::store_in,
                       more->definition->name,
                       {},
                       {},
                       {literal(static_cast<std::int64_t>(ir::memory::workspace))}});
    }
  }
  [[nodiscard]] static bool is_prepared(plan const& p, std::string const& stage) {
    return std::any_of(p.stages.begin(), p.stages.end(), [&](stage_plan const& st) {
      return st.definition->name == stage && st.where == ir::memory::prepared;
    });
  }

  space const& of_;
  configuration const& chosen_;
  std::vector<step> made_;
  name_list inlined_;
  name_list vanished_;
};

/// Writes steps without knobs one after the other, and remembers the axes that they need.
class cpp_writer {
 public:
  explicit cpp_writer(std::string output) : current_(std::move(output)) {}

  std::string run(std::vector<step> const& steps) {
    auto const start = current_;
    for (auto const& s : steps) write(s);
    std::string declared;
    std::string quoted;
    for (auto const& axis : names_.axes()) {
      declared += (declared.empty() ? "" : ", ") + axis;
      quoted += (quoted.empty() ? "" : ", ") + primitives::cpp_names::quoted(axis);
    }
    if (!declared.empty()) declared = "const auto [" + declared + "] = ttune::axes<" + quoted + ">;\n";
    return declared + "const ttune::space space = ttune::schedule(op, \"" + start + "\")" + calls_ + ";\n";
  }

 private:
  void write(step const& s) {
    if (s.stage != current_ && s.what != primitive::inline_stage) {
      calls_ += "\n    .in(\"" + s.stage + "\")";
      current_ = s.stage;
    }
    std::string arguments;
    primitives::with_rules(s.what, [&]<class Rules>() { arguments = Rules::arguments(s, names_); });
    calls_ += "\n    ." + std::string(name_of(s.what)) + "(" + arguments + ")";
  }

  std::string current_;
  std::string calls_;
  primitives::cpp_names names_;
};

}  // namespace detail

std::string to_cpp(space const& of, configuration const& chosen) {
  return detail::cpp_writer(of.program->outputs.front()->name).run(detail::fixed_steps(of, chosen).run());
}

std::string to_cpp(space const& of) {
  auto chosen = of.seed;
  if (chosen.choices.size() != of.knobs.size()) chosen.choices.assign(of.knobs.size(), 0);
  return to_cpp(of, chosen);
}

}}  // namespace ttune::v0
