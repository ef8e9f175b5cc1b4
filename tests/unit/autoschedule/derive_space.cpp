// SPDX-License-Identifier: Apache-2.0
// Derived spaces: seed and random configurations of many operators are lowered, interpreted and compared with programs.
#include "ttune/autoschedule/derive_space.hpp"

#include <algorithm>

#include "support/derived_programs.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/ops/attention.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/depthwise_conv2d.hpp"
#include "ttune/ops/fused.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/pool2d.hpp"
#include "ttune/ops/softmax.hpp"

namespace derive_space_tests {

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

/// Shape: I (n, channels, size, size), dO (n, filters, o, o) -> dW (filters, channels, taps, taps)
auto weight_gradient(std::int64_t n, std::int64_t channels, std::int64_t filters, std::int64_t size, std::int64_t taps,
                     std::int64_t stride = 1) {
  auto const [f, c, r, s, b, y, x] = axes<"f", "c", "r", "s", "b", "y", "x">;
  auto const padding = taps / 2;
  auto const o = (size + 2 * padding - taps) / stride + 1;
  tensor<"I", float, 4> const I{{n, channels, size, size}};
  tensor<"dO", float, 4> const dO{{n, filters, o, o}};
  auto const dW = compute<"dW">(f, c, r.in(taps), s.in(taps)) =
      sum(over(b, y, x), zero_outside(I)(b, c, y * stride + r - padding, x * stride + s - padding) * dO(b, f, y, x));
  return op(inputs(I, dO), outputs(dW), "weight_gradient");
}

/// Shape: dO (filters, size, size), W (filters, channels, taps, taps) -> dI (channels, size, size)
auto input_gradient(std::int64_t channels, std::int64_t filters, std::int64_t size, std::int64_t taps) {
  auto const [c, y, x, f, r, s] = axes<"c", "y", "x", "f", "r", "s">;
  auto const padding = taps / 2;
  tensor<"dO", float, 3> const dO{{filters, size, size}};
  tensor<"W", float, 4> const W{{filters, channels, taps, taps}};
  auto const dI = compute<"dI">(c, y.in(size), x.in(size)) =
      sum(over(f, r, s), zero_outside(dO)(f, y + padding - r, x + padding - s) * W(f, c, r, s));
  return op(inputs(dO, W), outputs(dI), "input_gradient");
}

std::string vectors_of(space const& in, std::string const& stage) {
  for (auto const& made : in.steps)
    if (made.what == primitive::vectorize && made.stage == stage) return made.loops[0];
  return {};
}

TEST_CASE("derived: gradients of convolutions") {
  check_derived(weight_gradient(2, 3, 18, 17, 3), 6);
  check_derived(weight_gradient(1, 7, 17, 9, 3), 6);
  check_derived(weight_gradient(2, 2, 16, 19, 3, 2), 6);
  check_derived(weight_gradient(2, 6, 20, 16, 1), 6);
  check_derived(weight_gradient(1, 2, 5, 11, 5), 6);
  check_derived(input_gradient(18, 5, 13, 3), 6);
  check_derived(input_gradient(3, 4, 17, 5), 6);
}

TEST_CASE("derived: lanes run along an axis whose panel is used often, not along few taps or a line that is cut") {
  auto machine = named_target("x86-64-v4");
  machine.l2_bytes = 1 << 20;
  CHECK(vectors_of(derive_space(weight_gradient(4, 64, 64, 56, 3).program(), machine), "dW.acc.runs") == "f");
  CHECK(vectors_of(derive_space(weight_gradient(1, 8, 32, 9, 3).program(), machine), "dW.acc") == "f");
  CHECK(vectors_of(derive_space(input_gradient(128, 128, 28, 3).program(), machine), "dI.acc") == "c");
}

TEST_CASE("derived: a long reduction is divided into blocks of terms whose panels fit the cache") {
  auto machine = ttune_test::machines()[1];
  machine.l2_bytes = 1024;
  auto const is_divided = [](space const& in) {
    return std::any_of(in.steps.begin(), in.steps.end(), [](step const& made) {
      return made.what == primitive::rfactor && made.results[0] == made.stage + ".runs";
    });
  };
  auto const check = [&](auto const& of) {
    auto const in = derive_space(of.program(), machine);
    CHECK(is_divided(in));
    ttune_test::check_space(in, 8);
  };
  check(weight_gradient(3, 3, 18, 9, 3));
  check(weight_gradient(1, 8, 17, 18, 3));
  check(weight_gradient(2, 2, 16, 19, 3, 2));
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{40, 131}};
  tensor<"B", float, 2> const B{{32, 131}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(j, k));
  auto const D = compute<"D">(i, j) = max(C(i, j), 0);
  check(op(inputs(A, B), outputs(C), "nt"));
  check(op(inputs(A, B), outputs(D), "nt_relu"));
  CHECK(!is_divided(derive_space(op(inputs(A, B), outputs(C), "nt").program(), ttune_test::machines()[1])));
}

TEST_CASE("derived: panels that all tasks use are made once") {
  auto machine = ttune_test::machines()[1];
  machine.cores = 2;
  auto const in = derive_space(input_gradient(32, 40, 28, 3).program(), machine);
  auto const is_placed = [](step const& made) {
    return made.what == primitive::compute_at && made.stage == "dI.acc.W";
  };
  CHECK(std::none_of(in.steps.begin(), in.steps.end(), is_placed));
  CHECK(std::any_of(in.steps.begin(), in.steps.end(),
                    [](step const& made) { return made.what == primitive::parallel && made.stage == "dI.acc.W"; }));
  ttune_test::check_space(in, 1);
}

/// Returns the seed's value of a knob.
std::int32_t seed_of(space const& in, std::string const& name) {
  auto const at = std::find_if(in.knobs.begin(), in.knobs.end(), [&](knob const& k) { return k.name == name; });
  REQUIRE(at != in.knobs.end());
  return at->values[static_cast<std::size_t>(in.seed.choices[static_cast<std::size_t>(at - in.knobs.begin())])];
}

TEST_CASE("derived: tasks of a product share the large operand, they do not read it again") {
  auto const [r, q, k, j] = axes<"r", "q", "k", "j">;
  tensor<"A", float, 3> const A{{64, 12, 20}};
  tensor<"B", float, 2> const B{{20, 256}};
  auto const C = compute<"C">(r, q, j) = sum(over(k), A(r, q, k) * B(k, j));
  auto const products = op(inputs(A, B), outputs(C), "products");
  auto machine = ttune_test::machines()[1];
  machine.cores = 2;
  CHECK(seed_of(derive_space(products.program(), machine), "C.chunk_r") == 64);  // panels of B are shared
  machine.l2_bytes = 4 << 10;
  machine.l3_bytes = 32 << 10;  // A has 60 KiB, B 20
  auto const in = derive_space(products.program(), machine);
  CHECK(seed_of(in, "C.chunk_r") <= 2);  // half a second-level cache holds 2 of the 64 shares of A
  ttune_test::check_space(in, 2);
}

TEST_CASE("derived: tasks run along the rows of an image, since no other axis uses its elements again") {
  auto const [f, y, x, s] = axes<"f", "y", "x", "s">;
  tensor<"I", float, 2> const I{{70, 264}};
  tensor<"W", float, 1> const W{{9}};
  tensor<"V", float, 2> const V{{32, 9}};
  auto const first_split = [](auto const& of) {
    auto const in = derive_space(of.program(), ttune_test::machines()[1]);
    auto const found = std::find_if(in.steps.begin(), in.steps.end(), [](step const& made) {
      return made.what == primitive::split && made.stage == "O";
    });
    REQUIRE(found != in.steps.end());
    ttune_test::check_space(in, 2);
    return found->loops.at(0);
  };
  auto const one = compute<"O">(y, x.in(256)) = sum(over(s), I(y, x + s) * W(s));
  CHECK(first_split(op(inputs(I, W), outputs(one), "one")) == "y");
  auto const filters = compute<"O">(f, y, x.in(256)) = sum(over(s), I(y, x + s) * V(f, s));
  CHECK(first_split(op(inputs(I, V), outputs(filters), "filters")) == "y");
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

TEST_CASE("derived: taps between two lanes are unrolled, and share the loads of whole vectors") {
  auto const [c, y, x, r, s] = axes<"c", "y", "x", "r", "s">;
  tensor<"I", float, 3> const I{{5, 12, 140}};
  auto const unrolled = [](handle<ir::program> const& p) {
    auto const space = derive_space(p, named_target("x86-64-v4"));
    return std::any_of(space.steps.begin(), space.steps.end(), [](step const& each) {
      return each.what == primitive::unroll && each.loops == std::vector<std::string>{"s"};
    });
  };
  auto const halves = compute<"P">(c, y.in(6), x.in(70)) = max(over(r.in(2), s.in(2)), I(c, y * 2 + r, x * 2 + s));
  auto const thirds = compute<"P">(c, y.in(4), x.in(46)) = sum(over(r.in(3), s.in(3)), I(c, y * 3 + r, x * 3 + s));
  auto const overlapping = compute<"P">(c, y.in(5), x.in(69)) = max(over(r.in(3), s.in(3)), I(c, y * 2 + r, x * 2 + s));
  CHECK(unrolled(op(inputs(I), outputs(halves)).program()));
  CHECK(unrolled(op(inputs(I), outputs(thirds)).program()));
  CHECK_FALSE(unrolled(op(inputs(I), outputs(overlapping)).program()));
  check_derived(op(inputs(I), outputs(halves), "pool_of_halves"), 6);
  check_derived(op(inputs(I), outputs(thirds), "sums_of_thirds"), 6);
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
  auto const costs = [](std::int64_t h, std::int64_t w, std::int64_t shifts) {  // the last stage takes a tuple
    auto const [y, x, d, s] = axes<"y", "x", "d", "s">;
    tensor<"L", float, 2> const L{{h, w + 4}};
    tensor<"R", float, 2> const R{{h, w + shifts + 4}};
    auto const C = compute<"C">(d.in(shifts), y.in(h), x.in(w)) =
        sum(over(s.in(5)), abs(L(y, x + s) - R(y, x + s + d)));
    auto const [least, where] = reduce<"least", "where">(
        over(d.in(shifts)), identity(1e30, 0),
        [](auto a, auto b) {
          auto const take = b.template get<0>() < a.template get<0>();
          return components(select(take, b.template get<0>(), a.template get<0>()),
                            select(take, b.template get<1>(), a.template get<1>()));
        },
        law{.associative = true, .commutative = false}, C(d, y, x), cast<std::int32_t>(d));
    auto const O = compute<"O">(y.in(h), x.in(w)) = where;
    return op(inputs(L, R), outputs(O), "costs");
  };
  CHECK(placed_at(costs(200, 200, 32), "O", "y") == std::vector<std::string>{"C"});
  check_derived(costs(19, 33, 5), 4);
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

TEST_CASE("derived: phases of rows and vectors that no register tile holds together") {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"A", float, 2> const A{{5, 2}};
  tensor<"B", float, 2> const B{{2, 7}};
  tensor<"D", float, 3> const D{{40, 42, 2}};
  auto const O = compute<"O">(i.in(40), j.in(42)) = sum(over(r), D(i, j, r) * A(i % 5, r) * B(r, j % 7));
  check_derived(op(inputs(D, A, B), outputs(O), "phases_both_ways"));
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

TEST_CASE("derived: a result that another stage chooses from keeps loops of its own") {
  auto const [i, x] = axes<"i", "x">;
  tensor<"X", float, 1> const X{{38}};
  tensor<"mean", float, 1> const mean{{38}};
  tensor<"scale", float, 1> const scale{{38}};
  tensor<"W", float, 1> const W{{7}};
  auto const Y = compute<"Y">(x) = (X(x) - mean(x)) * scale(x);
  auto const Z = compute<"Z">(i, x) = select(i == 6, Y(x) * Y(x), W(i));
  check_derived(op(inputs(X, mean, scale, W), outputs(Y, Z), "chosen_from_result"));
}

}  // namespace derive_space_tests
