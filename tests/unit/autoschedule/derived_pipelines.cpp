// SPDX-License-Identifier: Apache-2.0
// Derived spaces of pipelines of stencils, whose rows slide, and of windows at the ends of an image.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/derived_programs.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"

namespace derived_pipelines_tests {

using namespace ttune;
using ttune_test::check_derived;

TEST_CASE("derived: pipelines of stencils, in rings of rows") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", float, 2> const I{{23, 37}};
  auto const C = clamp_outside(I);
  auto const Gx = compute<"Gx">(y.in(23), x.in(37)) = C(y - 1, x + 1) - C(y - 1, x - 1) + C(y + 1, x + 1);
  auto const Gy = compute<"Gy">(y.in(23), x.in(37)) = C(y + 1, x - 1) - C(y - 1, x - 1) + C(y + 1, x + 1);
  auto const gx = clamp_outside(Gx);
  auto const gy = zero_outside(Gy);
  auto const Sxx = compute<"Sxx">(y.in(23), x.in(37)) =
      sum(over(r.in(3), s.in(3)), gx(y + r - 1, x + s - 1) * gx(y + r - 1, x + s - 1));
  auto const Sxy = compute<"Sxy">(y.in(23), x.in(37)) =
      sum(over(r.in(3), s.in(3)), gx(y + r - 1, x + s - 1) * gy(y + r - 1, x + s - 1));
  auto const H = compute<"H">(y.in(23), x.in(37)) = Sxx(y, x) - Sxy(y, x) * Sxy(y, x);
  auto const corners = op(inputs(I), outputs(H), "corners");
  check_derived(corners);
  auto const space = derive_space(corners.program(), ttune_test::machines().back());
  auto const p = make_plan(space);
  loop_nest n;
  instantiate(p, space.seed, n);
  REQUIRE(p.stages.size() == 2);
  CHECK(p.stages[0].definition->components.size() == 2);  // Gx and Gy: one row per iteration, four in each ring
  CHECK(n.stages[0].slid_axis == 0);
  CHECK(n.stages[0].window == 3);
  CHECK(n.stages[0].ring == 4);
  CHECK(n.stages[0].warm_up == 2);
  tensor<"U", std::uint8_t, 2> const U{{19, 70}};
  auto const A = compute<"A">(y.in(19), x.in(70)) = max(over(r.in(5)), clamp_outside(U)(y, x + r - 2));
  auto const B = compute<"B">(y.in(19), x.in(70)) = max(over(r.in(5)), clamp_outside(A)(y + r - 2, x));
  check_derived(op(inputs(U), outputs(B), "largest"));
  tensor<"F", float, 2> const F{{24, 32}};
  auto const D = compute<"D">(y.in(12), x.in(16)) = exp(F(2 * y, 2 * x)) + F(2 * y + 1, 2 * x + 1);
  auto const E = compute<"E">(y.in(24), x.in(32)) = F(y, x) - clamp_outside(D)((y + 1) / 2, x / 2);
  check_derived(op(inputs(F), outputs(E), "detail"));
}

/// Shape: A (h + 7, w + 7), B the same -> O (h, w): covariance of windows of 8 x 8
auto window_covariance(std::int64_t h, std::int64_t w) {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"A", float, 2> const A{{h + 7, w + 7}};
  tensor<"B", float, 2> const B{{h + 7, w + 7}};
  auto const a = A(y + r, x + s);
  auto const b = B(y + r, x + s);
  auto const window = over(r.in(8), s.in(8));
  auto const ma = compute<"ma">(y.in(h), x.in(w)) = sum(window, a) / 64;
  auto const mb = compute<"mb">(y.in(h), x.in(w)) = sum(window, b) / 64;
  auto const aa = compute<"aa">(y.in(h), x.in(w)) = sum(window, a * a) / 64;
  auto const ab = compute<"ab">(y.in(h), x.in(w)) = sum(window, a * b) / 64;
  auto const O = compute<"O">(y, x) = (ab(y, x) - ma(y, x) * mb(y, x)) / (aa(y, x) + 1);
  return op(inputs(A, B), outputs(O), "window_covariance");
}

TEST_CASE("derived: sibling windows of a pipeline are computed in one loop nest") {
  auto const o = window_covariance(9, 21);
  check_derived(o);
  auto const p = make_plan(derive_space(o.program(), ttune_test::machines().back()));
  REQUIRE(p.stages.size() == 2);
  CHECK(p.stages[0].definition->components.size() == 4);
  CHECK(p.stages[0].slides);
}

template <class Op>
bool separates(Op const& o) {
  auto const steps = derive_space(o.program(), ttune_test::machines().back()).steps;
  return std::any_of(steps.begin(), steps.end(), [](step const& s) { return s.what == primitive::separate; });
}

TEST_CASE("derived: results that read the same windows of a pipeline are computed in one loop nest") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"A", float, 2> const A{{29, 44}};
  auto const G = compute<"G">(y.in(28), x.in(43)) = A(y + 1, x + 1) - A(y, x);
  auto const P = compute<"P">(y.in(26), x.in(41)) = sum(over(r.in(3), s.in(3)), G(y + r, x + s) * G(y + r, x + s));
  auto const Q = compute<"Q">(y.in(26), x.in(41)) = sum(over(r.in(3), s.in(3)), abs(G(y + r, x + s)));
  auto const U = compute<"U">(y, x) = P(y, x) - Q(y, x);
  auto const V = compute<"V">(y, x) = P(y, x) / (1 + Q(y, x));
  auto const flow = op(inputs(A), outputs(U, V), "flow");
  check_derived(flow, 4);
  auto const space = derive_space(flow.program(), named_target("x86-64-v4"));
  auto const does = [&](primitive what, std::string const& stage) {
    return std::any_of(space.steps.begin(), space.steps.end(),
                       [&](step const& made) { return made.what == what && made.stage == stage; });
  };
  CHECK(does(primitive::compute_with, "U"));
  CHECK(std::any_of(space.steps.begin(), space.steps.end(),
                    [](step const& made) { return made.what == primitive::slide; }));
}

TEST_CASE("derived: small windows of products are reduced along one axis after the other if they read a stage") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", float, 2> const I{{13, 135}};
  auto const D = compute<"D">(y.in(12), x.in(134)) = abs(I(y + 1, x) - I(y, x)) + abs(I(y, x + 1) - I(y, x));
  auto const squares = [&](auto const& from) {
    return sum(over(r.in(3), s.in(3)), from(y + r, x + s) * from(y + r, x + s));
  };
  auto const O = compute<"O">(y.in(10), x.in(132)) = squares(D);
  auto const of_differences = op(inputs(I), outputs(O), "of_differences");
  check_derived(of_differences);
  CHECK(separates(of_differences));
  auto const P = compute<"P">(y.in(10), x.in(132)) = squares(I);
  CHECK_FALSE(separates(op(inputs(I), outputs(P), "of_elements")));
}

TEST_CASE("derived: a pipeline whose rows all colours of a result use is computed once") {
  auto const [c, y, x, r] = axes<"c", "y", "x", "r">;
  tensor<"I", float, 3> const I{{3, 23, 37}};
  auto const grey = compute<"grey">(y, x) = I(0, y, x) * 0.3 + I(1, y, x) * 0.6 + I(2, y, x) * 0.1;
  auto const B = compute<"B">(y.in(23), x) = sum(over(r.in(5)), clamp_outside(grey)(y + r - 2, x));
  auto const O = compute<"O">(c, y, x) = I(c, y, x) * B(y, x) / grey(y, x);
  auto const sharpened = op(inputs(I), outputs(O), "sharpened");
  check_derived(sharpened);
  auto const space = derive_space(sharpened.program(), ttune_test::machines().back());
  auto const p = make_plan(space);
  loop_nest n;
  instantiate(p, space.seed, n);
  CHECK(n.stages[0].slid_axis == 0);
  for (std::size_t st = 0; st + 1 < p.stages.size(); ++st) CHECK(n.stages[st].depth < 3);  // y_0, x_0, y_1; then c
}

TEST_CASE("derived: the edge of a long axis is no choice: rows are not unrolled") {
  auto const [y, x] = axes<"y", "x">;
  tensor<"I", float, 2> const I{{70, 37}};
  auto const O = compute<"O">(y, x) = select(y == 0, 1.0F, I(y, x) - clamp_outside(I)(y - 1, x));
  auto const differences = op(inputs(I), outputs(O), "differences");
  check_derived(differences);
  for (auto const& s : derive_space(differences.program(), ttune_test::machines().back()).steps)
    if (s.what == primitive::unroll) CHECK(std::find(s.loops.begin(), s.loops.end(), "y") == s.loops.end());
}

TEST_CASE("derived: a long chain of windows, in rings of rows") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", std::uint16_t, 2> const I{{9, 19}};
  table<"k", std::uint16_t, 2> const k({5, 5}, std::vector<double>(25, 3.0));
  auto const window = [&](auto const& from) {
    return sum(over(r, s), clamp_outside(from)(y + r - 2, x + s - 2) * k(r, s)) / 64;
  };
  auto last = compute<"S">(y.in(9), x.in(19)) = window(I);
  for (int i = 1; i < 8; ++i) last = compute<"S">.numbered(i)(y.in(9), x.in(19)) = window(last);
  auto const chain = op(inputs(I), outputs(last), "chain");
  check_derived(chain, 1);
  auto const space = derive_space(chain.program(), ttune_test::machines().back());
  auto const p = make_plan(space);
  loop_nest n;
  instantiate(p, space.seed, n);
  REQUIRE(p.stages.size() == 8);
  for (std::size_t st = 0; st < 7; ++st) CHECK(n.stages[st].slid_axis == 0);
}

TEST_CASE("derived: stages that a window over planes would compute again are computed whole, cheap ones beside") {
  auto const [z, y, x, r] = axes<"z", "y", "x", "r">;
  auto const boxes = [&](std::int64_t n, std::int64_t taps) {
    tensor<"I", float, 3> const I{{n, n, n}};
    auto const A = compute<"A">(z.in(n), y.in(n), x.in(n)) =
        sum(over(r.in(taps)), clamp_outside(I)(z, y, x + r - taps / 2));
    auto const B = compute<"B">(z.in(n), y.in(n), x.in(n)) =
        sum(over(r.in(taps)), clamp_outside(A)(z, y + r - taps / 2, x));
    auto const O = compute<"O">(z.in(n), y.in(n), x.in(n)) =
        sum(over(r.in(taps)), clamp_outside(B)(z + r - taps / 2, y, x));
    return op(inputs(I), outputs(O), "boxes");
  };
  auto const text_of = [](auto const& made) {
    auto const space = derive_space(made.program(), ttune_test::machines().back());
    return ir::print(lower(space, space.seed));
  };
  CHECK(text_of(boxes(64, 7)).find("alloc A f32 (64, 64, 64) workspace") != std::string::npos);
  CHECK(text_of(boxes(64, 3)).find("alloc A f32 (64, 64, 64)") == std::string::npos);
  check_derived(boxes(9, 7), 3);
  check_derived(boxes(11, 3), 3);
}

/// Shape: I (h, w, colours) -> O (h, w, colours): a separable blur whose nearest pixels continue the image
auto colour_blur(std::int64_t h, std::int64_t w, std::int64_t colours) {
  auto const [y, x, c, r, s] = axes<"y", "x", "c", "r", "s">;
  tensor<"I", float, 3> const I{{h, w, colours}};
  tensor<"K", float, 1> const K{{5}};
  auto const H = compute<"H">(y.in(h), x.in(w), c) = sum(over(s), clamp_outside(I)(y, x + s - 2, c) * K(s));
  auto const O = compute<"O">(y.in(h), x.in(w), c.in(colours)) = sum(over(r), clamp_outside(H)(y + r - 2, x, c) * K(r));
  return op(inputs(I, K), outputs(O), "colour_blur");
}

TEST_CASE("derived: vectors run along interleaved pixels that move as a whole") {
  check_derived(colour_blur(7, 19, 3));
  check_derived(colour_blur(5, 33, 2), 6);
  auto const stages_of = [](auto const& op) {
    return make_plan(derive_space(op.program(), ttune_test::machines().back())).stages;
  };
  for (auto const& st : stages_of(colour_blur(7, 19, 3))) CHECK(st.definition->axes.size() == 2);
  auto const [y, x, c, r, s] = axes<"y", "x", "c", "r", "s">;
  tensor<"I", float, 3> const I{{9, 23, 3}};
  tensor<"W", float, 2> const W{{3, 3}};
  tensor<"V", float, 1> const V{{3}};
  auto const F = compute<"F">(y.in(7), x.in(21), c) = sum(over(r, s), I(y + r, x + s, c) * W(r, s));
  auto const filter = op(inputs(I, W), outputs(F), "filter");
  check_derived(filter);
  CHECK(stages_of(filter).front().definition->axes.size() == 2);
  auto const G = compute<"G">(y.in(9), x.in(23), c) =
      mirror_outside(I)(y, x - 1, c) * V(c) + wrap_outside(I)(y, x + 1, c);
  check_derived(op(inputs(I, V), outputs(G), "ends"));
}

TEST_CASE("derived: windows that are clamped, mirrored or wrapped at the ends of an image") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"I", float, 2> const I{{13, 70}};
  constant<"K", float, 2> const K{{3, 5}};
  auto const A = compute<"A">(y.in(13), x.in(70)) = sum(over(r, s), clamp_outside(I)(y + r - 1, x + s - 2) * K(r, s));
  check_derived(op(inputs(I, K), outputs(A), "clamped"), 6);
  auto const B = compute<"B">(y.in(13), x.in(70)) = sum(over(r, s), mirror_outside(I)(y + r - 1, x + s - 2) * K(r, s));
  check_derived(op(inputs(I, K), outputs(B), "mirrored"), 6);
  auto const C = compute<"C">(y.in(13), x.in(70)) = sum(over(r, s), wrap_outside(I)(y + r - 1, x + s - 2) * K(r, s));
  check_derived(op(inputs(I, K), outputs(C), "wrapped"), 6);
}

}  // namespace derived_pipelines_tests
