// SPDX-License-Identifier: Apache-2.0
// fuse_axes: which stages and operands lose an axis, and which do not change.
#include "ttune/schedule.hpp"

#include "support/derived_programs.hpp"
#include "ttune/support/error.hpp"

namespace fuse_axes_tests {

using namespace ttune;
using ttune_test::check_space;

namespace {

std::string planned(space const& s) { return ir::print(*make_plan(s).program); }
bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("fuse_axes: a 1 x 1 convolution and its epilogue are one axis shorter, tiles run across rows") {
  auto const [f, y, x, c, yx, yxo, yxi] = axes<"f", "y", "x", "c", "yx", "yxo", "yxi">;
  tensor<"I", float, 3> const I{{5, 7, 7}};
  tensor<"W", float, 2> const W{{6, 5}};
  auto const P = compute<"P">(f, y, x) = sum(over(c), I(c, y, x) * W(f, c));
  auto const O = compute<"O">(f, y, x) = max(P(f, y, x), 0.0F);
  space const s = schedule(O)
                      .fuse_axes(y, x, yx)
                      .split(yx, ttune::any<2>("t"), yxo, yxi)
                      .vectorize(yxi)
                      .in("P")
                      .compute_at(O, yxo)
                      .reorder(c, yx)
                      .vectorize(yx);
  auto const text = planned(s);
  INFO(text);
  CHECK(contains(text, "I f32 (5, 49)"));
  CHECK(contains(text, "P(f < 6, yx < 49) = sum(c < 5) I(c, yx) * W(f, c)"));
  CHECK(contains(text, "O(f, yx) = max(P(f, yx), 0.0)"));
  check_space(s, 40);
}

TEST_CASE("fuse_axes: windows of one element are read at the fused axis") {
  auto const [f, y, x, c, r, yx] = axes<"f", "y", "x", "c", "r", "yx">;
  tensor<"I", float, 3> const I{{5, 7, 6}};
  tensor<"W", float, 3> const W{{6, 5, 1}};
  auto const O = compute<"O">(f, y.in(7), x) = sum(over(c, r), I(c, y + r, x) * W(f, c, r));
  space const s = schedule(O).fuse_axes(y, x, yx);
  auto const text = planned(s);
  INFO(text);
  CHECK(contains(text, "O(f, yx) = sum(c < 5, r < 1) I(c, yx) * W(f, c, r)"));
  check_space(s, 0);
}

TEST_CASE("fuse_axes: operands with other reads keep their shape") {
  auto const [y, x, r, yx] = axes<"y", "x", "r", "yx">;
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"B", float, 2> const B{{6, 8}};
  tensor<"R", float, 1> const R{{6}};
  auto const P = compute<"P">(y, x) = A(y, x) * R(y) + B(y, x);
  auto const Q = compute<"Q">(y.in(6), x.in(8)) =
      sum(over(r.in(2)), zero_outside(P)(y + r, x)) + zero_outside(B)(y - 1, x);
  space const s = schedule(Q).in("P").fuse_axes(y, x, yx);
  auto const text = planned(s);
  INFO(text);
  CHECK(contains(text, "A f32 (48), R f32 (6), B f32 (6, 8)"));
  CHECK(contains(text, "P(yx < 48) = A(yx) * R(yx / 8) + B(yx / 8, yx % 8)"));
  CHECK(contains(text, "P(r * 8 + y * 8 + x) where r + y < 6"));
  check_space(s, 0);
  check_space(schedule(Q).fuse_axes(y, x, yx).vectorize(yx), 0);
}

TEST_CASE("fuse_axes: pixels near by are rows of the fused axis, whatever ends they have") {
  auto const [x, c, s, xc] = axes<"x", "c", "s", "xc">;
  tensor<"A", float, 2> const A{{9, 3}};
  tensor<"B", float, 2> const B{{7, 3}};
  auto const H = compute<"H">(x.in(7), c) = A(x + 2, c) - A(x, c);
  auto const O = compute<"O">(x.in(7), c.in(3)) =
      sum(over(s.in(3)), clamp_outside(H)(x + s - 1, c)) + zero_outside(B)(x - 1, c);
  space const fused = schedule(O).fuse_axes(x, c, xc);
  auto const text = planned(fused);
  INFO(text);
  CHECK(contains(text, "A f32 (27), B f32 (21)"));
  CHECK(contains(text, "H(xc < 21) = A(xc + 6) - A(xc)"));
  CHECK(contains(text, "B(xc - 3)"));
  check_space(fused, 0);
  auto const mixed = compute<"M">(x.in(7), c.in(3)) = A(x, c) + A(x + 1, 0);  // one colour: not a whole row
  CHECK(contains(planned(schedule(mixed).fuse_axes(x, c, xc)), "A f32 (9, 3)"));
}

TEST_CASE("fuse_axes: three axes, updates in place, its text, its errors") {
  auto const [n, y, x, all] = axes<"n", "y", "x", "all">;
  tensor<"A", float, 3> const A{{2, 3, 5}};
  auto const P = compute<"P">(n, y, x) = A(n, y, x) + 1.0F;
  auto const op = ttune::op(inputs(A), outputs(P), "add");
  space const s = schedule(op, P).fuse_axes(n, y, x, all).parallel(all);
  CHECK(contains(planned(s), "A f32 (30)) -> P f32 (30)\nP(all) = A(all) + 1.0"));
  CHECK(contains(to_cpp(s), "    .fuse_axes(n, y, x, all)\n    .parallel(all);"));
  check_space(s, 0);
  auto const sentence = [&](std::vector<std::string> loops, std::string name) {
    try {
      (void)make_plan(
          {op.program(), {{primitive::fuse_axes, "P", std::move(loops), {std::move(name)}, {}}}, {}, {}, {}});
    } catch (schedule_error const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(contains(sentence({"n", "x"}, "m"), "is not the axis behind n in P(n, y, x)"));
  CHECK(contains(sentence({"y", "n"}, "m"), "only neighbours are one in memory"));
  CHECK(contains(sentence({"n", "y"}, "x"), "is an axis of P already"));
  CHECK(contains(sentence({"n"}, "m"), "takes two or more axes"));
}

}  // namespace fuse_axes_tests
