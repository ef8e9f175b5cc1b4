// SPDX-License-Identifier: Apache-2.0
// Derived spaces: seed and random configurations of many operators are lowered, interpreted and compared with programs.
#include "ttune/schedule/derive.hpp"

#include <algorithm>
#include <limits>

#include "derived_programs.hpp"
#include "support/shared_reads.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"

using namespace ttune;
using ttune_test::check_derived;

TEST_CASE("derived: matrix products of odd shapes") {
  check_derived(ops::matmul(1, 1, 1));
  check_derived(ops::matmul(13, 17, 19));
  check_derived(ops::matmul(5, 33, 40));
  check_derived(ops::matmul(23, 1, 7));
  check_derived(ops::matmul<std::int32_t>(9, 21, 11));
}

TEST_CASE("derived: a transposed operand") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{11, 18}};
  tensor<"B", float, 2> const B{{19, 18}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(j, k));
  check_derived(op(inputs(A, B), outputs(C), "matmul_nt"));
  tensor<"D", float, 2> const D{{18, 11}};
  auto const E = compute<"E">(i, j) = sum(over(k), D(k, i) * B(j, k));
  check_derived(op(inputs(D, B), outputs(E), "matmul_tt"));
}

TEST_CASE("derived: an operand that is read at rows and at columns is copied for the columns only") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 2> const A{{45, 26}};
  tensor<"B", double, 2> const B{{45, 26}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * A(j, k));
  auto const squares = op(inputs(A), outputs(C), "syrk");
  check_derived(squares);
  auto const D = compute<"D">(i, j) = select(j <= i, sum(over(k), A(j, k) * B(i, k) + B(j, k) * A(i, k)), 0);
  check_derived(op(inputs(A, B), outputs(D), "syr2k"));
  tensor<"S", std::int16_t, 2> const S{{45, 26}};
  auto const E = compute<"E">(i, j) = sum(over(k), cast<std::int32_t>(S(i, k)) * cast<std::int32_t>(S(j, k)));
  check_derived(op(inputs(S), outputs(E), "syrk_of_words"));
  constant<"W", float, 2> const W{{45, 26}};
  auto const F = compute<"F">(i, j) = sum(over(k), W(i, k) * W(j, k));
  check_derived(op(inputs(W), outputs(F), "syrk_of_constants"));
  auto const space = derive_space(squares.program(), named_target("x86-64-v4"));
  CHECK(std::any_of(space.steps.begin(), space.steps.end(), [](step const& made) {
    return made.what == primitive::cache_read && made.loops == std::vector<std::string>{"A", "j"};
  }));
}

TEST_CASE("derived: batched products") {
  auto const [b, i, j, k] = axes<"b", "i", "j", "k">;
  tensor<"A", float, 3> const A{{3, 7, 9}};
  tensor<"B", float, 3> const B{{3, 9, 11}};
  auto const C = compute<"C">(b, i, j) = sum(over(k), A(b, i, k) * B(b, k, j));
  check_derived(op(inputs(A, B), outputs(C), "batched"));
}

TEST_CASE("derived: convolutions, padded and strided, with what is fused behind") {
  check_derived(ops::conv2d({1, 3, 9, 7, 10, 3, 1, 1}));
  check_derived(ops::conv2d({2, 3, 11, 9, 5, 3, 2, 1}));
  check_derived(ops::conv2d({1, 4, 7, 7, 18, 1, 1, 0}));
  check_derived(ops::conv2d({1, 2, 13, 13, 6, 5, 2, 2}));
  check_derived(ops::conv2d_bias_relu({1, 5, 8, 9, 7, 3, 1, 1}));
  check_derived(ops::conv2d_bias_relu({1, 3, 12, 12, 17, 3, 2, 0}));
}

TEST_CASE("derived: depthwise convolution and pooling") {
  auto const [c, y, x, r, s] = axes<"c", "y", "x", "r", "s">;
  tensor<"I", float, 3> const I{{5, 11, 13}};
  constant<"W", float, 3> const W{{5, 3, 3}};
  auto const D = compute<"D">(c, y.in(11), x.in(13)) =
      sum(over(r, s), zero_outside(I)(c, y + r - 1, x + s - 1) * W(c, r, s));
  check_derived(op(inputs(I, W), outputs(D), "depthwise"));
  auto const P = compute<"P">(c, y.in(5), x.in(6)) = max(over(r.in(3), s.in(3)), I(c, y * 2 + r, x * 2 + s));
  check_derived(op(inputs(I), outputs(P), "pool"));
}

TEST_CASE("derived: windows over images with axes of one element") {
  for (ops::window2d_shape const& s : {ops::window2d_shape{2, 1, 5, 13, 3, 2, 1},
                                       {1, 19, 3, 2, 2, 1, 0},
                                       {3, 1, 40, 1, 3, 1, 1},
                                       {1, 2, 9, 37, 3, 2, 1}}) {
    check_derived(ops::depthwise_conv2d(s), 6);
    check_derived(ops::max_pool2d(s), 6);
    check_derived(ops::avg_pool2d<double>(s), 6);
    check_derived(ops::max_pool2d<std::int8_t>(s), 6);
  }
}

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
  nest n;
  replay(p, space.seed, n);
  REQUIRE(p.stages.size() == 3);
  for (std::size_t st = 0; st < 2; ++st) {  // Gx, Gy: one row per iteration, four in the ring
    CHECK(n.stages[st].slid_axis == 0);
    CHECK(n.stages[st].window == 3);
    CHECK(n.stages[st].ring == 4);
    CHECK(n.stages[st].warm_up == 2);
  }
  tensor<"U", std::uint8_t, 2> const U{{19, 70}};
  auto const A = compute<"A">(y.in(19), x.in(70)) = max(over(r.in(5)), clamp_outside(U)(y, x + r - 2));
  auto const B = compute<"B">(y.in(19), x.in(70)) = max(over(r.in(5)), clamp_outside(A)(y + r - 2, x));
  check_derived(op(inputs(U), outputs(B), "largest"));
  tensor<"F", float, 2> const F{{24, 32}};
  auto const D = compute<"D">(y.in(12), x.in(16)) = exp(F(2 * y, 2 * x)) + F(2 * y + 1, 2 * x + 1);
  auto const E = compute<"E">(y.in(24), x.in(32)) = F(y, x) - clamp_outside(D)((y + 1) / 2, x / 2);
  check_derived(op(inputs(F), outputs(E), "detail"));
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
  nest n;
  replay(p, space.seed, n);
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
  nest n;
  replay(p, space.seed, n);
  REQUIRE(p.stages.size() == 8);
  for (std::size_t st = 0; st < 7; ++st) CHECK(n.stages[st].slid_axis == 0);
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

TEST_CASE("derived: rows of several stages, of every length") {
  for (std::int64_t const columns : {1, 2, 3, 31, 64, 131, 257}) {
    check_derived(ops::softmax(3, columns), 4);
    check_derived(ops::softmax<double>(2, columns), 4);
    check_derived(ops::layer_norm(3, columns), 4);
    auto const [b, i, k] = axes<"b", "i", "k">;
    tensor<"S", float, 3> const S{{2, 3, columns}};
    auto const E = compute<"E">(b, i, k) = tanh(S(b, i, k));
    auto const P = compute<"P">(b, i, k) = E(b, i, k) * max(over(k), E(b, i, k)) + E(b, i, k);
    check_derived(op(inputs(S), outputs(P), "by_largest"), 4);
    auto const L = compute<"L">(b, i) = log(sum(over(k), exp(S(b, i, k))));
    check_derived(op(inputs(S), outputs(L), "log_sum_exp"), 4);
  }
}

TEST_CASE("derived: rows in groups of one vector, each with a factor, are summed in lanes along a group") {
  auto const [i, g, e] = axes<"i", "g", "e">;
  for (std::int64_t const groups : {4, 16, 20, 21}) {
    tensor<"W", std::int8_t, 3> const W{{5, groups, 16}};
    tensor<"s", float, 2> const s{{5, groups}};
    tensor<"x", float, 2> const x{{groups, 16}};
    auto const y = compute<"y">(i) = sum(over(g, e), s(i, g) * cast<float>(W(i, g, e)) * x(g, e));
    auto const grouped = op(inputs(W, s, x), outputs(y), "grouped");
    check_derived(grouped);
    auto const space = derive_space(grouped.program(), named_target("x86-64-v4"));
    CHECK(std::any_of(space.steps.begin(), space.steps.end(),
                      [](step const& made) { return made.what == primitive::rfactor; }));
  }
}

TEST_CASE("derived: softmax and a norm") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"S", float, 2> const S{{7, 37}};
  auto const top = max(over(k), S(i, k));
  auto const P = compute<"P">(i, k) = exp(S(i, k) - top) / sum(over(k), exp(S(i, k) - top));
  check_derived(op(inputs(S), outputs(P), "softmax"));
  auto const mean = sum(over(k), S(i, k)) / 37;
  auto const N = compute<"N">(i, k) =
      (S(i, k) - mean) * rsqrt(sum(over(k), (S(i, k) - mean) * (S(i, k) - mean)) / 37 + 1e-5);
  check_derived(op(inputs(S), outputs(N), "layer_norm"));
  auto const R = compute<"R">(i) = sum(over(k), S(i, k));
  check_derived(op(inputs(S), outputs(R), "row_sums"));
  auto const K = compute<"K">(k) = sum(over(i), S(i, k));
  check_derived(op(inputs(S), outputs(K), "column_sums"));
  auto const all = compute<"all">() = sum(over(i, k), S(i, k) * S(i, k));
  check_derived(op(inputs(S), outputs(all), "square"));
}

TEST_CASE("derived: norms along an outer axis are computed for some columns at a time") {
  auto const [b, k, y, x] = axes<"b", "k", "y", "x">;
  tensor<"F", float, 2> const F{{9, 83}};
  auto const top = compute<"top">(x) = max(over(k), F(k, x));
  auto const E = compute<"E">(k, x) = exp(F(k, x) - top(x));
  auto const S = compute<"S">(x) = sum(over(k), E(k, x));
  auto const P = compute<"P">(k, x) = E(k, x) / S(x);
  check_derived(op(inputs(F), outputs(P), "softmax_of_columns"));
  tensor<"G", double, 4> const G{{2, 19, 5, 21}};
  table<"weight", double, 1> const weight({19}, std::vector<double>(19, 0.5));
  auto const mean = compute<"mean">(b, y, x) = sum(over(k), G(b, k, y, x) * weight(k)) / 19;
  auto const square = compute<"square">(b, y, x) = sum(over(k), G(b, k, y, x) * G(b, k, y, x)) / 19;
  auto const N = compute<"N">(b, k, y, x) = (G(b, k, y, x) - mean(b, y, x)) * square(b, y, x) * weight(k);
  check_derived(op(inputs(G), outputs(N), "channel_norm"));
}

TEST_CASE("derived: long reductions with few results, shared among the cores") {
  auto const [i, k] = axes<"i", "k">;
  auto const check = [](auto const& op) {
    for (int const cores : {2, 3}) {
      auto machine = ttune_test::machines().back();
      machine.cores = cores;
      ttune_test::check_space(derive_space(op.program(), machine), 2);
    }
  };
  for (std::int64_t const n : {65536, 70001, 98304}) {
    tensor<"A", double, 1> const A{{n}};
    auto const S = compute<"S">() = sum(over(k), A(k) * A(k));
    auto const N = compute<"N">(k) = A(k) * rsqrt(S());
    check(op(inputs(A), outputs(S), "square"));
    check(op(inputs(A), outputs(N), "normalise"));
    tensor<"B", std::int32_t, 2> const B{{1, n}};
    auto const T = compute<"T">(i) = max(over(k), B(i, k));
    check(op(inputs(B), outputs(T), "largest"));
  }
  check(ops::softmax(1, 70001));
  tensor<"C", double, 2> const C{{131, 521}};
  auto const M = compute<"M">() = max(over(i, k), C(i, k));
  check(op(inputs(C), outputs(M), "largest"));
}

TEST_CASE("derived: products with few rows stream the large operand") {
  auto machine = ttune_test::machines().back();
  machine.l1_bytes = 4 << 10;
  machine.l2_bytes = 64 << 10;
  machine.cores = 2;
  auto const check = [&](auto const& op, std::string const& stage) {
    auto const space = derive_space(op.program(), machine);
    auto const cut = std::any_of(space.steps.begin(), space.steps.end(), [&](step const& s) {
      return s.what == primitive::rfactor && s.stage == stage && s.results[0] == stage + ".runs";
    });
    CHECK(cut);
    ttune_test::check_space(space, 3);
  };
  for (std::int64_t const rows : {1, 2, 4, 11}) check(ops::matmul(rows, 1031, 37), "C.acc");
  check(ops::matmul(1, 1024, 64), "C.acc");
  check(ops::matmul(8, 1500, 129), "C.acc");
  check(ops::matmul<double>(5, 1025, 31), "C.acc");
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 33}};
  tensor<"B", float, 2> const B{{33, 1040}};
  tensor<"bias", float, 1> const bias{{1040}};
  auto const S = compute<"S">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const R = compute<"R">(i, j) = max(S(i, j) + bias(j), 0.0F);
  check(op(inputs(A, B, bias), outputs(R), "product_bias_relu"), "S");
}

TEST_CASE("derived: stages that pass much along a common axis are computed for a block of it") {
  auto const machine = ttune_test::machines().back();
  auto const placed_at = [&](auto const& op, std::string const& last, std::string const& axis) {
    auto const found = derive_space(op.program(), machine);
    std::vector<std::string> stages;
    for (auto const& s : found.steps)
      if (s.what == primitive::compute_at && s.loops == std::vector<std::string>{last, place_root, axis + "_0"})
        stages.push_back(s.stage);
    std::sort(stages.begin(), stages.end());
    return stages;
  };
  CHECK(placed_at(ops::attention(256, 300, 16), "O", "i") == std::vector<std::string>{"E", "S", "inverse"});
  CHECK(placed_at(ops::mttkrp(32, 80, 24, 32), "M", "i") == std::vector<std::string>{"Y"});
  CHECK(placed_at(ops::depthwise_pointwise({1, 32, 40, 40, 3, 1, 1}, 16), "O", "y") ==
        std::vector<std::string>{"each"});
  CHECK(placed_at(ops::attention(8, 16, 16), "O", "i").empty());  // fits every cache
  CHECK(placed_at(ops::softmax(512, 512), "P", "i").empty());     // is computed row by row anyway
  check_derived(ops::attention(33, 260, 3), 4);
  check_derived(ops::mttkrp(17, 60, 3, 17), 4);
  check_derived(ops::depthwise_pointwise({1, 5, 61, 57, 3, 1, 1}, 2), 4);
  auto const [i, j] = axes<"i", "j">;  // the last stage has no reduction, and reads an earlier one at two places
  tensor<"A", float, 2> const A{{65, 300}};
  auto const E = compute<"E">(i, j) = exp(A(i, j));
  auto const B = compute<"B">(i, j.in(299)) = E(i, j) + E(i, j + 1) * 2;
  check_derived(op(inputs(A), outputs(B), "neighbours"), 4);
}

TEST_CASE("derived: transposes and stencils") {
  auto const [i, j, z, y, x] = axes<"i", "j", "z", "y", "x">;
  tensor<"A", float, 2> const A{{19, 26}};
  auto const T = compute<"T">(j, i) = A(i, j);
  check_derived(op(inputs(A), outputs(T), "transpose"));
  tensor<"B", float, 2> const B{{26, 19}};
  auto const Q = compute<"Q">(j, i) = A(i, j) * 2.0F + B(j, i);
  check_derived(op(inputs(A, B), outputs(Q), "transpose_add"));
  tensor<"H", f16, 3> const H{{5, 21, 18}};
  auto const M = compute<"M">(i, z.in(5), j) = H(z, i, j);
  check_derived(op(inputs(H), outputs(M), "middle_first"));
  auto const R = compute<"R">(j, i, z.in(5)) = H(z, i, j);
  check_derived(op(inputs(H), outputs(R), "reversed"));
  tensor<"D", double, 3> const D{{17, 2, 23}};
  auto const E = compute<"E">(j.in(23), y.in(2), i.in(17)) = D(i, y, j) + D(i, 1 - y, j);
  check_derived(op(inputs(D), outputs(E), "read_twice"));
  tensor<"V", float, 3> const V{{5, 7, 19}};
  auto const F = compute<"F">(z, y, x) = zero_outside(V)(z - 1, y, x) + zero_outside(V)(z + 1, y, x) +
                                         clamp_outside(V)(z, y - 1, x) + wrap_outside(V)(z, y + 1, x) +
                                         mirror_outside(V)(z, y, x - 1) + zero_outside(V)(z, y, x + 1) - 6 * V(z, y, x);
  check_derived(op(inputs(V), outputs(F), "stencil"));
  tensor<"W", float, 3> const W{{9, 11, 35}};  // rows that share their reads
  auto const w = zero_outside(W);
  auto const G = compute<"G">(z.in(9), y.in(11), x.in(35)) =
      w(z - 1, y - 1, x - 1) + w(z - 1, y + 1, x) + w(z, y, x + 1) + w(z + 1, y - 1, x) - 2 * w(z + 1, y + 1, x - 1);
  check_derived(op(inputs(W), outputs(G), "rows"));
}

TEST_CASE("derived: chains of stages and several outputs") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{9, 14}};
  tensor<"B", float, 2> const B{{14, 21}};
  tensor<"W", float, 2> const W{{21, 6}};
  auto const H = compute<"H">(i, j) = tanh(sum(over(k), A(i, k) * B(k, j)));
  auto const O = compute<"O">(i, j) = sum(over(k), H(i, k) * W(k, j));
  check_derived(op(inputs(A, B, W), outputs(O), "two_layers"));
  check_derived(op(inputs(A, B, W), outputs(H, O), "both"));
  auto const X = compute<"X">(i, j) = A(i, j) * 2.0F;
  auto const Y = compute<"Y">(i, j) = X(i, j) + 1.0F;
  check_derived(op(inputs(A), outputs(X, Y), "elementwise"));
}

TEST_CASE("derived: gathers, element types, in place") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{12, 19}};
  tensor<"ix", std::int32_t, 1> const ix{{9}, values(0, 12)};
  auto const E = compute<"E">(i, j) = A(at(ix(i)), j);
  check_derived(op(inputs(ix, A), outputs(E), "gather"));
  tensor<"U", std::uint8_t, 2> const U{{6, 35}};
  auto const R = compute<"R">(i) = sum(over(j), cast<std::int32_t>(U(i, j)));
  check_derived(op(inputs(U), outputs(R), "narrow"));
  tensor<"M", float, 2, row_major, tensor_kind::inout> const M{{8, 9}};
  tensor<"N", float, 2> const N{{8, 9}};
  auto const S = update(M)(i, j) = M(i, j) + N(i, j);
  auto const program = capture::program("axpy", {M.handle_of(), N.handle_of()}, {S.handle_of()});
  for (auto const& machine : ttune_test::machines()) ttune_test::check_space(derive_space(program, machine), 5);
}

TEST_CASE("derived: stages that read the same elements are computed together") {
  check_derived(ttune_test::group_norm(2, 3, 4, 5));
  check_derived(ttune_test::group_norm(1, 2, 1, 7));
  check_derived(ttune_test::group_norm_of_channels(2, 3, 4, 6));
  check_derived(ttune_test::group_norm_of_channels(1, 1, 2, 9));
  check_derived(ttune_test::channel_statistics(3, 5, 7));
  check_derived(ttune_test::min_max_scaling(37));
  check_derived(ttune_test::min_max_scaling<double>(131));
  check_derived(ttune_test::norm_gradients(9, 35));
  check_derived(ttune_test::optimiser_step(67));
}

TEST_CASE("derived: stages that read the same elements have one loop nest") {
  auto const stages_of = [](auto const& op) {
    return make_plan(derive_space(op.program(), named_target("x86-64-v3"))).stages;
  };
  CHECK(stages_of(ttune_test::optimiser_step(67)).size() == 1);
  auto const with_sums = stages_of(ttune_test::channel_statistics(3, 5, 7));
  CHECK(std::count_if(with_sums.begin(), with_sums.end(), [](planned_stage const& st) {
          return st.definition->reduces() && st.definition->reduction.axes.size() == 2;
        }) == 1);
}

TEST_CASE("derived: sums of one task stay in registers, those of several do not") {
  auto machine = named_target("x86-64-v4");
  machine.cores = 4;
  auto const text_of = [&](std::int64_t n) {
    auto const [i] = axes<"i">;
    tensor<"x", float, 1> const x{{n}};
    auto const d = compute<"d">() = sum(over(i), x(i) * x(i));
    auto const space = derive_space(op(inputs(x), outputs(d), "squares").program(), machine);
    return ir::print(ttune_test::build(make_plan(space), space.seed));
  };
  CHECK(text_of(4096).find("shared") == std::string::npos);
  CHECK(text_of(1 << 20).find("shared") != std::string::npos);
}

TEST_CASE("derived: a long sum of a prime number of terms is shared among the cores, too") {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{100'003}};
  auto const S = compute<"S">() = sum(over(i), A(i));
  auto machine = named_target("x86-64-v3");
  machine.cores = 2;
  auto const space = derive_space(op(inputs(A), outputs(S)).program(), machine);
  CHECK(std::any_of(space.steps.begin(), space.steps.end(),
                    [](step const& s) { return s.what == primitive::rfactor && s.values[0].literal < 0; }));
}

TEST_CASE("derived: phases of rows and vectors that no register tile holds together") {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"A", float, 2> const A{{5, 2}};
  tensor<"B", float, 2> const B{{2, 7}};
  tensor<"D", float, 3> const D{{40, 42, 2}};
  auto const O = compute<"O">(i.in(40), j.in(42)) = sum(over(r), D(i, j, r) * A(i % 5, r) * B(r, j % 7));
  check_derived(op(inputs(D, A, B), outputs(O), "phases_both_ways"));
}

TEST_CASE("derived: components of points become phases, and sums over them expressions") {
  auto const [i, j, k, y, x, c] = axes<"i", "j", "k", "y", "x", "c">;
  auto const machine = named_target("x86-64-v3");
  auto const has = [&](auto const& made, primitive what) {
    auto const space = derive_space(made.program(), machine);
    return std::any_of(space.steps.begin(), space.steps.end(), [&](step const& s) { return s.what == what; });
  };
  tensor<"P", float, 2> const P{{40, 3}};
  tensor<"M", float, 2> const M{{3, 3}};
  auto const O = compute<"O">(i, j) = sum(over(k), M(j, k) * P(i, k));
  auto const moved = op(inputs(P, M), outputs(O), "moved_points");
  CHECK(has(moved, primitive::expand_reduction));
  CHECK(has(moved, primitive::merge));
  check_derived(moved);

  tensor<"A", float, 3> const A{{5, 9, 3}};
  tensor<"alpha", float, 2> const alpha{{5, 9}};
  auto const B = compute<"B">(y, x, c) = A(y, x, c) * alpha(y, x);
  auto const blended = op(inputs(A, alpha), outputs(B), "blended");
  CHECK(has(blended, primitive::merge));
  check_derived(blended);

  tensor<"N", float, 2> const N{{3, 40}};
  auto const C = compute<"C">(i, j) = sum(over(k), P(i, k) * N(k, j));  // rows of 40: a product of matrices
  CHECK(!has(op(inputs(P, N), outputs(C), "product"), primitive::expand_reduction));

  tensor<"which", std::int32_t, 1> const which{{40}, values(0, 40)};
  auto const G = compute<"G">(i, j) = P(at(which(i)), j);
  CHECK(!has(op(inputs(P, which), outputs(G), "gathered_points"), primitive::merge));
}

TEST_CASE("derived: joined stages that read one stage of constants have it laid out once") {
  auto const [i, j, k, s] = axes<"i", "j", "k", "s">;
  tensor<"X", double, 4> const X{{5, 16, 9, 3}};
  constant<"W", double, 2> const W{{3, 9}};
  auto const S = compute<"S">(i, j, k) = sum(over(s), X(i, j, k, s) * sin(W(s, k)));
  auto const T = compute<"T">(i, j, k) = sum(over(s), abs(X(i, j, k, s) * sin(W(s, k))));
  check_derived(op(inputs(X, W), outputs(S, T), "sums_beside_constants"));
}

TEST_CASE("derived: all sums of joined columns fit the registers") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{9, 400}};
  auto const S = compute<"S">(j) = sum(over(i), X(i, j));
  auto const L = compute<"L">(j) = max(over(i), X(i, j));
  auto const o = op(inputs(X), outputs(S, L), "sum_and_largest");
  for (auto const& machine : ttune_test::machines()) {
    auto const space = derive_space(o.program(), machine);
    auto const tile =
        std::find_if(space.knobs.begin(), space.knobs.end(), [](knob const& k) { return k.name == "S.tile_j"; });
    REQUIRE(tile != space.knobs.end());
    auto const lanes = machine.lanes(dtype::f32);
    auto const at = static_cast<std::size_t>(tile - space.knobs.begin());
    auto const seed = tile->values[static_cast<std::size_t>(space.seed.choices[at])];
    CHECK(2 * seed / lanes + 2 <= machine.vector_registers);
  }
  check_derived(o);
}

TEST_CASE("derived: several sums of the same columns stream their operand") {
  auto machine = ttune_test::machines().back();
  machine.l1_bytes = 4 << 10;
  machine.l2_bytes = 16 << 10;
  machine.cores = 2;
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{33, 520}};
  auto const S = compute<"S">(j) = sum(over(i), X(i, j));
  auto const Q = compute<"Q">(j) = sum(over(i), X(i, j) * X(i, j));
  auto const space = derive_space(op(inputs(X), outputs(S, Q), "sums").program(), machine);
  CHECK(std::any_of(space.steps.begin(), space.steps.end(),
                    [](step const& s) { return s.what == primitive::rfactor && s.results[0] == "S.acc.runs"; }));
  ttune_test::check_space(space, 5);
}

TEST_CASE("derived: values of a channel do not draw the lanes away from contiguous elements") {
  auto const [n, c, x] = axes<"n", "c", "x">;
  tensor<"X", float, 3> const X{{5, 16, 40}};
  tensor<"mean", float, 1> const mean{{16}};
  tensor<"scale", float, 1> const scale{{16}};
  auto const Y = compute<"Y">(n, c, x) = (X(n, c, x) - mean(c)) * scale(c) + mean(c) * mean(c);
  auto const o = op(inputs(X, mean, scale), outputs(Y), "normalised");
  for (auto const& machine : ttune_test::machines()) {
    auto const space = derive_space(o.program(), machine);
    CHECK(std::any_of(space.steps.begin(), space.steps.end(),
                      [](step const& s) { return s.what == primitive::vectorize && s.loops[0].substr(0, 1) == "x"; }));
  }
  check_derived(o);
}

TEST_CASE("derived: an argmax and its value are one reduction in lanes") {
  auto const argmax = [](std::int64_t rows, std::int64_t columns) {
    auto const [i, j] = axes<"i", "j">;
    tensor<"X", float, 2> const X{{rows, columns}};
    auto const [high, place] = reduce<"high", "place">(
        over(i), identity(-std::numeric_limits<float>::max(), 0),
        [](auto const& l, auto const& r) {
          auto const takes = l.template get<0>() < r.template get<0>();
          return components(select(takes, r.template get<0>(), l.template get<0>()),
                            select(takes, r.template get<1>(), l.template get<1>()));
        },
        law{true, false}, X(i, j), cast<std::int32_t>(i));
    auto const H = compute<"H">(j) = high;
    auto const P = compute<"P">(j) = place;
    return op(inputs(X), outputs(H, P), "argmax");
  };
  check_derived(argmax(7, 37));
  check_derived(argmax(3, 5));
  auto const space = derive_space(argmax(7, 64).program(), named_target("x86-64-v3"));
  auto const plan = make_plan(space);
  CHECK(std::count_if(plan.stages.begin(), plan.stages.end(),
                      [](planned_stage const& st) { return st.definition->reduces(); }) == 1);
  CHECK(std::any_of(space.steps.begin(), space.steps.end(), [](step const& s) {
    return s.what == primitive::vectorize && s.stage.find("reduce") != std::string::npos;
  }));
}

TEST_CASE("derived: a tuple whose components need each other's old values") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{6, 33}};
  tensor<"B", float, 2> const B{{6, 33}};
  auto const [re, im] = reduce<"re", "im">(
      over(i), identity(1.0F, 0.0F),
      [](auto const& l, auto const& r) {
        return components(l.template get<0>() * r.template get<0>() - l.template get<1>() * r.template get<1>(),
                          l.template get<0>() * r.template get<1>() + l.template get<1>() * r.template get<0>());
      },
      law{true, true}, A(i, j), B(i, j));
  auto const R = compute<"R">(j) = re;
  auto const I = compute<"I">(j) = im;
  check_derived(op(inputs(A, B), outputs(R, I), "complex_product"), 5);
}

TEST_CASE("derived: terms of a tuple that is not associative keep their order over several axes") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  tensor<"X", float, 3> const X{{22, 5, 33}};
  auto const [total, count] = reduce<"total", "count">(
      over(r.in(3), s), identity(0.0F, 0),
      [](auto const& l, auto const& term) {
        return components(0.5F * l.template get<0>() + term.template get<0>(),
                          l.template get<1>() + term.template get<1>());
      },
      law{false, true}, X(y + r, s, x), cast<std::int32_t>(s));
  auto const T = compute<"T">(y.in(20), x) = total;
  check_derived(op(inputs(X), outputs(T), "decaying_sum"), 5);
}
