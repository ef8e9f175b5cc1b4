// SPDX-License-Identifier: Apache-2.0
// Rebuilds a program stage by stage; later stages then read the new stages and operands.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace ir {

/// Applies `map` to every access, after rebuilding its indices.
template <class Map>
[[nodiscard]] expr map_accesses(expr const& e, Map const& map) {
  auto rebuilt = map_operands(e, [&](expr const& o) { return map_accesses(o, map); });
  if (auto const* a = as<access>(rebuilt)) return map(rebuilt, *a);
  return rebuilt;
}

/// Replaces variables by the result of `map` for their names; null leaves a variable unchanged.
template <class Map>
[[nodiscard]] expr map_variables(expr const& e, Map const& map) {
  if (auto const* v = as<variable>(e)) {
    auto with = map(v->name);
    return with ? with : e;
  }
  return map_operands(e, [&](expr const& o) { return map_variables(o, map); });
}

/// Applies `map` to every expression of a stage.
template <class Map>
[[nodiscard]] stage map_stage(stage st, Map const& map) {
  for (auto& c : st.components) c.value = map(c.value);
  if (st.predicate) st.predicate = map(st.predicate);
  return st;
}

[[nodiscard]] inline void const* identity(source const& s) {
  return std::visit([](auto const& h) -> void const* { return h.get(); }, s);
}

/// Collects the stages of the new program.
class program_builder {
 public:
  explicit program_builder(handle<program> old) : old_(std::move(old)), made_{{}, old_->name, old_->inputs, {}, {}} {}

  /// Adds a stage; its reads of replaced stages are redirected to the replacements.
  handle<stage> add(stage const& st) {
    auto const follow = [&](expr const& e, access const& a) {
      auto const it = moved_.find(identity(a.from));
      return it == moved_.end() ? e : make_access(it->second, a.indices, a.outside, a.fill, a.component);
    };
    auto made = map_stage(st, [&](expr const& e) { return map_accesses(e, follow); });
    if (auto const it = moved_.find(st.updates.get()); st.updates && it != moved_.end())
      made.updates = std::get<handle<tensor>>(it->second);
    made_.stages.push_back(share(std::move(made)));
    return made_.stages.back();
  }
  /// From now on, readers of `st` read `with`, which also replaces it as an output.
  void replace(handle<stage> const& st, handle<stage> const& with) {
    moved_.insert_or_assign(st.get(), source(with));
    for (auto const& out : old_->outputs)
      if (out == st) made_.outputs.push_back(with);
  }
  /// From now on, readers of `t` read `with`. A tensor takes its place among the inputs; a stage leaves it empty.
  void replace(handle<tensor> const& t, source const& with) {
    moved_.insert_or_assign(t.get(), with);
    auto& inputs = made_.inputs;
    auto const at = std::find(inputs.begin(), inputs.end(), t);
    if (auto const* by = std::get_if<handle<tensor>>(&with)) *at = *by;
    else inputs.erase(at);
  }
  /// Adds an unchanged stage: the same one, unless it reads what was replaced.
  void keep(handle<stage> const& st) {
    if (reads_replaced(*st)) return replace(st, add(*st));
    made_.stages.push_back(st);
  }

  [[nodiscard]] handle<program> finish() {
    std::vector<handle<stage>> ordered;  // outputs in the order of the old program
    for (auto const& out : old_->outputs) {
      auto const it = moved_.find(out.get());
      ordered.push_back(it == moved_.end() ? out : std::get<handle<stage>>(it->second));
    }
    made_.outputs = std::move(ordered);
    return share(std::move(made_));
  }

 private:
  [[nodiscard]] bool reads_replaced(stage const& st) const {
    auto const is_replaced = [&](expr const& e) {
      auto const* const a = as<access>(e);
      return a && moved_.contains(identity(a->from));
    };
    auto const reads = [&](expr const& e) { return e && contains(e, is_replaced); };
    return !moved_.empty() && (moved_.contains(st.updates.get()) || reads(st.predicate) ||
                               std::any_of(st.components.begin(), st.components.end(),
                                           [&](component const& c) { return reads(c.value); }));
  }

  handle<program> old_;
  program made_;
  std::map<void const*, source> moved_;
};

}}}  // namespace ttune::v0::ir
