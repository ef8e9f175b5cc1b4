// SPDX-License-Identifier: Apache-2.0
#include "ttune/testing/check.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "support/machine_code.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/schedule.hpp"

namespace check_tests {

using namespace ttune;

namespace {

auto product() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{5, 7}};
  tensor<"B", float, 2> const B{{7, 3}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C), "product");
}

void right(testing::operand_view<float const, 2> A, testing::operand_view<float const, 2> B,
           testing::operand_view<float, 2> C) {
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 7; ++k) C(i, j) += A(i, k) * B(k, j);
}

auto copy() {
  auto const [y, x] = axes<"y", "x">;
  tensor<"A", float, 2> const A{{6, 8}};
  auto const C = compute<"C">(y, x) = A(y, x) * 1.0F;
  return op(inputs(A), outputs(C), "copy");
}

space tiled_copy() {
  auto const [y, x, yo, yi, xo, xi] = axes<"y", "x", "yo", "yi", "xo", "xi">;
  return schedule(copy(), "C")
      .split(y, factors<2>("tile_y"), yo, yi)
      .split(x, factors<2>("tile_x"), xo, xi)
      .reorder(yo, xo, yi, xi);
}

/// Copies, whatever the program is; makes a fault if the loop xi has four iterations.
class planted final : public backend {
 public:
  explicit planted(std::string fault) : fault_(std::move(fault)) {}
  [[nodiscard]] std::string name() const override { return "planted"; }
  [[nodiscard]] ttune::availability availability() const override { return {fault_ != "absent", "it is planted"}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override {
    using ttune_test::code;
    bool const bad = ir::print(program).find(marker) != std::string::npos;
    if (bad && fault_ == "compile") return {std::nullopt, "planted diagnostics", 0};
    auto const bytes = signature.operands[0].bytes();
    auto main = code::copy(0, 1, bytes);
    if (bad && fault_ == "wrong") main.then(code::write_word(1, 4 * 19, 0x41100000));  // C[2, 3] = 9
    if (bad && fault_ == "outside") main.then(code::write(1, bytes + 5, 1));
    if (bad && fault_ == "input") main.then(code::write(0, 3, 1));
    if (bad && fault_ == "unwritten") main = code::copy(0, 1, bytes - 4);
    return {ttune_test::image_of(std::move(signature), main.then(code::ret())), "", 0};
  }
  [[nodiscard]] std::string source(ir::lowered const&, kernel_signature const&) const override { return {}; }

  static constexpr char const* marker = "for C.xi < 4";

 private:
  std::string fault_;
  ttune::target target_;
};

bool has(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("check: right operators pass, interpreted, against loops, spans and the interpreter") {
  CHECK(testing::check(product()));
  auto const r = testing::check(product(), right, {.configurations = 15, .inputs = 3});
  CHECK(r);
  CHECK(r.configurations == 15);
  CHECK(r.text.starts_with("product(A f32 (5, 7), B f32 (7, 3)) -> C f32 (5, 3)\n15 configurations of"));
  CHECK(testing::check(copy(),
                       [](std::span<float const> a, std::span<float> c) { std::copy(a.begin(), a.end(), c.begin()); }));
  CHECK(testing::check(copy(), tiled_copy(), {.configurations = 100}, [](auto const& a, auto& c) {
          for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 8; ++x) c(y, x) = a(y, x);
        }).configurations == 16);
}

TEST_CASE("check: a wrong reference is reported with the element, and that no schedule is at fault") {
  auto const r = testing::check(product(), [](auto A, auto B, auto C) {
    right(A, B, C);
    C(3, 1) += 0.5F;
  });
  CHECK_FALSE(r);
  INFO(r.text);
  CHECK(has(r.difference, "C[3, 1] is "));
  CHECK_FALSE(has(r.difference, "elements differ"));
  CHECK(has(r.text, "the operator or the reference is wrong"));
  CHECK(has(r.text, "schedule(op, \"C"));
  CHECK(has(r.text, ("{.replay = \"" + r.replay + "\"}").c_str()));
  std::ostringstream out;
  out << r;
  CHECK(out.str() == r.text);
}

TEST_CASE("check: rounding passes, more than rounding does not, but with more tolerance") {
  auto const off = [](auto A, auto B, auto C) {
    right(A, B, C);
    C(0, 0) *= 1.0001F;
  };
  CHECK_FALSE(testing::check(product(), off));
  CHECK(testing::check(product(), off, {.tolerance = 1000}));
}

TEST_CASE("check: a wrong kernel is shrunk to the knob that makes it wrong, and its replay line runs it again") {
  TTUNE_SKIP_UNLESS_X86();
  planted wrong("wrong");
  auto const r = testing::check(copy(), {.configurations = 100, .backend = &wrong, .space = tiled_copy()});
  INFO(r.text);
  REQUIRE_FALSE(r);
  CHECK(has(r.difference, "C[2, 3] is 9, should be "));
  CHECK(has(r.text, "tile_x=2,4"));
  CHECK(has(r.text, "the code of planted is at fault"));
  CHECK(has(r.text, "other than in the space's seed: tile_x\n"));
  CHECK(has(r.text, ".split(x, 4, xo, xi)"));

  int runs = 0;
  auto const count = [&](std::string const& line) { runs += line == r.replay ? 1 : 100; };
  auto const again =
      testing::check(copy(), {.backend = &wrong, .space = tiled_copy(), .replay = r.replay, .before = count});
  CHECK(runs == 1);
  CHECK(again.failing == r.failing);
  CHECK(again.difference == r.difference);
  planted well("");
  CHECK(testing::check(copy(), {.backend = &well, .space = tiled_copy(), .replay = r.replay}));
  CHECK(testing::check(copy(), {.configurations = 100, .backend = &well, .space = tiled_copy()}).configurations == 16);
}

TEST_CASE("check: writes outside, changed inputs, elements never written, what does not compile") {
  TTUNE_SKIP_UNLESS_X86();
  auto const fault_of = [](char const* what) {
    planted bad(what);
    return testing::check(copy(), {.configurations = 100, .backend = &bad, .space = tiled_copy()}).difference;
  };
  CHECK(fault_of("outside") == "wrote outside of C");
  CHECK(fault_of("input") == "changed its input A");
  CHECK(has(fault_of("unwritten"), "C[5, 7] was never written, should be "));
  CHECK(fault_of("compile") == "does not compile: planted diagnostics");
}

TEST_CASE("check: a backend that is absent, a replay line that does not fit") {
  planted absent("absent");
  CHECK_THROWS_WITH_AS((void)testing::check(copy(), {.backend = &absent}), "check: planted: it is planted",
                       backend_error);
  for (auto const* line : {"x", "inputs=1", "inputs=1 choices=0", "inputs=1 choices=0,99", "inputs=1 choices=0,0,0",
                           "inputs=1 choices=0;1"})
    CHECK_THROWS_AS((void)testing::check(copy(), {.space = tiled_copy(), .replay = line}), argument_error);
}

TEST_CASE("check: several outputs, operands updated in place, gathers") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", std::int32_t, 2> const A{{3, 5}};
  auto const X = compute<"X">(i, j) = A(i, j) * 2;
  auto const Y = compute<"Y">(i) = sum(over(j), X(i, j));
  CHECK(testing::check(op(inputs(A), outputs(X, Y)), [](auto a, auto x, auto y) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 5; ++c) x(r, c) = a(r, c) * 2, y(r) += x(r, c);
  }));
  tensor<"ix", std::int32_t, 1> const ix{{7}, values(0, 3)};
  auto const G = compute<"G">(i, j) = A(at(ix(i)), j);
  CHECK(testing::check(op(inputs(A, ix), outputs(G)), [](auto a, auto at, auto g) {
    for (int r = 0; r < 7; ++r)
      for (int c = 0; c < 5; ++c) g(r, c) = a(at(r), c);
  }));
  tensor<"M", double, 2, row_major, tensor_kind::inout> const M{{4, 6}};
  tensor<"N", double, 2> const N{{4, 6}};
  auto const S = update(M)(i, j) = M(i, j) + N(i, j);
  auto const add = [](auto m, auto n) {
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 6; ++c) m(r, c) += n(r, c);
  };
  CHECK(testing::check(op(inputs(M, N), outputs(S)), add));
  CHECK_FALSE(testing::check(op(inputs(M, N), outputs(S)), [&](auto m, auto n) { add(m, n), add(m, n); }));
}

}  // namespace check_tests
