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
#include "ttune/ir/open_extents.hpp"
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

[[nodiscard]] inline ir::expr is_first(char const* axis) {
  return ir::make_binary(ir::binary_op::equal, ir::make_variable(axis), index_of_part(0));
}

/// A factor is turned if so many results use each of its elements: else that takes longer than it saves. (Two cores,
/// AVX-512, m x 2048 x 1024, against a sum for each part: 8 rows 2.5 to 1.8 ms, 16 rows 2.8 to 3.2, 32 rows 4.7
/// to 6.6.)
inline constexpr double least_uses = 16;

/// The stage of a factor of complex products that is turned: it has two numbers for each part of the other factor.
class turned_factor {
 public:
  /// `read`: an element of the factor, of which `parts_axis` chooses the part. `shared`: free axes of both factors.
  turned_factor(ir::access const& read, std::set<std::string> const& free, std::set<std::string> const& shared)
      : read_(read), at_(read.indices.size()) {
    for (auto const order : {of_both, of_terms, parts_of_terms, its_own})
      if (order == parts_of_terms) add(terms_axis, 2, ir::make_variable(terms_axis));
      else add_dimensions(order, free, shared);
    add(parts_axis, 2, ir::make_variable(parts_axis));
  }

  [[nodiscard]] ir::stage stage(std::string name, bool is_conjugated, bool other_is_conjugated) {
    made_.name = std::move(name);
    auto const real = part(index_of_part(0));
    auto const imaginary = part(index_of_part(1));
    auto const straight = is_conjugated ? ir::make_select(is_first(parts_axis), real, negative(imaginary))
                                        : part(ir::make_variable(parts_axis));
    bool const adds = is_conjugated != other_is_conjugated;  // the product of both imaginary parts
    auto const crossed = ir::make_select(is_first(parts_axis), adds ? imaginary : negative(imaginary),
                                         other_is_conjugated ? negative(real) : real);
    made_.components.push_back({"", real->type, ir::make_select(is_first(terms_axis), straight, crossed)});
    return made_;
  }
  /// Returns the indices at which the sum reads the stage.
  [[nodiscard]] std::vector<ir::expr> const& indices() const noexcept { return indices_; }

 private:
  /// The places of dimensions in the stage, the outermost first; that of the parts is the last one.
  enum place { of_both, of_terms, parts_of_terms, its_own, of_parts, constant };

  [[nodiscard]] place place_of(std::set<std::string> const& used, std::set<std::string> const& free,
                               std::set<std::string> const& shared) const {
    if (used.contains(parts_axis)) return of_parts;
    if (used.empty() && read_.outside == ir::boundary::none) return constant;
    bool const has_free = std::any_of(used.begin(), used.end(), [&](auto const& axis) { return free.contains(axis); });
    if (!used.empty() && !has_free) return of_terms;
    bool const in_both = std::any_of(used.begin(), used.end(), [&](auto const& axis) { return shared.contains(axis); });
    return in_both ? of_both : its_own;
  }
  void add_dimensions(place wanted, std::set<std::string> const& free, std::set<std::string> const& shared) {
    auto const extents = ir::extents_of(read_.from);
    for (std::size_t d = 0; d < extents.size(); ++d) {
      auto const here = place_of(axes_in(read_.indices[d]), free, shared);
      if (here == of_parts) dimension_of_parts_ = d;
      if (here == constant) at_[d] = read_.indices[d];
      if (here != wanted) continue;
      auto const axis = "d" + std::to_string(d);
      add(axis, extents[d], read_.indices[d]);
      at_[d] = ir::make_variable(axis);
    }
  }
  void add(std::string const& axis, ir::extent const& end, ir::expr const& index) {
    made_.axes.push_back({axis, 0, end});
    indices_.push_back(index);
  }

  [[nodiscard]] ir::expr part(ir::expr const& which) const {
    auto at = at_;
    at[dimension_of_parts_] = which;
    return ir::make_access(read_.from, std::move(at), ir::boundary::none, {}, read_.component);
  }
  [[nodiscard]] static ir::expr negative(ir::expr const& e) { return ir::make_unary(ir::unary_op::negate, e); }

  ir::access const& read_;
  ir::stage made_;
  std::vector<ir::expr> at_;  ///< where the stage reads the factor
  std::vector<ir::expr> indices_;
  std::size_t dimension_of_parts_ = 0;
};

/// Rewrites one sum, and adds its stages to a program.
class complex_sum {
 public:
  complex_sum(ir::stage const& st, ir::program_builder& to) : stage_(st), program_(to) {
    for (auto const& a : st.axes)
      if (a.name != parts_axis) free_.insert(last_ = a.name);
  }

  /// Returns the stage that replaces the sum; null if it stays.
  [[nodiscard]] handle<ir::stage> run() const {
    bool const is_sum = stage_.reduction.kind == ir::reduction_kind::sum && stage_.components.size() == 1 &&
                        !stage_.updates && !stage_.predicate;
    bool const has_parts = is_sum && has_axis(parts_axis) && !has_axis(terms_axis);
    auto const value = has_parts ? parts_of_value(stage_.components[0].value) : std::nullopt;
    if (!value) return {};
    if (auto const factors = free_.empty() ? std::nullopt : factors_of(*value)) {
      bool const second = axes_in(factors->second.real).contains(last_);
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
  /// element, or is used by few results.
  [[nodiscard]] handle<ir::stage> turned(complex_factor const& kept, complex_factor const& other) const {
    auto const as_it_lies = kept.at(terms_axis);
    auto const element = other.at(parts_axis);
    if (!as_it_lies || !element || uses_of(*element) < least_uses) return {};
    auto const* read = ir::as<ir::access>(*element);
    auto const* fill = read ? ir::as<ir::constant>(read->fill) : nullptr;
    if (!read || (read->fill && (!fill || fill->real != 0))) return {};

    std::set<std::string> shared;
    for (auto const& axis : axes_in(*as_it_lies))
      if (free_.contains(axis)) shared.insert(axis);
    turned_factor factor(*read, free_, shared);
    auto const made = program_.add(factor.stage(stage_.name + ".turned", other.conjugated, kept.conjugated));
    auto sum = stage_;
    sum.reduction.axes.push_back({terms_axis, 0, 2});
    sum.components[0].value = ir::make_binary(ir::binary_op::multiply, *as_it_lies,
                                              ir::make_access(made, factor.indices(), read->outside, read->fill));
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
      sum.strides = operand_strides::dense;
      std::vector<ir::expr> indices;
      for (auto const& a : sum.axes) indices.push_back(ir::make_variable(a.name));
      reads.push_back(ir::make_access(program_.add(sum), std::move(indices), ir::boundary::none, {}));
    }
    auto joined = stage_;
    joined.reduction = {};
    joined.components[0].value = ir::make_select(is_first(parts_axis), reads[0], reads[1]);
    return program_.add(joined);
  }

  ir::stage const& stage_;
  ir::program_builder& program_;
  std::set<std::string> free_;  ///< without the axis of the parts
  std::string last_;            ///< of these
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
