// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/make.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "ttune/support/error.hpp"

namespace make_tests {

using namespace ttune;
using ir::binary_op;

namespace {

ir::expr const i = ir::make_variable("i");

bool is_value(ir::expr const& e, std::int64_t value) { return ir::is_constant(e, value); }

ir::stmt a_store() {
  auto const to = share(ir::buffer{{}, "C", dtype::f32, {4}, ir::memory::operand, 0, {}});
  return ir::make_store(to, {i}, ir::make_real(dtype::f32, 1));
}

}  // namespace

TEST_CASE("make: constants of indices are folded, floored where they divide") {
  auto const fold = [](binary_op op, std::int64_t a, std::int64_t b) {
    return ir::constant_integer(ir::make_binary(op, ir::make_index(a), ir::make_index(b)));
  };
  CHECK(fold(binary_op::floor_divide, -7, 2) == -4);
  CHECK(fold(binary_op::floor_modulo, -7, 2) == 1);
  CHECK(fold(binary_op::minimum, 3, -2) == -2);
  CHECK(fold(binary_op::less, 3, 4) == 1);
  CHECK(ir::make_binary(binary_op::less, ir::make_index(3), ir::make_index(4))->type == dtype::boolean);
  CHECK(!ir::is_constant(ir::make_binary(binary_op::floor_divide, ir::make_index(1), ir::make_index(0))));
}

TEST_CASE("make: neutral elements of indices disappear") {
  auto const zero = ir::make_index(0);
  CHECK(i + zero == i);
  CHECK(zero + i == i);
  CHECK(i - zero == i);
  CHECK(i * 1 == i);
  CHECK(is_value(i * 0, 0));
  CHECK(is_value(i - i, 0));
  CHECK(ir::make_binary(binary_op::floor_divide, i, ir::make_index(1)) == i);
  CHECK(is_value(ir::make_binary(binary_op::floor_modulo, i, ir::make_index(1)), 0));
}

TEST_CASE("make: floats keep neutral elements, because of NaN, infinity and -0") {
  auto const x = ir::make_variable("x", dtype::f32);
  auto const zero = ir::make_real(dtype::f32, 0);
  CHECK(x + zero != x);
  CHECK(ir::as<ir::binary>(x * zero));
  CHECK(ir::as<ir::binary>(x - x));
  CHECK(ir::as<ir::binary>(ir::make_real(dtype::f32, 1) + ir::make_real(dtype::f32, 2)));
}

TEST_CASE("make: conditions obey the laws of and, or, not") {
  auto const c = ir::make_binary(binary_op::less, i, ir::make_index(4));
  auto const yes = ir::make_bool(true);
  auto const no = ir::make_bool(false);
  CHECK(ir::make_binary(binary_op::logical_and, yes, c) == c);
  CHECK(is_value(ir::make_binary(binary_op::logical_and, c, no), 0));
  CHECK(ir::make_binary(binary_op::logical_or, no, c) == c);
  CHECK(is_value(ir::make_binary(binary_op::logical_or, c, yes), 1));
  CHECK(is_value(ir::make_unary(ir::unary_op::logical_not, yes), 0));
}

TEST_CASE("make: a decided select is its arm, a cast to the same type is its operand") {
  auto const j = ir::make_variable("j");
  CHECK(ir::make_select(ir::make_bool(true), i, j) == i);
  CHECK(ir::make_select(ir::make_bool(false), i, j) == j);
  CHECK(ir::make_cast(dtype::index, i) == i);
  CHECK(ir::make_cast(dtype::f32, i)->type == dtype::f32);
}

TEST_CASE("make: types that differ and ranks that do not fit are refused") {
  auto const x = ir::make_variable("x", dtype::f32);
  CHECK_THROWS_AS((void)(i + x), program_error);
  auto const c = ir::make_binary(binary_op::less, i, ir::make_index(4));
  CHECK_THROWS_AS((void)ir::make_select(c, i, x), program_error);
  auto const a =
      share(ir::tensor{{}, "A", dtype::f32, {4, 4}, ir::layout::row_major, ir::tensor_role::input, false, 0, 0, {}});
  CHECK_THROWS_WITH_AS((void)ir::make_access(a, {i}), "A has 2 dimensions, 1 indices given", program_error);
}

TEST_CASE("make: nothing is less than the least value of a type, or more than the greatest") {
  auto const less = [](ir::expr const& a, ir::expr const& b) {
    return ir::is_constant(ir::make_binary(binary_op::less, a, b), 0);
  };
  for (auto const type : {dtype::f32, dtype::f64, dtype::i32, dtype::u8, dtype::i64}) {
    CAPTURE(name_of(type));
    auto const x = ir::make_variable("x", type);
    auto const least = ir::make_identity(ir::reduction_kind::maximum, type);
    auto const greatest = ir::make_identity(ir::reduction_kind::minimum, type);
    CHECK(less(x, least));
    CHECK(less(greatest, x));
    CHECK_FALSE(less(least, x));
    CHECK_FALSE(less(x, greatest));
    CHECK_FALSE(less(x, ir::make_number(type, 1)));
  }
}

TEST_CASE("make: identities are neutral in every type") {
  using ir::reduction_kind;
  auto const integer = [](reduction_kind k, dtype t) { return ir::constant_integer(ir::make_identity(k, t)); };
  auto const real = [](reduction_kind k) { return ir::as<ir::constant>(ir::make_identity(k, dtype::f32))->real; };
  CHECK(real(reduction_kind::sum) == 0);
  CHECK(real(reduction_kind::product) == 1);
  CHECK(real(reduction_kind::maximum) == -std::numeric_limits<double>::infinity());
  CHECK(real(reduction_kind::minimum) == std::numeric_limits<double>::infinity());
  CHECK(integer(reduction_kind::maximum, dtype::i8) == -128);
  CHECK(integer(reduction_kind::minimum, dtype::i8) == 127);
  CHECK(integer(reduction_kind::maximum, dtype::u16) == 0);
  CHECK(integer(reduction_kind::minimum, dtype::u16) == 65535);
  CHECK(integer(reduction_kind::minimum, dtype::i64) == std::numeric_limits<std::int64_t>::max());
  CHECK(integer(reduction_kind::maximum, dtype::i64) == std::numeric_limits<std::int64_t>::min());
  CHECK(integer(reduction_kind::minimum, dtype::u64) == -1);  // its bits
}

TEST_CASE("make: statements without a store disappear, blocks are flat") {
  CHECK(!ir::make_block({}));
  CHECK(!ir::make_loop("i", ir::make_index(0), ir::make_index(4), ir::loop_kind::serial, {}));
  CHECK(!ir::make_conditional(ir::make_bool(false), a_store()));
  auto const s = a_store();
  CHECK(ir::make_block({{}, s}) == s);
  CHECK(ir::make_conditional(ir::make_bool(true), s) == s);
  auto const nested = ir::make_block({ir::make_block({s, a_store()}), a_store()});
  CHECK(ir::as<ir::block>(nested)->body.size() == 3);
}

TEST_CASE("make: an access has the type and rank of its source") {
  ir::stage tuple;
  tuple.name = "argmax";
  tuple.axes = {{"i", 0, 4}};
  tuple.components = {{"value", dtype::f32, ir::make_real(dtype::f32, 0)},
                      {"at", dtype::i32, ir::make_integer(dtype::i32, 0)}};
  ir::source const from = share(std::move(tuple));
  CHECK(ir::make_access(from, {i})->type == dtype::f32);
  CHECK(ir::make_access(from, {i}, ir::boundary::none, {}, 1)->type == dtype::i32);
  CHECK(ir::shape_of(from) == std::vector<std::int64_t>{4});
  CHECK(ir::name_of(from) == "argmax");
}

}  // namespace make_tests
