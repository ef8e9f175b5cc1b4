// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/measure/oracle_check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <span>

#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/sampled_evaluation.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/support/error.hpp"

namespace oracle_check_tests {

using namespace ttune;

namespace {

/// A program with made inputs, and the outputs of the whole interpreter.
struct worked_example {
  explicit worked_example(handle<ir::program> p) : program(std::move(p)), signature(signature_of(program)) {
    std::vector<ir::ndarray> inputs;
    for (auto const& o : signature.operands) {
      if (o.direction == operand_direction::out) break;
      bytes.push_back(make_input(o, 7));
      inputs.push_back(ir::load_ndarray(o.type, o.shape, bytes.back().data()));
    }
    for (auto const& made : ir::evaluate(*program, inputs)) {
      auto& out = bytes.emplace_back(static_cast<std::size_t>(signature.operands[bytes.size() - 1].bytes()));
      ir::store_ndarray(made, out.data());
    }
  }

  [[nodiscard]] oracle_verdict verdict(oracle_check_options const& options = {}) const {
    return check_against_oracle(*program, signature, [this](std::size_t i) { return bytes[i]; }, options);
  }
  template <class T>
  [[nodiscard]] T get(std::size_t operand, std::size_t element) const {
    T value;
    std::memcpy(&value, bytes[operand].data() + element * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  void set(std::size_t operand, std::size_t element, T value) {
    std::memcpy(bytes[operand].data() + element * sizeof(T), &value, sizeof(T));
  }

  handle<ir::program> program;
  kernel_signature signature;
  std::vector<std::vector<std::uint8_t>> bytes;
};

/// Two stages with a halo: smooth(y, x) over a blurred row, 40x33.
worked_example two_stages() {
  auto const [y, x, d] = axes<"y", "x", "d">;
  tensor<"In", float, 2> const in{{40, 35}};
  auto const row = compute<"row">(y, x.in(33)) = sum(over(d.in(3)), in(y, x + d));
  auto const out = compute<"Out">(y, x) = row(y, x) * 0.5F + 1.0F;
  return worked_example(op(inputs(in), outputs(out)).program());
}

}  // namespace

TEST_CASE("oracle check: what the whole interpreter computes is right everywhere") {
  auto const example = two_stages();
  auto const v = example.verdict();
  CHECK(v.difference == "");
  CHECK(v.elements >= 250);
  CHECK(v.elements < 40 * 33);
  CHECK(example.verdict({.samples = 1 << 20}).elements == 40 * 33);
}

TEST_CASE("oracle check: one wrong corner is found and named") {
  for (std::size_t const element : {std::size_t{0}, std::size_t{32}, std::size_t{39 * 33}, std::size_t{40 * 33 - 1}}) {
    auto example = two_stages();
    example.set(1, element, 1e3F);
    auto const text = example.verdict().difference;
    INFO(text);
    CHECK(text.find("is 1000, should be ") != std::string::npos);
  }
}

TEST_CASE("oracle check: time over means fewer elements, at least one") {
  CHECK(two_stages().verdict({.seconds = 0}).elements == 1);
}

TEST_CASE("oracle check: where rounding decides, what it may decide is right and all else is wrong") {
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const in{{100}};
  auto const out = compute<"Y">(i) = floor(in(i)*in(i) * 1e7F);
  worked_example example(op(inputs(in), outputs(out)).program());
  auto const as_f32 = [&](std::size_t e) {
    auto const x = example.get<float>(0, e);
    float const square = x * x;
    float const product = square * 1e7F;
    return std::floor(product);
  };
  int others = 0;
  for (std::size_t e = 0; e < 100; ++e) {
    others += as_f32(e) != example.get<float>(1, e) ? 1 : 0;
    example.set(1, e, as_f32(e));
  }
  CHECK(others > 5);
  CHECK(example.verdict().difference == "");
  example.set(1, 7, example.get<float>(1, 7) + 30.0F);
  CHECK(example.verdict().difference.find("Y[7] is ") == 0);
}

TEST_CASE("oracle check: half of the elements may be such that nothing is known about them") {
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const in{{100}};
  tensor<"Z", float, 1> const zero{{100}};
  auto const out = compute<"Y">(i) = 1.0F / (in(i)*in(i)-zero(i));
  worked_example example(op(inputs(in, zero), outputs(out)).program());
  for (std::size_t e = 0; e < 100; ++e) {
    auto const x = example.get<float>(0, e);
    example.set(1, e, e < 50 ? x * x : 0.0F);  // the difference is a rounding error
    example.set(2, e, e < 50 ? 1e10F : 1 / (x * x));
  }
  CHECK(example.verdict().difference == "");
  auto const x = example.get<float>(0, 50);
  example.set(1, 50, x * x);
  CHECK(example.verdict().difference.find("(51 of 100 elements differ)") != std::string::npos);
}

TEST_CASE("oracle check: TF32 rounding of an operand decides nothing") {
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const in{{100}};
  auto const out = compute<"Y">(i) = round_to_tf32(in(i)) * 8.0F;
  worked_example example(op(inputs(in), outputs(out)).program());
  example.set(1, 0, example.get<float>(1, 0) * 1.001F);
  CHECK(example.verdict().difference.find("Y[0] is ") == 0);
}

TEST_CASE("oracle check: a quotient by what is nearly zero is right, however far off it is") {
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const in{{200}};
  auto const grey = compute<"G">(i) = 0.3F * in(i)-0.29F;
  auto const out = compute<"Y">(i) = (in(i) + 2.0F) / grey(i);
  worked_example example(op(inputs(in), outputs(out)).program());
  auto const quotient = [](float x) {
    float const product = 0.3F * x;
    float const divisor = product - 0.29F;
    return (x + 2) / divisor;
  };
  for (std::size_t e = 0; e < 200; ++e) {
    auto const x = e == 33 ? 0.29F / 0.3F + 1e-6F : example.get<float>(0, e);
    example.set(0, e, x);
    example.set(1, e, quotient(x));
  }
  CHECK(example.verdict().difference == "");
  SUBCASE("but another element is wrong by less than it") {
    example.set(1, 34, example.get<float>(1, 34) + 10.0F);
    CHECK(example.verdict().difference.find("Y[34] is ") == 0);
  }
  SUBCASE("but it is wrong by half") {
    example.set(1, 33, example.get<float>(1, 33) * 1.5F);
    CHECK(example.verdict().difference.find("Y[33] is ") == 0);
  }
}

TEST_CASE("oracle check: without time, one element that differs is judged, and the others are not held against it") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"K", float, 2> const K{{60, 50}};
  tensor<"v", float, 1> const v{{50}};
  auto const Kv = compute<"Kv">(i) = sum(over(j), K(i, j) * v(j));
  auto const u = compute<"u">(i) = 1 / Kv(i);
  auto const out = compute<"V">(j) = 1 / sum(over(i), K(i, j) * u(i));
  worked_example example(op(inputs(K, v), outputs(out), "sinkhorn").program());
  for (std::size_t k = 0; k < 60; ++k)  // each Kv(i) is the rest of two large terms
    for (std::size_t n = 0; n < 2; ++n) example.set(0, 50 * k + n, n == 0 ? 30.0F : -30.0F);
  for (std::size_t n = 0; n < 2; ++n) example.set(1, n, 1.0F);
  std::vector<ir::ndarray> arrays;
  for (std::size_t o = 0; o < 2; ++o)
    arrays.push_back(ir::load_ndarray(dtype::f32, example.signature.operands[o].shape, example.bytes[o].data()));
  auto const exact = ir::evaluate(*example.program, arrays);
  for (std::size_t n = 0; n < 50; ++n)  // as rounded sums of single precision may be
    example.set(2, n, static_cast<float>(exact[0].reals[n] * (1 + (n % 3 == 0 ? 1e-4 : 0))));
  CHECK(example.verdict().difference == "");
  CHECK(example.verdict({.bound_seconds = 0}).difference == "");
  example.set(2, 0, example.get<float>(2, 0) * 100 + 100);  // the first one
  CHECK(example.verdict({.bound_seconds = 0}).difference.find("V[0] is ") == 0);
}

TEST_CASE("oracle check: a long sum that is wrong by one in ten thousand is found") {
  auto const [y, x, k] = axes<"y", "x", "k">;
  tensor<"A", float, 2> const A{{12, 1024}};
  tensor<"B", float, 2> const B{{1024, 12}};
  auto const out = compute<"C">(y, x) = sum(over(k), A(y, k) * B(k, x));
  worked_example example(op(inputs(A, B), outputs(out)).program());
  CHECK(example.verdict().difference == "");
  std::size_t largest = 0;
  for (std::size_t e = 0; e < 144; ++e)
    if (std::abs(example.get<float>(2, e)) > std::abs(example.get<float>(2, largest))) largest = e;
  example.set(2, largest, example.get<float>(2, largest) * 1.0001F);
  CHECK(example.verdict().difference != "");
}

TEST_CASE("sampled evaluation: inner stages give what the whole interpreter gives") {
  auto const example = two_stages();
  std::vector<ir::ndarray> const inputs{ir::load_ndarray(dtype::f32, {40, 35}, example.bytes[0].data())};
  auto const whole = ir::evaluate(*example.program, inputs).front();
  ir::sampled_evaluation samples(*example.program, inputs);
  ir::ndarray found(dtype::f32, {40, 33});
  for (std::int64_t e = 5; e < whole.elements(); e += 7) {
    samples.compute(0, e);
    samples.copy(0, 0, e, found);
    CHECK(found.reals[static_cast<std::size_t>(e)] == whole.reals[static_cast<std::size_t>(e)]);
  }
}

}  // namespace oracle_check_tests
