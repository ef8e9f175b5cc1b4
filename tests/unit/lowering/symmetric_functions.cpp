// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/symmetric_functions.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"

namespace symmetric_functions_tests {

using namespace ttune;

namespace {

auto const A =
    share(ir::tensor{{}, "A", dtype::f32, {256}, ir::layout::row_major, ir::tensor_role::input, false, 0, 0, {}});

ir::expr x() { return ir::make_access(A, {ir::make_variable("i")}); }
ir::expr number(double v) { return ir::make_number(dtype::f32, v); }
ir::expr negated(ir::expr const& e) { return ir::make_unary(ir::unary_op::negate, e); }
ir::expr function(ir::unary_op op, ir::expr const& e) { return ir::make_unary(op, e); }
ir::expr quotient(ir::expr const& a, ir::expr const& b) { return ir::make_binary(ir::binary_op::divide, a, b); }
std::string rewritten(ir::expr const& e) { return ir::print(lowering::symmetric_functions(e)); }

}  // namespace

TEST_CASE("symmetric_functions: signs move out of odd functions") {
  for (auto const op : {ir::unary_op::sin, ir::unary_op::tanh, ir::unary_op::erf}) {
    CHECK(rewritten(function(op, negated(x()))) == ir::print(negated(function(op, x()))));
    CHECK(rewritten(function(op, negated(x()) * number(0.7))) == ir::print(negated(function(op, x() * number(0.7)))));
    CHECK(rewritten(function(op, x() * number(-0.7))) == ir::print(negated(function(op, x() * number(0.7)))));
    CHECK(rewritten(function(op, quotient(x(), negated(x())))) == ir::print(negated(function(op, quotient(x(), x())))));
  }
}

TEST_CASE("symmetric_functions: two signs cancel, and even functions drop theirs") {
  CHECK(rewritten(function(ir::unary_op::erf, negated(x()) * number(-2))) ==
        ir::print(function(ir::unary_op::erf, x() * number(2))));
  CHECK(rewritten(function(ir::unary_op::cos, negated(x()))) == ir::print(function(ir::unary_op::cos, x())));
  CHECK(rewritten(function(ir::unary_op::abs, x() * number(-3))) ==
        ir::print(function(ir::unary_op::abs, x() * number(3))));
}

TEST_CASE("symmetric_functions: others stay as they are") {
  auto const exponential = function(ir::unary_op::exp, negated(x()));
  CHECK(lowering::symmetric_functions(exponential) == exponential);
  auto const sum = function(ir::unary_op::erf, negated(x()) + number(1));
  CHECK(lowering::symmetric_functions(sum) == sum);
  auto const integer =
      function(ir::unary_op::abs, negated(ir::make_cast(dtype::i32, x())));  // the least has no opposite
  CHECK(lowering::symmetric_functions(integer) == integer);
}

}  // namespace symmetric_functions_tests
