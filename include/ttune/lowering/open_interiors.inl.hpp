// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/interval.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/open_interiors.hpp"
#include "ttune/lowering/partition_queries.hpp"
#include "ttune/lowering/redirected_index.hpp"
#include "ttune/lowering/shifted_tile.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// Returns the number of statements of a tile, if its loops are unrolled.
[[nodiscard]] inline std::int64_t unrolled_statements(ir::stmt const& s) {
  if (!s) return 0;
  if (ir::as<ir::store>(s)) return 1;
  std::int64_t count = 0;
  (void)ir::map_parts(
      s, [&](ir::stmt const& part) { return count += unrolled_statements(part), part; },
      [](ir::expr const& e) { return e; });
  auto const* l = ir::as<ir::loop>(s);
  bool const repeats = l && is_unrolled(l->kind) && l->kind != ir::loop_kind::vectorized;
  if (!repeats || !ir::is_constant(l->begin) || !ir::is_constant(l->end)) return count;
  return count * (ir::constant_integer(l->end) - ir::constant_integer(l->begin));
}

/// Makes the interior of one tile.
class interior_of_tile {
 public:
  /// `around`: ranges of the variables around the tile. `open`: those among them that are extents of the call.
  /// `updated`: names of buffers (shifted_tile.hpp).
  interior_of_tile(ir::stmt const& tile, arith::ranges around, std::set<std::string> const& open,
                   std::set<std::string> const& updated)
      : tile_(tile), known_(std::move(around)), open_(open), updated_(updated) {
    find_loops(tile);
    for (auto const& name : not_constant_) inside_.erase(name);
    find_conditions(tile);
    choose();
  }

  /// Returns the tile in versions for the interior and for the ends of axes; the tile itself if it has no boundaries,
  /// or too many.
  [[nodiscard]] ir::stmt run() const {
    if (!has_boundary_ || !is_worth_it()) return tile_;
    auto made = tile_;
    if (unrolled_statements(tile_) <= most_statements)
      for (auto const& axis : open_tile_finder(tile_, inside_, not_constant_, open_).run())
        made = with_ends_of(axis, made);
    return version({}, made);
  }

 private:
  static constexpr std::size_t most_conditions = 8;
  static constexpr std::int64_t most_statements = 512;  ///< of a tile that has versions for the ends of axes

  [[nodiscard]] bool is_worth_it() const { return !chosen_.empty() && chosen_.size() <= most_conditions; }

  /// Returns the tile as it is inside, if the chosen conditions and others, each as a form that is at least 0, hold.
  [[nodiscard]] ir::stmt version(std::vector<arith::affine> others, ir::stmt const& otherwise) const {
    others.insert(others.end(), chosen_.begin(), chosen_.end());
    auto all = ir::make_bool(true);
    for (auto const& form : others)
      all = ir::make_binary(ir::binary_op::logical_and, all,
                            ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), expression_of(form)));
    all = arith::simplify(all, known_);
    return ir::is_constant(all) ? otherwise : ir::make_conditional(all, inside(tile_), otherwise);
  }

  /// Adds the versions of the first tile of an axis and of the last one, which ends where the axis ends. They know
  /// which of their elements are near that end.
  [[nodiscard]] ir::stmt with_ends_of(open_tile const& axis, ir::stmt otherwise) const {
    for (bool const is_last : {true, false}) {
      arith::linear_form start;
      arith::affine there;  // it is at least 0 if the tile is the first, or the last one
      if (is_last) {
        start.add(ir::make_variable(axis.extent), 1);
        start.constant = -axis.length;
        there.add(axis.extent, -1);
        there.constant = axis.length;
      }
      there.add(axis.start, is_last ? 1 : -1);
      arith::affine fits;
      fits.add(axis.extent, 1);
      fits.constant = -axis.length;
      auto const moved = shifted_tile(tile_, axis, updated_).at(start);
      if (!moved) return otherwise;
      interior_of_tile const end(moved, known_, open_, updated_);
      if (end.is_worth_it()) otherwise = end.version({there, fits}, otherwise);
    }
    return otherwise;
  }

  /// Finds the ranges of the loops inside; loops of one name take the same range, or the smallest around both.
  void find_loops(ir::stmt const& s) {
    (void)ir::any_statement(s, [&](ir::stmt const& part) {
      if (auto const* l = ir::as<ir::loop>(part)) add_loop(*l);
      if (auto const* l = ir::as<ir::let>(part)) not_constant_.insert(l->variable);
      return false;
    });
  }
  void add_loop(ir::loop const& l) {
    if (!is_unrolled(l.kind)) serial_.insert(l.variable);
    if (!ir::is_constant(l.begin) || !ir::is_constant(l.end)) {
      not_constant_.insert(l.variable);
      return;
    }
    arith::interval const own{ir::constant_integer(l.begin), ir::constant_integer(l.end) - 1};
    auto const [at, added] = inside_.emplace(l.variable, own);
    if (!added) at->second = {std::min(at->second.low, own.low), std::max(at->second.high, own.high)};
  }

  void find_conditions(ir::stmt const& s) {
    if (!s) return;
    if (auto const* l = ir::as<ir::let>(s)) return find_conditions(l->body);  // the place of a tile has limits, too
    if (auto const* c = ir::as<ir::conditional>(s)) {
      if (auto few = limit_of_extent(*c)) {
        found_.push_back(*std::move(few));
        return find_conditions(c->otherwise);
      }
      add(c->condition);
      if (auto forms = c->otherwise ? all_everywhere(c->condition) : std::nullopt) {
        asked_.insert(asked_.end(), forms->begin(), forms->end());
        return find_conditions(c->then);  // the interior has no other arm
      }
    }
    (void)ir::map_parts(
        s, [&](ir::stmt const& part) { return find_conditions(part), part; },
        [&](ir::expr const& e) {
          ir::for_each_node(e, [&](ir::expr const& n) { add_of(n); });
          return e;
        });
  }
  void add_of(ir::expr const& n) {
    auto const before = found_.size();
    if (auto const* choice = ir::as<ir::select>(n)) add(choice->condition);
    for (auto const& limit : limits_of(n)) add(limit);
    has_boundary_ = has_boundary_ || std::any_of(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end(),
                                                 [&](auto const& form) { return asks_for_extent(form); });
  }
  void add(ir::expr const& condition) {
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    for (auto const& part : parts)
      if (auto form = everywhere(part); form && !is_for_a_loop(part)) found_.push_back(*std::move(form));
  }
  [[nodiscard]] std::vector<ir::expr> limits_of(ir::expr const& n) const {
    std::vector<ir::expr> limits;
    if (auto const* turn = as_turn(n)) conditions_of_turn(*turn, known_, limits);
    return limits;
  }

  /// Returns true if a condition decides where a loop of the tile begins or ends, for all of its unrolled iterations
  /// and lanes: partition moves it there.
  [[nodiscard]] bool is_for_a_loop(ir::expr const& condition) const {
    bool has_loop = false;
    bool has_tile = false;
    ir::for_each_node(condition, [&](ir::expr const& e) {
      auto const* v = ir::as<ir::variable>(e);
      if (!v || !inside_.contains(v->name)) return;
      (serial_.contains(v->name) ? has_loop : has_tile) = true;
    });
    return has_loop && !has_tile;
  }

  /// Returns the form of the variables around the tile that is at least 0 where a condition holds for all values of the
  /// loops inside; nothing if there is none.
  [[nodiscard]] std::optional<arith::affine> everywhere(ir::expr const& condition) const {
    auto const form = arith::as_non_negative(condition);
    if (!form) return std::nullopt;
    arith::affine made;
    made.constant = form->constant;
    for (auto const& [name, factor] : form->terms) {
      if (auto const at = inside_.find(name); at != inside_.end())
        made.constant += factor * (factor > 0 ? at->second.low : at->second.high);
      else if (not_constant_.contains(name)) return std::nullopt;
      else made.add(name, factor);
    }
    return made;
  }

  [[nodiscard]] std::optional<std::vector<arith::affine>> all_everywhere(ir::expr const& condition) const {
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    std::vector<arith::affine> made;
    for (auto const& part : parts) {
      auto form = everywhere(part);
      if (!form) return std::nullopt;
      made.push_back(*std::move(form));
    }
    return made;
  }
  /// Returns the form that is at least 0 where the second arm of a choice runs, if the first one is for what little is
  /// left of an axis: fewer lanes.
  [[nodiscard]] std::optional<arith::affine> limit_of_extent(ir::conditional const& c) const {
    auto const form = c.otherwise ? arith::as_non_negative(c.condition) : std::nullopt;
    if (!form) return std::nullopt;
    bool is_limit = false;
    for (auto const& [name, factor] : form->terms) {
      if (inside_.contains(name) || not_constant_.contains(name)) return std::nullopt;
      is_limit = is_limit || (open_.contains(name) && factor < 0);
    }
    if (!is_limit) return std::nullopt;
    arith::affine made;
    made.add(*form, -1);
    made.constant -= 1;
    return made;
  }

  /// Takes the conditions that ask for an extent, and those of the other end of the same axes. Of conditions that
  /// differ by a constant, one is enough.
  void choose() {
    std::vector<std::set<std::string>> axes;
    for (auto const& form : found_)
      if (asks_for_extent(form)) axes.push_back(axes_of(form));
    auto const is_asked = [&](arith::affine const& form) {
      return std::any_of(asked_.begin(), asked_.end(), [&](auto const& other) { return distance(form, other) == 0; });
    };
    if (std::all_of(found_.begin(), found_.end(), is_asked)) return;
    for (auto const& form : found_) {
      if (form.terms.empty()) continue;
      if (!asks_for_extent(form) && std::find(axes.begin(), axes.end(), axes_of(form)) == axes.end()) continue;
      auto const same = std::find_if(chosen_.begin(), chosen_.end(),
                                     [&](arith::affine const& other) { return distance(form, other).has_value(); });
      has_boundary_ = has_boundary_ || !asks_for_extent(form);  // else it is the end of a loop
      if (same == chosen_.end()) chosen_.push_back(form);
      else if (form.constant < same->constant) *same = form;
    }
  }
  [[nodiscard]] bool asks_for_extent(arith::affine const& form) const {
    return std::any_of(form.terms.begin(), form.terms.end(), [&](auto const& t) { return open_.contains(t.first); });
  }
  [[nodiscard]] std::set<std::string> axes_of(arith::affine const& form) const {
    std::set<std::string> made;
    for (auto const& t : form.terms)
      if (!open_.contains(t.first)) made.insert(t.first);
    return made;
  }
  /// Returns a - b if it is a constant.
  [[nodiscard]] static std::optional<std::int64_t> distance(arith::affine a, arith::affine const& b) {
    a.add(b, -1);
    bool const same = std::all_of(a.terms.begin(), a.terms.end(), [](auto const& t) { return t.second == 0; });
    return same ? std::optional(a.constant) : std::nullopt;
  }
  [[nodiscard]] static ir::expr expression_of(arith::affine const& form) {
    arith::linear_form made;
    made.constant = form.constant;
    for (auto const& [name, factor] : form.terms) made.add(ir::make_variable(name), factor);
    return arith::from_linear(std::move(made));
  }

  /// Returns true if a condition holds in the interior.
  [[nodiscard]] bool holds(ir::expr const& condition) const {
    auto const form = everywhere(condition);
    return form && holds(*form);
  }
  [[nodiscard]] bool holds(arith::affine const& form) const {
    if (form.terms.empty()) return form.constant >= 0;
    return std::any_of(chosen_.begin(), chosen_.end(), [&](arith::affine const& known) {
      auto const more = distance(form, known);
      return more && *more >= 0;
    });
  }
  [[nodiscard]] ir::expr without_known(ir::expr const& condition) const {
    std::vector<ir::expr> parts;
    arith::conjuncts(condition, parts);
    std::erase_if(parts, [&](ir::expr const& part) { return holds(part); });
    return arith::conjunction(parts);
  }

  [[nodiscard]] ir::expr inside(ir::expr const& e) const {
    if (auto const* s = ir::as<ir::select>(e)) {
      auto const rest = without_known(s->condition);
      if (ir::is_constant(rest, 1)) return inside(s->when_true);
    }
    if (as_turn(e) && is_straight_inside(e)) return straight(e);
    return ir::map_operands(e, [&](ir::expr const& o) { return inside(o); });
  }
  /// Returns true if no boundary redirects an index in the interior. Its conditions speak of the index without any of
  /// them, so those inside of it must hold, too.
  [[nodiscard]] bool is_straight_inside(ir::expr const& index) const {
    return !ir::contains(index, [&](ir::expr const& n) {
      if (!as_turn(n)) return false;
      auto const limits = limits_of(n);
      return limits.empty() || !std::all_of(limits.begin(), limits.end(), [&](auto const& l) { return holds(l); });
    });
  }
  [[nodiscard]] ir::stmt inside(ir::stmt const& s) const {
    if (!s) return s;
    if (auto const* c = ir::as<ir::conditional>(s)) {
      if (auto const more = limit_of_extent(*c); more && holds(*more)) return inside(c->otherwise);
      return ir::make_conditional(inside(without_known(c->condition)), inside(c->then), inside(c->otherwise));
    }
    return ir::map_parts(
        s, [&](ir::stmt const& part) { return inside(part); }, [&](ir::expr const& e) { return inside(e); });
  }

  ir::stmt const& tile_;
  arith::ranges known_;
  std::set<std::string> const& open_;
  std::set<std::string> const& updated_;
  arith::ranges inside_;                ///< loops of the tile
  std::set<std::string> serial_;        ///< those that are loops of the machine
  std::set<std::string> not_constant_;  ///< variables of the tile whose range is not known
  std::vector<arith::affine> found_;
  std::vector<arith::affine> asked_;  ///< whole conditions of which the tile has two versions already
  std::vector<arith::affine> chosen_;
  bool has_boundary_ = false;
};

/// Returns true if a statement has loops other than those of a tile.
[[nodiscard]] inline bool has_loops_around_tiles(ir::stmt const& s) {
  if (!s) return false;
  if (auto const* l = ir::as<ir::loop>(s); l && !is_unrolled(l->kind)) return true;
  if (auto const* a = ir::as<ir::allocate>(s); a && in_registers(*a)) return false;
  bool found = false;
  (void)ir::map_parts(
      s, [&](ir::stmt const& part) { return found = found || has_loops_around_tiles(part), part; },
      [](ir::expr const& e) { return e; });
  return found;
}

/// Walks to the tiles.
class open_interior_maker {
 public:
  explicit open_interior_maker(ir::stmt const& all) : updated_(updated_buffers(all)) {}
  ir::stmt visit(ir::stmt const& s) {
    if (!s) return s;
    if (auto const* c = ir::as<ir::conditional>(s)) return arms(*c);
    if (auto const* l = ir::as<ir::let>(s)) enter(*l);
    if (auto const* l = ir::as<ir::loop>(s)) {
      auto const low = arith::bounds(l->begin, known_);
      auto const high = arith::bounds(l->end, known_);
      known_[l->variable] = {low.low, std::max(low.low, high.high - 1)};
      if (is_unrolled(l->kind) && !has_loops_around_tiles(l->body))
        return interior_of_tile(s, known_, open_, updated_).run();
      if (!has_loops_around_tiles(l->body)) return ir::make_loop(l->variable, l->begin, l->end, l->kind, tile(l->body));
    }
    return ir::map_parts(s, [&](ir::stmt const& part) { return visit(part); }, [](ir::expr const& e) { return e; });
  }

 private:
  void enter(ir::let const& l) {
    bool const is_extent = ir::contains(l.value, [](ir::expr const& e) { return ir::as<ir::access>(e) != nullptr; });
    if (is_extent) open_.insert(l.variable);
    known_[l.variable] = {l.low, l.high - 1};
  }
  /// Visits the arms of a conditional. If it compares an extent to a number, they know the extent's range.
  ir::stmt arms(ir::conditional const& c) {
    auto const form = arith::as_non_negative(c.condition);
    bool const is_of_extent = form && form->terms.size() == 1 && open_.contains(form->terms[0].first) &&
                              (form->terms[0].second == 1 || form->terms[0].second == -1);
    if (!is_of_extent) return ir::make_conditional_like(c, c.condition, visit(c.then), visit(c.otherwise));
    auto const& [name, factor] = form->terms[0];
    auto const at_least = factor == 1 ? -form->constant : form->constant + 1;  // in one of the arms, below in the other
    auto then = in_range(name, at_least, factor == 1, c.then);
    auto otherwise = in_range(name, at_least, factor != 1, c.otherwise);
    return ir::make_conditional_like(c, c.condition, std::move(then), std::move(otherwise));
  }
  /// Visits a statement that runs only if an extent is at least a number, or below it.
  ir::stmt in_range(std::string const& extent, std::int64_t number, bool is_above, ir::stmt const& s) {
    auto const all = known_.at(extent);
    auto const some = is_above ? arith::interval{std::max(all.low, number), all.high}
                               : arith::interval{all.low, std::min(all.high, number - 1)};
    if (some.low <= some.high) known_[extent] = some;
    auto made = visit(s);
    known_[extent] = all;
    return made;
  }
  /// Returns the versions of a tile, inside of the variables that it defines first.
  ir::stmt tile(ir::stmt const& s) {
    auto const* l = ir::as<ir::let>(s);
    if (!l) return interior_of_tile(s, known_, open_, updated_).run();
    enter(*l);
    return ir::map_parts(s, [&](ir::stmt const& part) { return tile(part); }, [](ir::expr const& e) { return e; });
  }

  std::set<std::string> const updated_;
  arith::ranges known_;
  std::set<std::string> open_;
};

}  // namespace detail

ir::stmt open_interiors(ir::stmt const& s) { return detail::open_interior_maker(s).visit(s); }

}}}  // namespace ttune::v0::lowering
