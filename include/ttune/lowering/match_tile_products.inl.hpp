// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/arith/affine.hpp"
#include "ttune/arith/conditions.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/arith/substitute.hpp"
#include "ttune/core/tile_product.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/find_dot.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/match_tile_products.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

[[nodiscard]] inline arith::interval values_of(ir::loop const& l, arith::ranges const& known) {
  return {arith::bounds(l.begin, known).low, arith::bounds(l.end, known).high - 1};
}

/// Matches loops around three tensorized ones, over rows, columns and terms, around a sum of products. In: the
/// outermost of these loops, and the ranges of the variables around it. Out: the statement for tiles, or several at an
/// edge, where tiles differ; nothing if the loops do not fit tiles.
class tile_product_matcher {
 public:
  tile_product_matcher(ir::loop const& outermost, arith::ranges known)
      : outermost_(outermost), known_(std::move(known)) {}

  [[nodiscard]] ir::stmt match() {
    if (!find_loops() || !find_product() || !add_parts(made_, conditions_)) return {};
    return parts_.size() == 1 ? parts_[0] : ir::make_block(parts_);
  }

 private:
  using conditions = std::vector<ir::expr>;

  [[nodiscard]] ir::loop const& rows() const { return made_.loops[made_.loops.size() - 3]; }
  [[nodiscard]] ir::loop const& columns() const { return made_.loops[made_.loops.size() - 2]; }
  [[nodiscard]] ir::loop const& terms() const { return made_.loops.back(); }

  // ---------------------------------------------------------------------------------------------- the pattern

  /// Finds the loops, lets and conditions down to the sum.
  [[nodiscard]] bool find_loops() {
    made_.unit = ir::matrix_unit::tiles;
    ir::stmt body;
    for (auto const* inner = &outermost_; inner; inner = ir::as<ir::loop>(body)) {
      made_.loops.push_back({inner->variable, without_lets(inner->begin), without_lets(inner->end), inner->kind, {}});
      known_[inner->variable] = values_of(*inner, known_);
      body = inside_lets_and_conditions(inner->body);
    }
    auto const* sum = ir::as<ir::store>(body);
    if (!sum || made_.loops.size() < 3) return false;
    made_.sum = {sum->to, without_lets(sum->indices), without_lets(sum->value)};
    auto const tile = made_.loops.end() - 3;
    return std::all_of(made_.loops.begin(), tile, [&](ir::loop const& l) { return may_be_around(l); }) &&
           std::all_of(tile, made_.loops.end(), [](ir::loop const& l) {
             return l.kind == ir::loop_kind::tensorized && extent_from_zero(l) > 0;
           });
  }

  [[nodiscard]] ir::stmt inside_lets_and_conditions(ir::stmt body) {
    for (;;) {
      auto const* n = ir::as<ir::let>(body);
      auto const* c = ir::as<ir::conditional>(body);
      if (n) {
        lets_.push_back(n);
        body = n->body;
      } else if (c && !c->otherwise) {
        arith::conjuncts(without_lets(c->condition), conditions_);
        body = c->then;
      } else {
        return body;
      }
    }
  }

  /// Returns true for a loop over terms, and for an unrolled one of known length, whose iterations may have tiles of
  /// their own.
  [[nodiscard]] bool may_be_around(ir::loop const& l) const {
    return (l.kind == ir::loop_kind::serial || l.kind == ir::loop_kind::unrolled) && (!selects_sum(l) || is_group(l));
  }
  [[nodiscard]] bool selects_sum(ir::loop const& l) const { return ir::any_mentions(made_.sum.indices, l.variable); }
  [[nodiscard]] bool is_group(ir::loop const& l) const {
    return selects_sum(l) && l.kind == ir::loop_kind::unrolled && ir::is_constant(l.begin) && ir::is_constant(l.end);
  }

  [[nodiscard]] bool find_product() {
    auto const term = ir::match_added_term(made_.sum);
    if (!term || term->kind != dot_term::product) return false;
    made_.left = term->left;
    made_.right = term->right;
    if (mentions(made_.right, rows())) std::swap(made_.left, made_.right);
    if (mentions(made_.right, rows()) || mentions(made_.left, columns())) return false;
    auto const how = tile_product_of(made_.left->type, made_.right->type, made_.sum.to->type);
    if (how) how_ = *how;
    return how.has_value();
  }
  [[nodiscard]] static bool mentions(ir::expr const& a, ir::loop const& l) {
    return ir::any_mentions(ir::as<ir::access>(a)->indices, l.variable);
  }

  /// Returns true if the tiles of all sums fit the registers, beside one of each operand, and a tile fits a register.
  [[nodiscard]] bool fits_registers(ir::matrix_multiply const& n) const {
    std::int64_t sums = 1;
    for (auto l = n.loops.begin(); l != n.loops.end() - 3; ++l)
      if (is_group(*l)) sums *= ir::constant_integer(l->end) - ir::constant_integer(l->begin);
    auto const extent = [&](std::size_t from_end) { return extent_from_zero(n.loops[n.loops.size() - from_end]); };
    return sums >= 1 && sums <= tile_product::registers - 2 && extent(3) <= tile_product::rows &&
           extent(2) <= tile_product::columns && extent(1) <= how_.most_terms() && extent(1) % how_.together == 0;
  }

  // --------------------------------------------------------------------------------------- elements in memory

  /// Returns true if rows are apart by constant distances, and the other elements of a tile are where the instruction
  /// expects them.
  [[nodiscard]] bool are_apart_by_strides(ir::matrix_multiply const& n) const {
    auto const& left = *ir::as<ir::access>(n.left);
    auto const& right = *ir::as<ir::access>(n.right);
    auto const* a = memory_of(left.from);
    auto const* b = memory_of(right.from);
    if (!a || !b || !memory_of(n.sum.to) || a == n.sum.to.get() || b == n.sum.to.get()) return false;
    auto known = known_;
    for (auto l = n.loops.end() - 3; l != n.loops.end(); ++l) known[l->variable] = {0, extent_from_zero(*l) - 1};
    known[group_] = {0, std::max<std::int64_t>(extent_from_zero(n.loops.back()) / how_.together, 1) - 1};
    known[term_] = {0, how_.together - 1};
    auto const of_sum = flat(*n.sum.to, n.sum.indices, known);
    auto const of_left = flat(*a, left.indices, known);
    if (!is_apart(of_sum, columns().variable, 1) || !distance(of_sum, rows().variable) ||
        !is_apart(of_left, terms().variable, 1) || !distance(of_left, rows().variable))
      return false;
    auto const of_right = flat(*b, in_groups(right.indices), known);
    return is_apart(of_right, columns().variable, how_.together) && distance(of_right, group_) &&
           is_apart(of_right, term_, 1);
  }

  /// Returns a buffer in memory whose strides are known; null for all other sources.
  [[nodiscard]] static ir::buffer const* memory_of(ir::source const& from) {
    auto const* b = std::get_if<handle<ir::buffer>>(&from);
    bool const known =
        b && (*b)->where != ir::memory::registers && (*b)->content.empty() && (*b)->strides == operand_strides::dense;
    return known ? b->get() : nullptr;
  }

  /// Returns the number of an element, as a linear form.
  [[nodiscard]] static arith::linear_form flat(ir::buffer const& b, std::vector<ir::expr> const& indices,
                                               arith::ranges const& known) {
    arith::linear_form sum;
    std::int64_t apart = 1;
    for (auto d = indices.size(); d-- > 0;) {
      sum.add(arith::to_linear(arith::simplify(indices[d], known)), apart);
      apart *= b.extents[d];
    }
    return sum;
  }

  /// Returns the coefficient of a variable that occurs nowhere else in the form; nothing if it does.
  [[nodiscard]] static std::optional<std::int64_t> distance(arith::linear_form const& f, std::string const& variable) {
    std::int64_t made = 0;
    for (auto const& [atom, times] : f.terms) {
      auto const* v = ir::as<ir::variable>(atom);
      if (v && v->name == variable) made = times;
      else if (ir::mentions(atom, {variable})) return std::nullopt;
    }
    return made;
  }
  [[nodiscard]] static bool is_apart(arith::linear_form const& f, std::string const& variable, std::int64_t by) {
    return distance(f, variable) == std::optional<std::int64_t>(by);
  }

  /// Writes the number of a term as that of its group and that in the group.
  [[nodiscard]] std::vector<ir::expr> in_groups(std::vector<ir::expr> indices) const {
    auto const number = ir::make_variable(group_) * ir::make_index(how_.together) + ir::make_variable(term_);
    for (auto& i : indices) i = arith::substitute(i, terms().variable, number);
    return indices;
  }

  // ---------------------------------------------------------------------------------------------------- edges

  /// Appends the statements for a product under conditions: one, or one for each iteration of groups that conditions
  /// mention, with the rows, columns and terms that fulfil them. Returns false if these are not the first ones.
  [[nodiscard]] bool add_parts(ir::matrix_multiply of, conditions const& all) {
    for (auto l = of.loops.begin(); l != of.loops.end() - 3; ++l)
      if (is_group(*l) && ir::any_mentions(all, l->variable)) return add_iterations(of, l - of.loops.begin(), all);
    for (auto const& c : all) {
      auto const left = arith::simplify(c, known_);
      if (ir::is_constant(left) && ir::constant_integer(left) == 0) return true;
      if (!ir::is_constant(left) && !shorten(of, left)) return false;
    }
    if (!fits_registers(of) || !are_apart_by_strides(of)) return false;
    parts_.push_back(ir::make_statement(std::move(of)));
    return true;
  }

  /// Appends the statements for each iteration of a group.
  [[nodiscard]] bool add_iterations(ir::matrix_multiply const& of, std::ptrdiff_t at, conditions const& all) {
    auto const group = of.loops[static_cast<std::size_t>(at)];
    for (auto i = ir::constant_integer(group.begin); i < ir::constant_integer(group.end); ++i) {
      auto const here = [&](ir::expr const& e) { return arith::substitute(e, group.variable, ir::make_index(i)); };
      auto one = of;
      one.loops.erase(one.loops.begin() + at);
      auto const made =
          ir::map_parts(ir::make_statement(std::move(one)), [](ir::stmt const& part) { return part; }, here);
      auto some = all;
      for (auto& c : some) c = here(c);
      if (!add_parts(*ir::as<ir::matrix_multiply>(made), some)) return false;
    }
    return true;
  }

  /// Ends the loop over rows, columns or terms where a condition does. Returns false for a condition of another kind.
  [[nodiscard]] static bool shorten(ir::matrix_multiply& n, ir::expr const& condition) {
    auto const form = arith::as_non_negative(condition);
    if (!form || form->terms.size() != 1 || form->terms[0].second != -1 || form->constant < 0) return false;
    auto const l = std::find_if(n.loops.end() - 3, n.loops.end(),
                                [&](ir::loop const& tile) { return tile.variable == form->terms[0].first; });
    if (l == n.loops.end()) return false;
    l->end = ir::make_index(std::min(ir::constant_integer(l->end), form->constant + 1));
    return true;
  }

  [[nodiscard]] ir::expr without_lets(ir::expr e) const {
    for (auto l = lets_.rbegin(); l != lets_.rend(); ++l) e = arith::substitute(e, (*l)->variable, (*l)->value);
    return e;
  }
  [[nodiscard]] std::vector<ir::expr> without_lets(std::vector<ir::expr> indices) const {
    for (auto& i : indices) i = without_lets(i);
    return indices;
  }

  ir::loop const& outermost_;
  arith::ranges known_;
  std::vector<ir::let const*> lets_;
  conditions conditions_;
  ir::matrix_multiply made_;
  tile_product how_;
  std::vector<ir::stmt> parts_;
  std::string group_ = "group of terms";
  std::string term_ = "term of a group";
};

/// Replaces tensorized products of matrices by statements for tiles, or by plain loops.
class tile_product_walk {
 public:
  explicit tile_product_walk(target const& machine) : machine_(machine) {}

  [[nodiscard]] ir::stmt rewrite(ir::stmt const& s) {
    if (!s) return s;
    if (auto const* n = ir::as<ir::let>(s)) known_[n->variable] = {n->low, n->high - 1};
    if (auto const* l = ir::as<ir::loop>(s)) {
      if (machine_.has_tiles)
        if (auto made = tile_product_matcher(*l, known_).match()) return made;
      if (is_tile(*l)) return plain_loops(*l);
      known_[l->variable] = values_of(*l, known_);
    }
    auto made =
        ir::map_parts(s, [&](ir::stmt const& part) { return rewrite(part); }, [](ir::expr const& e) { return e; });
    auto const* several = ir::as<ir::block>(made);
    return several ? with_first_values(*several, made) : made;
  }

 private:
  /// Merges loops that store zeros into the product that adds to them, if its tiles are the whole buffer.
  [[nodiscard]] static ir::stmt with_first_values(ir::block const& of, ir::stmt const& s) {
    std::vector<ir::stmt> made;
    bool merged = false;
    for (auto const& part : of.body) {
      auto const* product = ir::as<ir::matrix_multiply>(part);
      bool const from_zero = product && !product->from_zero && !made.empty() && elements_of(*product) != 0 &&
                             zeros_in(made.back(), product->sum.to, 1) == elements_of(*product);
      merged = merged || from_zero;
      if (!from_zero) {
        made.push_back(part);
        continue;
      }
      auto changed = *product;
      changed.from_zero = true;
      made.back() = ir::make_statement(std::move(changed));
    }
    return !merged ? s : made.size() == 1 ? made[0] : ir::make_block(std::move(made));
  }

  /// Returns the elements of a product's tiles if they are all elements of their buffer, else 0.
  [[nodiscard]] static std::int64_t elements_of(ir::matrix_multiply const& n) {
    std::int64_t count = 1;
    for (auto const& l : n.loops)
      if (ir::any_mentions(n.sum.indices, l.variable)) count *= extent_from_zero(l);
    return n.unit == ir::matrix_unit::tiles && count == n.sum.to->elements() ? count : 0;
  }
  /// Returns the number of elements that loops of constant length, and nothing else, set to zero; else 0.
  [[nodiscard]] static std::int64_t zeros_in(ir::stmt const& s, handle<ir::buffer> const& to, std::int64_t around) {
    if (auto const* l = ir::as<ir::loop>(s)) return zeros_in(l->body, to, around * extent_from_zero(*l));
    auto const* w = ir::as<ir::store>(s);
    return w && w->to == to && ir::equal(w->value, ir::make_identity(ir::reduction_kind::sum, to->type)) ? around : 0;
  }

  /// Returns true for the outermost of three tensorized loops, possibly with conditions between them.
  [[nodiscard]] static bool is_tile(ir::loop const& l) {
    auto const* columns = tensorized_inside(l);
    return l.kind == ir::loop_kind::tensorized && columns && tensorized_inside(*columns);
  }
  [[nodiscard]] static ir::loop const* tensorized_inside(ir::loop const& l) {
    auto const* c = ir::as<ir::conditional>(l.body);
    auto const* inner = ir::as<ir::loop>(c && !c->otherwise ? c->then : l.body);
    return inner && inner->kind == ir::loop_kind::tensorized ? inner : nullptr;
  }

  /// Returns the loops that compute the same sums: rows one after the other, columns in lanes.
  [[nodiscard]] ir::stmt plain_loops(ir::loop const& rows) const {
    auto const& columns = *tensorized_inside(rows);
    auto const& terms = *tensorized_inside(columns);
    auto const in_lanes = [&](ir::stmt const& body) {
      return ir::make_loop(columns.variable, columns.begin, columns.end, ir::loop_kind::vectorized,
                           with_condition_of(columns, body));
    };
    auto const each = dot_terms(terms);
    auto const inner =
        each > 1 ? in_dots(terms, each, in_lanes)
                 : ir::make_loop(terms.variable, terms.begin, terms.end, ir::loop_kind::serial, in_lanes(terms.body));
    return ir::make_loop(rows.variable, rows.begin, rows.end, ir::loop_kind::serial, with_condition_of(rows, inner));
  }
  [[nodiscard]] static ir::stmt with_condition_of(ir::loop const& l, ir::stmt const& body) {
    auto const* c = ir::as<ir::conditional>(l.body);
    return c ? ir::make_conditional(c->condition, body, {}) : body;
  }

  /// Returns a loop over dot products of `each` terms.
  template <class InLanes>
  [[nodiscard]] ir::stmt in_dots(ir::loop const& terms, std::int64_t each, InLanes const& in_lanes) const {
    auto const group = terms.variable + ".group";
    auto const count = extent_from_zero(terms) / each;
    auto known = known_;
    known[group] = {0, count - 1};
    known[terms.variable] = {0, each - 1};
    auto const number = ir::make_variable(group) * ir::make_index(each) + ir::make_variable(terms.variable);
    auto const sum =
        arith::simplify(arith::substitute(terms.body, arith::substitution{{terms.variable, number}}), known);
    return ir::make_loop(group, ir::make_index(0), ir::make_index(count), ir::loop_kind::serial,
                         in_lanes(ir::make_loop(terms.variable, ir::make_index(0), ir::make_index(each),
                                                ir::loop_kind::tensorized, sum)));
  }

  /// Returns the terms of the machine's dot product for a sum; 1 if it has none, or if they do not divide the loop's.
  [[nodiscard]] std::int64_t dot_terms(ir::loop const& terms) const {
    auto const* sum = ir::as<ir::store>(terms.body);
    auto const term = sum ? ir::added_term(*sum) : ir::expr{};
    auto const dot = term ? ir::find_dot(machine_, term, sum->to->type) : std::nullopt;
    return dot && extent_from_zero(terms) % dot->how.terms == 0 ? dot->how.terms : 1;
  }

  target const& machine_;
  arith::ranges known_;
};

}  // namespace detail

ir::stmt match_tile_products(ir::stmt const& s, target const& machine) {
  return detail::tile_product_walk(machine).rewrite(s);
}

}}}  // namespace ttune::v0::lowering
