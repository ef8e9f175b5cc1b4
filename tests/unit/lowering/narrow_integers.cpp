// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/narrow_integers.hpp"

#include <doctest/doctest.h>

#include "support/seed.hpp"
#include "ttune/arith/bounds_of_data.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/rng.hpp"

namespace narrow_integers_tests {

using namespace ttune;

namespace {

handle<ir::tensor> operand(char const* name, dtype type) {
  return share(ir::tensor{{}, name, type, {256}, ir::layout::row_major, ir::tensor_role::input, false, 0, 0, {}});
}
auto const A = operand("A", dtype::u8);
auto const S = operand("S", dtype::i16);

ir::expr read(handle<ir::tensor> const& from) { return ir::make_access(from, {ir::make_variable("i")}); }
ir::expr wide(ir::expr const& e) { return ir::make_cast(dtype::i32, e); }
ir::expr number(std::int64_t v) { return ir::make_integer(dtype::i32, v); }
ir::expr divided(ir::expr const& e, std::int64_t by) { return ir::make_binary(ir::binary_op::divide, e, number(by)); }
std::string narrowed(dtype type, ir::expr const& e) {
  return ir::print(lowering::narrow_integers(ir::make_cast(type, e)));
}

}  // namespace

TEST_CASE("narrow_integers: a mean of bytes takes 16 bits") {
  auto const mean = divided(wide(read(A)) + wide(read(A)) + number(1), 2);
  auto const text = narrowed(dtype::u8, mean);
  INFO(text);
  CHECK(text.find("i32") == std::string::npos);
  CHECK(text.find("u16") != std::string::npos);
}

TEST_CASE("narrow_integers: values that do not fit keep their type") {
  auto const scaled = divided(wide(read(A)) * number(1000), 256);
  CHECK(narrowed(dtype::u8, scaled).find("u16") == std::string::npos);
  auto const held = ir::make_binary(ir::binary_op::minimum, wide(read(S)) * wide(read(S)), number(255));
  CHECK(narrowed(dtype::u8, held).find("i32") != std::string::npos);
}

TEST_CASE("narrow_integers: sums may wrap if only their low bits are needed") {
  auto const sum = wide(read(A)) * number(7) + wide(read(S));
  CHECK(narrowed(dtype::u8, sum).find("i32") == std::string::npos);
}

TEST_CASE("narrow_integers: values that cannot be negative are divided as unsigned") {
  auto const e = lowering::narrow_integers(divided(wide(read(A)) * number(100000), 256));
  CHECK(ir::print(e).find("u32") != std::string::npos);
  auto const with_sign = divided(wide(read(S)), 256);
  CHECK(ir::print(lowering::narrow_integers(with_sign)) == ir::print(with_sign));
}

namespace {

/// Random arithmetic on bytes and 16-bit integers in a type, with a maximum depth.
class random_arithmetic {
 public:
  explicit random_arithmetic(rng& random) : random_(random) {}

  ir::expr value(dtype type, int depth) {
    if (depth == 0) return leaf(type);
    auto const sub = [&] { return value(type, depth - 1); };
    switch (random_.below(10)) {
      case 0: return ir::make_binary(ir::binary_op::add, sub(), sub());
      case 1: return ir::make_binary(ir::binary_op::subtract, sub(), sub());
      case 2: return ir::make_binary(ir::binary_op::multiply, sub(), constant(type));
      case 3: return ir::make_binary(ir::binary_op::divide, sub(), constant(type));
      case 4: return ir::make_binary(ir::binary_op::modulo, sub(), constant(type));
      case 5: return ir::make_binary(ir::binary_op::minimum, sub(), constant(type));
      case 6: return ir::make_binary(ir::binary_op::maximum, sub(), sub());
      case 7: return ir::make_unary(random_.below(2) == 0 ? ir::unary_op::abs : ir::unary_op::negate, sub());
      case 8: return ir::make_select(ir::make_binary(ir::binary_op::less, sub(), sub()), sub(), sub());
      default: return ir::make_cast(type, value(other(), depth - 1));
    }
  }
  dtype other() {
    constexpr dtype types[] = {dtype::u8,  dtype::i8,  dtype::u16, dtype::i16,
                               dtype::u32, dtype::i32, dtype::i64, dtype::u64};
    return types[random_.below(8)];
  }

 private:
  ir::expr leaf(dtype type) {
    if (random_.below(4) == 0) return constant(type);
    return ir::make_cast(type, read(random_.below(2) == 0 ? A : S));
  }
  ir::expr constant(dtype type) {
    constexpr std::int64_t values[] = {1, 2, 3, 5, 16, 100, 127};
    return ir::make_integer(type, values[random_.below(7)]);
  }

  rng& random_;
};

}  // namespace

TEST_CASE("narrow_integers: the value is that of the wide arithmetic, whatever wraps, and within its bounds") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  random_arithmetic make(random);
  int changed = 0;
  for (int round = 0; round < 400; ++round) {
    auto const type = make.other();
    auto const e = ir::make_cast(type, make.value(make.other(), 3));
    auto const made = lowering::narrow_integers(e);
    changed += made != e ? 1 : 0;
    auto const program = [&](ir::expr const& value) {
      auto const out = share(ir::stage{{}, "Y", {{"i", 0, 256}}, {}, {{"Y", type, value}}, {}, {}});
      return share(ir::program{{}, "narrow", {A, S}, {out}, {out}});
    };
    ir::ndarray bytes(dtype::u8, {256});
    ir::ndarray words(dtype::i16, {256});
    for (std::size_t i = 0; i < 256; ++i) {
      bytes.set_number(i, static_cast<double>(i));
      words.set_number(i, static_cast<double>(random.below(65536)) - 32768);
    }
    std::vector const operands = {bytes, words};
    auto const want = ir::evaluate(*program(e), operands);
    auto const got = ir::evaluate(*program(made), operands);
    INFO(ir::print(e));
    INFO(ir::print(made));
    auto const range = arith::bounds_of_data(e);
    for (std::size_t i = 0; i < 256; ++i) {
      REQUIRE(got[0].number(i) == want[0].number(i));
      REQUIRE((range.low <= arith::unbounded.low || want[0].number(i) >= static_cast<double>(range.low)));
      REQUIRE((range.high >= arith::unbounded.high || want[0].number(i) <= static_cast<double>(range.high)));
    }
  }
  CHECK(changed > 50);
}

}  // namespace narrow_integers_tests
