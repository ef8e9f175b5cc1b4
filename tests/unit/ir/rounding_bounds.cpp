// SPDX-License-Identifier: Apache-2.0
// Bounds of the rounding errors of elements: each operator, conditions, indices, stages that read others.
#include "ttune/ir/rounding_bounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "support/rounding_example.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/sampled_evaluation.hpp"

namespace rounding_bounds_tests {

using namespace ttune;
using ir::binary_op;
using ir::expr;
using ir::make_unary;
using ir::unary_op;
using ttune_test::one;
using ttune_test::real;
using ttune_test::rounding_example;
using ttune_test::rounding_points;
using ttune_test::two;

namespace {

/// One operator: as an expression, and as a kernel computes it in f32.
struct function_case {
  char const* name;
  std::function<expr(expr const&, expr const&)> node;
  std::function<float(float, float)> kernel;
  double low, high;    ///< of both operands
  double typical;      ///< the median of the bounds is at most so many units of the median result
  double unknown = 0;  ///< at most this part of the elements has no bound
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + std::ssize(values) / 2, values.end());
  return values[values.size() / 2];
}

/// An operand with an error: x y - x + y, in f32.
expr inexact(expr const& x, expr const& y) { return x * y - x + y; }
float inexact(float x, float y) {
  float const product = x * y;
  float const difference = product - x;
  return difference + y;
}

}  // namespace

TEST_CASE("rounding bounds: hold for each operator, and are not much larger than the errors") {
  using f = float;
  std::vector<function_case> const cases{
      {"sum", [](auto& x, auto& y) { return inexact(x, y) + x; }, [](f x, f y) { return inexact(x, y) + x; }, -1, 1,
       20},
      {"product", [](auto& x, auto& y) { return inexact(x, y) * inexact(y, x); },
       [](f x, f y) { return inexact(x, y) * inexact(y, x); }, -1, 1, 40},
      {"quotient", [](auto& x, auto& y) { return two(binary_op::divide, x, inexact(x, y)); },
       [](f x, f y) { return x / inexact(x, y); }, -1, 1, 40, 0.001},
      {"reciprocal square root",
       [](auto& x, auto& y) { return two(binary_op::divide, real(1), one(unary_op::sqrt, inexact(x, y))); },
       [](f x, f y) { return 1 / std::sqrt(inexact(x, y)); }, 1, 3, 60, 0.05},
      {"square root of a magnitude",
       [](auto& x, auto& y) { return one(unary_op::sqrt, one(unary_op::abs, inexact(x, y))); },
       [](f x, f y) { return std::sqrt(std::abs(inexact(x, y))); }, -1, 1, 40},
      {"log", [](auto& x, auto& y) { return one(unary_op::log, one(unary_op::abs, inexact(x, y))); },
       [](f x, f y) { return std::log(std::abs(inexact(x, y))); }, -1, 1, 40, 0.001},
      {"exp", [](auto& x, auto& y) { return one(unary_op::exp, inexact(x, y)); },
       [](f x, f y) { return std::exp(inexact(x, y)); }, -6, 3, 200},
      {"tanh", [](auto& x, auto& y) { return one(unary_op::tanh, inexact(x, y)); },
       [](f x, f y) { return std::tanh(inexact(x, y)); }, -2, 2, 80},
      {"erf", [](auto& x, auto& y) { return one(unary_op::erf, inexact(x, y)); },
       [](f x, f y) { return std::erf(inexact(x, y)); }, -2, 2, 80},
      {"sin", [](auto& x, auto& y) { return one(unary_op::sin, inexact(x, y)); },
       [](f x, f y) { return std::sin(inexact(x, y)); }, -4, 4, 200},
      {"cos", [](auto& x, auto& y) { return one(unary_op::cos, inexact(x, y)); },
       [](f x, f y) { return std::cos(inexact(x, y)); }, -4, 4, 200},
      {"power", [](auto& x, auto& y) { return two(binary_op::power, inexact(x, y), inexact(y, x)); },
       [](f x, f y) { return std::pow(inexact(x, y), inexact(y, x)); }, 1, 3, 400, 0.05},
      {"cube", [](auto& x, auto& y) { return two(binary_op::power, inexact(x, y), real(3)); },
       [](f x, f y) { return std::pow(inexact(x, y), 3.0F); }, -1, 1, 200},
      {"remainder", [](auto& x, auto& y) { return two(binary_op::modulo, inexact(x, y), real(0.25)); },
       [](f x, f y) { return std::fmod(inexact(x, y), 0.25F); }, -1, 1, 60},
      {"remainder by an inexact number", [](auto& x, auto& y) { return two(binary_op::modulo, x, inexact(x, y)); },
       [](f x, f y) { return std::fmod(x, inexact(x, y)); }, -1, 1, 100, 0.001},
      {"floor", [](auto& x, auto& y) { return one(unary_op::floor, inexact(x, y) * real(8)); },
       [](f x, f y) { return std::floor(inexact(x, y) * 8); }, -1, 1, 0},
      {"round", [](auto& x, auto& y) { return one(unary_op::round, inexact(x, y) * real(1e6)); },
       [](f x, f y) { return std::nearbyint(inexact(x, y) * 1e6F); }, -1, 1, 60},
      {"integer",
       [](auto& x, auto& y) { return ir::make_cast(dtype::f32, ir::make_cast(dtype::i32, inexact(x, y) * real(1e6))); },
       [](f x, f y) { return static_cast<f>(static_cast<int>(inexact(x, y) * 1e6F)); }, -1, 1, 60},
      {"bf16", [](auto& x, auto& y) { return ir::make_cast(dtype::f32, ir::make_cast(dtype::bf16, inexact(x, y))); },
       [](f x, f y) { return static_cast<f>(ir::rounded_to(dtype::bf16, static_cast<double>(inexact(x, y)))); }, -1, 1,
       0},
      {"choice",
       [](auto& x, auto& y) { return ir::make_select(two(binary_op::less, inexact(x, y), real(0)), x, y * real(3)); },
       [](f x, f y) { return inexact(x, y) < 0 ? x : y * 3; }, -1, 1, 2},
      {"maximum", [](auto& x, auto& y) { return two(binary_op::maximum, inexact(x, y), y); },
       [](f x, f y) { return std::max(inexact(x, y), y); }, -1, 1, 20},
  };
  for (auto const& c : cases) {
    INFO(std::string(c.name));
    rounding_example e;
    e.stage(c.node(e.at(0), e.at(1)));
    auto const operands = e.operands(c.low, c.high);
    auto const exact = ir::evaluate(e.program, operands).front();
    auto const bounds = e.bounds(operands);
    REQUIRE(bounds.size() == rounding_points);
    std::vector<double> sizes;
    double worst = 0;
    double unknown = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      auto const x = static_cast<float>(operands[0].reals[i]);
      auto const y = static_cast<float>(operands[1].reals[i]);
      auto const off = std::abs(static_cast<double>(c.kernel(x, y)) - exact.reals[i]);
      sizes.push_back(std::abs(exact.reals[i]));
      if (!ir::rounding_bounds::is_bounded(bounds[i])) {
        ++unknown;
        continue;
      }
      if (off > 0) worst = std::max(worst, (off - 0x1p-24 * std::abs(exact.reals[i])) / bounds[i]);
    }
    CHECK(worst <= 2);
    CHECK(unknown <= c.unknown * rounding_points);
    CHECK(median(bounds) <= c.typical * 0x1p-24 * median(sizes));
  }
}

TEST_CASE("rounding bounds: grow with the condition of an element") {
  rounding_example e(dtype::f32, 1);
  e.stage(two(binary_op::divide, e.at(1), e.at(0) - real(1)));
  CHECK(e.bound(3, 1) < 4 * 0x1p-24);
  auto const near_one = 1 + 0x1p-20;
  CHECK(e.bound(near_one, 1) < 0x1p20 * 0x1p-22);  // the difference is exact
  rounding_example third(dtype::f32, 1);
  third.stage(two(binary_op::divide, third.at(1), third.at(0) * third.at(0) - real(1)));
  CHECK(third.bound(near_one, 1) > 0.2);  // the square is not
  CHECK(third.bound(near_one, 1) < 0.5);
  CHECK(third.bound(3, 1) < 1e-7);
}

TEST_CASE("rounding bounds: nothing is known where a divisor, a root or an index may be anything") {
  auto const x = [](rounding_example const& e) { return e.at(0) * e.at(0) - e.at(1); };  // 0 with an error
  double const a = 1 + 0x1p-23;
  double const square = a * a;
  auto const is_unknown = [&](auto const& value) {
    rounding_example e(dtype::f32, 1);
    e.stage(value(e));
    auto const known = e.bound(3, 1);
    return ir::rounding_bounds::is_bounded(known) && !ir::rounding_bounds::is_bounded(e.bound(a, square));
  };
  CHECK(is_unknown([&](auto& e) { return two(binary_op::divide, e.at(1), x(e)); }));
  CHECK(is_unknown([&](auto& e) { return two(binary_op::modulo, e.at(1), x(e)); }));
  CHECK(is_unknown([&](auto& e) { return one(unary_op::log, x(e)); }));
  CHECK(is_unknown([&](auto& e) { return one(unary_op::sqrt, x(e)); }));
  CHECK(is_unknown([&](auto& e) { return two(binary_op::power, x(e), real(0.5)); }));
}

TEST_CASE("rounding bounds: an index that an error may change has no bound") {
  rounding_example e;
  auto const place = ir::make_cast(dtype::index, ir::make_cast(dtype::i32, e.at(0) * e.at(1)));
  e.stage(e.at(1, place));
  std::vector<ir::ndarray> operands{e.numbers({0.3, 1.5, 7}), e.numbers({3.1, 2, 9})};
  operands[0].set_number(0, 0x1.8p-23 + 1);  // times the next: nearly 3, not exact
  operands[1].set_number(0, 3 - 0x1p-20);
  auto const bounds = e.bounds(operands);
  CHECK(ir::rounding_bounds::is_bounded(bounds[1]));
  CHECK(bounds[1] == 0);
  CHECK(bounds[2] == 0);
}

TEST_CASE("rounding bounds: an overflow has no bound") {
  rounding_example e(dtype::f32, 1);
  e.stage(two(binary_op::divide, e.at(0) * e.at(0), e.at(0)));
  CHECK(e.bound(1e10) < 1e4);
  CHECK_FALSE(ir::rounding_bounds::is_bounded(e.bound(1e30)));
}

TEST_CASE("rounding bounds: what is exact has no error") {
  rounding_example e(dtype::f32, 1);
  e.stage(make_unary(unary_op::floor, e.at(0) * real(0.25)) + e.at(1));
  CHECK(e.bound(13, 4) == 0);
  rounding_example copy(dtype::f32, 1);
  copy.stage(make_unary(unary_op::negate, copy.at(0)));
  CHECK(copy.bound(0.1) == 0);
  CHECK(ir::rounding_bounds(copy.program).output_for(0) == -1);
  CHECK(ir::rounding_bounds(e.program).output_for(0) == 0);
}

TEST_CASE("rounding bounds: a constant that f32 does not have") {
  rounding_example e(dtype::f32, 1);
  e.stage(e.at(0) + real(0.1));
  CHECK(e.bound(0) > 1e-9);
  CHECK(e.bound(0) < 1e-7);
}

TEST_CASE("rounding bounds: a flipped condition adds the difference of the arms") {
  rounding_example e(dtype::f32, 1);
  e.stage(ir::make_select(two(binary_op::less, e.at(0) * e.at(0), e.at(1)), real(5), real(-2)));
  CHECK(e.bound(0.3, 1) == 0);
  double const a = 1 + 0x1p-23;
  CHECK(e.bound(a, a * a) == 7);
}

TEST_CASE("rounding bounds: long chains of shared expressions stay small") {
  rounding_example e(dtype::f32, 8);
  auto x = e.at(0);
  for (int i = 0; i < 60; ++i) x = two(binary_op::divide, x * x + e.at(1), x + real(2));
  e.stage(x);
  auto const operands = e.operands(0.5, 1);
  auto const bounds = e.bounds(operands);
  ir::sampled_evaluation samples(ir::rounding_bounds(e.program).bounds(), operands);
  for (std::size_t i = 0; i < 8; ++i) CHECK(bounds[i] < 1e-4);
}

TEST_CASE("rounding bounds: stages are bounded through each other, one by one and together") {
  rounding_example e;
  auto const first = e.stage(inexact(e.at(0), e.at(1)));
  e.stage(two(binary_op::divide, e.read(first), e.read(first) * e.read(first) + real(1)));
  auto const operands = e.operands(-1, 1);
  auto const whole = e.bounds(operands);
  ir::rounding_bounds const made(e.program);
  ir::sampled_evaluation samples(made.bounds(), operands);
  for (std::int64_t i = 0; i < rounding_points; i += 97) {
    samples.compute(0, i);
    CHECK(samples.real(0, 0, i) == whole[static_cast<std::size_t>(i)]);
  }
}

TEST_CASE("rounding bounds: f64 with contracted products") {
  rounding_example e(dtype::f64);
  e.stage(two(binary_op::divide, e.at(0), inexact(e.at(0), e.at(1))));
  auto const operands = e.operands(-1, 1);
  auto const exact = ir::evaluate(e.program, operands).front();
  auto const bounds = e.bounds(operands);
  double worst = 0;
  for (std::size_t i = 0; i < rounding_points; ++i) {
    auto const x = operands[0].reals[i];
    auto const y = operands[1].reals[i];
    auto const off = std::abs(x / (std::fma(x, y, -x) + y) - exact.reals[i]);
    if (ir::rounding_bounds::is_bounded(bounds[i])) worst = std::max(worst, off / bounds[i]);
  }
  CHECK(worst > 0);
  CHECK(worst <= 2);
  CHECK(median(bounds) < 40 * 0x1p-53);
}

TEST_CASE("rounding bounds: a stage of f16 is read rounded or not") {
  rounding_example e(dtype::f16, 100);
  auto const half = [](double v) { return ir::make_real(dtype::f16, v); };
  auto const first = e.stage(e.at(0) * e.at(1));
  e.stage(e.read(first) - half(0.25));
  auto const operands = e.operands(-1, 1);
  auto const exact = ir::evaluate(e.program, operands).front();
  auto const bounds = e.bounds(operands);
  for (std::size_t i = 0; i < 100; ++i) {
    auto const product = operands[0].reals[i] * operands[1].reals[i];
    for (double const read : {product, ir::rounded_to(dtype::f16, product)})
      CHECK(std::abs(ir::rounded_to(dtype::f16, read - 0.25) - exact.reals[i]) <= 2 * bounds[i]);
    CHECK(bounds[i] <= 0x1p-10);
  }
}

TEST_CASE("rounding bounds: nothing is known of the sine of a stage of f16 that overflows, which may be NaN") {
  for (auto const op : {ir::unary_op::sin, ir::unary_op::cos, ir::unary_op::tanh, ir::unary_op::erf}) {
    rounding_example e(dtype::f16, 20);
    auto const first = e.stage(e.at(0) * e.at(1));
    auto const root = ir::make_unary(ir::unary_op::sqrt, e.read(first));
    e.stage(ir::make_unary(op, e.read(first) - root));
    for (auto const bound : e.bounds(e.operands(300, 400))) CHECK(!ir::rounding_bounds::is_bounded(bound));
  }
}

TEST_CASE("rounding bounds: a value of f16 is converted to bf16 rounded or not") {
  rounding_example e(dtype::f16, 400);
  auto const first = e.stage(e.at(0) * e.at(1));
  e.stage(ir::make_cast(dtype::f16, ir::make_cast(dtype::bf16, e.read(first))));
  auto const operands = e.operands(-1, 1);
  auto const bounds = e.bounds(operands);
  double worst = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    auto const product = operands[0].reals[i] * operands[1].reals[i];
    auto const rounded = ir::rounded_to(dtype::bf16, ir::rounded_to(dtype::f16, product));
    auto const off = std::abs(rounded - ir::rounded_to(dtype::bf16, product));
    CHECK(off <= 2 * bounds[i]);
    worst = std::max(worst, off);
  }
  CHECK(worst > 0x1p-12);  // more than a rounding to f16
}

TEST_CASE("rounding bounds: accumulators of f16 underflow") {
  rounding_example e(dtype::f16, 8);
  (void)e.reduction(ir::reduction_kind::sum, e.at(0) * ir::make_real(dtype::f16, 0x1p-22), 8);
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    auto const operands = e.operands(0.5, 1, seed);
    double accumulated = 0;
    for (auto const x : operands[0].reals) accumulated = ir::rounded_to(dtype::f16, accumulated + x * 0x1p-22);
    auto const exact = ir::evaluate(e.program, operands).front().reals[0];
    CHECK(std::abs(accumulated - exact) <= 2 * e.bounds(operands)[0]);
  }
}

}  // namespace rounding_bounds_tests
