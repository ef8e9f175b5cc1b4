// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/oracle_check.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <span>

#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/sampled_evaluation.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/runtime/trial_check.hpp"
#include "ttune/support/error.hpp"

using namespace ttune;

namespace {

/// A program with made inputs, and the outputs of the whole interpreter.
struct worked_example {
  explicit worked_example(handle<ir::program> p) : program(std::move(p)), signature(signature_of(program)) {
    std::vector<ir::ndarray> inputs;
    for (auto const& o : signature.operands) {
      if (o.way == operand_info::direction::out) break;
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

TEST_CASE("oracle check: where rounding decides, few elements may differ and many may not") {
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const in{{100}};
  auto const out = compute<"Y">(i) = floor(in(i) * 8.0F);
  worked_example example(op(inputs(in), outputs(out)).program());
  example.set(1, 0, 99.0F);
  CHECK(example.verdict().difference == "");
  for (std::size_t e = 0; e < 10; ++e) example.set(1, e, 99.0F);
  CHECK(example.verdict().difference.find("Y[0] is 99") == 0);
}

TEST_CASE("oracle check: rounding an operand to TF32 decides nothing, rounding what was computed does") {
  auto const i = axis<"i">{};
  tensor<"X", float, 1> const in{{100}};
  auto const says = [&](auto const& rounded) {
    auto const out = compute<"Y">(i) = round_to_tf32(rounded) * 8.0F;
    worked_example example(op(inputs(in), outputs(out)).program());
    example.set(1, 0, 99.0F);
    return example.verdict().difference;
  };
  CHECK(says(in(i)).find("Y[0] is 99") == 0);
  CHECK(says(in(i) + 1.0F) == "");
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
