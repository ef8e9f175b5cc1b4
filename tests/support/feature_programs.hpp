// SPDX-License-Identifier: Apache-2.0
// Programs whose features are tested: sums over products, made without the DSL.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/node.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune_test {

namespace ir = ttune::ir;
using ttune::handle;

[[nodiscard]] inline ir::expr axis(char const* name) { return ir::make_variable(name); }

[[nodiscard]] inline handle<ir::tensor> tensor(char const* name, std::vector<ir::extent> shape,
                                               ir::tensor_role role = ir::tensor_role::input) {
  ir::tensor t;
  t.name = name;
  t.shape = std::move(shape);
  t.role = role;
  return ttune::share(std::move(t));
}

[[nodiscard]] inline handle<ir::program> sum_program(std::vector<handle<ir::tensor>> inputs, std::vector<ir::axis> axes,
                                                     std::vector<ir::axis> reduced, ir::expr const& value,
                                                     ir::expr const& predicate = {}) {
  ir::stage st;
  st.name = "C";
  st.axes = std::move(axes);
  st.reduction.kind = ir::reduction_kind::sum;
  st.reduction.axes = std::move(reduced);
  st.components.push_back({"", ttune::dtype::f32, value});
  st.predicate = predicate;
  auto const shared = ttune::share(std::move(st));
  ir::program p;
  p.name = "sum";
  p.inputs = std::move(inputs);
  p.stages = p.outputs = {shared};
  return ttune::share(std::move(p));
}

/// for y < 8, for x < 8 { C[y][x] = 0; for k < 8: C[y][x] += A[k][y] * B[k][x] }
[[nodiscard]] inline handle<ir::program> slide() {
  auto const a = tensor("A", {8, 8});
  auto const b = tensor("B", {8, 8});
  return sum_program({a, b}, {{"y", 0, 8}, {"x", 0, 8}}, {{"k", 0, 8}},
                     ir::make_access(a, {axis("k"), axis("y")}) * ir::make_access(b, {axis("k"), axis("x")}));
}

[[nodiscard]] inline handle<ir::program> matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  auto const a = tensor("A", {m, k});
  auto const b = tensor("B", {k, n});
  return sum_program({a, b}, {{"i", 0, m}, {"j", 0, n}}, {{"k", 0, k}},
                     ir::make_access(a, {axis("i"), axis("k")}) * ir::make_access(b, {axis("k"), axis("j")}));
}

/// A convolution of 3 x 3 with padding 1.
[[nodiscard]] inline handle<ir::program> conv2d(std::int64_t size, std::int64_t in, std::int64_t out) {
  auto const image = tensor("I", {in, size, size});
  auto const weights = tensor("W", {out, in, 3, 3}, ir::tensor_role::constant);
  auto const y = axis("y") + axis("r") + (-1);
  auto const x = axis("x") + axis("s") + (-1);
  auto const less = [](ir::expr const& a, ir::expr const& b) { return ir::make_binary(ir::binary_op::less, a, b); };
  auto const both = [](ir::expr const& a, ir::expr const& b) {
    return ir::make_binary(ir::binary_op::logical_and, a, b);
  };
  auto const inside = [&](ir::expr const& e) {
    return both(less(ir::make_index(-1), e), less(e, ir::make_index(size)));
  };
  return sum_program({image, weights}, {{"f", 0, out}, {"y", 0, size}, {"x", 0, size}},
                     {{"c", 0, in}, {"r", 0, 3}, {"s", 0, 3}},
                     ir::make_access(image, {axis("c"), y, x}) *
                         ir::make_access(weights, {axis("f"), axis("c"), axis("r"), axis("s")}),
                     both(inside(y), inside(x)));
}

[[nodiscard]] inline ttune::target machine() {
  ttune::target t;
  t.vector_bytes = 64;
  t.vector_registers = 32;
  t.cores = 2;
  return t;
}

[[nodiscard]] inline ttune::loop_nest instantiated(ttune::plan const& p, ttune::configuration const& chosen = {}) {
  ttune::loop_nest n;
  ttune::instantiate(p, chosen, n);
  return n;
}

}  // namespace ttune_test
