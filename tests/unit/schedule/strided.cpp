// SPDX-License-Identifier: Apache-2.0
// Primitives on strided operands: those that would change an operand's dimensions refuse, others keep its strides.
#include <doctest/doctest.h>

#include "support/primitive_page.hpp"
#include "ttune/capture/strides.hpp"
#include "ttune/schedule.hpp"
#include "ttune/support/error.hpp"

namespace strided_tests {

using namespace ttune;

namespace {

using apart = strided<row_major>;

template <class Make>
std::string refusal(Make const& make) {
  try {
    (void)make_plan(make());
  } catch (schedule_error const& e) {
    return e.what();
  }
  return "";
}

/// Returns the strides of the output.
operand_strides of_output(space const& s) { return make_plan(s).program->outputs.at(0)->strides; }

}  // namespace

TEST_CASE("strided: axes do not become one dimension of an operand with gaps, nor two") {
  auto const [i, j, ij, o, p] = axes<"i", "j", "ij", "o", "p">;
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"S", float, 2, apart> const S{{6, 8}};
  auto const dense = compute<"B">(i, j) = S(i, j) + 1.0F;
  CHECK(refusal([&] {
          return schedule(dense).fuse_axes(i, j, ij);
        }).find("dimension of S, whose rows are apart in memory") != std::string::npos);
  auto const result = compute<"B", apart>(i, j) = A(i, j) + 1.0F;
  CHECK(refusal([&] {
          return schedule(result).fuse_axes(i, j, ij);
        }).find("dimension of B, whose rows are apart in memory") != std::string::npos);
  CHECK(refusal([&] { return schedule(result).split_axis(j, 4, o, p); }).find("is a strided operand") !=
        std::string::npos);
  auto const sums = compute<"R">(p.in(1)) = sum(over(i, j), S(i, j));
  CHECK(refusal([&] { return schedule(sums).fuse_axes(i, j, ij); }).find("dimension of S") != std::string::npos);
  auto const inner = compute<"C">(i, j) = A(i, j) * 2.0F;
  auto const reader = compute<"D", apart>(i, j.in(12)) = inner(j % 6, i);
  CHECK(refusal([&] { return schedule(reader).in("C").fuse_axes(i, j, ij); }) == "");  // C is no operand
}

TEST_CASE("strided: stages that take an output's place have its strides, and inner ones have none") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 8}};
  auto const out = compute<"O", apart>(i) = sum(over(j), A(i, j));
  CHECK(of_output(schedule(out)) == operand_strides::dense);  // one dimension, contiguous
  auto const C = compute<"C", apart>(i, k.in(5)) = sum(over(j), A(i, j) * cast<float>(k));
  auto const cached = schedule(C).cache_write("acc");
  CHECK(of_output(cached) == operand_strides::outer);
  auto const program = make_plan(cached).program;
  for (auto const& s : program->stages)
    CHECK(s->strides == (s->name == "C" ? operand_strides::outer : operand_strides::dense));
}

TEST_CASE("strided: stages of other strides are not computed with each other") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{6, 8}};
  auto const B = compute<"B", apart>(i, j) = A(i, j) + 1.0F;
  auto const C = compute<"C">(i, j) = A(i, j) * 2.0F;
  auto const D = compute<"D", apart>(i, j) = A(i, j) * 3.0F;
  CHECK(refusal([&] {
          return schedule(op(inputs(A), outputs(B, C)), "B").compute_with("C");
        }).find("has other strides than") != std::string::npos);
  CHECK(refusal([&] { return schedule(op(inputs(A), outputs(B, D)), "B").compute_with("D"); }) == "");
}

TEST_CASE("with_strides: makes named operands strided, once, and refuses a taken name") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"v", float, 1> const v{{8}};
  auto const B = compute<"B">(i, j) = A(i, j) + v(j);
  auto const all = op(inputs(A, v), outputs(B));
  CHECK(all.with_strides<"A">().text() ==
        "B(A f32 (6, 8) strided, v f32 (8), strides i64 (2) strides) -> B f32 (6, 8)");
  CHECK(all.with_strides<"A">().with_strides<"B">().text() == all.with_strides().text());
  CHECK(all.with_strides().text() ==
        "B(A f32 (6, 8) strided, v f32 (8), strides i64 (4) strides) -> B f32 (6, 8) strided");
  tensor<"strides", float, 2, apart> const S{{6, 8}};
  auto const C = compute<"C">(i, j) = S(i, j) + 1.0F;
  CHECK_THROWS_WITH_AS((void)op(inputs(S), outputs(C)),
                       "C: an operand is called strides, which strided operands need: name it apart", program_error);
}

}  // namespace strided_tests
