// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>

#include "ttune/capture/memory_order.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

/// Rewrites stages, producers first.
class reorderer {
 public:
  [[nodiscard]] handle<ir::tensor> tensor(handle<ir::tensor> const& t) {
    if (!t || t->order != ir::layout::column_major) return t;
    auto& known = tensors_[t.get()];
    if (!known) {
      auto made = *t;
      std::reverse(made.shape.begin(), made.shape.end());
      made.order = ir::layout::row_major;
      known = share(std::move(made));
    }
    return known;
  }

  [[nodiscard]] handle<ir::stage> stage(handle<ir::stage> const& s) {
    auto made = *s;
    if (reversed(s)) std::reverse(made.axes.begin(), made.axes.end());
    if (made.order == ir::layout::column_major) made.order = ir::layout::row_major;
    made.updates = tensor(s->updates);
    for (auto& c : made.components) c.value = expression(c.value);
    if (made.predicate) made.predicate = expression(made.predicate);
    return stages_[s.get()] = share(std::move(made));
  }
  [[nodiscard]] handle<ir::stage> const& known(handle<ir::stage> const& s) const { return stages_.at(s.get()); }

  [[nodiscard]] static bool reversed(handle<ir::stage> const& s) {
    return (s->updates ? s->updates->order : s->order) == ir::layout::column_major;
  }

 private:
  [[nodiscard]] ir::expr expression(ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a) return ir::map_operands(e, [&](ir::expr const& o) { return expression(o); });
    std::vector<ir::expr> indices;
    for (auto const& i : a->indices) indices.push_back(expression(i));
    auto from = a->from;
    bool turned = false;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&a->from)) {
      turned = (*t)->order == ir::layout::column_major;
      from = tensor(*t);
    } else {
      auto const& s = std::get<handle<ir::stage>>(a->from);
      turned = reversed(s);
      from = known(s);
    }
    if (turned) std::reverse(indices.begin(), indices.end());
    return ir::make_access(std::move(from), std::move(indices), a->outside, a->fill ? expression(a->fill) : a->fill,
                           a->component);
  }

  std::map<void const*, handle<ir::tensor>> tensors_;
  std::map<void const*, handle<ir::stage>> stages_;
};

ir::program in_memory_order(ir::program p) {
  bool const done = std::all_of(p.inputs.begin(), p.inputs.end(),
                                [](auto const& t) { return t->order != ir::layout::column_major; }) &&
                    std::none_of(p.stages.begin(), p.stages.end(), reorderer::reversed);
  if (done) return p;
  reorderer all;
  for (auto& t : p.inputs) t = all.tensor(t);
  for (auto& s : p.stages) s = all.stage(s);
  for (auto& s : p.outputs) s = all.known(s);
  return p;
}

}}}}  // namespace ttune::v0::capture::detail
