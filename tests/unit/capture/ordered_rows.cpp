// SPDX-License-Identifier: Apache-2.0
// Sums along rows in lanes, in a fixed order: which stages they are, and what they compute.
#include "ttune/capture/ordered_rows.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/scan.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/ttune.hpp"

namespace ordered_rows_tests {

using namespace ttune;

namespace {

constexpr auto i = axis<"i">{};
constexpr auto k = axis<"k">{};

auto row_sums(std::int64_t terms) {
  tensor<"X", float, 2> const X{{2, terms}};
  auto const S = compute<"S">(i) = sum(over(k), X(i, k));
  return op(inputs(X), outputs(S), "row_sums");
}

std::size_t stages_of(handle<ir::program> const& p) { return p->stages.size(); }

}  // namespace

TEST_CASE("ordered_rows: long rows have 64 lanes, short ones 16") {
  CHECK(ir::print(*row_sums(70).in_order().program()) == R"(row_sums(X f32 (2, 70)) -> S f32 (2)
S.lanes(i < 2, k_lane < 16) = sum(k < 5) X(i, k * 16 + k_lane) where k * 16 + k_lane < 70
S.lanes8(i < 2, k_lane < 8) = sum(k_half < 2) S.lanes(i, k_half * 8 + k_lane)
S.lanes4(i < 2, k_lane < 4) = sum(k_half < 2) S.lanes8(i, k_half * 4 + k_lane)
S.lanes2(i < 2, k_lane < 2) = sum(k_half < 2) S.lanes4(i, k_half * 2 + k_lane)
S(i) = sum(k_half < 2) S.lanes2(i, k_half)
)");
  CHECK(stages_of(row_sums(128).in_order().program()) == 7);  // 64, 32, 16, 8, 4, 2, 1
  CHECK(stages_of(row_sums(31).in_order().program()) == 1);
}

TEST_CASE("ordered_rows: few, very long rows are summed in parts") {
  auto const text = ir::print(*row_sums(70000).in_order().program());
  CHECK(text.starts_with(R"(row_sums(X f32 (2, 70000)) -> S f32 (2)
S.parts.lanes(i < 2, k_part < 9, k_lane < 64) = sum(k < 128) X(i, k_part * 8192 + (k * 64 + k_lane)) where k_part * 8192 + (k * 64 + k_lane) < 70000
S.parts.lanes32(i < 2, k_part < 9, k_lane < 32) = sum(k_half < 2) S.parts.lanes(i, k_part, k_half * 32 + k_lane)
)"));
  CHECK(text.ends_with(R"(
S.parts(i < 2, k_part < 9) = sum(k_half < 2) S.parts.lanes2(i, k_part, k_half)
S(i) = sum(k_part < 9) S.parts(i, k_part)
)"));
  CHECK(stages_of(row_sums(65536).in_order().program()) == 8);       // the parts in lanes, and the sum of eight parts
  CHECK(stages_of(row_sums(32 * 8192).in_order().program()) == 12);  // 32 parts in 16 lanes
  CHECK(stages_of(row_sums(65535).in_order().program()) == 7);
  tensor<"X", float, 2> const X{{64, 70000}};
  auto const S = compute<"S">(i) = sum(over(k), X(i, k));
  CHECK(stages_of(op(inputs(X), outputs(S)).in_order().program()) == 7);  // enough rows for all cores
}

TEST_CASE("ordered_rows: a sum in lanes is the sum") {
  for (std::int64_t const terms : {32, 70, 128, 191, 65537, 270000}) {
    ir::ndarray rows(dtype::f32, {2, terms});
    double wanted = 0;
    for (std::int64_t t = 0; t < 2 * terms; ++t) {
      rows.set_number(static_cast<std::size_t>(t), static_cast<double>(t % 5));
      if (t >= terms) wanted += static_cast<double>(t % 5);
    }
    CHECK(ir::evaluate(*row_sums(terms).in_order().program(), std::vector{rows})[0].number(1) == wanted);
  }
}

TEST_CASE("ordered_rows: other sums keep the order that is written") {
  CHECK(stages_of(ops::matmul(64, 64, 256).in_order().program()) == 1);  // lanes run along columns
  CHECK(stages_of(ops::conv2d({1, 64, 14, 14, 8, 3, 1, 1}).in_order().program()) ==
        stages_of(ops::conv2d({1, 64, 14, 14, 8, 3, 1, 1}).program()));
  tensor<"X", float, 2> const X{{200, 300}};
  auto const j = axis<"j">{};
  auto const columns = compute<"S">(j) = sum(over(i), X(i, j));
  CHECK(stages_of(op(inputs(X), outputs(columns)).in_order().program()) == 1);
  CHECK(stages_of(ops::prefix_sum(4, 200).in_order().program()) == 1);
  auto const whole = ops::matmul<std::int32_t>(1, 1, 256).in_order().program();
  CHECK(stages_of(whole) == 1);  // integers have no rounding errors
}

TEST_CASE("ordered_rows: all reduced axes but the one of the lanes stay") {
  tensor<"X", float, 3> const X{{3, 5, 40}};
  auto const r = axis<"r">{};
  auto const S = compute<"S">(i) = sum(over(r, k), X(i, r, k));
  auto const text = ir::print(*op(inputs(X), outputs(S)).in_order().program());
  CHECK(text.find("S.lanes(i < 3, k_lane < 16) = sum(r < 5, k < 3) X(i, r, k * 16 + k_lane) where") !=
        std::string::npos);
}

}  // namespace ordered_rows_tests
