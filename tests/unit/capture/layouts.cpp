// SPDX-License-Identifier: Apache-2.0
// Programs with layouts of their operands: their text, and that they compute the same.
#include "ttune/capture/layouts.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/ops/quantized.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/support/error.hpp"

namespace layouts_tests {

using namespace ttune;

namespace {

ir::ndarray random_array(std::vector<std::int64_t> shape, std::uint64_t seed) {
  ir::ndarray made(dtype::f32, std::move(shape));
  for (std::size_t i = 0; i < made.reals.size(); ++i)
    made.reals[i] = static_cast<double>((i * 2654435761U + seed * 97) % 17) - 8;
  return made;
}

ir::ndarray moved(ir::ndarray const& from, operand_layout const& l, std::vector<std::int64_t> const& declared,
                  bool into) {
  ir::ndarray made(from.type, into ? l.in_memory(declared) : declared);
  if (into) pack_elements(l, declared, 8, from.reals.data(), made.reals.data());
  else unpack_elements(l, declared, 8, from.reals.data(), made.reals.data());
  return made;
}

/// Checks that an operator computes exactly the same in all its layouts, on small integers.
template <class Op>
std::vector<std::string> check_all_layouts(Op const& op, std::int64_t vector_bytes) {
  auto const free = op.with_free_layouts();
  auto const& p = *free.program();
  std::vector<ir::ndarray> in;
  for (auto const& t : op.program()->inputs)
    if (t->role != ir::tensor_role::table) in.push_back(random_array(ir::shape_of(t), in.size()));
  auto const expected = ir::evaluate(*op.program(), in);
  std::vector<std::string> tried;
  for (auto const& layouts : capture::layout_candidates(p, vector_bytes)) {
    auto const arranged = capture::arrange(free.program(), layouts);
    ir::verify(*arranged);
    auto packed = in;
    std::size_t at = 0;
    for (auto const& t : p.inputs) {
      if (t->role == ir::tensor_role::table) continue;
      if (auto const* l = find_layout(layouts, t->name)) packed[at] = moved(in[at], *l, ir::shape_of(t), true);
      ++at;
    }
    auto const results = ir::evaluate(*arranged, packed);
    REQUIRE(results.size() == expected.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      auto const* const l = find_layout(layouts, p.outputs[i]->name);
      auto const found = l ? moved(results[i], *l, expected[i].shape, false) : results[i];
      REQUIRE(found.reals.size() == expected[i].reals.size());
      for (std::size_t e = 0; e < found.reals.size(); ++e)
        REQUIRE(found.reals[e] == doctest::Approx(expected[i].reals[e]));
    }
    std::string text;
    for (auto const& l : layouts) text += (text.empty() ? "" : " ") + l.operand + l.layout.text();
    tried.push_back(text);
  }
  return tried;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("layouts: a convolution in each") {
  ops::conv2d_shape const s{
      .batch = 2, .channels = 8, .height = 5, .width = 6, .filters = 4, .kernel = 3, .padding = 1};
  CHECK(check_all_layouts(ops::conv2d(s), 16) == texts{"I(d0, d1, d2, d3) O(d0, d1, d2, d3)",
                                                       "I(d0, d2, d3, d1) O(d0, d2, d3, d1)",
                                                       "I(d0, d1/4, d2, d3, d1%4) O(d0, d1/4, d2, d3, d1%4)"});
  CHECK(check_all_layouts(ops::winograd_conv2d(s), 16).size() >= 2);
  CHECK(check_all_layouts(ops::conv2d_bias_relu(s), 16).size() == 3);
  auto strided = s;
  strided.channels = 3;  // blocks of 4 do not divide it
  strided.stride = 2;
  CHECK(check_all_layouts(ops::conv2d(strided), 16).back() == "I(d0, d2, d3, d1) O(d0, d1/4, d2, d3, d1%4)");
  strided.filters = 8;  // with channels, most of a vector of eight would be empty
  CHECK(check_all_layouts(ops::conv2d(strided), 32).back() == "I(d0, d1, d2, d3) O(d0, d1/8, d2, d3, d1%8)");
}

TEST_CASE("layouts: products, pools, operands whose indices are sums") {
  CHECK(check_all_layouts(ops::matmul(6, 8, 12), 16) ==
        texts{"A(d0, d1) B(d0, d1) C(d0, d1)", "A(d1/4, d0, d1%4) B(d1/4, d0, d1%4) C(d1/4, d0, d1%4)"});
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{9, 8}};
  auto const D = compute<"D">(i.in(7), j) = zero_outside(A)(i + 1, j - 2) + clamp_outside(A)(i * 2 - 1, j);
  CHECK(check_all_layouts(op(inputs(A), outputs(D)), 16).size() >= 1);
}

TEST_CASE("layouts: bytes are not divided into blocks") {
  ops::conv2d_shape const s{.channels = 64, .height = 5, .width = 6, .filters = 64, .kernel = 3, .padding = 1};
  auto const free = ops::quantized_conv2d(s).with_free_layouts();
  auto const found = capture::layout_candidates(*free.program(), 64);
  REQUIRE(found.size() == 2);
  CHECK(found[1].front().layout == operand_layout({0, 2, 3, 1}));
}

TEST_CASE("layouts: a stage is arranged as the stage that reads it element by element") {
  ops::conv2d_shape const s{.channels = 8, .height = 5, .width = 6, .filters = 4, .kernel = 3, .padding = 1};
  auto const free = ops::conv2d_bias_relu(s).with_free_layouts().with_layout<"I">(operand_layout(4));
  auto const text = [&](operand_layout const& l) { return ir::print(*free.with_layout<"O">(l).program()); };
  CHECK(text(operand_layout({0, 2, 3, 1})).find("O.sum(n < 1, y < 5, x < 6, f < 4)") != std::string::npos);
  CHECK(text(operand_layout({0, 1, 2, 3}, 1, 2)).find("O.sum(n < 1, f_outer < 2, y < 5, x < 6, f_inner < 2)") !=
        std::string::npos);
  // through a stage between them; the result reads it in another order of axes
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 3> const A{{8, 6, 5}};
  auto const S = compute<"S">(i, j) = sum(over(k), A(i, j, k));
  auto const T = compute<"T">(i, j) = S(i, j) * 2;
  auto const D = compute<"D">(j, i) = T(i, j) + 1;
  auto const chain = op(inputs(A), outputs(D)).with_free_layouts();
  CHECK(check_all_layouts(op(inputs(A), outputs(D)), 16).size() >= 2);
  auto const in_blocks = ir::print(*chain.with_layout<"D">(operand_layout({1, 0}, 1, 4)).program());
  CHECK(in_blocks.find("S(i_outer < 2, j < 6, i_inner < 4)") != std::string::npos);
  CHECK(in_blocks.find("T(i_outer, j, i_inner)") != std::string::npos);
}

TEST_CASE("layouts: a stage that is read in two ways, or only in part, stays as it is") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 6}};
  auto const S = compute<"S">(i, j) = A(i, j) * 3;
  operand_layout const turned({1, 0});
  auto const arranged = [&](auto const& D) {
    auto const plain = op(inputs(A), outputs(D));
    CHECK(check_all_layouts(plain, 16).size() >= 1);
    return ir::print(*plain.with_free_layouts().template with_layout<"D">(turned).program());
  };
  CHECK(arranged(compute<"D">(i, j) = S(i, j) + S(j, i)).find("S(i < 6, j < 6)") != std::string::npos);
  CHECK(arranged(compute<"D">(i.in(5), j) = S(i, j) + 1).find("S(i < 6, j < 6)") != std::string::npos);
  CHECK(arranged(compute<"D">(i, j) = S(i, j) + sum(over(k), S(k, j))).find("S(i < 6, j < 6)") != std::string::npos);
  CHECK(arranged(compute<"D">(i, j) = S(i, j) + zero_outside(S)(i + 1, j)).find("S(i < 6, j < 6)") !=
        std::string::npos);
}

TEST_CASE("layouts: any layout is kept, not only those that are tried") {
  ops::conv2d_shape const s{.channels = 6, .height = 5, .width = 4, .filters = 4, .kernel = 3, .padding = 1};
  auto const plain = ops::conv2d(s);
  std::vector in{random_array({1, 6, 5, 4}, 1), random_array({4, 6, 3, 3}, 2)};
  auto const expected = ir::evaluate(*plain.program(), in);
  // blocks of pixels: their index is a sum, which is divided
  operand_layout const odd({3, 0, 1, 2}, 3, 2), turned({2, 3, 1, 0});
  auto const arranged = plain.with_free_layouts().with_layout<"I">(odd).with_layout<"O">(turned);
  ir::verify(*arranged.program());
  in[0] = moved(in[0], odd, {1, 6, 5, 4}, true);
  auto const results = ir::evaluate(*arranged.program(), in);
  CHECK(moved(results[0], turned, expected[0].shape, false).reals == expected[0].reals);
  CHECK(arranged.layouts() == std::vector<named_layout>{{"I", odd}, {"O", turned}});
}

TEST_CASE("layouts: declared free, an operand is plain until a layout is chosen") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2, layout::any> const A{{4, 8}};
  auto const B = compute<"B", layout::any>(i, j) = A(i, j) * 2;
  auto const free = op(inputs(A), outputs(B));
  CHECK(has_free_layouts<decltype(free)>);
  CHECK(ir::print(*free.program()).find("A f32 (4, 8) of any layout") != std::string::npos);
  auto const x = random_array({4, 8}, 1);
  auto const y = ir::evaluate(*free.program(), std::vector{x});
  CHECK(y[0].reals[5] == 2 * x.reals[5]);
}

TEST_CASE("layouts: one that an operand cannot have is refused") {
  ops::conv2d_shape const s{.channels = 3, .height = 5, .width = 5, .filters = 16};
  auto const free = ops::conv2d(s).with_free_layouts();
  CHECK_THROWS_WITH_AS((void)free.with_layout<"I">(operand_layout({0, 1, 2, 3}, 1, 16)),
                       "conv2d: operand I cannot be laid out as (d0, d1/16, d2, d3, d1%16): 16 does not divide 3",
                       program_error);
  CHECK_THROWS_AS((void)free.with_layout<"O">(operand_layout({1, 0})), program_error);
  CHECK_THROWS_WITH_AS((void)capture::arrange(free.program(), {{"W", operand_layout(4)}}),
                       "conv2d: operand W is not one of free layout: declare it with layout::any", program_error);
  auto const settled = free.with_layout<"I">(operand_layout(4));
  CHECK_THROWS_AS((void)settled.with_layout<"I">(operand_layout(4)), program_error);
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{8}};
  auto const C = compute<"C">(i.in(8)) = wrap_outside(A)(i + 3);
  CHECK_THROWS_AS((void)op(inputs(A), outputs(C)).with_free_layouts().with_layout<"A">(operand_layout({0}, 0, 4)),
                  program_error);
  dim const n{"n", 1, 64};
  tensor<"A", float, 1> const open{{n}};
  auto const E = compute<"E">(i) = open(i) + 1;
  CHECK_THROWS_AS((void)op(inputs(open), outputs(E)).with_free_layouts().with_layout<"A">(operand_layout({0}, 0, 4)),
                  program_error);
}

TEST_CASE("layouts: blocks are refused where an index is clamped or mirrored beyond their end, and wrapped") {
  auto const [i, r] = axes<"i", "r">;
  tensor<"A", float, 2> const A{{3, 8}};
  operand_layout const blocks({0, 1}, 1, 4);
  auto const sums = [&](auto const& read) { return compute<"C">(i) = sum(over(r.in(16)), read(i, r)); };
  auto const clamped = op(inputs(A), outputs(sums(clamp_outside(A)))).with_free_layouts();
  auto const mirrored = op(inputs(A), outputs(sums(mirror_outside(A)))).with_free_layouts();
  CHECK_THROWS_AS((void)clamped.with_layout<"A">(blocks), program_error);
  CHECK_THROWS_AS((void)mirrored.with_layout<"A">(blocks), program_error);
  // 16 = 2 * 8 terms: a quotient and a remainder wrap by themselves
  auto const wrapped = op(inputs(A), outputs(sums(wrap_outside(A))));
  auto const x = random_array({3, 8}, 1);
  auto const in_blocks = wrapped.with_free_layouts().with_layout<"A">(blocks);
  auto const results = ir::evaluate(*in_blocks.program(), std::vector{moved(x, blocks, {3, 8}, true)});
  CHECK(results[0].reals == ir::evaluate(*wrapped.program(), std::vector{x})[0].reals);
}

}  // namespace layouts_tests
