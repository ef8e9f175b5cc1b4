// SPDX-License-Identifier: Apache-2.0
// Structural primitives make a program again, stage by stage; later stages then read the new ones.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "ttune/ir/operands.hpp"
#include "ttune/schedule/primitive/lookup.hpp"

namespace ttune::inline v0::primitives {

/// Passes every access (its indices rebuilt already) through `map`.
template <class Map>
[[nodiscard]] ir::expr map_accesses(ir::expr const& e, Map const& map) {
  auto rebuilt = ir::map_operands(e, [&](ir::expr const& o) { return map_accesses(o, map); });
  if (auto const* a = ir::as<ir::access>(rebuilt)) return map(rebuilt, *a);
  return rebuilt;
}

/// Replaces variables by what `map` gives for their names; null leaves one as it is.
template <class Map>
[[nodiscard]] ir::expr map_variables(ir::expr const& e, Map const& map) {
  if (auto const* v = ir::as<ir::variable>(e)) {
    auto with = map(v->name);
    return with ? with : e;
  }
  return ir::map_operands(e, [&](ir::expr const& o) { return map_variables(o, map); });
}

/// Applies `map` to every expression of a stage.
template <class Map>
[[nodiscard]] ir::stage map_stage(ir::stage st, Map const& map) {
  for (auto& c : st.components) c.value = map(c.value);
  if (st.predicate) st.predicate = map(st.predicate);
  return st;
}

[[nodiscard]] inline void const* identity(ir::source const& s) {
  return std::visit([](auto const& h) -> void const* { return h.get(); }, s);
}

/// Collects the stages of the program being made.
class program_builder {
 public:
  explicit program_builder(handle<ir::program> old)
      : old_(std::move(old)), made_{{}, old_->name, old_->inputs, {}, {}} {}

  /// Adds a stage whose reads of replaced stages go to their replacements.
  handle<ir::stage> add(ir::stage const& st) {
    auto const follow = [&](ir::expr const& e, ir::access const& a) {
      auto const it = moved_.find(identity(a.from));
      return it == moved_.end() ? e : ir::make_access(it->second, a.indices, a.outside, a.fill, a.component);
    };
    made_.stages.push_back(share(map_stage(st, [&](ir::expr const& e) { return map_accesses(e, follow); })));
    return made_.stages.back();
  }
  /// From now on `with` is read where `st` was, and is the output that `st` was.
  void replace(handle<ir::stage> const& st, handle<ir::stage> const& with) {
    moved_.insert_or_assign(st.get(), ir::source(with));
    for (auto const& out : old_->outputs)
      if (out == st) made_.outputs.push_back(with);
  }
  /// Adds an unchanged stage.
  void keep(handle<ir::stage> const& st) { replace(st, add(*st)); }

  [[nodiscard]] handle<ir::program> finish() {
    std::vector<handle<ir::stage>> ordered;  // outputs in the order of the old program's
    for (auto const& out : old_->outputs) ordered.push_back(std::get<handle<ir::stage>>(moved_.at(out.get())));
    made_.outputs = std::move(ordered);
    return share(std::move(made_));
  }

 private:
  handle<ir::program> old_;
  ir::program made_;
  std::unordered_map<void const*, ir::source> moved_;
};

/// The stage that a structural step is aimed at.
[[nodiscard]] inline handle<ir::stage> find_stage(handle<ir::program> const& p, step const& s,
                                                  std::string const& name) {
  std::vector<std::string> names;
  for (auto const& st : p->stages) {
    if (st->name == name) return st;
    names.push_back(st->name);
  }
  refuse(s, name, "no stage of this name; there are " + listed(names));
}

inline void require_new_stage(handle<ir::program> const& p, step const& s, std::string const& name) {
  for (auto const& st : p->stages)
    if (st->name == name) refuse(s, name, "there is a stage of this name: choose another");
}

}  // namespace ttune::inline v0::primitives
