// SPDX-License-Identifier: Apache-2.0
// The real and the imaginary part of an expression with the axis `re_im` (expr/complex_value.hpp).
#pragma once

#include <map>

#include "ttune/expr/builder.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace capture { namespace detail {

[[nodiscard]] inline ir::expr index_of_part(int which) { return ir::make_integer(dtype::index, which); }

/// Sets the axis of the parts to one of them. Nodes that occur several times are converted once: products of products
/// would take a time that doubles with each factor.
class part_taker {
 public:
  explicit part_taker(int which) : which_(which) {}

  ir::expr of(ir::expr const& e) {
    if (auto const* v = ir::as<ir::variable>(e)) return v->name == parts_axis ? index_of_part(which_) : e;
    if (auto const it = known_.find(e.get()); it != known_.end()) return it->second;
    return known_.emplace(e.get(), converted(e)).first->second;
  }

 private:
  ir::expr converted(ir::expr const& e) {
    auto const* s = ir::as<ir::select>(e);
    if (!s) return ir::map_operands(e, [&](ir::expr const& o) { return of(o); });
    auto const condition = of(s->condition);
    if (ir::is_constant(condition)) return of(ir::constant_integer(condition) != 0 ? s->when_true : s->when_false);
    return ir::make_select(condition, of(s->when_true), of(s->when_false));
  }

  int which_;
  std::map<ir::expr_node const*, ir::expr> known_;
};

}}}}  // namespace ttune::v0::capture::detail
