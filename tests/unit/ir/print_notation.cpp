// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/print.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"

namespace print_notation_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

expr const i = make_variable("i"), j = make_variable("j"), k = make_variable("k");
auto const A = share(tensor{{}, "A", dtype::f32, {512, 256}});
auto const B = share(tensor{{}, "B", dtype::f32, {256, 1024}});
auto const ix = share(tensor{{}, "ix", dtype::i32, {512}});

expr binary_of(binary_op op, expr const& a, expr const& b) { return make_binary(op, a, b); }
expr real(double v, dtype t = dtype::f32) { return make_real(t, v); }

handle<stage> product() {
  stage c;
  c.name = "C";
  c.axes = {{"i", 0, 512}, {"j", 0, 1024}};
  c.reduction.kind = reduction_kind::sum;
  c.reduction.axes = {{"k", 0, 256}};
  c.components.push_back({"", dtype::f32, make_access(A, {i, k}) * make_access(B, {k, j})});
  return share(std::move(c));
}

}  // namespace

TEST_CASE("print: a program is a signature and one line per stage") {
  auto const C = product();
  stage r;
  r.name = "R";
  r.axes = C->axes;
  r.components.push_back({"", dtype::f32, binary_of(binary_op::maximum, make_access(C, {i, j}), real(0))});
  auto const R = share(std::move(r));
  CHECK(print(program{{}, "matmul", {A, B}, {C}, {C}}) ==
        "matmul(A f32 (512, 256), B f32 (256, 1024)) -> C f32 (512, 1024)\n"
        "C(i, j) = sum(k < 256) A(i, k) * B(k, j)\n");
  CHECK(print(program{{}, "relu", {A, B}, {C, R}, {R}}) ==
        "relu(A f32 (512, 256), B f32 (256, 1024)) -> R f32 (512, 1024)\n"
        "C(i < 512, j < 1024) = sum(k < 256) A(i, k) * B(k, j)\n"
        "R(i, j) = max(C(i, j), 0.0)\n");
}

TEST_CASE("print: operands show their unusual properties") {
  auto w = *A;
  w.role = tensor_role::constant;
  w.order = layout::column_major;
  auto n = *ix;
  n.has_range = true;
  n.high = 100;
  auto const batch = share(dimension{{}, "b", 1, 64});
  auto x = *ix;
  x.name = "x";
  x.shape = {{16, batch}};
  auto const C = product();
  CHECK(print_signature(program{{}, "p", {share(w), share(n), share(x)}, {C}, {C}}) ==
        "p(A f32 (512, 256) column_major constant, ix i32 (512) in [0, 100), x i32 (b=16)) -> C f32 (512, 1024)");
}

TEST_CASE("print: only necessary parentheses") {
  CHECK(print(i - (j - k)) == "i - (j - k)");
  CHECK(print(i - j - k) == "i - j - k");
  CHECK(print((i + j) * 2 + k) == "(i + j) * 2 + k");
  CHECK(print(i * 2 + -1) == "i * 2 - 1");
  CHECK(print(i - make_index(-1)) == "i + 1");
  CHECK(print(binary_of(binary_op::floor_divide, i * 2, make_index(3)) * 5) == "i * 2 / 3 * 5");
  CHECK(print(i * binary_of(binary_op::floor_divide, j, make_index(3))) == "i * (j / 3)");
  auto const less = binary_of(binary_op::less, i + j, k);
  auto const same = binary_of(binary_op::equal, i, j);
  CHECK(print(binary_of(binary_op::logical_or, binary_of(binary_op::logical_and, less, same), less)) ==
        "i + j < k && i == j || i + j < k");
  CHECK(print(binary_of(binary_op::logical_and, less, binary_of(binary_op::logical_or, same, less))) ==
        "i + j < k && (i == j || i + j < k)");
  CHECK(print(make_unary(unary_op::logical_not, less)) == "!(i + j < k)");
  CHECK(print(make_unary(unary_op::negate, i + j)) == "-(i + j)");
  CHECK(print(make_unary(unary_op::exp, make_unary(unary_op::negate, real(-2)))) == "exp(-(-2.0))");
  CHECK(print(binary_of(binary_op::power, real(2), real(0.5))) == "pow(2.0, 0.5)");
}

TEST_CASE("print: division of indices rounds down, that of data towards zero; the other way is spelled out") {
  auto const x = make_cast(dtype::i32, i);
  auto const three = make_integer(dtype::i32, 3);
  CHECK(print(binary_of(binary_op::floor_modulo, i, make_index(3))) == "i % 3");
  CHECK(print(binary_of(binary_op::modulo, x, three)) == "cast<i32>(i) % 3");
  CHECK(print(binary_of(binary_op::divide, i, make_index(3))) == "divide(i, 3)");
}

TEST_CASE("print: numbers are the shortest that read back") {
  CHECK(print(real(0.1)) == "0.1");
  CHECK(print(real(static_cast<double>(0.1F))) == "0.1");
  CHECK(print(real(0.1, dtype::f64)) == "0.1");
  CHECK(print(real(static_cast<double>(0.1F), dtype::f64)) == "0.10000000149011612");
  CHECK(print(real(-3)) == "-3.0");
  CHECK(print(real(1e30)) == "1e+30");
  CHECK(print(real(-std::numeric_limits<double>::infinity())) == "-inf");
  CHECK(print(make_integer(dtype::u64, -1)) == "18446744073709551615");
  CHECK(print(make_bool(true)) == "true");
}

TEST_CASE("print: boundaries, gathers, selects") {
  auto const at = std::vector<expr>{i + -1, j};
  CHECK(print(make_access(A, at, boundary::value, real(0))) == "zero_outside(A)(i - 1, j)");
  CHECK(print(make_access(A, at, boundary::value, real(2))) == "value_outside(A, 2.0)(i - 1, j)");
  CHECK(print(make_access(A, at, boundary::mirror)) == "mirror_outside(A)(i - 1, j)");
  CHECK(print(make_access(A, {make_cast(dtype::index, make_access(ix, {i})), j})) == "A(at(ix(i)), j)");
  CHECK(print(make_select(binary_of(binary_op::less_equal, k, i), real(1), real(0))) == "select(k <= i, 1.0, 0.0)");
}

TEST_CASE("print: tuple reductions name their components") {
  stage s;
  s.name = "m";
  s.axes = {{"i", 0, 512}};
  s.reduction.kind = reduction_kind::tuple;
  s.reduction.axes = {{"k", 1, 256}};
  auto const arg = [](bool right, int c) { return make_argument(c == 0 ? dtype::f32 : dtype::i32, right, c); };
  auto const better = binary_of(binary_op::less, arg(false, 0), arg(true, 0));
  s.components = {{"value", dtype::f32, make_access(A, {i, k})}, {"index", dtype::i32, make_cast(dtype::i32, k)}};
  s.reduction.identity = {make_identity(reduction_kind::maximum, dtype::f32), make_integer(dtype::i32, 0)};
  s.reduction.combine = {make_select(better, arg(true, 0), arg(false, 0)),
                         make_select(better, arg(true, 1), arg(false, 1))};
  auto const m = share(std::move(s));
  CHECK(print(*m) ==
        "m(i < 512) = reduce(k in [1, 256)) value A(i, k), index cast<i32>(k)\n"
        "  from value -inf, index 0\n"
        "  by value select(left.value < right.value, right.value, left.value), index select(left.value < right.value, "
        "right.index, left.index)");
  CHECK(print(make_access(m, {i}, boundary::none, {}, 1)) == "m.index(i)");
}

TEST_CASE("print: statements") {
  auto const a = share(buffer{{}, "A", dtype::f32, {512, 256}, memory::operand, 0});
  auto const c = share(buffer{{}, "C", dtype::f32, {512}, memory::operand, 1});
  auto const t = share(buffer{{}, "acc", dtype::f32, {8}, memory::registers});
  auto const ii = make_variable("ii");
  auto const row = i * 8 + ii;
  auto const over = [](std::string const& v, std::int64_t b, std::int64_t e, loop_kind kind, stmt const& s) {
    return make_loop(v, make_index(b), make_index(e), kind, s);
  };
  auto const clear = over("ii", 0, 8, loop_kind::unrolled, make_store(t, {ii}, real(0)));
  auto const add = make_store(t, {ii}, make_access(t, {ii}) + make_access(a, {row, k}));
  auto const body =
      make_conditional(binary_of(binary_op::less, row, make_index(500)), add, make_store(t, {ii}, real(1)));
  auto const sum = over("k", 1, 256, loop_kind::serial, over("ii", 0, 8, loop_kind::vectorized, body));
  auto const put = over("ii", 0, 8, loop_kind::vectorized, make_store(c, {row}, make_access(t, {ii})));
  auto const tile = make_allocate(t, make_block({clear, sum, put}));
  auto const at = make_let("i", binary_of(binary_op::floor_divide, make_variable("x"), make_index(2)), 0, 64, tile);
  auto const all = over("x", 0, 128, loop_kind::parallel, make_block({at, share(stmt_node{{}, barrier{}})}));
  CHECK(print(lowered{"rows", {a, c}, {}, {}, all}) ==
        "rows(A f32 (512, 256), C f32 (512))\n"
        "parallel x < 128\n"
        "  let i = x / 2 in [0, 64)\n"
        "    alloc acc f32 (8) registers\n"
        "    unroll ii < 8\n"
        "      acc[ii] = 0.0\n"
        "    for k in [1, 256)\n"
        "      vectorize ii < 8\n"
        "        if i * 8 + ii < 500\n"
        "          acc[ii] += A[i * 8 + ii, k]\n"
        "        else\n"
        "          acc[ii] = 1.0\n"
        "    vectorize ii < 8\n"
        "      C[i * 8 + ii] = acc[ii]\n"
        "  barrier\n");
  CHECK(print(over("b", 0, 2, loop_kind::block_x, put)).substr(0, 22) == "bind(block.x) b < 2\n  ");
}

}  // namespace print_notation_tests
