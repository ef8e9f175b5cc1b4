// SPDX-License-Identifier: Apache-2.0
// Derived copies of operands: of some reads only, for several stages, at indices that are an axis only after
// simplification.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/derived_programs.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/schedule.hpp"

namespace derived_copies_tests {

using namespace ttune;
using ttune_test::check_derived;

TEST_CASE("copies: an index that is an axis after simplification names the axis of the copy") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"B", float, 2> const B{{8, 9}};
  auto const C = compute<"C">(i.in(6), j.in(9)) = sum(over(k.in(8)), A(i, k) * B(k, j + 1 - 1));
  auto const made = make_plan(space(schedule(op(inputs(A, B), outputs(C), "product"), C).cache_read(B, "Bp")));
  REQUIRE(made.stages[0].definition->name == "Bp");
  CHECK(made.stages[0].axis_name(0) == "k");
  CHECK(made.stages[0].axis_name(1) == "j");
}

TEST_CASE("copies: panels of operands whose indices are an axis after simplification") {
  auto const [i, j, k, r, s] = axes<"i", "j", "k", "r", "s">;
  tensor<"A", float, 2> const A{{33, 18}};
  tensor<"B", float, 2> const B{{18, 21}};
  constant<"W", float, 2> const W{{18, 21}};
  tensor<"T", float, 1> const T{{13}};
  auto const C = compute<"C">(i.in(33), j.in(21)) = sum(over(k.in(18)), A(i, k) * B(k, j + 1 - 1));
  check_derived(op(inputs(A, B), outputs(C), "product"), 8);
  auto const D = compute<"D">(i.in(33), j.in(21)) = sum(over(k.in(18)), A(i, k) * W(2 + k - 2, j + 1 - 1));
  check_derived(op(inputs(A, W), outputs(D), "with_constant"), 8);
  auto const E = compute<"E">(i.in(8), j.in(13)) = max(over(r.in(1), s.in(1)), A(i, r) * T(s + j - 1 + 1));
  check_derived(op(inputs(A, T), outputs(E), "merged"), 8);
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

TEST_CASE("derived: joined stages that read one stage of constants have it laid out once") {
  auto const [i, j, k, s] = axes<"i", "j", "k", "s">;
  tensor<"X", double, 4> const X{{5, 16, 9, 3}};
  constant<"W", double, 2> const W{{3, 9}};
  auto const S = compute<"S">(i, j, k) = sum(over(s), X(i, j, k, s) * sin(W(s, k)));
  auto const T = compute<"T">(i, j, k) = sum(over(s), abs(X(i, j, k, s) * sin(W(s, k))));
  check_derived(op(inputs(X, W), outputs(S, T), "sums_beside_constants"));
}

TEST_CASE("derived: taps of one element are no loops inside of the terms of dot products") {
  auto const [y, x, f, c, r, s] = axes<"y", "x", "f", "c", "r", "s">;
  tensor<"I", std::int8_t, 3> const I{{5, 8, 8}};
  tensor<"W", std::int8_t, 4> const W{{17, 8, 1, 1}};
  auto const term = cast<std::int32_t>(I(y + r, x + s, c)) * cast<std::int32_t>(W(f, c, r, s));
  auto const O = compute<"O">(y.in(5), x.in(8), f) = sum(over(c, r, s), term);
  auto const convolution = op(inputs(I, W), outputs(O), "bytes_1x1");
  for (char const* const name : {"x86-64-v2", "x86-64-v4-vnni-bf16"}) {
    auto const space = derive_space(convolution.program(), named_target(name));
    CHECK(std::any_of(space.steps.begin(), space.steps.end(),
                      [](step const& made) { return made.what == primitive::tensorize; }));
    ttune_test::check_space(space, 6);
  }
}

TEST_CASE("derived: terms that phases unroll are no terms of dot products") {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"A", std::int8_t, 2> const A{{7, 2}};
  tensor<"B", std::int8_t, 2> const B{{2, 15}};
  auto const S = compute<"S">(i, j) = sum(over(r), cast<std::int32_t>(A(i, r)) * cast<std::int32_t>(B(r, j)));
  auto const E = compute<"E">(i, j) = S(i, j) + select((i + j + 2) % 3 % 5 < 1, S(i, j), 0);
  auto const choosing = op(inputs(A, B), outputs(E), "bytes_in_phases");
  for (char const* const name : {"x86-64-v2", "x86-64-v4"})
    ttune_test::check_space(derive_space(choosing.program(), named_target(name)), 4);
}

TEST_CASE("derived: all panels of a task are made before its loops, and rows are packed if their terms are far apart") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", double, 2> const A{{3, 131}};
  tensor<"B", double, 2> const B{{3, 192}};
  auto const D = compute<"D">(i, j) = sum(over(k), select(k * 40 < i, A(k, i) * B(k, j), 0));
  auto const product = op(inputs(A, B), outputs(D), "triangular");
  auto const in = derive_space(product.program(), named_target("x86-64-v4"));
  CHECK(std::any_of(in.steps.begin(), in.steps.end(),
                    [](step const& s) { return s.what == primitive::cache_read && s.results[0].ends_with(".rows"); }));
  check_derived(product, 5);
}

namespace {

/// Filters W(F, C, 9), of which three sums of each are laid out along the filters before all calls, times pixels.
/// `Twice`: two results read the sums.
template <bool Twice = false>
auto transformed_filters(std::int64_t filters, std::int64_t channels) {
  auto const [t, f, c, a, i] = axes<"t", "f", "c", "a", "i">;
  tensor<"V", float, 4> const V{{3, 3, 5, channels}};
  constant<"W", float, 4> const W{{filters, channels, 3, 3}};
  table<"G", double, 2> const G{{3, 3}, {1, 0, 0, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5}};
  auto const tap = [&](std::int64_t j) { return G(a, j) * cast<double>(W(f, c, j, i)); };
  auto const U = compute<"U">(a.in(3), i.in(3), c.in(channels), f.in(filters)) = tap(0) + tap(1) + tap(2);
  auto const X = compute<"X">(a, i, c, f) = cast<float>(U(a, i, c, f) + 0.25 * U(a, 2 - i, c, f));
  auto const M = compute<"M">(a, i, t, f) = sum(over(c), V(a, i, t, c) * X(a, i, c, f));
  if constexpr (Twice) {
    auto const Y = compute<"Y">(a, i, c, f) = cast<float>(U(a, i, c, f) - U(a, 2 - i, c, f));
    auto const N = compute<"N">(a, i, t, f) = sum(over(c), V(a, i, t, c) * Y(a, i, c, f));
    return op(inputs(V, W), outputs(M, N), "filters_read_twice");
  } else {
    return op(inputs(V, W), outputs(M), "filters");
  }
}

step const* find_step(space const& in, primitive what, std::string const& stage) {
  auto const at =
      std::find_if(in.steps.begin(), in.steps.end(), [&](step const& s) { return s.what == what && s.stage == stage; });
  return at == in.steps.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("derived: constants whose lines cross the result are read in the order of their addresses, once") {
  check_derived(transformed_filters<true>(70, 37));
  auto const made = derive_space(transformed_filters<true>(128, 64).program(), named_target("x86-64-v4"));
  auto const* const order = find_step(made, primitive::reorder, "U");
  REQUIRE(order);
  CHECK(order->loops == std::vector<std::string>{"f_0", "c_0", "c_1", "i", "a", "f_1"});
  auto const* const unrolled = find_step(made, primitive::unroll, "U");
  REQUIRE(unrolled);
  CHECK(unrolled->loops == std::vector<std::string>{"a"});
  CHECK(find_step(made, primitive::parallel, "U"));
  CHECK_FALSE(find_step(made, primitive::compute_at, "U"));
}

TEST_CASE("derived: a transform of constants is computed for each panel of its only reader") {
  for (auto const filters : {32, 70}) check_derived(transformed_filters(filters, 37));
  auto const made = derive_space(transformed_filters(128, 64).program(), named_target("x86-64-v4"));
  auto const* const place = find_step(made, primitive::compute_at, "U");
  REQUIRE(place);
  CHECK(place->loops == std::vector<std::string>{"X", "f_o"});
  CHECK_FALSE(find_step(made, primitive::parallel, "U"));
  CHECK(lower(made, made.seed).prepared.size() == 1);
}

TEST_CASE("derived: cores share the copy of a large constant, and a small one is copied by one") {
  auto const product = [](std::int64_t n) {
    auto const [i, j, k] = axes<"i", "j", "k">;
    tensor<"A", float, 2> const A{{20, n}};
    constant<"B", float, 2> const B{{n, n}};
    auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
    return op(inputs(A, B), outputs(C), "product");
  };
  check_derived(product(97));
  auto const large = derive_space(product(256).program(), named_target("x86-64-v4"));
  auto const small = derive_space(product(64).program(), named_target("x86-64-v4"));
  CHECK(find_step(large, primitive::parallel, "C.acc.B"));
  CHECK_FALSE(find_step(small, primitive::parallel, "C.acc.B"));
  CHECK(find_step(small, primitive::pack, "C.acc.B"));
}

TEST_CASE("derived: results of a stage whose rows are far apart are copied into panels, as operands are") {
  auto const [i, j, k, l] = axes<"i", "j", "k", "l">;
  auto const copies = [](auto const& made) {
    auto const space = derive_space(made.program(), named_target("x86-64-v3"));
    ttune_test::check_space(space, 3);
    return std::any_of(space.steps.begin(), space.steps.end(),
                       [](step const& s) { return s.what == primitive::cache_read && s.loops[0] == "F"; });
  };
  tensor<"A", double, 2> const A{{5, 150}};
  auto const F = compute<"F">(k, j) = A(k, j) / (A(k, j) * A(k, j) + 1);
  auto const C = compute<"C">(i.in(150), j.in(150)) = sum(over(k), F(k, i) * F(k, j));
  CHECK(copies(op(inputs(A), outputs(C), "both_factors")));
  tensor<"B", double, 2> const B{{140, 5}};
  tensor<"D", double, 2> const D{{7, 150}};
  auto const P = compute<"F">(k, j) = sum(over(l), A(k, l) * D(l % 7, j));
  auto const E = compute<"E">(i.in(140), j.in(150)) = sum(over(k), B(i, k) * P(k, j));
  CHECK(copies(op(inputs(A, B, D), outputs(E), "product_of_a_product")));
}

}  // namespace derived_copies_tests
