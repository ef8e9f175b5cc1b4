// SPDX-License-Identifier: Apache-2.0
// Sums of products of integers that have zero points. The zero points are taken out of the sums,
//
//   sum((a - za) (b - zb)) = sum(a b) - za sum(b) - zb sum(a) + terms za zb,
//
// so that the first sum is one of products of bytes, for which machines have instructions. The other sums are short, or
// known while the model is read. An image has a border of its zero point then, in a copy with the channels innermost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "ttune/onnx/convert/convolutions.inl.hpp"
#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/matrices.inl.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// Returns a scale or a zero point in the shape that lets it be broadcast: one number, or one per index of `axis`.
[[nodiscard]] inline onnx_value parameter_along(onnx_context& to, onnx_value const& value, std::size_t rank,
                                                std::int64_t axis) {
  if (value.elements() == 1) return to.view(value, {});
  to.check(value.rank() == 1, "a scale or zero point must have one dimension");
  std::vector<std::int64_t> shape(rank - to.dimension(axis, rank), 1);
  shape.front() = value.shape.front();
  return to.view(value, shape);
}

/// The zero point of an operand whose elements were moved, less this distance; in i32. It is false if it is known to be
/// 0.
class zero_point {
 public:
  zero_point(onnx_context& to, onnx_kernel& made, std::optional<onnx_value> const& value, dtype of,
             std::int64_t moved = 0)
      : moved_(moved) {
    to.check(!value || value->type == of, "a zero point has another type than its operand");
    if (!value && moved != 0) zero_ = onnx_operand(onnx_number(of, 0), {});
    if (value && !is_known_to_be(*value, moved)) zero_ = made.read(*value);
  }
  explicit operator bool() const noexcept { return zero_.has_value(); }

  /// Returns the zero point for an element of the operand, or of the result.
  [[nodiscard]] expr operator()(onnx_kernel::indices const& at) const {
    auto const zero = cast(dtype::i32, (*zero_)(at));
    return moved_ == 0 ? zero : zero - number(zero, static_cast<double>(moved_));
  }
  /// Returns the element that stands for 0.
  [[nodiscard]] expr element(dtype type) const { return zero_ ? (*zero_)({}) : onnx_number(type, 0); }

 private:
  [[nodiscard]] static bool is_known_to_be(onnx_value const& value, std::int64_t number) {
    if (!value.is_known()) return false;
    auto const known = elements_of(value);
    return std::all_of(known.integers.begin(), known.integers.end(), [&](std::int64_t one) { return one == number; });
  }

  std::int64_t moved_;
  std::optional<onnx_operand> zero_;
};

/// A known operand as instructions need it: one factor has bytes with signs, the other one without.
struct moved_operand {
  onnx_value value;
  std::int64_t by = 0;  ///< a number that was subtracted from each element
};

[[nodiscard]] inline moved_operand moved_beside(onnx_value const& value, dtype other) {
  if (!value.is_known() || value.type != dtype::u8 || other != dtype::u8) return {value};
  constexpr std::int64_t by = 128;
  auto const old = elements_of(value);
  ir::ndarray made(dtype::i8, old.shape);
  for (std::size_t i = 0; i < made.integers.size(); ++i) made.integers[i] = old.integers[i] - by;
  return {known_value(value.name + ".moved", made), by};
}

/// Returns the sums of a known operand along one dimension, which has one element then.
[[nodiscard]] inline onnx_value sums_along(onnx_value const& known, std::size_t dimension) {
  auto const old = elements_of(known);
  auto shape = known.shape;
  auto const terms = std::exchange(shape[dimension], 1);
  std::int64_t inner = 1;
  for (std::size_t d = dimension + 1; d < shape.size(); ++d) inner *= shape[d];
  ir::ndarray made(dtype::i32, shape);
  for (std::int64_t i = 0; i < made.elements(); ++i) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < terms; ++k)
      sum += old.integers[static_cast<std::size_t>((i / inner * terms + k) * inner + i % inner)];
    made.integers[static_cast<std::size_t>(i)] = ir::wrapped_to(dtype::i32, sum);
  }
  return known_value(known.name + ".sums", made);
}

inline void check_integers(onnx_context& to, onnx_value const& value) {
  to.check(value.type == dtype::i8 || value.type == dtype::u8, "a quantised operand must have i8 or u8");
}

/// The places of operands among the inputs of a layer of integers.
struct integer_inputs {
  std::size_t a = 0, b = 1, a_zero = 2, b_zero = 3;
};

/// Returns an input as a zero point or scale along a dimension; nothing if it is left out.
[[nodiscard]] inline std::optional<onnx_value> parameter_input(onnx_context& to, std::size_t at, std::size_t rank,
                                                               std::int64_t axis) {
  if (!to.has_input(at)) return std::nullopt;
  return parameter_along(to, to.input(at), rank, axis);
}

/// The zero points of two operands.
struct zero_values {
  std::optional<onnx_value> a, b;
};

using element_of_result = std::function<expr(onnx_kernel::indices const&)>;

/// A factor of the products: its zero point for an element of the result, and the sum of its elements there. Both are
/// null if the zero point is 0, or if no other zero point needs the sum.
struct factor_of_result {
  element_of_result zero, sum;
};

/// Returns sums of products of elements, with the zero points of the factors taken out.
[[nodiscard]] inline onnx_operand less_zero_points(onnx_kernel& made, onnx_operand const& sums, std::int64_t terms,
                                                   factor_of_result const& a, factor_of_result const& b) {
  if (!a.zero && !b.zero) return sums;
  return made.map(dtype::i32, sums.shape(), [&](auto const& at) {
    auto value = sums(at);
    if (a.zero) value = value - a.zero(at) * b.sum(at);
    if (b.zero) value = value - b.zero(at) * a.sum(at);
    return a.zero && b.zero ? value + a.zero(at) * b.zero(at) * onnx_number(dtype::i32, static_cast<double>(terms))
                            : value;
  });
}

[[nodiscard]] inline zero_values zeros_of_convolution(onnx_context& to, convolution const& c,
                                                      integer_inputs const& in) {
  return {parameter_input(to, in.a_zero, 1, 0), parameter_input(to, in.b_zero, c.weights.rank(), 0)};
}

/// Adds the sums of a convolution of integers.
class convolution_of_integers {
 public:
  /// Zero points have the shapes that let them be broadcast to image and weights.
  convolution_of_integers(onnx_context& to, onnx_kernel& made, convolution const& c, zero_values const& zeros)
      : made_(made),
        c_(c),
        weights_(moved_beside(c.weights, c.x.type)),
        of_image_(to, made, zeros.a, c.x.type),
        of_filters_(to, made, zeros.b, c.weights.type, weights_.by) {
    for (auto const& value : {c.x, c.weights}) check_integers(to, value);
    to.check(!zeros.a || zeros.a->elements() == 1, "the image must have one zero point");
    fill_channels();
  }

  [[nodiscard]] onnx_operand sums() {
    auto const X = made_.read_tensor(image_);
    if (c_.x.shape != image_.shape || (of_image_ && has_border())) P_ = whole_pixels(X);
    auto const W = made_.read_tensor(weights_.value);
    auto const pixel = [&](onnx_kernel::indices const& at) { return pixel_of(X, at); };
    auto const weight = [&](onnx_kernel::indices const& at) { return cast(dtype::i32, W(at)); };
    auto const sums = convolved(made_, c_, dtype::i32, pixel, weight);
    factor_of_result a, b;
    if (of_image_) {
      a.zero = [&](auto const&) { return of_image_({}); };
      b.sum = sums_of_filters(W);
    }
    if (of_filters_) {
      b.zero = [&](auto const& at) { return of_filters_(of_filter(at[1])); };
      a.sum = sums_of_windows(pixel);
    }
    return less_zero_points(made_, sums, terms(), a, b);
  }

 private:
  [[nodiscard]] std::int64_t group_channels() const { return c_.x.shape[1] / c_.groups; }
  [[nodiscard]] std::vector<std::int64_t> taps() const {
    std::vector<std::int64_t> made{group_channels()};
    for (auto const& w : c_.windows) made.push_back(w.size);
    return made;
  }
  [[nodiscard]] std::int64_t terms() const {
    std::int64_t count = 1;
    for (auto const size : taps()) count *= size;
    return count;
  }
  [[nodiscard]] bool has_border() const {
    return std::any_of(c_.windows.begin(), c_.windows.end(),
                       [](auto const& w) { return w.before > 0 || extent_of_pixels(w) > w.extent; });
  }
  [[nodiscard]] static std::int64_t extent_of_pixels(window_dimension const& w) {
    return (w.positions - 1) * w.stride + w.reach();
  }
  /// Returns the place of a filter's zero point.
  [[nodiscard]] onnx_kernel::indices of_filter(expr const& filter) const {
    onnx_kernel::indices made(c_.weights.rank(), ir::make_index(0));
    made.front() = filter;
    return made;
  }

  /// Fills the channels of known weights up to whole groups of terms, with zeros; those of the image get its zero
  /// point.
  void fill_channels() {
    image_ = c_.x;
    constexpr std::int64_t terms_at_once = 4;
    auto const channels = c_.x.shape[1], filled = (channels + terms_at_once - 1) / terms_at_once * terms_at_once;
    if (c_.groups == 1 && weights_.value.is_known() && filled != channels) {
      auto const old = elements_of(weights_.value);
      auto shape = old.shape;
      shape[1] = c_.x.shape[1] = filled;
      ir::ndarray made(old.type, shape);
      auto const from = old.elements() / c_.filters(), to = made.elements() / c_.filters();
      for (std::int64_t f = 0; f < c_.filters(); ++f)
        std::copy_n(old.integers.begin() + f * from, from, made.integers.begin() + f * to);
      weights_.value = known_value(weights_.value.name + ".filled", made);
    }
    c_.weights = weights_.value;
  }

  /// Makes a copy of the image with its border, the channels innermost.
  [[nodiscard]] onnx_operand whole_pixels(onnx_operand const& X) {
    std::vector<std::int64_t> shape{c_.x.shape[0]};
    for (auto const& w : c_.windows) shape.push_back(extent_of_pixels(w));
    shape.push_back(c_.x.shape[1]);
    return made_.map(X.type(), shape, [&](auto const& at) {
      onnx_kernel::indices from{at[0], at.back()};
      for (std::size_t d = 0; d < c_.windows.size(); ++d)
        from.push_back(at[1 + d] + ir::make_index(-c_.windows[d].before));
      return X.or_else(from, of_image_.element(X.type()));
    });
  }
  [[nodiscard]] expr pixel_of(onnx_operand const& X, onnx_kernel::indices const& at) const {
    if (!P_) return cast(dtype::i32, X.or_else(at, onnx_number(X.type(), 0)));
    onnx_kernel::indices from{at[0]};
    for (std::size_t d = 0; d < c_.windows.size(); ++d)
      from.push_back(at[2 + d] + ir::make_index(c_.windows[d].before));
    from.push_back(at[1]);
    return cast(dtype::i32, (*P_)(from));
  }

  /// Returns the sum of the weights of a filter.
  [[nodiscard]] element_of_result sums_of_filters(onnx_operand const& W) {
    auto const filters = c_.filters();
    if (weights_.value.is_known()) {
      auto const rows = elements_of(weights_.value);
      ir::ndarray flat(rows.type, {filters, rows.elements() / filters});
      flat.integers = rows.integers;
      auto const sums = made_.read_tensor(sums_along(known_value(c_.weights.name, flat), 1));
      return [=](auto const& at) { return sums({at[1], ir::make_index(0)}); };
    }
    auto const sums =
        made_.reduce(ir::reduction_kind::sum, dtype::i32, {filters}, taps(), [&](auto const& at, auto const& over) {
          onnx_kernel::indices from{at[0]};
          from.insert(from.end(), over.begin(), over.end());
          return cast(dtype::i32, W(from));
        });
    return [=](auto const& at) { return sums({at[1]}); };
  }

  /// Returns the sum of the pixels that a filter reads.
  template <class Pixel>
  [[nodiscard]] element_of_result sums_of_windows(Pixel const& pixel) {
    auto shape = shape_of_positions(c_.x.shape[0], c_.groups, c_.windows);
    auto const channels = group_channels();
    auto const sums =
        made_.reduce(ir::reduction_kind::sum, dtype::i32, shape, taps(), [&](auto const& at, auto const& over) {
          onnx_kernel::indices from{at[0], c_.groups == 1 ? over[0] : at[1] * channels + over[0]};
          for (std::size_t d = 0; d < c_.windows.size(); ++d)
            from.push_back(c_.windows[d].element(at[2 + d], over[1 + d]));
          return pixel(from);
        });
    auto const per_group = c_.filters() / c_.groups;
    return [=, grouped = c_.groups > 1](auto at) {
      at[1] = grouped ? floor_divide(at[1], per_group) : ir::make_index(0);
      return sums(at);
    };
  }

  onnx_kernel& made_;
  convolution c_;  ///< with the channels and weights that are multiplied
  onnx_value image_;
  moved_operand weights_;
  zero_point of_image_;
  zero_point of_filters_;
  std::optional<onnx_operand> P_;
};

/// Adds the sums of products of matrices of integers. Zero points have shapes that let them be broadcast to the result.
[[nodiscard]] inline onnx_operand multiplied_integers(onnx_context& to, onnx_kernel& made, matmul_shape const& s,
                                                      onnx_value const& first, onnx_value const& second,
                                                      zero_values const& zeros) {
  auto const a = to.view(first, s.a), b = to.view(second, s.b);
  for (auto const& value : {a, b}) check_integers(to, value);
  auto const moved = moved_beside(b, a.type);
  zero_point const of_a(to, made, zeros.a, a.type);
  zero_point const of_b(to, made, zeros.b, b.type, moved.by);
  auto const A = made.read_tensor(a), B = made.read_tensor(moved.value);
  auto const wide = [](onnx_operand const& of) {
    return [of](onnx_kernel::indices const& at) { return cast(dtype::i32, of(at)); };
  };
  auto const sums = multiplied(made, s, dtype::i32, wide(A), wide(B));
  auto const sums_of = [&](onnx_operand const& of, std::size_t dimension) {
    auto shape = of.shape();
    auto const terms = std::exchange(shape[dimension], 1);
    return made.reduce(ir::reduction_kind::sum, dtype::i32, shape, {terms}, [&](auto at, auto const& over) {
      at[dimension] = over[0];
      return wide(of)(at);
    });
  };
  factor_of_result of_first, of_second;
  if (of_a) {
    auto const rows = s.b.size() - 2;
    of_first.zero = [&](auto const& at) { return of_a(at); };
    of_second.sum = moved.value.is_known() ? made.read_tensor(sums_along(moved.value, rows)) : sums_of(B, rows);
  }
  if (of_b) {
    of_second.zero = [&](auto const& at) { return of_b(at); };
    of_first.sum = sums_of(A, s.a.size() - 1);
  }
  return less_zero_points(made, sums, s.terms(), of_first, of_second);
}
[[nodiscard]] inline onnx_operand multiplied_integers(onnx_context& to, onnx_kernel& made, matmul_shape const& s,
                                                      integer_inputs const& in) {
  zero_values const zeros{parameter_input(to, in.a_zero, s.a.size(), -2),
                          parameter_input(to, in.b_zero, s.b.size(), -1)};
  return multiplied_integers(to, made, s, to.input(in.a), to.input(in.b), zeros);
}

}}}  // namespace ttune::v0::onnx_convert
