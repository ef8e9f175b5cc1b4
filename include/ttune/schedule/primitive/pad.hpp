// SPDX-License-Identifier: Apache-2.0
// pad: a sum of products reads an operand through a copy with zeros around it, so that no term is absent at the edges.
//
//   S(y) = sum(r) I(y + r - 1) * W(r)            →   P(y) = 0 < y && y <= n ? I(y - 1) : 0
//          where 0 <= y + r - 1 && y + r - 1 < n     S(y) = sum(r) P(y + r) * W(r)                    pad(I, "P")
//
// For integers only: a product of 0 and an infinity is no number, and an absent term of a sum of floats adds nothing
// whatever its other factor is (ir/README.md, "Absent terms").
//
// .pad(I, "P") prints
//
//   S(I i8 (8), W i8 (3)) -> S i32 (8)
//   S(y) = sum(r < 3) cast<i32>(I(y + r - 1)) * cast<i32>(W(r)) where 1 <= r + y && r + y < 9
// →
//   S(I i8 (8), W i8 (3)) -> S i32 (8)
//   P(d0 < 10) = select(1 <= d0 && d0 < 9, I(d0 - 1), 0)
//   S(y) = sum(r < 3) cast<i32>(P(r + y)) * cast<i32>(W(r))
#pragma once

#include <string>
#include <utility>

#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class pad_call {
 public:
  /// Makes the current stage, a sum of products of integers, read an operand or a stage through a copy with zeros where
  /// it has no elements.
  template <class Source>
  [[nodiscard]] auto pad(Source const& source, std::string copy) const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::pad, {typed::source_text(source)},
                            {std::move(copy)});
  }
};

template <>
struct rules<primitive::pad> : default_rules {
  template <class Draw>
  static void draw(Draw& random, stage_plan const& st, step& s) {
    s.results = {random.fresh("padded")};
    s.loops = {random.some_source(st)};
  }
  [[nodiscard]] static std::string arguments(step const& s, cpp_names& names);
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include <algorithm>

#include "ttune/arith/conditions.hpp"
#include "ttune/arith/simplify.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/narrow_term.hpp"
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// A sum of products of integers one of whose factors is the read of an operand.
class padded_sum {
 public:
  padded_sum(ir::stage const& sum, step const& s) : sum_(sum), step_(s) {
    for (auto const* axes : {&sum.axes, &sum.reduction.axes})
      for (auto const& a : *axes) {
        if (!a.end.is_constant()) refuse(s, a.name, "its end is not known: the copy has a size of its own");
        known_[a.name] = {a.begin, a.begin + a.size() - 1};
      }
    find_factor();
    if (sum.predicate) arith::conjuncts(sum.predicate, rest_);
    for (std::size_t d = 0; d < read_->indices.size(); ++d) add_dimension(d);
    if (inside_.empty()) refuse(s, s.loops[0], "no term reads outside of it");
    require_conditions_of_others();
  }

  /// Returns the stage of the copy.
  [[nodiscard]] ir::stage copy() const {
    ir::stage made{{}, step_.results.at(0), {}, {}, {}, {}, {}};
    std::vector<ir::expr> indices;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      auto const name = "d" + std::to_string(d);
      made.axes.push_back({name, 0, dimensions_[d].high - dimensions_[d].low + 1});
      indices.push_back(ir::make_variable(name) + ir::make_index(dimensions_[d].low));
    }
    auto const type = ir::type_of(read_->from, read_->component);
    auto const element = ir::make_access(read_->from, indices, ir::boundary::none, {}, read_->component);
    made.components.push_back(
        {"", type, ir::make_select(arith::conjunction(inside_), element, ir::make_integer(type, 0))});
    return made;
  }

  /// Returns the sum that reads the copy.
  [[nodiscard]] ir::stage over(handle<ir::stage> const& copy) const {
    auto made = map_stage(sum_, [&](ir::expr const& e) {
      return map_accesses(e, [&](ir::expr const& whole, ir::access const& a) {
        if (identity(a.from) != identity(read_->from)) return whole;
        std::vector<ir::expr> indices;
        for (std::size_t d = 0; d < a.indices.size(); ++d)
          indices.push_back(arith::simplify(a.indices[d] - ir::make_index(dimensions_[d].low), known_));
        return ir::make_access(copy, indices);
      });
    });
    made.predicate = rest_.empty() ? ir::expr{} : arith::conjunction(rest_);
    return made;
  }

 private:
  /// Finds the factor; the operand must not be read anywhere else.
  void find_factor() {
    auto const& name = step_.loops.at(0);
    if (sum_.components.size() != 1 || sum_.reduction.kind != ir::reduction_kind::sum ||
        is_float(sum_.components[0].type))
      refuse(step_, sum_.name, "is no sum of integers: zeros could change the result");
    auto const& value = sum_.components[0].value;
    int reads = 0;
    ir::for_each_node(value, [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      reads += a && ir::name_of(a->from) == name ? 1 : 0;
    });
    auto const term = ir::match_narrow_term(value);
    for (auto const* factor : {term ? &term->left : nullptr, term ? &term->right : nullptr})
      if (factor && ir::name_of(ir::as<ir::access>(*factor)->from) == name) read_ = ir::as<ir::access>(*factor);
    if (!read_ || reads != 1 || term->kind != dot_term::product)
      refuse(step_, name, "is no factor, widened, of the terms of " + sum_.name + ", or is read twice");
  }

  /// Finds the elements along a dimension that terms read, and takes the conditions that they exist from the predicate.
  void add_dimension(std::size_t d) {
    auto const& index = read_->indices[d];
    auto const at = arith::bounds(index, known_);
    auto const extent = ir::extents_of(read_->from)[d];
    if (!extent.is_constant() || !arith::is_bounded(at))
      refuse(step_, step_.loops.at(0), "which elements are read is not known: the copy has a size of its own");
    auto const size = extent.value;
    dimensions_.push_back({std::min<std::int64_t>(at.low, 0), std::max(at.high, size - 1)});
    auto const place = ir::make_variable("d" + std::to_string(d)) + ir::make_index(dimensions_.back().low);
    auto const take = [&](ir::expr const& condition, ir::expr const& of_copy) {
      auto const found = find(condition);
      if (found == rest_.end())
        refuse(step_, step_.loops.at(0), "the condition that its elements exist is not one for each dimension");
      rest_.erase(found);
      inside_.push_back(arith::simplify(of_copy, {}));
    };
    if (at.low < 0) take(not_negative(index), not_negative(place));
    if (at.high >= size) take(below(index, size), below(place, size));
  }

  /// Refuses a sum whose other reads need a condition that the copy took: both operands had it in common.
  void require_conditions_of_others() const {
    ir::for_each_node(sum_.components[0].value, [&](ir::expr const& e) {
      auto const* a = ir::as<ir::access>(e);
      if (!a || identity(a->from) == identity(read_->from)) return;
      auto const extents = ir::extents_of(a->from);
      for (std::size_t d = 0; d < a->indices.size(); ++d) {
        auto const& index = a->indices[d];
        auto const at = arith::bounds(index, known_);
        bool const is_inside = extents[d].is_constant() && arith::is_bounded(at) &&
                               (at.low >= 0 || find(not_negative(index)) != rest_.end()) &&
                               (at.high < extents[d].value || find(below(index, extents[d].value)) != rest_.end());
        if (!is_inside)
          refuse(step_, ir::name_of(a->from), "is read under the same condition, which the copy would take away");
      }
    });
  }

  [[nodiscard]] std::vector<ir::expr>::const_iterator find(ir::expr const& condition) const {
    auto const as_written = arith::simplify(condition, known_);
    return std::find_if(rest_.begin(), rest_.end(), [&](ir::expr const& c) { return ir::equal(c, as_written); });
  }
  [[nodiscard]] static ir::expr not_negative(ir::expr const& i) {
    return ir::make_binary(ir::binary_op::less_equal, ir::make_index(0), i);
  }
  [[nodiscard]] static ir::expr below(ir::expr const& i, std::int64_t size) {
    return ir::make_binary(ir::binary_op::less, i, ir::make_index(size));
  }

  ir::stage const& sum_;
  step const& step_;
  arith::ranges known_;
  ir::access const* read_ = nullptr;
  std::vector<arith::interval> dimensions_;  ///< the elements of the copy, as indices of the operand
  std::vector<ir::expr> rest_;               ///< other conditions of the terms
  std::vector<ir::expr> inside_;             ///< the conditions under which the copy has an element of the operand
};

std::string rules<primitive::pad>::arguments(step const& s, cpp_names& names) {
  return names.quoted(s.loops[0]) + ", " + names.quoted(s.results[0]);
}

handle<ir::program> rules<primitive::pad>::apply(handle<ir::program> const& p, step const& s) {
  auto const reader = find_stage(p, s, s.stage);
  require_new_stage(p, s, s.results.at(0));
  padded_sum const padded(*reader, s);
  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st == reader) b.replace(st, b.add(padded.over(b.add(padded.copy()))));
    else b.keep(st);
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
