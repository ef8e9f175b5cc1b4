// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>

#include "ttune/capture/bind.hpp"
#include "ttune/capture/bounds.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

/// Rewrites a program, producers first.
class binder {
 public:
  explicit binder(std::vector<bound_dim> const& values, bool within_range = true)
      : values_(values), within_range_(within_range), used_(values.size()) {}

  [[nodiscard]] handle<ir::tensor> tensor(handle<ir::tensor> const& t) {
    if (!t) return t;
    auto& made = tensors_[t.get()];
    if (made) return made;
    auto copy = *t;
    for (auto& e : copy.shape) e = extent(e);
    return made = share(std::move(copy));
  }

  [[nodiscard]] handle<ir::stage> stage(handle<ir::stage> const& s) {
    auto made = *s;
    for (auto* axes : {&made.axes, &made.reduction.axes})
      for (auto& a : *axes) a.end = extent(a.end);
    made.updates = tensor(s->updates);
    for (auto& c : made.components) c.value = expression(c.value);
    if (made.predicate) made.predicate = expression(made.predicate);
    arith::ranges ranges;
    for (auto const* axes : {&made.axes, &made.reduction.axes})
      for (auto const& a : *axes) ranges[a.name] = {a.begin, a.end.value - 1};
    for (auto const& c : made.components) check_reads(made.name, c.value, ranges);
    return stages_[s.get()] = share(std::move(made));
  }
  [[nodiscard]] handle<ir::stage> const& known(handle<ir::stage> const& s) const { return stages_.at(s.get()); }

  void require_all_used(std::string const& program) const {
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (!used_[i]) throw program_error(program + ": no extent is the dim " + values_[i].what.name);
  }

 private:
  [[nodiscard]] ir::extent extent(ir::extent const& e) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      auto const& [d, value] = values_[i];
      if (e.is_constant() || e.symbol->name != d.name) continue;
      used_[i] = true;
      if (within_range_ && (value < e.symbol->low || value > e.symbol->high))
        throw program_error("dim " + d.name + " is " + std::to_string(value) + ", and was declared within [" +
                            std::to_string(e.symbol->low) + ", " + std::to_string(e.symbol->high) + "]");
      return value;
    }
    return e;
  }

  [[nodiscard]] ir::expr expression(ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    if (!a) return ir::map_operands(e, [&](ir::expr const& o) { return expression(o); });
    std::vector<ir::expr> indices;
    for (auto const& i : a->indices) indices.push_back(expression(i));
    auto from = a->from;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&from)) from = tensor(*t);
    else from = known(std::get<handle<ir::stage>>(from));
    return ir::make_access(std::move(from), std::move(indices), a->outside, a->fill ? expression(a->fill) : a->fill,
                           a->component);
  }

  std::vector<bound_dim> const& values_;
  bool within_range_;
  std::vector<bool> used_;
  std::map<void const*, handle<ir::tensor>> tensors_;
  std::map<void const*, handle<ir::stage>> stages_;
};

inline handle<ir::program> bound_by(binder&& all, handle<ir::program> const& p) {
  auto made = *p;
  for (auto& t : made.inputs) t = all.tensor(t);
  for (auto& s : made.stages) s = all.stage(s);
  for (auto& s : made.outputs) s = all.known(s);
  all.require_all_used(p->name);
  return share(std::move(made));
}

}  // namespace detail

handle<ir::program> bind(handle<ir::program> const& p, std::vector<bound_dim> const& values) {
  return detail::bound_by(detail::binder(values), p);
}

handle<ir::program> bind_part(handle<ir::program> const& p, std::string const& dim, std::int64_t value) {
  std::vector<bound_dim> const values{{ttune::dim{dim}, value}};
  return detail::bound_by(detail::binder(values, false), p);
}

std::vector<std::string> open_dims(ir::program const& p) {
  std::vector<std::string> names;
  ir::for_each_symbol(p, [&](handle<ir::dimension> const& d) {
    if (std::find(names.begin(), names.end(), d->name) == names.end()) names.push_back(d->name);
  });
  return names;
}

dim_range range_of(ir::program const& p, std::string const& dim) {
  std::vector<dim_range> found;
  ir::for_each_symbol(p, [&](handle<ir::dimension> const& d) {
    if (d->name == dim) found.push_back({d->low, d->high});
  });
  if (found.empty()) throw program_error(p.name + ": no extent is the dim " + dim);
  return found.front();
}

}}}  // namespace ttune::v0::capture
