// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/print.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "support/seed.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/support/rng.hpp"

namespace print_tests {

using namespace ttune;
using ir::binary_op;

namespace {

ir::expr variable(char const* name) { return ir::make_variable(name); }
ir::expr real(double value, dtype type = dtype::f32) { return ir::make_real(type, value); }
handle<ir::tensor> operand(char const* name, std::vector<ir::extent> shape) {
  return share(ir::tensor{
      {}, name, dtype::f32, std::move(shape), ir::layout::row_major, ir::tensor_role::input, false, 0, 0, {}});
}
handle<ir::buffer> scratch(char const* name, std::vector<std::int64_t> extents, ir::memory where) {
  return share(ir::buffer{{}, name, dtype::f32, std::move(extents), where, -1, {}});
}
ir::stmt loop(char const* name, std::int64_t begin, std::int64_t end, ir::loop_kind kind, ir::stmt body) {
  return ir::make_loop(name, ir::make_index(begin), ir::make_index(end), kind, std::move(body));
}

handle<ir::program> matmul() {
  auto const a = operand("A", {512, 256});
  auto const b = operand("B", {256, 1024});
  ir::stage c;
  c.name = "C";
  c.axes = {{"i", 0, 512}, {"j", 0, 1024}};
  c.reduction.kind = ir::reduction_kind::sum;
  c.reduction.axes = {{"k", 0, 256}};
  auto const left = ir::make_access(a, {variable("i"), variable("k")});
  c.components = {{"", dtype::f32, left * ir::make_access(b, {variable("k"), variable("j")})}};
  auto const out = share(std::move(c));
  return share(ir::program{{}, "matmul", {a, b}, {out}, {out}});
}

}  // namespace

TEST_CASE("print: parentheses stand only where precedence needs them") {
  auto const i = variable("i");
  auto const j = variable("j");
  auto const divide = [](ir::expr const& a, ir::expr const& b) {
    return ir::make_binary(binary_op::floor_divide, a, b);
  };
  CHECK(ir::print(i * 4 + j) == "i * 4 + j");
  CHECK(ir::print((i + j) * 4) == "(i + j) * 4");
  CHECK(ir::print(i - (j - i * 2)) == "i - (j - i * 2)");
  CHECK(ir::print(i - j - i * 2) == "i - j - i * 2");
  CHECK(ir::print(divide(i, ir::make_index(4)) * 4) == "i / 4 * 4");
  CHECK(ir::print(i * divide(j, ir::make_index(4))) == "i * (j / 4)");
  CHECK(ir::print(i + -3) == "i - 3");
  CHECK(ir::print(i * -3) == "i * -3");
}

TEST_CASE("print: conditions and functions") {
  auto const i = variable("i");
  auto const less = ir::make_binary(binary_op::less, i, ir::make_index(4));
  auto const equal = ir::make_binary(binary_op::equal, i, variable("j"));
  auto const either = ir::make_binary(binary_op::logical_or, less, equal);
  CHECK(ir::print(ir::make_binary(binary_op::logical_and, either, less)) == "(i < 4 || i == j) && i < 4");
  CHECK(ir::print(ir::make_unary(ir::unary_op::logical_not, less)) == "!(i < 4)");
  CHECK(ir::print(ir::make_binary(binary_op::maximum, i, ir::make_index(0))) == "max(i, 0)");
  CHECK(ir::print(ir::make_select(less, i, ir::make_index(0))) == "select(i < 4, i, 0)");
  CHECK(ir::print(ir::make_cast(dtype::f32, i)) == "cast<f32>(i)");
  CHECK(ir::print(ir::make_unary(ir::unary_op::exp, real(1))) == "exp(1.0)");
}

TEST_CASE("print: a real reads back exactly") {
  CHECK(ir::print(real(0.1F)) == "0.1");
  CHECK(ir::print(real(-0.0)) == "-0.0");
  CHECK(ir::print(real(3)) == "3.0");
  CHECK(ir::print(real(std::numeric_limits<double>::infinity())) == "inf");
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  for (int n = 0; n < 2000; ++n) {
    auto const wide = std::bit_cast<double>(random());
    auto const narrow = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (std::isfinite(wide)) CHECK(std::strtod(ir::print(real(wide, dtype::f64)).c_str(), nullptr) == wide);
    if (std::isfinite(narrow))
      CHECK(std::strtof(ir::print(real(static_cast<double>(narrow))).c_str(), nullptr) == narrow);
  }
}

TEST_CASE("print: integers by their type") {
  CHECK(ir::print(ir::make_integer(dtype::u64, -1)) == "18446744073709551615");
  CHECK(ir::print(ir::make_integer(dtype::i64, std::numeric_limits<std::int64_t>::min())) == "-9223372036854775808");
  CHECK(ir::print(ir::make_bool(true)) == "true");
}

TEST_CASE("print: a program is its signature and one line per stage") {
  CHECK(ir::print(*matmul()) ==
        "matmul(A f32 (512, 256), B f32 (256, 1024)) -> C f32 (512, 1024)\n"
        "C(i, j) = sum(k < 256) A(i, k) * B(k, j)\n");
}

TEST_CASE("print: boundaries are the functions of the DSL") {
  auto const a = operand("A", {8});
  auto const read = [&](ir::boundary how, ir::expr fill) {
    return ir::print(ir::make_access(a, {variable("i") + -1}, how, fill));
  };
  CHECK(read(ir::boundary::value, real(0)) == "zero_outside(A)(i - 1)");
  CHECK(read(ir::boundary::value, real(2)) == "value_outside(A, 2.0)(i - 1)");
  CHECK(read(ir::boundary::mirror, {}) == "mirror_outside(A)(i - 1)");
}

TEST_CASE("print: symbolic extents have their name, predicates stand behind") {
  auto const b = share(ir::dimension{{}, "b", 1, 4096});
  auto const a = operand("A", {ir::extent(64, b)});
  ir::stage s;
  s.name = "s";
  s.reduction.kind = ir::reduction_kind::sum;
  s.reduction.axes = {{"k", 1, ir::extent(64, b)}};
  s.components = {{"", dtype::f32, ir::make_access(a, {variable("k")})}};
  s.predicate = ir::make_binary(binary_op::less, variable("k"), ir::make_index(9));
  CHECK(ir::print(s) == "s() = sum(k in [1, b=64)) A(k) where k < 9");
}

TEST_CASE("print: loops, scratch and stores") {
  auto const a = scratch("A", {512, 256}, ir::memory::operand);
  auto const c = scratch("C", {512}, ir::memory::operand);
  auto const acc = scratch("acc", {}, ir::memory::registers);
  auto const i = variable("i");
  auto const term = ir::make_access(acc, {}) + ir::make_access(a, {i, variable("k")});
  auto const body = ir::make_block({ir::make_store(acc, {}, real(0)),
                                    loop("k", 0, 256, ir::loop_kind::vectorized, ir::make_store(acc, {}, term)),
                                    ir::make_store(c, {i}, ir::make_access(acc, {}))});
  CHECK(ir::print(loop("i", 0, 512, ir::loop_kind::parallel, ir::make_allocate(acc, body))) ==
        "parallel i < 512\n"
        "  alloc acc f32 () registers\n"
        "  acc[] = 0.0\n"
        "  vectorize k < 256\n"
        "    acc[] += A[i, k]\n"
        "  C[i] = acc[]\n");
}

TEST_CASE("print: a choice has both arms, a let its range") {
  auto const c = scratch("C", {8}, ir::memory::operand);
  auto const i = variable("i");
  auto const less = ir::make_binary(binary_op::less, i, ir::make_index(4));
  auto const choice = ir::make_conditional(less, ir::make_store(c, {i}, real(1)), ir::make_store(c, {i}, real(2)));
  auto const nest = ir::make_let("i", variable("io") * 2, 0, 8, choice);
  CHECK(ir::print(loop("io", 1, 4, ir::loop_kind::unrolled, nest)) ==
        "unroll io in [1, 4)\n"
        "  let i = io * 2 in [0, 8)\n"
        "  if i < 4\n"
        "    C[i] = 1.0\n"
        "  else\n"
        "    C[i] = 2.0\n");
}

}  // namespace print_tests
