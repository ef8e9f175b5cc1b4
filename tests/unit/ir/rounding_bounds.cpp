// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/rounding_bounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/sampled_evaluation.hpp"
#include "ttune/support/rng.hpp"

using namespace ttune;
using ir::binary_op;
using ir::expr;
using ir::make_binary;
using ir::make_unary;
using ir::unary_op;

namespace {

constexpr std::int64_t points = 4000;

/// Two operands A and B, and stages over their elements.
struct example {
  explicit example(dtype t = dtype::f32, std::int64_t elements = points) : type(t), size(elements) {
    for (char const* name : {"A", "B"}) {
      ir::tensor made;
      made.name = name;
      made.type = t;
      made.shape = {size};
      program.inputs.push_back(share(std::move(made)));
    }
  }
  [[nodiscard]] expr at(std::size_t input, expr const& i = ir::make_variable("i")) const {
    return ir::make_access(program.inputs[input], {i});
  }
  [[nodiscard]] expr number(double v) const { return ir::make_real(type, v); }

  handle<ir::stage> stage(expr const& value) {
    ir::stage s;
    s.name = "S" + std::to_string(program.stages.size());
    s.axes = {{"i", 0, size}};
    s.components = {{"", value->type, value}};
    return add(std::move(s));
  }
  /// A reduction of `terms` terms to one element.
  handle<ir::stage> reduction(ir::reduction_kind kind, expr const& value, std::int64_t terms) {
    ir::stage s;
    s.name = "S" + std::to_string(program.stages.size());
    s.axes = {{"j", 0, 1}};
    s.reduction.kind = kind;
    s.reduction.axes = {{"i", 0, terms}};
    s.components = {{"", value->type, value}};
    return add(std::move(s));
  }
  handle<ir::stage> add(ir::stage s) {
    program.stages.push_back(share(std::move(s)));
    program.outputs = {program.stages.back()};
    return program.stages.back();
  }
  [[nodiscard]] expr read(handle<ir::stage> const& s) const { return ir::make_access(s, {ir::make_variable("i")}); }

  [[nodiscard]] std::vector<ir::ndarray> operands(double low, double high, std::uint64_t seed = 1) const {
    rng random(seed);
    std::vector<ir::ndarray> made;
    for (int o = 0; o < 2; ++o) {
      ir::ndarray a(type, {size});
      for (std::size_t i = 0; i < a.reals.size(); ++i) a.set_number(i, low + (high - low) * random.uniform());
      made.push_back(std::move(a));
    }
    return made;
  }
  [[nodiscard]] std::vector<double> bounds(std::vector<ir::ndarray> const& operands,
                                           ir::sum_errors sums = ir::sum_errors::worst) const {
    return ir::rounding_bounds(program, sums).evaluate(operands).front();
  }
  /// The bound of the only element, for two numbers.
  [[nodiscard]] double bound(double a, double b = 0) const {
    std::vector<ir::ndarray> const operands{numbers({a}), numbers({b})};
    auto const made = bounds(operands);
    return made.empty() ? 0 : made[0];
  }
  [[nodiscard]] ir::ndarray numbers(std::vector<double> const& values) const {
    ir::ndarray made(type, {size});
    for (std::size_t i = 0; i < values.size(); ++i) made.set_number(i, values[i]);
    return made;
  }

  dtype type;
  std::int64_t size;
  ir::program program;
};

/// One operator: as an expression, and as a kernel computes it in f32.
struct function_case {
  char const* name;
  std::function<expr(expr const&, expr const&)> node;
  std::function<float(float, float)> kernel;
  double low, high;    ///< of both operands
  double typical;      ///< the median of the bounds is at most so many units of the median result
  double unknown = 0;  ///< at most this part of the elements has no bound
};

expr one(unary_op op, expr const& x) { return make_unary(op, x); }
expr two(binary_op op, expr const& x, expr const& y) { return make_binary(op, x, y); }
expr real(double v) { return ir::make_real(dtype::f32, v); }

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
    example e;
    e.stage(c.node(e.at(0), e.at(1)));
    auto const operands = e.operands(c.low, c.high);
    auto const exact = ir::evaluate(e.program, operands).front();
    auto const bounds = e.bounds(operands);
    REQUIRE(bounds.size() == points);
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
    CHECK(unknown <= c.unknown * points);
    CHECK(median(bounds) <= c.typical * 0x1p-24 * median(sizes));
  }
}

TEST_CASE("rounding bounds: grow with the condition of an element") {
  example e(dtype::f32, 1);
  e.stage(two(binary_op::divide, e.at(1), e.at(0) - real(1)));
  CHECK(e.bound(3, 1) < 4 * 0x1p-24);
  auto const near_one = 1 + 0x1p-20;
  CHECK(e.bound(near_one, 1) < 0x1p20 * 0x1p-22);  // the difference is exact
  example third(dtype::f32, 1);
  third.stage(two(binary_op::divide, third.at(1), third.at(0) * third.at(0) - real(1)));
  CHECK(third.bound(near_one, 1) > 0.2);  // the square is not
  CHECK(third.bound(near_one, 1) < 0.5);
  CHECK(third.bound(3, 1) < 1e-7);
}

TEST_CASE("rounding bounds: nothing is known where a divisor, a root or an index may be anything") {
  auto const x = [](example const& e) { return e.at(0) * e.at(0) - e.at(1); };  // 0 with an error
  double const a = 1 + 0x1p-23;
  double const square = a * a;
  auto const is_unknown = [&](auto const& value) {
    example e(dtype::f32, 1);
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
  example e;
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
  example e(dtype::f32, 1);
  e.stage(two(binary_op::divide, e.at(0) * e.at(0), e.at(0)));
  CHECK(e.bound(1e10) < 1e4);
  CHECK_FALSE(ir::rounding_bounds::is_bounded(e.bound(1e30)));
}

TEST_CASE("rounding bounds: what is exact has no error") {
  example e(dtype::f32, 1);
  e.stage(make_unary(unary_op::floor, e.at(0) * real(0.25)) + e.at(1));
  CHECK(e.bound(13, 4) == 0);
  example copy(dtype::f32, 1);
  copy.stage(make_unary(unary_op::negate, copy.at(0)));
  CHECK(copy.bound(0.1) == 0);
  CHECK(ir::rounding_bounds(copy.program).output_for(0) == -1);
  CHECK(ir::rounding_bounds(e.program).output_for(0) == 0);
}

TEST_CASE("rounding bounds: a constant that f32 does not have") {
  example e(dtype::f32, 1);
  e.stage(e.at(0) + real(0.1));
  CHECK(e.bound(0) > 1e-9);
  CHECK(e.bound(0) < 1e-7);
}

TEST_CASE("rounding bounds: sums in any order, of both assumptions") {
  constexpr std::int64_t terms = 3000;
  for (bool const likely : {false, true}) {
    example e(dtype::f32, terms);
    e.reduction(ir::reduction_kind::sum, e.at(0) * e.at(1), terms);
    for (std::uint64_t seed = 1; seed < 30; ++seed) {
      auto const operands = e.operands(-1, 1, seed);
      auto const exact = ir::evaluate(e.program, operands).front().reals[0];
      auto const bound = e.bounds(operands, likely ? ir::sum_errors::likely : ir::sum_errors::worst)[0];
      float forwards = 0;
      float backwards = 0;
      std::array<float, 8> lanes{};
      for (std::size_t i = 0; i < terms; ++i) {
        auto const product = [&](std::size_t at) {
          return static_cast<float>(operands[0].reals[at]) * static_cast<float>(operands[1].reals[at]);
        };
        forwards += product(i);
        backwards += product(terms - 1 - i);
        lanes[i % 8] += product(i);
      }
      float in_lanes = 0;
      for (auto const lane : lanes) in_lanes += lane;
      for (float const found : {forwards, backwards, in_lanes})
        CHECK(std::abs(static_cast<double>(found) - exact) <= 2 * bound);
      if (likely) CHECK(bound < 1e-3);
    }
  }
}

TEST_CASE("rounding bounds: products and maxima") {
  example e(dtype::f32, 40);
  e.reduction(ir::reduction_kind::product, e.at(0) * e.at(1) + real(1), 40);
  example m(dtype::f32, 40);
  m.reduction(ir::reduction_kind::maximum, m.at(0) * m.at(1), 40);
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    auto const operands = e.operands(-1, 1, seed);
    float forwards = 1;
    float backwards = 1;
    float most = -9;
    auto const product = [&](std::size_t at) {
      return static_cast<float>(operands[0].reals[at]) * static_cast<float>(operands[1].reals[at]);
    };
    for (std::size_t i = 0; i < 40; ++i) {
      forwards *= product(i) + 1;
      backwards *= product(39 - i) + 1;
      most = std::max(most, product(i));
    }
    auto const exact = ir::evaluate(e.program, operands).front().reals[0];
    auto const bound = e.bounds(operands)[0];
    CHECK(std::abs(static_cast<double>(forwards) - exact) <= 2 * bound);
    CHECK(std::abs(static_cast<double>(backwards) - exact) <= 2 * bound);
    CHECK(bound <= 400 * 0x1p-24 * std::abs(exact) + 1e-6);
    auto const largest = ir::evaluate(m.program, operands).front().reals[0];
    CHECK(std::abs(static_cast<double>(most) - largest) <= 2 * m.bounds(operands)[0]);
    CHECK(m.bounds(operands)[0] < 2 * 0x1p-24);
  }
}

TEST_CASE("rounding bounds: the place of a maximum may differ among nearly equal terms only") {
  ir::stage s;
  example e(dtype::f32, 4);
  s.name = "best";
  s.axes = {{"j", 0, 1}};
  s.reduction.kind = ir::reduction_kind::tuple;
  s.reduction.commutative = false;
  s.reduction.axes = {{"i", 0, 4}};
  s.components = {{"value", dtype::f32, e.at(0) * e.at(1)},
                  {"place", dtype::i32, ir::make_cast(dtype::i32, ir::make_variable("i"))}};
  s.reduction.identity = {ir::make_identity(ir::reduction_kind::maximum, dtype::f32), ir::make_number(dtype::i32, 0)};
  using ir::make_argument;
  auto const better = two(binary_op::less, make_argument(dtype::f32, false, 0), make_argument(dtype::f32, true, 0));
  s.reduction.combine = {
      ir::make_select(better, make_argument(dtype::f32, true, 0), make_argument(dtype::f32, false, 0)),
      ir::make_select(better, make_argument(dtype::i32, true, 1), make_argument(dtype::i32, false, 1))};
  e.add(std::move(s));
  ir::rounding_bounds const bounds(e.program);
  auto const of = [&](std::vector<double> const& left, std::vector<double> const& right) {
    return bounds.evaluate(std::vector{e.numbers(left), e.numbers(right)});
  };
  auto const apart = of({1, 3, 2, 0.5}, {0.1, 0.1, 0.1, 0.1});
  CHECK(apart[1][0] == 0);
  auto const near = of({1, 3, 2, 0.1}, {0.1, 0.1, 0.1, 3});
  CHECK(near[1][0] == 2);
  CHECK(near[0][0] < 1e-7);
}

TEST_CASE("rounding bounds: a flipped condition adds the difference of the arms") {
  example e(dtype::f32, 1);
  e.stage(ir::make_select(two(binary_op::less, e.at(0) * e.at(0), e.at(1)), real(5), real(-2)));
  CHECK(e.bound(0.3, 1) == 0);
  double const a = 1 + 0x1p-23;
  CHECK(e.bound(a, a * a) == 7);
}

TEST_CASE("rounding bounds: long chains of shared expressions stay small") {
  example e(dtype::f32, 8);
  auto x = e.at(0);
  for (int i = 0; i < 60; ++i) x = two(binary_op::divide, x * x + e.at(1), x + real(2));
  e.stage(x);
  auto const operands = e.operands(0.5, 1);
  auto const bounds = e.bounds(operands);
  ir::sampled_evaluation samples(ir::rounding_bounds(e.program).bounds(), operands);
  for (std::size_t i = 0; i < 8; ++i) CHECK(bounds[i] < 1e-4);
}

TEST_CASE("rounding bounds: stages are bounded through each other, one by one and together") {
  example e;
  auto const first = e.stage(inexact(e.at(0), e.at(1)));
  e.stage(two(binary_op::divide, e.read(first), e.read(first) * e.read(first) + real(1)));
  auto const operands = e.operands(-1, 1);
  auto const whole = e.bounds(operands);
  ir::rounding_bounds const made(e.program);
  ir::sampled_evaluation samples(made.bounds(), operands);
  for (std::int64_t i = 0; i < points; i += 97) {
    samples.compute(0, i);
    CHECK(samples.real(0, 0, i) == whole[static_cast<std::size_t>(i)]);
  }
}

TEST_CASE("rounding bounds: f64 with contracted products") {
  example e(dtype::f64);
  e.stage(two(binary_op::divide, e.at(0), inexact(e.at(0), e.at(1))));
  auto const operands = e.operands(-1, 1);
  auto const exact = ir::evaluate(e.program, operands).front();
  auto const bounds = e.bounds(operands);
  double worst = 0;
  for (std::size_t i = 0; i < points; ++i) {
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
  example e(dtype::f16, 100);
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

TEST_CASE("rounding bounds: sums in bf16 that change places are kept in f32 or rounded after each term") {
  ir::stage s;
  example e(dtype::bf16, 5);
  s.name = "turns";
  s.axes = {{"j", 0, 1}};
  s.reduction.kind = ir::reduction_kind::tuple;
  s.reduction.commutative = s.reduction.associative = false;
  s.reduction.axes = {{"i", 0, 5}};
  s.components = {{"even", dtype::bf16, e.at(0)}, {"odd", dtype::bf16, ir::make_number(dtype::bf16, 0)}};
  s.reduction.identity = {ir::make_number(dtype::bf16, 0), ir::make_number(dtype::bf16, 0)};
  auto const sum = [](int left, int right) {
    return ir::make_argument(dtype::bf16, false, left) + ir::make_argument(dtype::bf16, true, right);
  };
  s.reduction.combine = {sum(1, 0), sum(0, 1)};
  e.add(std::move(s));
  auto const of = [&](double between) {
    return ir::rounding_bounds(e.program).evaluate(std::vector{e.numbers({64, 0, between, 0, -64}), e.numbers({})});
  };
  CHECK(of(1)[0][0] == 0);
  auto const lost = of(0.25)[0][0];  // 64.25 has one bit more than bf16
  CHECK(lost >= 0.25);
  CHECK(lost < 1);
}

TEST_CASE("rounding bounds: a predicate that an error may change") {
  example e(dtype::f32, 4);
  ir::stage s;
  s.name = "S";
  s.axes = {{"j", 0, 1}};
  s.reduction.kind = ir::reduction_kind::sum;
  s.reduction.axes = {{"i", 0, 4}};
  s.components = {{"", dtype::f32, e.at(1)}};
  s.predicate = two(binary_op::less, e.at(0) * e.at(0), real(0.5));
  e.add(std::move(s));
  auto const of = [&](double a) { return e.bounds({e.numbers({0.1, 0.9, a, 3}), e.numbers({1, 2, 3, 4})})[0]; };
  CHECK(of(0.6) == 0);
  CHECK_FALSE(ir::rounding_bounds::is_bounded(of(std::sqrt(0.5))));
}
