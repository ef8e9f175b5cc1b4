// SPDX-License-Identifier: Apache-2.0
// Derived spaces of reductions along rows and columns: in lanes, for some columns at a time, shared among the cores.
#include <doctest/doctest.h>

#include <algorithm>

#include "support/derived_programs.hpp"
#include "ttune/capture/keep_open.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ops/layer_norm.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/schedule/to_cpp.hpp"

namespace derived_rows_tests {

using namespace ttune;
using ttune_test::check_derived;

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

TEST_CASE("derived: statistics of rows that are outputs, too, are computed with their rows") {
  auto const [i, g, k] = axes<"i", "g", "k">;
  for (std::int64_t const columns : {3, 16, 64, 131}) {
    tensor<"W", float, 3> const W{{5, 3, columns}};
    auto const S = compute<"S">(i, g) = max(over(k), abs(W(i, g, k))) / 127 + 1e-8F;
    auto const Q = compute<"Q">(i, g, k) = cast<std::int8_t>(round(W(i, g, k) / S(i, g)));
    auto const quantise = op(inputs(W), outputs(Q, S), "quantise");
    check_derived(quantise, 4);
    auto const M = compute<"M">(i, g) = sum(over(k), W(i, g, k)) / static_cast<double>(columns);
    auto const V = compute<"V">(i, g) =
        rsqrt(sum(over(k), (W(i, g, k) - M(i, g)) * (W(i, g, k) - M(i, g))) / static_cast<double>(columns) + 1e-5);
    auto const N = compute<"N">(i, g, k) = (W(i, g, k) - M(i, g)) * V(i, g);
    check_derived(op(inputs(W), outputs(N, M, V), "norm"), 4);
    auto const E = compute<"E">(i, g, k) = exp(W(i, g, k));  // an output of whole rows has loops of its own
    auto const P = compute<"P">(i, g, k) = E(i, g, k) / sum(over(k), E(i, g, k));
    check_derived(op(inputs(W), outputs(P, E), "rows"), 4);
    auto const space = derive_space(quantise.program(), named_target("x86-64-v4"));
    bool const is_beside = std::any_of(space.steps.begin(), space.steps.end(), [](step const& made) {
      return made.what == primitive::compute_at && made.stage == "S";
    });
    CHECK((is_beside || columns != 64));
  }
}

TEST_CASE("derived: rows of a task are neighbours in memory") {
  auto const [i, g, k] = axes<"i", "g", "k">;
  auto machine = named_target("x86-64-v4");
  machine.cores = 2;
  tensor<"W", float, 3> const W{{4096, 16, 64}};
  auto const P = compute<"P">(i, g, k) = W(i, g, k) / max(over(k), W(i, g, k));
  auto const text = to_cpp(derive_space(op(inputs(W), outputs(P), "rows").program(), machine));
  CHECK(text.find(".split(i, 16, i_0, i_1)") != std::string::npos);
  CHECK(text.find(".split(g, 16, g_0, g_1)") != std::string::npos);  // all groups of a row
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

TEST_CASE("derived: rows whose length calls give are summed in lanes, too") {
  dim const n{"N", 1, 4096};
  auto const [i, k] = axes<"i", "k">;
  tensor<"S", float, 2> const S{{7, n}};
  auto const top = compute<"top">(i) = max(over(k), S(i, k));
  auto const total = compute<"total">(i) = sum(over(k), exp(S(i, k) - top(i)));
  auto const P = compute<"P">(i, k) = exp(S(i, k) - top(i)) / total(i);
  auto const softmax = op(inputs(S), outputs(P), "softmax");
  auto const space = derive_space(capture::keep_open(softmax.program()), named_target("x86-64-v4"));
  CHECK(space.replaces == "");
  CHECK(std::ranges::count(space.steps, primitive::rfactor, &step::what) >= 2);
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
  CHECK(text_of(4096).find("workspace") == std::string::npos);
  CHECK(text_of(1 << 20).find("workspace") != std::string::npos);
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

TEST_CASE("derived: sums of few columns are shared by the cores, several shares in the registers of each") {
  auto machine = named_target("x86-64-v4");
  machine.cores = 4;
  auto const [i, j] = axes<"i", "j">;
  for (auto const& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{100'000, 3}, {100'003, 5}, {65'536, 64}}) {
    tensor<"A", float, 2> const A{{rows, columns}};
    auto const S = compute<"S">(j) = sum(over(i), A(i, j));
    auto const space = derive_space(op(inputs(A), outputs(S), "columns").program(), machine);
    auto const text = ir::print(lower(space, space.seed));
    CHECK_MESSAGE(text.find("parallel S.shares") != std::string::npos, text);
  }
  tensor<"B", float, 2> const B{{1 << 16, 4096}};  // columns enough for the cores
  auto const S = compute<"S">(j) = sum(over(i), B(i, j));
  auto const space = derive_space(op(inputs(B), outputs(S), "columns").program(), machine);
  CHECK(ir::print(lower(space, space.seed)).find("shares") == std::string::npos);
}

TEST_CASE("derived: sums of few columns in shares, interpreted") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{23'003, 3}};
  tensor<"B", float, 2> const B{{23'003, 2}};
  auto const S = compute<"S">(j) = sum(over(i), A(i, j));
  check_derived(op(inputs(A), outputs(S), "columns"));
  auto const k = axis<"k">{};
  auto const P = compute<"P">(j, k) = sum(over(i), A(i, j) * B(i, k));
  check_derived(op(inputs(A, B), outputs(P), "tall_product"));
}

TEST_CASE("derived: the rows of a block of a sparse matrix have small vectors, and load what they share once") {
  auto const [b, r, k, c] = axes<"b", "r", "k", "c">;
  auto const product = [&](std::int64_t rows, std::int64_t each, std::int64_t high, std::int64_t wide) {
    tensor<"J", std::int32_t, 2> const J{{rows, each}, values(0, rows)};
    tensor<"A", float, 4> const A{{rows, each, high, wide}};
    tensor<"X", float, 2> const X{{rows, wide}};
    auto const Y = compute<"Y">(b, r) = sum(over(k, c), A(b, k, r, c) * X(at(J(b, k)), c));
    return op(inputs(J, A, X), outputs(Y), "blocks");
  };
  auto const space = derive_space(product(2000, 12, 4, 4).program(), named_target("x86-64-v4"));
  auto const text = ir::print(lower(space, space.seed));
  CHECK_MESSAGE(text.find("vectorize Y.acc.lanes.c_l < 4") != std::string::npos, text);
  CHECK_MESSAGE(text.find("unroll Y.acc.lanes.r < 4") != std::string::npos, text);
  for (std::int64_t const high : {1, 2, 3, 8, 9})
    for (std::int64_t const wide : {3, 4, 8}) check_derived(product(7, 5, high, wide), 3);
}

TEST_CASE("derived: rows of few terms that share a factor are computed one by one if they are an output, too") {
  auto const [b, r, k, c] = axes<"b", "r", "k", "c">;
  tensor<"A", float, 4> const A{{5, 12, 3, 4}};
  tensor<"X", float, 2> const X{{5, 4}};
  auto const S = compute<"S">(b, r) = sum(over(k, c), A(b, k, r, c) * X(b, c));
  auto const Q = compute<"Q">(b, r) = tanh(S(b, r));
  check_derived(op(inputs(A, X), outputs(Q), "alone"), 3);
  check_derived(op(inputs(A, X), outputs(Q, S), "both"), 3);
}

}  // namespace derived_rows_tests
