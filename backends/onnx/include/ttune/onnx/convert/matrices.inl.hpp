// SPDX-License-Identifier: Apache-2.0
// Products of matrices.
#pragma once

#include <optional>

#include "ttune/onnx/convert/batch_norm.hpp"
#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/convert/layers_of_bytes.hpp"
#include "ttune/onnx/kernel.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// The shapes of a product as numpy's matmul has it: an operand of one dimension is a row or a column, which the result
/// does not have.
struct matmul_shape {
  std::vector<std::int64_t> a, b;  ///< of the operands, with 2 or more dimensions
  std::vector<std::int64_t> made;  ///< of the product of these
  std::vector<std::int64_t> result;

  matmul_shape(onnx_context& to, std::vector<std::int64_t> first, std::vector<std::int64_t> second)
      : a(std::move(first)), b(std::move(second)) {
    to.check(!a.empty() && !b.empty(), "the operands must have dimensions");
    bool const row = a.size() == 1, column = b.size() == 1;
    if (row) a.insert(a.begin(), 1);
    if (column) b.push_back(1);
    to.check(a.back() == b[b.size() - 2], "the columns of the first operand are not as many as the rows of the second");
    made = onnx_broadcast(to, {{a.begin(), a.end() - 2}, {b.begin(), b.end() - 2}});
    result = made;
    made.push_back(a[a.size() - 2]);
    made.push_back(b.back());
    if (!row) result.push_back(made[made.size() - 2]);
    if (!column) result.push_back(made.back());
  }
  [[nodiscard]] std::int64_t terms() const { return a.back(); }
};

/// Returns the sums of products. `first` and `second` convert the elements before they are multiplied.
template <class First, class Second>
[[nodiscard]] onnx_operand multiplied(onnx_kernel& made, matmul_shape const& s, dtype wide, First const& first,
                                      Second const& second) {
  return made.reduce(ir::reduction_kind::sum, wide, s.made, {s.terms()}, [&](auto const& at, auto const& over) {
    auto of_a = at, of_b = at;
    of_a.back() = over[0];
    of_b[at.size() - 2] = over[0];
    return first(of_a) * second(of_b);
  });
}

inline void convert_matmul(onnx_context& to, onnx_node const&) {
  auto const& a = to.input(0);
  auto const& b = to.input(1);
  to.check(a.type == b.type && a.type != dtype::boolean, "the operands must have numbers of one type");
  if (auto made = product_of_bytes(to, a, b)) return to.set_output(0, *std::move(made));
  matmul_shape const s(to, a.shape, b.shape);
  auto const wide = onnx_sum_type(a.type);
  onnx_kernel made(to);
  auto const A = made.read_tensor(to.view(a, s.a));
  auto const B = made.read_tensor(to.view(b, s.b));
  auto result = multiplied(
      made, s, wide, [&](auto const& at) { return cast(wide, A(at)); },
      [&](auto const& at) { return cast(wide, B(at)); });
  if (wide != a.type) {
    auto const sums = result;
    result = made.map(a.type, s.made, [&](auto const& at) { return cast(a.type, sums(at)); });
  }
  to.set_output(0, to.view(made.finish(result), s.result));
}

/// Returns the value multiplied by a number; known values only.
[[nodiscard]] inline onnx_value times(onnx_value const& known, double factor) {
  auto elements = elements_of(known);
  for (std::size_t i = 0; i < elements.reals.size(); ++i) elements.set_number(i, elements.reals[i] * factor);
  return known_value(known.name + ".scaled", elements);
}

/// alpha A B + beta C, where C is broadcast. Known operands are scaled before.
struct general_product {
  onnx_value a, b;
  std::optional<onnx_value> c;
  bool a_transposed = false, b_transposed = false;
  double alpha = 1, beta = 1;
};

inline void settle_factors(general_product& p) {
  if (p.c && p.beta != 1 && p.c->is_known() && is_float(p.c->type)) {
    p.c = times(*p.c, p.beta);
    p.beta = 1;
  }
  if (p.alpha != 1 && p.b.is_known() && is_float(p.b.type)) {
    p.b = times(p.b, p.alpha);
    p.alpha = 1;
  }
}

[[nodiscard]] inline onnx_value add_general_product(onnx_context& to, general_product const& p) {
  auto const m = p.a.shape[p.a_transposed ? 1 : 0], k = p.a.shape[p.a_transposed ? 0 : 1];
  auto const n = p.b.shape[p.b_transposed ? 0 : 1];
  to.check(p.b.shape[p.b_transposed ? 1 : 0] == k, "the operands have different numbers of terms");
  if (p.c)
    to.check(onnx_broadcast(to, {p.c->shape, {m, n}}) == std::vector<std::int64_t>({m, n}),
             "C does not fit the product");
  auto const type = p.a.type, wide = onnx_sum_type(type);
  onnx_kernel made(to);
  auto const A = made.read_tensor(p.a);
  auto const B = made.read_tensor(p.b);
  std::optional<onnx_operand> C;
  if (p.c) C = made.read(*p.c);
  using indices = onnx_kernel::indices;
  auto const sums = made.reduce(ir::reduction_kind::sum, wide, {m, n}, {k}, [&](auto const& at, auto const& over) {
    auto const a = A(p.a_transposed ? indices{over[0], at[0]} : indices{at[0], over[0]});
    auto const b = B(p.b_transposed ? indices{at[1], over[0]} : indices{over[0], at[1]});
    return cast(wide, a) * cast(wide, b);
  });
  if (!C && p.alpha == 1 && wide == type) return made.finish(sums);
  return made.finish(made.map(type, {m, n}, [&](auto const& at) {
    auto value = p.alpha == 1 ? sums(at) : sums(at) * onnx_number(wide, p.alpha);
    if (!C) return cast(type, value);
    auto const c = cast(wide, (*C)(at));
    return cast(type, value + (p.beta == 1 ? c : c * onnx_number(wide, p.beta)));
  }));
}

inline void convert_gemm(onnx_context& to, onnx_node const& node) {
  std::optional<onnx_value> c;
  if (to.has_input(2)) c = to.input(2);
  general_product p{
      to.input(0),           to.input(1),         c, node.integer("transA", 0) != 0, node.integer("transB", 0) != 0,
      node.real("alpha", 1), node.real("beta", 1)};
  to.check(p.a.rank() == 2 && p.b.rank() == 2, "the operands must be matrices");
  to.check(p.a.type == p.b.type && (!c || c->type == p.a.type) && p.a.type != dtype::boolean,
           "the operands must have numbers of one type");
  if (auto made = product_of_bytes(to, p)) return to.set_output(0, *std::move(made));
  settle_factors(p);
  auto const filters = p.b.shape[p.b_transposed ? 0 : 1];
  bool const is_layer = p.alpha == 1 && p.beta == 1 && (!p.c || p.c->shape == std::vector<std::int64_t>{filters});
  if (!is_layer) return to.set_output(0, add_general_product(to, p));
  auto const layer = with_batch_norm(to, p.b, p.b_transposed ? 0 : 1, p.c, filters);
  p.b = layer.weights;
  p.c = layer.bias;
  layer.set_result(to, add_general_product(to, p));
}

void add_matrices(onnx_converters& to) {
  to.add("MatMul", convert_matmul);
  to.add("Gemm", convert_gemm);
}

}}}  // namespace ttune::v0::onnx_convert
