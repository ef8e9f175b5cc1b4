// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <variant>

#include "ttune/capture/bind.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/open/independent_rows.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Looks at the stages of a program one after the other.
class row_search {
 public:
  row_search(ir::program const& of, std::string const& dim) : program_(of), dim_(dim) {}

  [[nodiscard]] std::string fault() const {
    for (auto const& t : program_.inputs)
      for (std::size_t d = 1; d < t->shape.size(); ++d)
        if (is_open(t->shape[d])) return "it is not the outermost dimension of " + t->name;
    for (auto const& s : program_.stages)
      if (auto found = fault_of(*s); !found.empty()) return found;
    for (auto const& s : program_.outputs)
      if (!has_rows(s)) return s->name + " has no such dimension";
    return {};
  }

  [[nodiscard]] bool has_rows(ir::source const& from) const {
    if (auto const* t = std::get_if<handle<ir::tensor>>(&from)) return !(*t)->shape.empty() && is_open((*t)->shape[0]);
    auto const& axes = std::get<handle<ir::stage>>(from)->axes;
    return !axes.empty() && is_open(axes[0].end);
  }

 private:
  [[nodiscard]] bool is_open(ir::extent const& e) const { return !e.is_constant() && e.symbol->name == dim_; }

  [[nodiscard]] std::string fault_of(ir::stage const& s) const {
    for (auto const& a : s.reduction.axes)
      if (is_open(a.end)) return s.name + " is a reduction over it";
    for (std::size_t d = 1; d < s.axes.size(); ++d)
      if (is_open(s.axes[d].end)) return "it is not the outermost dimension of " + s.name;
    auto const row = !s.axes.empty() && is_open(s.axes[0].end) ? s.axes[0].name : std::string();
    for (auto const& c : s.components)
      if (auto found = fault_of(c.value, s.name, row); !found.empty()) return found;
    return s.predicate ? fault_of(s.predicate, s.name, row) : std::string();
  }

  /// The row's axis may index rows, and nothing else: what depends on its value differs between blocks.
  [[nodiscard]] std::string fault_of(ir::expr const& e, std::string const& stage, std::string const& row) const {
    auto const is_row = [&](ir::expr const& x) {
      auto const* v = ir::as<ir::variable>(x);
      return v && !row.empty() && v->name == row;
    };
    if (is_row(e)) return stage + " uses the number of its row";
    std::string found;
    auto const look = [&](ir::expr const& part) {
      if (found.empty()) found = fault_of(part, stage, row);
      return part;
    };
    auto const* a = ir::as<ir::access>(e);
    if (!a) {
      (void)ir::map_operands(e, look);
      return found;
    }
    bool const rows = has_rows(a->from);
    if (rows && !is_row(a->indices[0])) return stage + " reads " + ir::name_of(a->from) + " at another row";
    for (std::size_t d = rows ? 1 : 0; d < a->indices.size(); ++d) (void)look(a->indices[d]);
    if (a->fill) (void)look(a->fill);
    return found;
  }

  ir::program const& program_;
  std::string const& dim_;
};

std::string why_rows_depend(ir::program const& of, std::string const& dim) { return row_search(of, dim).fault(); }

std::string only_row_dim(ir::program const& of) {
  auto const dims = capture::open_dims(of);
  if (dims.empty())
    throw argument_error(of.name + " has no run-time extent: tune it as one kernel, tuner.tune(" + of.name + ")");
  if (dims.size() > 1)
    throw argument_error(of.name + " has " + std::to_string(dims.size()) +
                         " run-time extents: bind all but that of the rows with op.at");
  if (auto const why = why_rows_depend(of, dims[0]); !why.empty())
    throw program_error(of.name + " cannot be computed row by row along dim " + dims[0] + ": " + why);
  return dims[0];
}

std::vector<bool> operands_with_rows(ir::program const& of, std::string const& dim) {
  row_search const search(of, dim);
  std::vector<bool> made;
  for (auto const& t : of.inputs)
    if (t->role != ir::tensor_role::table) made.push_back(search.has_rows(t));
  for (auto const& s : of.outputs)
    if (!s->updates) made.insert(made.end(), s->components.size(), search.has_rows(s));
  return made;
}

}}}  // namespace ttune::v0::detail
