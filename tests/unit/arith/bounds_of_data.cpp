// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/bounds_of_data.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/make.hpp"

namespace bounds_of_data_tests {

using namespace ttune;
using arith::bounds_of_data;
using arith::interval;

namespace {

handle<ir::tensor> operand(char const* name, dtype type, bool has_range = false) {
  return share(ir::tensor{{}, name, type, {8}, ir::layout::row_major, ir::tensor_role::input, has_range, 2, 10, {}});
}
ir::expr read(handle<ir::tensor> const& from) { return ir::make_access(from, {ir::make_variable("i")}); }
ir::expr number(std::int64_t v) { return ir::make_integer(dtype::i32, v); }
ir::expr clamped(ir::expr const& e, double low, double high) {
  auto const raised = ir::make_binary(ir::binary_op::maximum, e, ir::make_number(e->type, low));
  return ir::make_binary(ir::binary_op::minimum, raised, ir::make_number(e->type, high));
}

constexpr interval all_of_i32{-2147483648, 2147483647};

}  // namespace

TEST_CASE("bounds_of_data: an operand has its declared range, or that of its type") {
  CHECK(bounds_of_data(read(operand("U", dtype::u8))) == interval{0, 255});
  CHECK(bounds_of_data(read(operand("R", dtype::i32, true))) == interval{2, 9});
  CHECK(bounds_of_data(read(operand("L", dtype::i64, true)) + ir::make_integer(dtype::i64, 5)) == interval{7, 14});
  CHECK(!arith::is_bounded(bounds_of_data(read(operand("L", dtype::i64)))));
}

TEST_CASE("bounds_of_data: an element outside of an operand may have another value") {
  auto const filled =
      ir::make_access(operand("R", dtype::i32, true), {ir::make_variable("i")}, ir::boundary::value, number(-7));
  CHECK(bounds_of_data(filled) == all_of_i32);
}

TEST_CASE("bounds_of_data: min and max bound any value") {
  auto const e = read(operand("E", dtype::i32));
  CHECK(bounds_of_data(clamped(e, 0, 1023)) == interval{0, 1023});
  CHECK(bounds_of_data(clamped(e * number(3) + number(1), 0, 1023)) == interval{0, 1023});
}

TEST_CASE("bounds_of_data: where arithmetic may wrap, only the type is known") {
  auto const e = read(operand("E", dtype::i32));
  CHECK(bounds_of_data(e + number(1)) == all_of_i32);
  auto const narrow = ir::make_cast(dtype::u8, ir::make_cast(dtype::i32, read(operand("U", dtype::u8))) + number(1));
  CHECK(bounds_of_data(narrow) == interval{0, 255});
}

TEST_CASE("bounds_of_data: clamped floats stay in range when they are converted, and NaN becomes 0") {
  auto const x = read(operand("X", dtype::f32));
  auto const converted = [](ir::expr const& e) { return bounds_of_data(ir::make_cast(dtype::i32, e)); };
  CHECK(converted(x) == all_of_i32);
  CHECK(converted(clamped(x, 0, 15.5)) == interval{0, 16});
  CHECK(converted(clamped(x, 3, 15)) == interval{0, 15});
  CHECK(converted(ir::make_unary(ir::unary_op::floor, clamped(x, -2.5, 7))) == interval{-3, 7});
  CHECK(bounds_of_data(ir::make_cast(dtype::u8, clamped(x, -5, 300))) == interval{0, 255});
}

}  // namespace bounds_of_data_tests
