// SPDX-License-Identifier: Apache-2.0
// Functions as vector code, compared with <cmath> in a wider type.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "elementwise.hpp"
#include "support/seed.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/support/rng.hpp"

namespace functions_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Returns special values, every binade with both signs, and the interesting range of a function.
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

/// Returns the distance in units of the last place of the expected result.
template <class T>
double units_off(T got, long double wanted) {
  if (std::isnan(wanted)) return std::isnan(got) ? 0 : HUGE_VAL;
  auto const nearest = static_cast<T>(wanted);
  if (got == nearest) return std::signbit(got) == std::signbit(nearest) ? 0 : HUGE_VAL;
  if (!std::isfinite(got) || !std::isfinite(nearest)) {  // a result within a unit of the largest number may be infinite
    auto const finite = std::isfinite(got) ? got : nearest;
    return std::abs(finite) == std::numeric_limits<T>::max() ? 1 : HUGE_VAL;
  }
  auto const below = std::nextafter(std::abs(nearest), T(0));
  auto const unit = std::max(std::abs(static_cast<long double>(std::abs(nearest)) - below),
                             static_cast<long double>(std::numeric_limits<T>::denorm_min()));
  return static_cast<double>(std::abs(static_cast<long double>(got) - wanted) / unit);
}

/// A function, its reference in a wider type, and its allowed error: the table of backends/README.md.
struct tested_function {
  std::string name;
  ir::unary_op op;
  double (*of_float)(double);             ///< for floats
  long double (*of_double)(long double);  ///< for doubles
  double range_f32;                       ///< range with interesting results
  double range_f64;
  double limit_f32;
  double limit_f64;
};

tested_function const functions[] = {
    {"exp", ir::unary_op::exp, std::exp, std::exp, 105, 750, 1.2, 1.3},
    {"log", ir::unary_op::log, std::log, std::log, 1e6, 1e6, 1.2, 1.3},
    {"tanh", ir::unary_op::tanh, std::tanh, std::tanh, 11, 21, 2.7, 2.7},
    {"erf", ir::unary_op::erf, std::erf, std::erf, 5, 7, 3.3, 3.3},
    {"sin", ir::unary_op::sin, std::sin, std::sin, 100, 100, 2.2, 2.1},
    {"cos", ir::unary_op::cos, std::cos, std::cos, 100, 100, 2.3, 2.1},
    {"sqrt", ir::unary_op::sqrt, std::sqrt, std::sqrt, 100, 100, 0.501, 0.501},
};

/// Returns the instruction sets with code of their own that this machine has.
std::vector<target> instruction_sets() {
  auto all = machines();
  auto const host = all.front();
  if (host.triple.starts_with("x86_64") && host.has_fma) all.push_back(named_target("x86-64-v3", host));
  return all;
}

template <class T>
std::vector<T> computed(target const& machine, ir::unary_op op, std::vector<T> const& x) {
  constexpr auto type = sizeof(T) == 4 ? dtype::f32 : dtype::f64;
  return apply<T>(machine, type, {type}, [&](auto const& in) { return ir::make_unary(op, in[0]); }, x);
}

template <class T>
std::vector<T> reciprocal_roots(target const& machine, std::vector<T> const& x) {
  constexpr auto type = sizeof(T) == 4 ? dtype::f32 : dtype::f64;
  auto const make = [](auto const& in) {
    return ir::make_binary(ir::binary_op::divide, ir::make_number(type, 1), ir::make_unary(ir::unary_op::sqrt, in[0]));
  };
  return apply<T>(machine, type, {type}, make, x);
}

/// Returns the largest distance; makes one assertion, at the worst argument.
template <class T, class Reference>
double check(std::string const& of, std::vector<T> const& x, std::vector<T> const& y, Reference const& wanted,
             double limit) {
  double most = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (auto const off = units_off(y[i], static_cast<long double>(wanted(x[i]))); off > most) most = off, at = i;
  CHECK_MESSAGE(most <= limit, of, ": f(", x[at], ") is ", y[at], ": ", most, " units off");
  return most;
}

/// Returns 2^22 floats, one in 1024 of all bit patterns: every exponent with both signs.
std::vector<float> floats_of_all_binades(std::uint32_t first) {
  std::vector<float> x(std::size_t{1} << 22);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i) * 1024 + first);
  return x;
}

template <class T>
void check_powers(std::vector<T> const& x, std::vector<T> const& y, double limit) {
  constexpr auto type = sizeof(T) == 4 ? dtype::f32 : dtype::f64;
  using wider = std::conditional_t<sizeof(T) == 4, double, long double>;
  for (auto const& machine : instruction_sets()) {
    auto const z = apply<T>(
        machine, type, {type, type}, [](auto const& in) { return ir::make_binary(ir::binary_op::power, in[0], in[1]); },
        x, y);
    double most = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto const wanted = static_cast<long double>(std::pow(static_cast<wider>(x[i]), static_cast<wider>(y[i])));
      if (auto const off = units_off(z[i], wanted); off > most) most = off, at = i;
    }
    CHECK_MESSAGE(most <= limit, machine.cpu, ": ", x[at], " to the ", y[at], " is ", z[at], ": ", most, " units off");
    MESSAGE(machine.cpu, (sizeof(T) == 4 ? " f32" : " f64"), " pow: at most ", most, " units of the last place");
  }
}

/// Checks pairs of specials, then pairs with a finite power: a seventh of the bases is negative, a third whole.
template <class T>
void check_powers(double limit) {
  using limits = std::numeric_limits<T>;
  INFO("TTUNE_SEED=", seed());
  auto const all_bits = std::ldexp(T(1), limits::digits - 1);  // the last place is 1
  std::vector<T> const specials{0,
                                T(-0.0),
                                1,
                                -1,
                                2,
                                -2,
                                3,
                                -3,
                                T(0.5),
                                T(-0.5),
                                T(1.5),
                                T(-1.5),
                                limits::infinity(),
                                -limits::infinity(),
                                limits::quiet_NaN(),
                                T(1e30),
                                T(-1e30),
                                T(1e-30),
                                2 * all_bits - 1,
                                2 * all_bits,
                                1 - 2 * all_bits,
                                all_bits - 1,
                                T(0.5) - all_bits,
                                limits::denorm_min(),
                                -limits::denorm_min(),
                                limits::min(),
                                limits::max(),
                                limits::lowest()};
  std::vector<T> x;
  std::vector<T> y;
  for (T const a : specials)
    for (T const b : specials) x.push_back(a), y.push_back(b);
  rng random(seed());
  auto const between = [&](double size) { return (2 * random.uniform() - 1) * size; };
  for (int k = 0; k < 200000; ++k) {
    auto const log = k % 2 == 0 ? between(20) : between(k % 4 == 1 ? limits::max_exponent : 0.01);
    auto const by = between(limits::max_exponent * 1.1 / std::max(std::abs(log), 0.001));
    x.push_back(static_cast<T>(std::exp2(log) * (k % 7 == 0 ? -1 : 1)));
    y.push_back(static_cast<T>(k % 3 == 0 ? std::nearbyint(by) : by));
  }
  check_powers(x, y, limit);
}

}  // namespace

TEST_CASE("functions: floats of all binades, or all floats, within the stated error") {
  auto const machines = instruction_sets();
  std::uint32_t const runs = long_run() ? 1024 : 1;  // 1024: all 2^32
  for (auto const& f : functions)
    for (auto const& machine : machines) {
      double most = 0;
      for (std::uint32_t first = 0; first < runs; ++first) {
        auto const x = floats_of_all_binades((first + 517) % 1024);
        most =
            std::max(most, check(machine.cpu + " " + f.name, x, computed(machine, f.op, x), f.of_float, f.limit_f32));
      }
      MESSAGE(machine.cpu, " f32 ", f.name, ": at most ", most, " units of the last place");
    }
}

TEST_CASE("functions: special values and interesting ranges, within the stated error") {
  INFO("TTUNE_SEED=", seed());
  for (auto const& f : functions)
    for (auto const& machine : instruction_sets()) {
      auto const x = arguments<float>(f.range_f32);
      (void)check(machine.cpu + " " + f.name, x, computed(machine, f.op, x), f.of_float, f.limit_f32);
      auto const wide = arguments<double>(f.range_f64);
      auto const most =
          check(machine.cpu + " f64 " + f.name, wide, computed(machine, f.op, wide), f.of_double, f.limit_f64);
      MESSAGE(machine.cpu, " f64 ", f.name, ": at most ", most, " units of the last place");
    }
}

TEST_CASE("functions: 1 / sqrt(x), within two units of the last place") {
  auto const wanted = [](double v) { return 1 / std::sqrt(v); };
  std::uint32_t const runs = long_run() ? 1024 : 1;
  for (auto const& machine : instruction_sets()) {
    double most = 0;
    auto const one = [&](std::vector<float> const& x) {
      most = std::max(most, check(machine.cpu + " rsqrt", x, reciprocal_roots(machine, x), wanted, 2));
    };
    for (std::uint32_t first = 0; first < runs; ++first) one(floats_of_all_binades((first + 517) % 1024));
    one(arguments<float>(100));
    MESSAGE(machine.cpu, " f32 rsqrt: at most ", most, " units of the last place");
    auto const wide = arguments<double>(100);
    auto const off = check(
        machine.cpu + " f64 rsqrt", wide, reciprocal_roots(machine, wide),
        [](long double v) { return 1 / std::sqrt(v); }, 2);
    MESSAGE(machine.cpu, " f64 rsqrt: at most ", off, " units of the last place");
  }
}

TEST_CASE("functions: 1 / sqrt(x) and erf have the same bits in vectors of every length") {
  auto const x = arguments<float>(100);
  auto const check = [&](target const& machine, auto const& f) {
    auto const all = f(machine, x);
    INFO(machine.cpu);
    for (std::size_t const length : {1, 2, 3, 5, 9, 12, 17, 24, 33, 70}) {
      std::vector<float> const last(x.end() - static_cast<std::ptrdiff_t>(length), x.end());
      auto const y = f(machine, last);
      CHECK(std::equal(y.begin(), y.end(), all.end() - static_cast<std::ptrdiff_t>(length),
                       [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
    }
  };
  for (auto const& machine : instruction_sets()) {
    check(machine, reciprocal_roots<float>);
    check(machine, [](target const& on, auto const& v) { return computed(on, ir::unary_op::erf, v); });
  }
}

TEST_CASE("functions: the same bits on every instruction set with a fused multiply-add, and in every lane") {
  auto const host = probe_host();
  if (!host.has_fma || !host.triple.starts_with("x86_64")) return;
  for (auto const& f : functions) {
    auto const x = arguments<float>(f.range_f32);
    auto const wide = arguments<double>(f.range_f64);
    auto const y = computed(host, f.op, x);
    auto const z = computed(host, f.op, wide);
    auto const v3 = named_target("x86-64-v3", host);
    auto const same = [](auto a, auto b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    INFO(f.name);
    CHECK(std::ranges::equal(y, computed(v3, f.op, x), same));
    CHECK(std::ranges::equal(z, computed(v3, f.op, wide), same));
    std::vector<float> const turned(x.rbegin(), x.rend());  // each value is in another lane, with other neighbours
    auto back = computed(host, f.op, turned);
    std::ranges::reverse(back);
    CHECK(std::ranges::equal(y, back, same));
  }
}

TEST_CASE("functions: programs whose bits must not depend on the machine use neither permutations nor estimates") {
  auto const machine = named_target("x86-64-v3", probe_host());
  orc_backend backend(machine);
  auto const of = [](auto const& in) {
    return ir::make_binary(ir::binary_op::divide, ir::make_number(dtype::f32, 1),
                           ir::make_unary(ir::unary_op::sqrt, ir::make_unary(ir::unary_op::erf, in[0])));
  };
  auto program = elementwise({dtype::f32}, dtype::f32, 61, of);
  auto const has = [&](char const* name) { return backend.source(program, {}).find(name) != std::string::npos; };
  CHECK((has(".permps") && has(".rsqrt.ps")));
  program.same_bits = true;
  CHECK_FALSE((has(".permps") || has(".rsqrt.ps")));
}

TEST_CASE("functions: sin and cos next to multiples of a quarter turn") {
  std::vector<float> x;
  std::vector<double> wide;
  for (int k = 1; k < 10000000; k += 997) {
    auto const angle = k * 1.57079632679489661923;
    auto const near = static_cast<float>(angle);
    for (float const v : {near, std::nextafter(near, 0.0F), std::nextafter(near, 1e30F)}) x.push_back(v);
    for (double const v : {angle, std::nextafter(angle, 0.0), std::nextafter(angle, 1e30)}) wide.push_back(v);
  }
  for (auto const& machine : instruction_sets()) {
    (void)check(machine.cpu, x, computed(machine, ir::unary_op::sin, x), [](double v) { return std::sin(v); }, 2.1);
    (void)check(
        machine.cpu, wide, computed(machine, ir::unary_op::sin, wide), [](long double v) { return std::sin(v); }, 2.1);
    (void)check(
        machine.cpu, wide, computed(machine, ir::unary_op::cos, wide), [](long double v) { return std::cos(v); }, 2.1);
  }
}

TEST_CASE("functions: exact results are exact") {
  for (auto const& machine : instruction_sets()) {
    INFO(machine.cpu);
    CHECK(computed<float>(machine, ir::unary_op::cos, {0, -0.0F}) == std::vector<float>{1, 1});
    CHECK(computed<double>(machine, ir::unary_op::cos, {0, -0.0}) == std::vector<double>{1, 1});
    CHECK(computed<float>(machine, ir::unary_op::exp, {0, -0.0F}) == std::vector<float>{1, 1});
    CHECK(computed<float>(machine, ir::unary_op::log, {1}) == std::vector<float>{0});
    CHECK(computed<double>(machine, ir::unary_op::log, {1}) == std::vector<double>{0});
    CHECK(std::signbit(computed<float>(machine, ir::unary_op::sin, {-0.0F})[0]));
    CHECK(std::signbit(computed<double>(machine, ir::unary_op::sin, {-0.0})[0]));
  }
}

TEST_CASE("functions: erf is 1 from where no float below 1 is nearer") {
  std::vector<float> x{3.93F, 4, 5, 100, 1e30F, std::numeric_limits<float>::max(), HUGE_VALF};
  for (float v = 3.925F; v < 4; v = std::nextafter(v, 5.0F)) x.push_back(v);
  for (auto const& machine : instruction_sets()) {
    INFO(machine.cpu);
    for (float const v : computed(machine, ir::unary_op::erf, x)) CHECK(v == 1);
    CHECK(std::signbit(computed<float>(machine, ir::unary_op::erf, {-0.0F})[0]));
    CHECK(std::signbit(computed<double>(machine, ir::unary_op::erf, {-0.0})[0]));
    CHECK(computed<double>(machine, ir::unary_op::erf, {6, 7, 1e300, HUGE_VAL}) == std::vector<double>{1, 1, 1, 1});
  }
}

TEST_CASE("functions: NaN does not have all bits set, which would look like unwritten memory") {
  for (auto const& machine : instruction_sets()) {
    INFO(machine.cpu);
    for (auto const op : {ir::unary_op::log, ir::unary_op::sqrt, ir::unary_op::sin, ir::unary_op::cos})
      for (float const v : computed<float>(machine, op, {-1, -0.5F, -3e38F, -INFINITY}))
        CHECK(std::bit_cast<std::uint32_t>(v) != 0xFFFFFFFF);
    for (double const v : computed<double>(machine, ir::unary_op::log, {-1, -0.5, -1e300, -INFINITY})) {
      CHECK(std::isnan(v));
      CHECK(std::bit_cast<std::uint64_t>(v) != 0xFFFFFFFFFFFFFFFF);
    }
  }
}

TEST_CASE("functions: pow of floats") { check_powers<float>(0.75); }
TEST_CASE("functions: pow of doubles") { check_powers<double>(1.4); }

TEST_CASE("functions: powers whose exponents are written in the program") {
  constexpr double above_one = 1.01;  // the next float after 1 has a root half a unit, or one of the units below 1, off
  for (double const exponent : {2.0, 3.0, 4.0, 5.0, 0.0, -1.0, -3.0, 0.5, 2.2, -0.4}) {
    auto const powers = [&](auto const& in) {
      return ir::make_binary(ir::binary_op::power, in[0], ir::make_number(in[0]->type, exponent));
    };
    for (auto const& machine : instruction_sets()) {
      INFO(machine.cpu, ", exponent ", exponent);
      auto const x = arguments<float>(10);
      auto const as_float = static_cast<double>(static_cast<float>(exponent));
      (void)check(
          "f32 pow", x, apply<float>(machine, dtype::f32, {dtype::f32}, powers, x),
          [&](double v) { return std::pow(v, as_float); }, above_one);
      auto const wide = arguments<double>(10);
      (void)check(
          "f64 pow", wide, apply<double>(machine, dtype::f64, {dtype::f64}, powers, wide),
          [&](long double v) { return std::pow(v, static_cast<long double>(exponent)); }, 1.4);
    }
  }
}

TEST_CASE("functions: code of exp, log, tanh, erf and pow calls nothing") {
  orc_backend backend;
  auto const calls = [&](dtype type, formula const& f) {  // true if the code reads the runtime's table
    return backend.source(elementwise({type}, type, 61, f), {}).find("ptr %runtime, i64") != std::string::npos;
  };
  for (auto const type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (auto const op : {ir::unary_op::exp, ir::unary_op::log, ir::unary_op::tanh, ir::unary_op::erf})
      CHECK_FALSE(calls(type, [&](auto const& in) { return ir::make_unary(op, in[0]); }));
    CHECK_FALSE(calls(type, [](auto const& in) { return ir::make_binary(ir::binary_op::power, in[0], in[0]); }));
  }
}

}  // namespace functions_tests
