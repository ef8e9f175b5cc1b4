// SPDX-License-Identifier: Apache-2.0
// Operators whose places depend on integers or on the place itself: gathers, one-hot vectors, triangles, running sums.
#pragma once

#include <algorithm>

#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// Integers that index a dimension; negative ones count from its end.
class dimension_indices {
 public:
  /// Known indices are checked and made positive; others are expected in [-extent, extent).
  dimension_indices(onnx_context& to, onnx_kernel& kernel, onnx_value const& given, std::int64_t extent)
      : known_(given.is_known()), extent_(extent), operand_(operand(to, kernel, given, extent)) {
    to.check(is_integer(given.type), "the indices must be integers");
  }

  [[nodiscard]] expr operator()(onnx_kernel::indices const& at) const {
    auto const read = operand_(at);
    auto const index =
        ir::as<ir::constant>(read) ? ir::make_index(ir::constant_integer(read)) : cast(dtype::index, read);
    return known_ ? index : choose(less(index, ir::make_index(0)), index + extent_, index);
  }

 private:
  [[nodiscard]] static onnx_operand operand(onnx_context& to, onnx_kernel& kernel, onnx_value const& given,
                                            std::int64_t extent) {
    if (!given.is_known()) return kernel.read_indices(given, -extent, extent);
    auto elements = elements_of(given);
    for (auto& index : elements.integers) {
      if (index < -extent || index >= extent)
        to.refuse("index " + std::to_string(index) + " into a dimension of " + std::to_string(extent) + " elements");
      if (index < 0) index += extent;
    }
    return kernel.read_indices(known_value(given.name + ".indices", elements), 0, extent);
  }

  bool known_;
  std::int64_t extent_;
  onnx_operand operand_;
};

inline void convert_gather(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const& chosen = to.input(1);
  auto const axis = to.dimension(node.integer("axis", 0), x.rank());
  auto shape = x.shape;
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), chosen.shape.begin(), chosen.shape.end());
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return to.set_output(0, known_value("", ir::ndarray(x.type, shape)));
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  dimension_indices const place(to, made, chosen, x.shape[axis]);
  made.result(x.type, shape, [&](auto const& at) {
    auto const first = at.begin() + static_cast<std::ptrdiff_t>(axis);
    auto const last = first + static_cast<std::ptrdiff_t>(chosen.rank());
    onnx_kernel::indices from(at.begin(), first);
    from.push_back(place({first, last}));
    from.insert(from.end(), last, at.end());
    return X(from);
  });
}

inline void convert_gather_elements(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const& chosen = to.input(1);
  auto const axis = to.dimension(node.integer("axis", 0), x.rank());
  to.check(chosen.rank() == x.rank(), "the indices have another rank than the operand");
  for (std::size_t d = 0; d < x.rank(); ++d)
    to.check(d == axis || chosen.shape[d] <= x.shape[d], "the indices have a larger extent than the operand");
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  dimension_indices const place(to, made, chosen, x.shape[axis]);
  made.result(x.type, chosen.shape, [&](auto const& at) {
    auto from = at;
    from[axis] = place(at);
    return X(from);
  });
}

inline void convert_gather_nd(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const& chosen = to.input(1);
  auto const batch = static_cast<std::size_t>(std::clamp<std::int64_t>(node.integer("batch_dims", 0), 0, 64));
  to.check(chosen.rank() > batch && x.rank() > batch, "there are too many batch dimensions");
  auto const depth = static_cast<std::size_t>(chosen.shape.back());
  to.check(depth >= 1 && depth <= x.rank() - batch,
           "an index has another number of parts than the operand has dimensions");
  for (std::size_t d = 0; d < batch; ++d) to.check(chosen.shape[d] == x.shape[d], "the batch dimensions differ");
  if (!chosen.is_known() && depth > 1) to.unsupported("indices of several parts must be constants");
  std::vector<std::int64_t> shape(chosen.shape.begin(), chosen.shape.end() - 1);
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(batch + depth), x.shape.end());
  onnx_kernel made(to);
  auto const X = made.read_tensor(x);
  std::vector<dimension_indices> places;
  for (std::size_t part = 0; part < depth; ++part) {
    auto one = chosen;
    if (chosen.is_known()) {
      auto const all = elements_of(chosen);
      to.check(is_integer(all.type), "the indices must be integers");
      one.shape.back() = 1;
      ir::ndarray elements(chosen.type, one.shape);
      for (std::size_t i = 0; i < elements.integers.size(); ++i) elements.integers[i] = all.integers[i * depth + part];
      one = known_value(chosen.name + "." + std::to_string(part), elements);
    }
    places.emplace_back(to, made, one, x.shape[batch + part]);
  }
  auto const outer = static_cast<std::ptrdiff_t>(chosen.rank() - 1);
  made.result(x.type, shape, [&](auto const& at) {
    onnx_kernel::indices which(at.begin(), at.begin() + outer);
    which.push_back(ir::make_index(0));
    onnx_kernel::indices from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(batch));
    for (auto const& place : places) from.push_back(place(which));
    from.insert(from.end(), at.begin() + outer, at.end());
    return X(from);
  });
}

inline void convert_one_hot(onnx_context& to, onnx_node const& node) {
  auto const& chosen = to.input(0);
  auto const depth = to.reals(1);
  to.check(depth.size() == 1 && depth[0] >= 1 && depth[0] < 0x1p40, "the depth must be one positive number");
  auto const& values = to.input(2);
  to.check(values.shape == std::vector<std::int64_t>{2}, "the values must be two numbers");
  auto const length = static_cast<std::int64_t>(depth[0]);
  auto shape = chosen.shape;
  auto const axis = to.dimension(node.integer("axis", -1), shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), length);
  onnx_kernel made(to);
  auto const C = made.read(chosen);
  auto const V = made.read(values);
  made.result(values.type, shape, [&](auto const& at) {
    auto which = at;
    which.erase(which.begin() + static_cast<std::ptrdiff_t>(axis));
    auto const given = cast(dtype::i64, C(which));
    auto const place = choose(less(given, number(given, 0)), given + number(given, static_cast<double>(length)), given);
    return choose(is_equal(place, cast(dtype::i64, at[axis])), V({ir::make_index(1)}), V({ir::make_index(0)}));
  });
}

inline void convert_triangle(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const k = to.integers(1, {0});
  to.check(x.rank() >= 2 && k.size() == 1, "the operand must have rows and columns, and k must be one number");
  to.check(k[0] > -(std::int64_t{1} << 40) && k[0] < (std::int64_t{1} << 40), "k is too large");
  bool const upper = node.integer("upper", 1) != 0;
  onnx_kernel made(to);
  auto const X = made.read(x);
  made.result(x.type, x.shape, [&](auto const& at) {
    auto const diagonal = at[x.rank() - 2] + k[0];
    auto const& column = at[x.rank() - 1];
    return choose(upper ? less_equal(diagonal, column) : less_equal(column, diagonal), X(at), onnx_number(x.type, 0));
  });
}

inline void convert_running_sum(onnx_context& to, onnx_node const& node) {
  auto const& x = to.input(0);
  auto const given = to.integers(1);
  to.check(given.size() == 1 && x.type != dtype::boolean, "the axis must be one number, and the operand numbers");
  auto const axis = to.dimension(given[0], x.rank());
  bool const exclusive = node.integer("exclusive", 0) != 0, reverse = node.integer("reverse", 0) != 0;
  onnx_kernel made(to);
  auto const X = made.read(x);
  auto const sums =
      made.reduce(ir::reduction_kind::sum, x.type, x.shape, {x.shape[axis]}, [&](auto const& at, auto const& over) {
        auto from = at;
        from[axis] = over[0];
        auto const& earlier = reverse ? at[axis] : over[0];
        auto const& later = reverse ? over[0] : at[axis];
        return choose(exclusive ? less(earlier, later) : less_equal(earlier, later), X(from), onnx_number(x.type, 0));
      });
  to.set_output(0, made.finish(sums));
}

void add_gathers(onnx_converters& to) {
  to.add("Gather", convert_gather);
  to.add("GatherElements", convert_gather_elements);
  to.add("GatherND", convert_gather_nd);
  to.add("OneHot", convert_one_hot);
  to.add("Trilu", convert_triangle);
  to.add("CumSum", convert_running_sum);
}

}}}  // namespace ttune::v0::onnx_convert
