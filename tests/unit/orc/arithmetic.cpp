// SPDX-License-Identifier: Apache-2.0
// Operations where processors trap, round twice or have no instruction: the results must be those of ir/README.md.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "elementwise.hpp"
#include "support/seed.hpp"
#include "support/tf32_values.hpp"
#include "ttune/core/float16.hpp"
#include "ttune/core/tf32.hpp"
#include "ttune/support/rng.hpp"

namespace arithmetic_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

formula by(ir::binary_op op) {
  return [op](auto const& in) { return ir::make_binary(op, in[0], in[1]); };
}

formula to(dtype type) {
  return [type](auto const& in) { return ir::make_cast(type, in[0]); };
}

/// Returns doubles that are 16-bit floats, next to them and half way between them, and random ones.
std::vector<double> around(double (*widened)(std::uint16_t), std::uint16_t infinity) {
  std::vector<double> all{0.0,    -0.0,   HUGE_VAL, -HUGE_VAL,    std::nan(""), 1e300,
                          -1e300, 1e-300, 5e-324,   65519.999999, 65520,        3.5e38};
  for (std::uint32_t bits = 0; bits < infinity; bits += 7) {
    auto const low = widened(static_cast<std::uint16_t>(bits));
    auto const high = bits + 1U < infinity ? widened(static_cast<std::uint16_t>(bits + 1)) : 2 * low;
    auto const middle = low + (high - low) / 2;
    for (double const v :
         {low, middle, std::nextafter(middle, 0), std::nextafter(middle, 1e308), middle * (1 + 0x1p-40)}) {
      all.push_back(v);
      all.push_back(-v);
    }
  }
  return all;
}

template <class Narrow>
void check_narrowing(dtype type, Narrow (*narrow)(double), std::uint16_t infinity) {
  auto const values = around([](std::uint16_t bits) { return static_cast<double>(to_float(Narrow{bits})); }, infinity);
  std::vector<float> floats;
  for (double const v : values) floats.push_back(static_cast<float>(v));
  for (auto const& machine : machines()) {
    auto const from_double = apply<std::uint16_t>(machine, type, {dtype::f64}, to(type), values);
    auto const from_float = apply<std::uint16_t>(machine, type, {dtype::f32}, to(type), floats);
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO(machine.cpu, ": ", values[i]);
      if (std::isnan(values[i])) {
        CHECK(std::isnan(to_float(Narrow{from_double[i]})));
        CHECK(std::isnan(to_float(Narrow{from_float[i]})));
      } else {
        REQUIRE(from_double[i] == narrow(values[i]).bits);
        REQUIRE(from_float[i] == narrow(static_cast<double>(floats[i])).bits);
      }
    }
  }
}

}  // namespace

TEST_CASE("arithmetic: the smallest integer divided by -1 wraps") {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  std::vector<std::int32_t> const a{least, least, least, 7, -7, 7, -7, 0, least + 1, 2147483647};
  std::vector<std::int32_t> const b{-1, 1, 2, -1, -1, 3, 3, -1, -1, -1};
  for (auto const& machine : machines()) {
    auto const q = apply<std::int32_t>(machine, dtype::i32, {dtype::i32, dtype::i32}, by(ir::binary_op::divide), a, b);
    auto const r = apply<std::int32_t>(machine, dtype::i32, {dtype::i32, dtype::i32}, by(ir::binary_op::modulo), a, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      auto const wide = static_cast<std::int64_t>(a[i]) / b[i];
      CHECK(q[i] == static_cast<std::int32_t>(static_cast<std::uint32_t>(wide)));
      CHECK(r[i] == static_cast<std::int64_t>(a[i]) % b[i]);
    }
    auto const constant = [](std::int64_t c, ir::binary_op op) {
      return [c, op](auto const& in) { return ir::make_binary(op, in[0], ir::make_integer(dtype::i32, c)); };
    };
    CHECK(apply<std::int32_t>(machine, dtype::i32, {dtype::i32}, constant(-1, ir::binary_op::divide), a)[0] == least);
    CHECK(apply<std::int32_t>(machine, dtype::i32, {dtype::i32}, constant(-1, ir::binary_op::modulo), a)[0] == 0);
    CHECK(apply<std::int32_t>(machine, dtype::i32, {dtype::i32}, constant(3, ir::binary_op::divide), a)[4] == -2);
  }
}

namespace {

/// Checks that x / c has the bits of a division, for all x; below 2^-105 (f64: 2^-972) those of a neighbour, perhaps.
template <class Real>
void check_quotients(dtype type, double divisor, std::vector<Real> const& numbers) {
  auto const c = static_cast<Real>(divisor);
  formula const divided = [&](auto const& in) {
    return ir::make_binary(ir::binary_op::divide, in[0], ir::make_real(type, divisor));
  };
  for (auto const& machine : machines()) {
    auto const made = apply<Real>(machine, type, {type}, divided, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      auto const right = numbers[i] / c;
      if (std::isnan(right)) {
        REQUIRE(std::isnan(made[i]));
        continue;
      }
      INFO(machine.cpu, ": ", numbers[i], " / ", divisor);
      bool const tiny = std::fabs(right) < (type == dtype::f64 ? Real(0x1p-972) : Real(0x1p-105));
      if (tiny) REQUIRE((made[i] <= std::nextafter(right, Real{1}) && made[i] >= std::nextafter(right, Real{-1})));
      else REQUIRE(made[i] == right);
      REQUIRE(std::signbit(made[i]) == std::signbit(right));
    }
  }
}

/// Returns quotients' neighbours times the divisor, which are near places where rounding changes, and random numbers.
template <class Real, class Bits>
std::vector<Real> numbers_around(double divisor, std::size_t count) {
  using limits = std::numeric_limits<Real>;
  std::vector<Real> all{0, limits::infinity(), limits::quiet_NaN(), limits::max(), limits::min(), limits::denorm_min(),
                        1, limits::min() / 2};
  rng random(seed());
  for (std::size_t i = 0; i < count; ++i) {
    auto const any = std::bit_cast<Real>(static_cast<Bits>(random()));
    all.push_back(any);
    auto const middle = std::nextafter(any, limits::infinity()) / 2 + any / 2;
    for (auto const x :
         {middle * static_cast<Real>(divisor), std::nextafter(any * static_cast<Real>(divisor), Real{0})})
      all.push_back(x);
  }
  auto const half = all.size();
  for (std::size_t i = 0; i < half; ++i) all.push_back(-all[i]);
  return all;
}

}  // namespace

TEST_CASE("arithmetic: a division by a constant is exact where multiply-adds make it") {
  for (double const c : {3.0, 12.0, -7.0, 49.0, 255.0, 0.75, 1048575.0, 1048577.0, 0.1, 4.0, 1e30, -1e-30})
    check_quotients<float>(dtype::f32, c, numbers_around<float, std::uint32_t>(c, 20'000));
  for (double const c : {3.0, 12.0, -7.0, 1.5, 0.1, 562949953421311.0, 1e300})
    check_quotients<double>(dtype::f64, c, numbers_around<double, std::uint64_t>(c, 10'000));
}

TEST_CASE("arithmetic: 8 and 64 bits wrap, too; unsigned division does not wrap") {
  std::vector<std::int8_t> const a{-128, -128, 100, -100};
  std::vector<std::int8_t> const b{-1, 3, -1, 7};
  std::vector<std::int64_t> const c{std::numeric_limits<std::int64_t>::min(), 9};
  std::vector<std::int64_t> const d{-1, -2};
  std::vector<std::uint32_t> const u{0x80000000U, 7};
  std::vector<std::uint32_t> const v{0xffffffffU, 2};
  for (auto const& machine : machines()) {
    CHECK(apply<std::int8_t>(machine, dtype::i8, {dtype::i8, dtype::i8}, by(ir::binary_op::divide), a, b) ==
          std::vector<std::int8_t>{-128, -42, -100, -14});
    CHECK(apply<std::int64_t>(machine, dtype::i64, {dtype::i64, dtype::i64}, by(ir::binary_op::divide), c, d) ==
          std::vector<std::int64_t>{c[0], -4});
    CHECK(apply<std::uint32_t>(machine, dtype::u32, {dtype::u32, dtype::u32}, by(ir::binary_op::divide), u, v) ==
          std::vector<std::uint32_t>{0, 3});
  }
}

TEST_CASE("arithmetic: the arm of a select that divides by zero is not run") {
  std::vector<std::int32_t> const a{5, 6, 7, 8};
  std::vector<std::int32_t> const b{0, 2, 0, 3};
  auto const guarded = [](auto const& in) {
    auto const zero = ir::make_integer(dtype::i32, 0);
    return ir::make_select(ir::make_binary(ir::binary_op::not_equal, in[1], zero),
                           ir::make_binary(ir::binary_op::divide, in[0], in[1]), zero);
  };
  for (auto const& machine : machines())
    CHECK(apply<std::int32_t>(machine, dtype::i32, {dtype::i32, dtype::i32}, guarded, a, b) ==
          std::vector<std::int32_t>{0, 3, 0, 2});
}

TEST_CASE("arithmetic: a NaN is not 0, so it is true") {
  std::vector<double> const x{0.0, -0.0, std::nan(""), 1, 5e-324, -HUGE_VAL};
  for (auto const& machine : machines())
    CHECK(apply<std::uint8_t>(machine, dtype::boolean, {dtype::f64}, to(dtype::boolean), x) ==
          std::vector<std::uint8_t>{0, 0, 1, 1, 1, 1});
}

TEST_CASE("arithmetic: f64 and f32 become f16 with one rounding") { check_narrowing<f16>(dtype::f16, to_f16, 0x7c00); }
TEST_CASE("arithmetic: f64 and f32 become bf16 with one rounding") {
  check_narrowing<bf16>(dtype::bf16, to_bf16, 0x7f80);
}

TEST_CASE("arithmetic: integers become bf16 with one rounding") {
  std::vector<std::int32_t> narrow{
      0, 1, -1, 16842753, 16842751, 16842752, -16842753, 2147483647, std::numeric_limits<std::int32_t>::min()};
  std::vector<std::int64_t> wide{0,
                                 5,
                                 -5,
                                 (std::int64_t{257} << 54) + 1,
                                 (std::int64_t{257} << 54) - 1,
                                 std::int64_t{257} << 54,
                                 -(std::int64_t{257} << 54) - 1,
                                 std::numeric_limits<std::int64_t>::max(),
                                 std::numeric_limits<std::int64_t>::min()};
  for (auto const& machine : machines()) {
    auto const a = apply<std::uint16_t>(machine, dtype::bf16, {dtype::i32}, to(dtype::bf16), narrow);
    for (std::size_t i = 0; i < narrow.size(); ++i) CHECK(a[i] == to_bf16(narrow[i]).bits);
    auto const b = apply<std::uint16_t>(machine, dtype::bf16, {dtype::i64}, to(dtype::bf16), wide);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      // 257 << 54 is a tie; a 64-bit long double holds it and its neighbours.
      auto const nudge = wide[i] % 2 != 0 && std::abs(static_cast<double>(wide[i])) < 9e18 &&
                                 std::abs(static_cast<double>(wide[i])) > 100
                             ? 1e4
                             : 0;
      auto const exact = static_cast<double>(wide[i]);
      bool const above = static_cast<long double>(wide[i]) > static_cast<long double>(exact);
      CHECK(b[i] == to_bf16(exact + (nudge != 0 ? (above ? nudge : -nudge) : 0)).bits);
    }
  }
}

TEST_CASE("arithmetic: every f16 is read and written back, subnormals and infinities included") {
  std::vector<std::uint16_t> all;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) all.push_back(static_cast<std::uint16_t>(bits));
  for (auto const& machine : machines()) {
    auto const wide = apply<float>(machine, dtype::f32, {dtype::f16}, to(dtype::f32), all);
    auto const back = apply<std::uint16_t>(machine, dtype::f16, {dtype::f32}, to(dtype::f16), wide);
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto const wanted = to_float(f16{all[i]});
      if (std::isnan(wanted)) {
        REQUIRE(std::isnan(wide[i]));
      } else {
        REQUIRE(std::bit_cast<std::uint32_t>(wide[i]) == std::bit_cast<std::uint32_t>(wanted));
        REQUIRE(back[i] == all[i]);
      }
    }
  }
}

TEST_CASE("arithmetic: floor, ceil and round without instructions for them") {
  std::vector<double> x{0.0,    -0.0,         0.5,     -0.5,      1.5,        2.5,       -2.5,
                        0.3,    -0.3,         1e300,   -1e300,    HUGE_VAL,   -HUGE_VAL, std::nan(""),
                        0x1p52, 0x1p52 - 0.5, 0x1p23F, 8388607.5, -8388607.5, 5e-324};
  rng random(seed());
  for (int i = 0; i < 1000; ++i)
    x.push_back((2 * random.uniform() - 1) * std::ldexp(1.0, static_cast<int>(random.below(60))));
  std::vector<float> f;
  for (double const v : x) f.push_back(static_cast<float>(v));
  auto const same = [](auto a, auto b) {
    return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
  };
  for (auto const& machine : machines())
    for (auto const& [op, wanted] : {std::pair<ir::unary_op, double (*)(double)>{ir::unary_op::floor, std::floor},
                                     {ir::unary_op::ceil, std::ceil},
                                     {ir::unary_op::round, std::nearbyint}}) {
      auto const formula_of = [which = op](auto const& in) { return ir::make_unary(which, in[0]); };
      auto const wide = apply<double>(machine, dtype::f64, {dtype::f64}, formula_of, x);
      auto const narrow = apply<float>(machine, dtype::f32, {dtype::f32}, formula_of, f);
      for (std::size_t i = 0; i < x.size(); ++i) {
        INFO(machine.cpu, ": ", x[i], " becomes ", wide[i], ", ", f[i], " becomes ", narrow[i]);
        REQUIRE(same(wide[i], wanted(x[i])));
        REQUIRE(same(narrow[i], static_cast<float>(wanted(static_cast<double>(f[i])))));
      }
    }
}

namespace {

/// Returns the integer towards zero, limited to its type; 0 for NaN.
template <class Integer>
Integer limited(double x) {
  if (std::isnan(x)) return 0;
  if (x >= static_cast<double>(std::numeric_limits<Integer>::max())) return std::numeric_limits<Integer>::max();
  if (x <= static_cast<double>(std::numeric_limits<Integer>::min())) return std::numeric_limits<Integer>::min();
  return static_cast<Integer>(x);
}

template <class Integer, class Real>
void check_limited(target const& machine, std::vector<Real> const& x) {
  auto const got = apply<Integer>(machine, dtype_of<Integer>(), {dtype_of<Real>()}, to(dtype_of<Integer>()), x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO(machine.cpu, ": ", x[i]);
    REQUIRE(got[i] == limited<Integer>(static_cast<double>(x[i])));
  }
}

}  // namespace

TEST_CASE("arithmetic: floats become integers towards zero, saturating, NaN 0") {
  std::vector<double> x{0.0, -0.0, 0.99, -0.99, 1e300, -1e300, HUGE_VAL, -HUGE_VAL, std::nan(""), 5e-324, -5e-324};
  for (double const v : {1.0, 99.5, 3.4e38, -3e38, 1e10, -1e10, 1e-40}) x.push_back(v);
  for (double const edge : {0x1p7, 0x1p8, 0x1p15, 0x1p16, 0x1p31, 0x1p32})
    for (double const nudge : {-1.5, -1.0, -0.5, -0.1, 0.0, 0.5, 0.9, 1.0, 128.0, -128.0, -256.0})
      x.push_back(edge + nudge), x.push_back(-edge + nudge);
  rng random(seed());
  for (int i = 0; i < 10'000; ++i)
    x.push_back((2 * random.uniform() - 1) * std::ldexp(1.0, static_cast<int>(random.below(36))));
  std::vector<float> f;
  for (double const v : x) f.push_back(static_cast<float>(v));
  for (auto const& machine : machines()) {
    check_limited<std::int8_t>(machine, f);
    check_limited<std::uint8_t>(machine, f);
    check_limited<std::int16_t>(machine, f);
    check_limited<std::uint16_t>(machine, f);
    check_limited<std::int32_t>(machine, f);
    check_limited<std::uint32_t>(machine, f);
    check_limited<std::int32_t>(machine, x);
    check_limited<std::uint32_t>(machine, x);
  }
}

TEST_CASE("arithmetic: f32 rounded to TF32, every bit") {
  auto values = ttune_test::tf32_values();
  rng random(seed());
  for (int i = 0; i < 10'000; ++i) {
    auto const bits = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
    values.push_back({bits, std::bit_cast<std::uint32_t>(rounded_to_tf32(std::bit_cast<float>(bits)))});
  }
  auto const rounded = [](auto const& in) { return ir::make_unary(ir::unary_op::round_to_tf32, in[0]); };
  for (auto const& machine : machines()) {
    auto const found = apply<float>(machine, dtype::f32, {dtype::f32}, rounded, floats_of(values));
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO(machine.cpu, ": ", values[i].bits, " becomes ", std::bit_cast<std::uint32_t>(found[i]));
      REQUIRE(values[i].is(found[i]));
    }
  }
}

TEST_CASE("arithmetic: the remainder of floats is that of C") {
  std::vector<float> const a{7.5F, -7.5F, 1e30F, 3, -0.0F};
  std::vector<float> const b{2, 2, 0.7F, -5, 3};
  auto const got = apply<float>(probe_host(), dtype::f32, {dtype::f32, dtype::f32}, by(ir::binary_op::modulo), a, b);
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(got[i] == std::fmod(a[i], b[i]));
}

}  // namespace arithmetic_tests
