// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ttune/arith/index_simplifier.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune { inline namespace v0 { namespace arith {

namespace detail {

/// Simplifies statements and keeps the ranges of the variables declared around them.
class stmt_simplifier {
 public:
  explicit stmt_simplifier(ranges known) : known_(std::move(known)) {}

  ir::stmt visit(ir::stmt const& s) {
    if (!s) return s;
    if (auto const* n = ir::as<ir::loop>(s)) {
      auto const low = bounds(n->begin, known_).low;
      auto const high = bounds(n->end, known_).high;
      return scope(s, n->variable, {low, high >= unbounded.high ? high : std::max(low, high - 1)});
    }
    if (auto const* n = ir::as<ir::let>(s)) return scope(s, n->variable, {n->low, n->high - 1});
    return parts(s);
  }

 private:
  ir::stmt parts(ir::stmt const& s) {
    return ir::map_parts(
        s, [&](ir::stmt const& p) { return visit(p); }, [&](ir::expr const& e) { return simplify(e, known_); });
  }

  /// Simplifies a loop or let. The range holds in the body, but not in the expressions that give the range.
  ir::stmt scope(ir::stmt const& s, std::string const& variable, interval range) {
    auto const it = known_.find(variable);
    auto const saved = it == known_.end() ? std::optional<interval>() : it->second;
    auto made = ir::map_parts(
        s,
        [&](ir::stmt const& body) {
          known_[variable] = range;
          return visit(body);
        },
        [&](ir::expr const& e) { return simplify(e, known_); });
    if (saved) known_[variable] = *saved;
    else known_.erase(variable);
    return made;
  }

  ranges known_;
};

}  // namespace detail

ir::expr simplify(ir::expr const& e, ranges const& known) { return detail::index_simplifier(known).any(e); }

ir::stmt simplify(ir::stmt const& s, ranges const& known) { return detail::stmt_simplifier(known).visit(s); }

}}}  // namespace ttune::v0::arith
