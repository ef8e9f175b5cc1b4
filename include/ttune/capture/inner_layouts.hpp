// SPDX-License-Identifier: Apache-2.0
// Layouts of stages between operands and results. A stage that its readers read element by element is arranged as they
// are, so that both keep the same axes in the same order:
//
//   O.sum(n, f, y, x) = sum(…)                     O.sum(n, y, x, f) = sum(…)
//   O(n, y, x, f) = O.sum(n, f, y, x) + bias(f)  →   O(n, y, x, f) = O.sum(n, y, x, f) + bias(f)
//
// A schedule can then compute the sum in registers for a tile of the reader.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ttune/core/operand_layout.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

using inner_layouts = std::map<ir::stage const*, operand_layout>;

/// Returns the layout of a stage under an access whose indices are the axes of the reader, each once; nothing for other
/// accesses. `of_reader` is the layout of the reader.
[[nodiscard]] inline std::optional<operand_layout> layout_as_read(ir::stage const& reader,
                                                                  operand_layout const& of_reader, ir::access const& a,
                                                                  ir::stage const& from) {
  auto const rank = reader.axes.size();
  if (a.indices.size() != rank) return std::nullopt;
  std::vector<int> dimension_of(rank, -1);  // by axis of the reader
  for (std::size_t d = 0; d < rank; ++d) {
    auto const* const v = ir::as<ir::variable>(a.indices[d]);
    auto const at = std::find_if(reader.axes.begin(), reader.axes.end(),
                                 [&](ir::axis const& axis) { return v && axis.name == v->name; });
    if (at == reader.axes.end() || at->end != from.axes[d].end) return std::nullopt;
    dimension_of[static_cast<std::size_t>(at - reader.axes.begin())] = static_cast<int>(d);
  }
  if (std::find(dimension_of.begin(), dimension_of.end(), -1) != dimension_of.end()) return std::nullopt;
  std::vector<int> order;
  for (auto const d : of_reader.order()) order.push_back(dimension_of[static_cast<std::size_t>(d)]);
  if (of_reader.blocked() < 0) return operand_layout(order);
  return operand_layout(order, dimension_of[static_cast<std::size_t>(of_reader.blocked())], of_reader.block());
}

/// Finds the layouts of the inner stages, from the results back.
class inner_layout_search {
 public:
  inner_layout_search(ir::program const& p, std::vector<named_layout> const& layouts) : p_(p), layouts_(layouts) {}

  [[nodiscard]] inner_layouts find() {
    for (auto s = p_.stages.rbegin(); s != p_.stages.rend(); ++s) {
      if (auto found = layout_of_inner(**s)) made_.emplace(s->get(), *std::move(found));
      auto const own = layout_of(**s);
      for (auto const& c : (*s)->components) note_reads(**s, own, c.value);
      if ((*s)->predicate) note_reads(**s, own, (*s)->predicate);
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool is_output(ir::stage const& s) const {
    return std::any_of(p_.outputs.begin(), p_.outputs.end(), [&](auto const& o) { return o.get() == &s; });
  }

  /// Returns the layout in which a stage is made: the chosen one of a result, the one that was found for an inner
  /// stage, else the plain one.
  [[nodiscard]] operand_layout layout_of(ir::stage const& s) const {
    if (auto const at = made_.find(&s); at != made_.end()) return at->second;
    auto const* const chosen = s.order == ir::layout::any ? find_layout(layouts_, s.name) : nullptr;
    return chosen ? *chosen : operand_layout(static_cast<int>(s.axes.size()));
  }

  [[nodiscard]] std::optional<operand_layout> layout_of_inner(ir::stage const& s) const {
    auto const at = as_read_.find(&s);
    if (at == as_read_.end() || !at->second || at->second->is_plain() || s.updates || is_output(s)) return std::nullopt;
    return at->second;
  }

  /// Notes how a stage reads others. A stage that is read in two layouts has none.
  void note_reads(ir::stage const& reader, operand_layout const& of_reader, ir::expr const& e) {
    ir::for_each_node(e, [&](ir::expr const& n) {
      auto const* const a = ir::as<ir::access>(n);
      auto const* const from = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
      if (!from) return;
      auto found = layout_as_read(reader, of_reader, *a, **from);
      auto const [at, is_first] = as_read_.try_emplace(from->get(), found);
      if (!is_first && at->second != found) at->second = std::nullopt;
    });
  }

  ir::program const& p_;
  std::vector<named_layout> const& layouts_;
  std::map<ir::stage const*, std::optional<operand_layout>> as_read_;
  inner_layouts made_;
};

}}}}  // namespace ttune::v0::capture::detail
