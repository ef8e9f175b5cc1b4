// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ttune/arith/substitute.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/sum_in_runs.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

namespace detail {

/// Divides the sums in one buffer of registers.
class sums_of_registers {
 public:
  explicit sums_of_registers(handle<ir::buffer> of) : registers_(std::move(of)) {}

  /// Returns the statement that the registers live in, with their long sums in runs.
  [[nodiscard]] ir::stmt divided(ir::stmt const& body) {
    auto made = in_runs(body, {});
    return made == body ? body : ir::make_allocate(total_, std::move(made));
  }

 private:
  // ------------------------------------------------------------------------------------------ what is there

  [[nodiscard]] bool is_read(ir::expr const& e) const {
    auto const* a = ir::as<ir::access>(e);
    auto const* from = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
    return from && *from == registers_;
  }
  [[nodiscard]] bool reads(ir::expr const& e) const {
    return ir::contains(e, [&](ir::expr const& part) { return is_read(part); });
  }

  /// Returns true for loops over elements, vectorized or unrolled, that store their first values, and nothing else but
  /// those of other registers.
  [[nodiscard]] bool stores_first_values(ir::stmt const& s) const {
    return has_only_first_values(s) && stores_registers(s);
  }
  [[nodiscard]] bool has_only_first_values(ir::stmt const& s) const {
    if (auto const* w = ir::as<ir::store>(s)) return w->to->where == ir::memory::registers && !reads(w->value);
    auto const* l = ir::as<ir::loop>(s);
    auto const* c = ir::as<ir::conditional>(s);
    bool only = l   ? l->kind == ir::loop_kind::vectorized || l->kind == ir::loop_kind::unrolled
                : c ? !c->otherwise
                    : ir::as<ir::block>(s) != nullptr;
    if (only)
      (void)ir::map_parts(
          s, [&](ir::stmt const& part) { return only = only && (!part || has_only_first_values(part)), part; },
          [](ir::expr const& e) { return e; });
    return only;
  }
  [[nodiscard]] bool stores_registers(ir::stmt const& s) const {
    return ir::any_statement(s, [&](ir::stmt const& part) {
      auto const* w = ir::as<ir::store>(part);
      return w && w->to == registers_;
    });
  }

  /// Returns the number of iterations of a loop; 0 if it is not constant.
  [[nodiscard]] static std::int64_t iterations_of(ir::loop const& l) {
    if (!ir::is_constant(l.begin) || !ir::is_constant(l.end)) return 0;
    return ir::constant_integer(l.end) - ir::constant_integer(l.begin);
  }

  /// Returns true if a store adds a term to its element, or takes one away.
  [[nodiscard]] bool is_sum(ir::store const& w) const {
    auto const* sum = ir::as<ir::binary>(w.value);
    if (!sum || (sum->op != ir::binary_op::add && sum->op != ir::binary_op::subtract)) return false;
    auto const is_element = [&](ir::expr const& e) {
      return is_read(e) && ir::as<ir::access>(e)->indices == w.indices;
    };
    return (is_element(sum->left) && !reads(sum->right)) ||
           (sum->op == ir::binary_op::add && is_element(sum->right) && !reads(sum->left));
  }

  struct terms {
    bool only_sums = true;    ///< nothing else is done with the registers
    std::int64_t number = 0;  ///< terms of one element, at most; 0 if there are none
  };
  /// Counts the terms of a statement. Loops whose variable selects the element add none.
  [[nodiscard]] terms terms_of(ir::stmt const& s) const {
    terms made;
    if (auto const* w = ir::as<ir::store>(s); w && w->to == registers_) return {is_sum(*w), 1};
    (void)ir::map_parts(
        s,
        [&](ir::stmt const& part) {
          auto const inside = terms_of(part);
          made.only_sums = made.only_sums && inside.only_sums;
          made.number += inside.number;
          return part;
        },
        [&](ir::expr const& e) { return made.only_sums = made.only_sums && !reads(e), e; });
    auto const* l = ir::as<ir::loop>(s);
    if (l && !selects_element(l->variable, l->body)) made.number *= std::max<std::int64_t>(1, iterations_of(*l));
    return made;
  }
  [[nodiscard]] bool selects_element(std::string const& variable, ir::stmt const& s) const {
    return ir::any_statement(s, [&](ir::stmt const& part) {
      auto const* w = ir::as<ir::store>(part);
      return w && w->to == registers_ && ir::any_mentions(w->indices, variable);
    });
  }

  // ---------------------------------------------------------------------------------------------- the runs

  /// Divides the outermost loops that have many terms, or loops inside of them if one iteration has many.
  /// `first_values` stored the elements that there are.
  [[nodiscard]] ir::stmt in_runs(ir::stmt const& s, ir::stmt const& first_values) {
    if (!s) return s;
    if (auto const* of = ir::as<ir::block>(s)) return in_runs_of_block(*of, s, first_values);
    auto const* l = ir::as<ir::loop>(s);
    bool const is_over_terms = l && l->kind == ir::loop_kind::serial && !selects_element(l->variable, l->body);
    auto const inside = [&] {  // in a loop over elements, there are only those of the iteration
      auto const there = l && !is_over_terms ? ir::stmt() : first_values;
      return ir::map_parts(
          s, [&](ir::stmt const& part) { return in_runs(part, there); }, [](ir::expr const& e) { return e; });
    };
    auto const each = l ? terms_of(l->body) : terms();
    if (!l || each.number == 0 || !each.only_sums) return inside();
    bool const divides =
        first_values && is_over_terms && iterations_of(*l) > 1 && iterations_of(*l) * each.number > longest_run;
    if (divides && each.number <= longest_run) return runs_of(*l, each.number, first_values);
    auto made = inside();
    return made == s && divides ? runs_of(*l, each.number, first_values) : made;
  }
  [[nodiscard]] ir::stmt in_runs_of_block(ir::block const& of, ir::stmt const& whole, ir::stmt first_values) {
    std::vector<ir::stmt> made, values;
    for (auto const& part : of.body) {
      if (stores_first_values(part)) values.push_back(part), first_values = ir::make_block(values);
      made.push_back(in_runs(part, first_values));
    }
    return made == of.body ? whole : ir::make_block(std::move(made));
  }

  [[nodiscard]] ir::stmt runs_of(ir::loop const& l, std::int64_t terms_of_iteration, ir::stmt const& elements) {
    if (!total_) {
      auto buffer = *registers_;
      buffer.name += ".total";
      buffer.where = ir::memory::local;
      total_ = share(std::move(buffer));
    }
    auto const begin = ir::constant_integer(l.begin), iterations = iterations_of(l);
    auto const length = iterations_of_run(iterations, terms_of_iteration);
    auto const whole = iterations / length;
    auto const run = [&](ir::expr const& start, std::int64_t count) {
      auto const inner = l.variable + ".inside";
      return ir::make_block(
          {ir::make_loop(inner, ir::make_index(0), ir::make_index(count), l.kind,
                         arith::substitute(l.body, {{l.variable, start + ir::make_variable(inner)}})),
           for_all(elements, total_, [&](ir::expr const& total, ir::expr const& sum) { return total + sum; }),
           zeros(elements)});
    };
    auto const over = l.variable + ".run";
    std::vector<ir::stmt> made = {for_all(elements, total_, [](ir::expr const&, ir::expr const& sum) { return sum; }),
                                  zeros(elements),
                                  ir::make_loop(over, ir::make_index(0), ir::make_index(whole), ir::loop_kind::serial,
                                                run(ir::make_variable(over) * length + begin, length))};
    if (auto const rest = iterations % length; rest > 0)
      made.push_back(run(ir::make_index(begin + whole * length), rest));
    made.push_back(for_all(elements, registers_, [](ir::expr const& total, ir::expr const&) { return total; }));
    return ir::make_block(std::move(made));
  }

  /// Returns the iterations of a run: the largest divisor of all of them that is short enough, unless it is less than a
  /// quarter of what a run may have: as many terms as there are runs, if there are many.
  [[nodiscard]] static std::int64_t iterations_of_run(std::int64_t iterations, std::int64_t terms_of_iteration) {
    auto const root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(iterations * terms_of_iteration)));
    auto const most = std::clamp<std::int64_t>(std::max(longest_run, root) / terms_of_iteration, 1, iterations);
    for (auto length = most; 4 * length >= most; --length)
      if (iterations % length == 0) return length;
    return most;
  }

  [[nodiscard]] ir::stmt zeros(ir::stmt const& elements) const {
    return for_all(elements, registers_,
                   [&](auto const&, auto const&) { return ir::make_number(registers_->type, 0); });
  }
  /// Returns the loops over `elements`, with a store to `to` of what `value` makes of an element of the total and of
  /// the registers.
  template <class Value>
  [[nodiscard]] ir::stmt for_all(ir::stmt const& elements, handle<ir::buffer> const& to, Value const& value) const {
    return with_stores(elements, [&](ir::store const& w) {
      return ir::make_store(to, w.indices,
                            value(ir::make_access(total_, w.indices), ir::make_access(registers_, w.indices)));
    });
  }
  /// Returns loops over elements with other stores to them, and without the elements of other registers.
  template <class Store>
  [[nodiscard]] ir::stmt with_stores(ir::stmt const& s, Store const& store) const {
    if (!stores_registers(s)) return {};
    if (auto const* w = ir::as<ir::store>(s)) return store(*w);
    return ir::map_parts(
        s, [&](ir::stmt const& part) { return with_stores(part, store); }, [](ir::expr const& e) { return e; });
  }

  handle<ir::buffer> registers_;
  handle<ir::buffer> total_;  ///< null until it is needed
};

}  // namespace detail

ir::stmt sum_in_runs(ir::stmt const& s) {
  if (!s) return s;
  auto const made = ir::map_parts(s, sum_in_runs, [](ir::expr const& e) { return e; });
  auto const* a = ir::as<ir::allocate>(made);
  if (!a || a->storage->where != ir::memory::registers || !is_float(a->storage->type) || a->storage->type == dtype::f64)
    return made;
  auto body = detail::sums_of_registers(a->storage).divided(a->body);
  return body == a->body ? made : ir::make_allocate(a->storage, std::move(body));
}

}}}  // namespace ttune::v0::lowering
