// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>

#include "ttune/capture/compose.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

/// Returns true if the indices of a read are the axes of the stage, in their order.
inline bool reads_own_place(ir::access const& a, ir::stage const& by) {
  if (a.outside != ir::boundary::none || a.indices.size() != by.axes.size()) return false;
  for (std::size_t d = 0; d < a.indices.size(); ++d) {
    auto const* const v = ir::as<ir::variable>(a.indices[d]);
    if (!v || v->name != by.axes[d].name) return false;
  }
  return true;
}

/// Gives the stage and the operands of an element-wise program the axes and unused names of the program before it.
class joiner {
 public:
  joiner(handle<ir::program> const& first, handle<ir::program> const& last) : first_(first), made_(last), last_(last) {
    for (auto const& t : first->inputs) taken_.insert(t->name);
    for (auto const& s : first->stages) taken_.insert(s->name);
  }

  [[nodiscard]] handle<ir::program> joined(std::vector<std::string> const& operands) {
    for (auto const& t : last_->inputs) {
      bool const joins = std::find(operands.begin(), operands.end(), t->name) != operands.end();
      if (joins) made_.replace(t, first_->outputs.front());
      else rename(t);
    }
    auto const& end = last_->stages.front();
    made_.replace(end, made_.add(moved(*end)));
    auto rest = *made_.finish();
    rest.name = first_->name + "_" + last_->name;
    rest.inputs.insert(rest.inputs.begin(), first_->inputs.begin(), first_->inputs.end());
    rest.stages.insert(rest.stages.begin(), first_->stages.begin(), first_->stages.end());
    return share(std::move(rest));
  }

 private:
  [[nodiscard]] std::string unused(std::string const& name) {
    auto made = name;
    for (int number = 2; !taken_.insert(made).second; ++number) made = name + std::to_string(number);
    return made;
  }
  void rename(handle<ir::tensor> const& t) {
    auto name = unused(t->name);
    if (name == t->name) return;
    auto copy = *t;
    copy.name = std::move(name);
    made_.replace(t, share(std::move(copy)));
  }
  [[nodiscard]] ir::stage moved(ir::stage s) {
    auto const& axes = first_->outputs.front()->axes;
    std::map<std::string, ir::expr> to;
    for (std::size_t d = 0; d < axes.size(); ++d) to[s.axes[d].name] = ir::make_variable(axes[d].name);
    s.axes = axes;
    auto& c = s.components.front();
    c.value = ir::map_variables(c.value, [&](std::string const& name) {
      auto const at = to.find(name);
      return at == to.end() ? ir::expr() : at->second;
    });
    auto const name = unused(s.name);
    if (c.name == s.name) c.name = name;
    s.name = name;
    return s;
  }

  handle<ir::program> first_;
  ir::program_builder made_;
  handle<ir::program> last_;
  std::set<std::string> taken_;
};

}  // namespace detail

bool is_elementwise_in(ir::program const& p, std::string const& operand) {
  if (p.stages.size() != 1 || p.outputs.size() != 1) return false;
  auto const& s = *p.stages.front();
  if (s.reduces() || s.updates || s.predicate || s.components.size() != 1) return false;
  auto const at = std::find_if(p.inputs.begin(), p.inputs.end(), [&](auto const& t) { return t->name == operand; });
  if (at == p.inputs.end() || ir::shape_of(*at) != ir::shape_of(p.stages.front())) return false;
  bool only_own = true;
  ir::for_each_node(s.components.front().value, [&](ir::expr const& e) {
    auto const* const a = ir::as<ir::access>(e);
    if (a && ir::name_of(a->from) == operand) only_own = only_own && detail::reads_own_place(*a, s);
  });
  return only_own;
}

handle<ir::program> compose(handle<ir::program> const& first, handle<ir::program> const& last,
                            std::vector<std::string> const& joined) {
  return detail::joiner(first, last).joined(joined);
}

}}}  // namespace ttune::v0::capture
