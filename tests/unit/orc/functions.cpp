// SPDX-License-Identifier: Apache-2.0
// exp, log, tanh, erf as vector code against <cmath> in a wider type.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "elementwise.hpp"
#include "support/seed.hpp"
#include "ttune/support/rng.hpp"

using namespace ttune;
using namespace ttune_test;

namespace {

/// Specials, every binade with both signs, and the range where a function does something.
template <class T>
std::vector<T> arguments(double range) {
  using limits = std::numeric_limits<T>;
  std::vector<T> all{T(0),
                     -T(0),
                     T(1),
                     T(-1),
                     limits::infinity(),
                     -limits::infinity(),
                     limits::quiet_NaN(),
                     limits::min(),
                     -limits::min(),
                     limits::denorm_min(),
                     -limits::denorm_min(),
                     limits::max(),
                     limits::lowest(),
                     limits::epsilon(),
                     T(0.5),
                     T(2)};
  rng random(seed());
  for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; ++e)
    for (int k = 0; k < 4; ++k)
      all.push_back(static_cast<T>(std::ldexp((k % 2 == 0 ? 1 : -1) * (1 + random.uniform()), e)));
  for (int k = 0; k < 100000; ++k) all.push_back(static_cast<T>((2 * random.uniform() - 1) * range));
  for (int k = 0; k < 20000; ++k) all.push_back(static_cast<T>((2 * random.uniform() - 1) * 1.5));
  for (int k = 0; k < 20000; ++k) all.push_back(static_cast<T>(1 + (2 * random.uniform() - 1) * 0.01));
  return all;
}

/// Distance in units of the last place of what should come out.
template <class T>
double units_off(T got, long double wanted) {
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : HUGE_VAL;
  auto const nearest = static_cast<T>(wanted);
  if (got == nearest) return std::signbit(got) == std::signbit(nearest) ? 0 : HUGE_VAL;
  if (!std::isfinite(got) || !std::isfinite(nearest)) {  // within a unit of the largest is as good as infinite
    auto const finite = std::isfinite(got) ? got : nearest;
    return std::abs(finite) == std::numeric_limits<T>::max() ? 1 : HUGE_VAL;
  }
  auto const below = std::nextafter(std::abs(nearest), T(0));
  auto const unit = std::max(std::abs(static_cast<long double>(std::abs(nearest)) - below),
                             static_cast<long double>(std::numeric_limits<T>::denorm_min()));
  return static_cast<double>(std::abs(static_cast<long double>(got) - wanted) / unit);
}

template <class T>
void check(target const& machine, ir::unary_op op, long double (*wanted)(long double), double range, double limit) {
  constexpr auto type = sizeof(T) == 4 ? dtype::f32 : dtype::f64;
  auto const x = arguments<T>(range);
  auto const y = apply<T>(machine, type, {type}, [&](auto const& in) { return ir::make_unary(op, in[0]); }, x);
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const off = units_off(y[i], wanted(static_cast<long double>(x[i])));
    most = std::max(most, off);
    if (off > limit) {
      CHECK_MESSAGE(off <= limit, "f(", x[i], ") is ", y[i], ", should be ",
                    static_cast<double>(wanted(static_cast<long double>(x[i]))), ": ", off, " units off");
      return;
    }
  }
  CHECK(most > 0);  // the reference is no copy
  MESSAGE(machine.cpu, (sizeof(T) == 4 ? " f32" : " f64"), ": at most ", most, " units of the last place");
}

void check_all(ir::unary_op op, long double (*wanted)(long double), double range_f32, double range_f64, double limit) {
  INFO("TTUNE_SEED=", seed());
  for (auto const& machine : machines()) {
    check<float>(machine, op, wanted, range_f32, limit);
    check<double>(machine, op, wanted, range_f64, limit);
  }
}

}  // namespace

TEST_CASE("functions: exp") { check_all(ir::unary_op::exp, std::exp, 105, 750, 2); }
TEST_CASE("functions: log") { check_all(ir::unary_op::log, std::log, 1e6, 1e6, 2); }
TEST_CASE("functions: tanh") { check_all(ir::unary_op::tanh, std::tanh, 11, 21, 4); }
TEST_CASE("functions: erf") { check_all(ir::unary_op::erf, std::erf, 5, 7, 4); }

TEST_CASE("functions: sin and cos, also of angles that only the runtime can reduce") {
  for (auto const& machine : machines()) {
    check<float>(machine, ir::unary_op::sin, std::sin, 100, 1);
    check<float>(machine, ir::unary_op::cos, std::cos, 100, 1);
    check<double>(machine, ir::unary_op::sin, std::sin, 100, 1);
    check<double>(machine, ir::unary_op::cos, std::cos, 100, 1);
  }
}

TEST_CASE("functions: sin and cos next to multiples of a quarter turn") {
  std::vector<float> x;
  for (int k = 1; k < 10000000; k += 997) {
    auto const near = static_cast<float>(k * 1.57079632679489661923);
    for (float const v : {near, std::nextafter(near, 0.0F), std::nextafter(near, 1e30F)}) x.push_back(v);
  }
  auto const y = apply<float>(
      probe_host(), dtype::f32, {dtype::f32}, [](auto const& in) { return ir::make_unary(ir::unary_op::sin, in[0]); },
      x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO(x[i]);
    REQUIRE(units_off(y[i], std::sin(static_cast<long double>(x[i]))) <= 1);
  }
}

TEST_CASE("functions: pow") {
  INFO("TTUNE_SEED=", seed());
  std::vector<float> x;
  std::vector<float> y;
  std::vector<float> const specials{0.0F,        -0.0F,  1,         -1,         2,
                                    -2,          3,      -3,        0.5F,       -0.5F,
                                    1.5F,        -1.5F,  HUGE_VALF, -HUGE_VALF, std::nanf(""),
                                    1e30F,       -1e30F, 1e-30F,    16777215,   16777216,
                                    -8388607.5F, 1e-45F, -1e-45F};
  for (float const a : specials)
    for (float const b : specials) x.push_back(a), y.push_back(b);
  rng random(seed());
  for (int k = 0; k < 100000; ++k) {
    x.push_back(static_cast<float>(std::exp2((2 * random.uniform() - 1) * 20) * (k % 7 == 0 ? -1 : 1)));
    auto const by = (2 * random.uniform() - 1) * 10;
    y.push_back(static_cast<float>(k % 3 == 0 ? std::nearbyint(by) : by));
  }
  for (auto const& machine : machines()) {
    auto const z = apply<float>(
        machine, dtype::f32, {dtype::f32, dtype::f32},
        [](auto const& in) { return ir::make_binary(ir::binary_op::power, in[0], in[1]); }, x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      INFO(machine.cpu, ": ", x[i], " to the ", y[i], " is ", z[i]);
      REQUIRE(units_off(z[i], std::pow(static_cast<long double>(x[i]), static_cast<long double>(y[i]))) <= 1);
    }
  }
}

TEST_CASE("functions: code of exp, log, tanh and erf calls nothing") {
  orc_backend backend;
  for (auto const op : {ir::unary_op::exp, ir::unary_op::log, ir::unary_op::tanh, ir::unary_op::erf})
    for (auto const type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
      auto const text =
          backend.source(elementwise({type}, type, 61, [&](auto const& in) { return ir::make_unary(op, in[0]); }), {});
      CHECK(text.find("ptr %runtime, i64") == std::string::npos);  // nothing is read from the table
    }
}
