// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ttune/capture/complex_parts.hpp"
#include "ttune/capture/complex_sums.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace capture {

namespace detail {

/// The axis of a sum's terms over the parts of a factor.
inline constexpr char const* terms_axis = "part";

/// Returns the expression that is `real` for part 0 and `imaginary` for part 1 of an axis; nothing if they differ by
/// more than the part that they read.
[[nodiscard]] inline std::optional<ir::expr> joined_parts(ir::expr const& real, ir::expr const& imaginary,
                                                          std::string const& axis) {
  if (ir::equal(real, imaginary)) return real;
  if (real->type == dtype::index && ir::is_constant(real, 0) && ir::is_constant(imaginary, 1))
    return ir::make_variable(axis);
  auto const* a = ir::as<ir::access>(real);
  auto const* b = ir::as<ir::access>(imaginary);
  if (a && b) {
    bool const filled = a->fill && b->fill ? ir::equal(a->fill, b->fill) : !a->fill && !b->fill;
    if (ir::identity(a->from) != ir::identity(b->from) || a->component != b->component || a->outside != b->outside ||
        !filled)
      return std::nullopt;
    std::vector<ir::expr> indices;
    for (std::size_t d = 0; d < a->indices.size(); ++d) {
      auto index = joined_parts(a->indices[d], b->indices[d], axis);
      if (!index) return std::nullopt;
      indices.push_back(std::move(*index));
    }
    return ir::make_access(a->from, std::move(indices), a->outside, a->fill, a->component);
  }
  auto const* x = ir::as<ir::binary>(real);
  auto const* y = ir::as<ir::binary>(imaginary);
  if (!x || !y || x->op != y->op) return std::nullopt;
  auto const left = joined_parts(x->left, y->left, axis);
  auto const right = joined_parts(x->right, y->right, axis);
  if (!left || !right) return std::nullopt;
  return ir::make_binary(x->op, *left, *right);
}

/// A factor of a complex product: its parts, and whether the imaginary one counts with its sign changed.
struct complex_factor {
  ir::expr real;
  ir::expr imaginary;
  bool conjugated = false;

  [[nodiscard]] std::optional<ir::expr> at(std::string const& axis) const {
    return joined_parts(real, imaginary, axis);
  }
};

[[nodiscard]] inline complex_factor as_factor(ir::expr const& real, ir::expr const& imaginary) {
  auto const* u = ir::as<ir::unary>(imaginary);
  if (u && u->op == ir::unary_op::negate && joined_parts(real, u->operand, terms_axis)) return {real, u->operand, true};
  return {real, imaginary, false};
}

[[nodiscard]] inline ir::binary const* operation_of(ir::expr const& e, ir::binary_op op) {
  auto const* b = ir::as<ir::binary>(e);
  return b && b->op == op ? b : nullptr;
}

/// The parts of a complex value.
struct complex_parts_of_value {
  ir::expr real;
  ir::expr imaginary;
};

/// Returns the parts of a value that computes them differently; nothing for one that is linear in complex elements.
[[nodiscard]] inline std::optional<complex_parts_of_value> parts_of_value(ir::expr const& value) {
  auto const asks_for_part = [](ir::expr const& e) {
    auto const* v = ir::as<ir::variable>(e);
    return v && v->name == parts_axis;
  };
  bool const differs = ir::contains(value, [&](ir::expr const& e) {
    auto const* s = ir::as<ir::select>(e);
    return s && ir::contains(s->condition, asks_for_part);
  });
  if (!differs) return std::nullopt;
  return complex_parts_of_value{part_taker(0).of(value), part_taker(1).of(value)};
}

/// Returns the two factors of a product of complex expressions.
[[nodiscard]] inline std::optional<std::pair<complex_factor, complex_factor>> factors_of(
    complex_parts_of_value const& value) {
  auto const* below = operation_of(value.real, ir::binary_op::subtract);
  auto const* above = operation_of(value.imaginary, ir::binary_op::add);
  if (!below || !above) return std::nullopt;
  auto const* of_reals = operation_of(below->left, ir::binary_op::multiply);
  auto const* of_imaginaries = operation_of(below->right, ir::binary_op::multiply);
  auto const* first = operation_of(above->left, ir::binary_op::multiply);
  auto const* second = operation_of(above->right, ir::binary_op::multiply);
  if (!of_reals || !of_imaginaries || !first || !second) return std::nullopt;
  bool const is_product = ir::equal(of_reals->left, first->left) && ir::equal(of_reals->right, second->right) &&
                          ir::equal(of_imaginaries->left, second->left) &&
                          ir::equal(of_imaginaries->right, first->right);
  if (!is_product) return std::nullopt;
  return std::pair{as_factor(of_reals->left, of_imaginaries->left), as_factor(of_reals->right, of_imaginaries->right)};
}

[[nodiscard]] inline std::set<std::string> axes_in(ir::expr const& e) {
  std::set<std::string> found;
  ir::for_each_node(e, [&](ir::expr const& n) {
    if (auto const* v = ir::as<ir::variable>(n)) found.insert(v->name);
  });
  return found;
}

/// A factor is turned if so many results use each of its elements: else that takes longer than it saves. (Two cores,
/// AVX-512, m x 2048 x 1024, against a sum for each part: 8 rows 2.5 to 1.8 ms, 16 rows 2.8 to 3.2, 32 rows 4.7
/// to 6.6.)
inline constexpr double least_uses = 16;

/// Rewrites one sum, and adds its stages to a program.
class complex_sum {
 public:
  complex_sum(ir::stage const& st, ir::program_builder& to) : stage_(st), program_(to) {
    for (auto const& a : st.axes)
      if (a.name != parts_axis) free_.push_back(a.name);
  }

  /// Returns the stage that replaces the sum; null if it stays.
  [[nodiscard]] handle<ir::stage> run() const {
    bool const is_sum = stage_.reduction.kind == ir::reduction_kind::sum && stage_.components.size() == 1 &&
                        !stage_.updates && !stage_.predicate;
    bool const has_parts = is_sum && has_axis(parts_axis) && !has_axis(terms_axis);
    auto const value = has_parts ? parts_of_value(stage_.components[0].value) : std::nullopt;
    if (!value) return {};
    if (auto const factors = free_.empty() ? std::nullopt : factors_of(*value)) {
      auto const& last = free_.back();
      bool const second = axes_in(factors->second.real).contains(last);
      auto made = turned(second ? factors->first : factors->second, second ? factors->second : factors->first);
      if (made) return made;
    }
    return apart(*value);
  }

 private:
  [[nodiscard]] bool has_axis(std::string const& name) const {
    auto const is_it = [&](ir::axis const& a) { return a.name == name; };
    return std::any_of(stage_.axes.begin(), stage_.axes.end(), is_it) ||
           std::any_of(stage_.reduction.axes.begin(), stage_.reduction.axes.end(), is_it);
  }

  /// Returns the number of results that use an element of a factor.
  [[nodiscard]] double uses_of(ir::expr const& factor) const {
    auto const used = axes_in(factor);
    double uses = 1;
    for (auto const& a : stage_.axes)
      if (!used.contains(a.name)) uses *= static_cast<double>(a.size());
    return uses;
  }

  /// Returns the sum with the parts of one factor as terms, of a stage of the other one; null if that one is no
  /// element. Its dimensions come in this order: those of both factors, of terms, and its own.
  [[nodiscard]] handle<ir::stage> turned(complex_factor const& kept, complex_factor const& other) const {
    auto const as_it_lies = kept.at(terms_axis);
    auto const element = other.at(parts_axis);
    auto const* read = element ? ir::as<ir::access>(*element) : nullptr;
    if (element && uses_of(*element) < least_uses) return {};
    auto const* fill = read ? ir::as<ir::constant>(read->fill) : nullptr;
    if (!as_it_lies || !read || (read->fill && (!fill || fill->real != 0))) return {};

    std::vector<std::size_t> dimensions[3];
    std::vector<ir::expr> at(read->indices.size());  // where the stage reads the factor
    auto const of_kept = axes_in(*as_it_lies);
    std::size_t of_parts = 0;
    for (std::size_t d = 0; d < read->indices.size(); ++d) {
      auto const used = axes_in(read->indices[d]);
      auto const is_term = [&](std::string const& axis) { return !is_free(axis); };
      if (used.contains(parts_axis)) of_parts = d;
      else if (used.empty() && read->outside == ir::boundary::none) at[d] = read->indices[d];
      else if (!used.empty() && std::all_of(used.begin(), used.end(), is_term)) dimensions[1].push_back(d);
      else if (std::any_of(used.begin(), used.end(),
                           [&](auto const& axis) { return is_free(axis) && of_kept.contains(axis); }))
        dimensions[0].push_back(d);
      else dimensions[2].push_back(d);
    }

    ir::stage made;
    made.name = stage_.name + ".turned";
    std::vector<ir::expr> indices;  // in the sum
    auto const add = [&](std::string const& axis, ir::extent const& end, ir::expr const& index) {
      made.axes.push_back({axis, 0, end});
      indices.push_back(index);
    };
    auto const add_all = [&](std::vector<std::size_t> const& all) {
      for (auto const d : all) {
        auto const axis = "d" + std::to_string(d);
        add(axis, extents_of(read->from)[d], read->indices[d]);
        at[d] = ir::make_variable(axis);
      }
    };
    add_all(dimensions[0]);
    add_all(dimensions[1]);
    add(terms_axis, 2, ir::make_variable(terms_axis));
    add_all(dimensions[2]);
    add(parts_axis, 2, ir::make_variable(parts_axis));
    auto const part = [&](ir::expr const& which) {
      auto place = at;
      place[of_parts] = which;
      return ir::make_access(read->from, std::move(place), ir::boundary::none, {}, read->component);
    };
    auto const is_first = [](char const* axis) {
      return ir::make_binary(ir::binary_op::equal, ir::make_variable(axis), index_of_part(0));
    };
    auto const negative = [](ir::expr const& e) { return ir::make_unary(ir::unary_op::negate, e); };
    auto const real = part(index_of_part(0));
    auto const imaginary = part(index_of_part(1));
    auto const straight = other.conjugated ? ir::make_select(is_first(parts_axis), real, negative(imaginary))
                                           : part(ir::make_variable(parts_axis));
    bool const above = kept.conjugated != other.conjugated;  // the product of the imaginary parts is added
    auto const crossed = ir::make_select(is_first(parts_axis), above ? imaginary : negative(imaginary),
                                         kept.conjugated ? negative(real) : real);
    made.components.push_back({"", real->type, ir::make_select(is_first(terms_axis), straight, crossed)});

    auto const factor = program_.add(made);
    auto sum = stage_;
    sum.reduction.axes.push_back({terms_axis, 0, 2});
    sum.components[0].value = ir::make_binary(ir::binary_op::multiply, *as_it_lies,
                                              ir::make_access(factor, std::move(indices), read->outside, read->fill));
    return program_.add(sum);
  }

  /// Returns a sum for each part, and the stage that joins them.
  [[nodiscard]] handle<ir::stage> apart(complex_parts_of_value const& value) const {
    std::vector<ir::expr> reads;
    for (int which = 0; which < 2; ++which) {
      auto sum = stage_;
      sum.name += which == 0 ? ".re" : ".im";
      std::erase_if(sum.axes, [](ir::axis const& a) { return a.name == parts_axis; });
      sum.components[0].value = which == 0 ? value.real : value.imaginary;
      sum.order = ir::layout::row_major;
      sum.strides = operand_strides::dense;
      std::vector<ir::expr> indices;
      for (auto const& a : sum.axes) indices.push_back(ir::make_variable(a.name));
      reads.push_back(ir::make_access(program_.add(sum), std::move(indices), ir::boundary::none, {}));
    }
    auto joined = stage_;
    joined.reduction = {};
    auto is_real = ir::make_binary(ir::binary_op::equal, ir::make_variable(parts_axis), index_of_part(0));
    joined.components[0].value = ir::make_select(std::move(is_real), reads[0], reads[1]);
    return program_.add(joined);
  }

  [[nodiscard]] bool is_free(std::string const& axis) const {
    return std::find(free_.begin(), free_.end(), axis) != free_.end();
  }
  /// Returns the extents of a source, with the names of those that calls give.
  [[nodiscard]] static std::vector<ir::extent> extents_of(ir::source const& from) {
    if (auto const* t = std::get_if<handle<ir::tensor>>(&from)) return (*t)->shape;
    std::vector<ir::extent> made;
    for (auto const& a : std::get<handle<ir::stage>>(from)->axes) made.push_back(a.end);
    return made;
  }

  ir::stage const& stage_;
  ir::program_builder& program_;
  std::vector<std::string> free_;  ///< without the axis of the parts
};

}  // namespace detail

handle<ir::program> split_complex_sums(handle<ir::program> const& p) {
  ir::program_builder made(p);
  for (auto const& st : p->stages) {
    if (auto const sum = detail::complex_sum(*st, made).run()) made.replace(st, sum);
    else made.keep(st);
  }
  return made.finish();
}

}}}  // namespace ttune::v0::capture
