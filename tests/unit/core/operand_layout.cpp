// SPDX-License-Identifier: Apache-2.0
#include "ttune/core/operand_layout.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace operand_layout_tests {

using namespace ttune;
using extents = std::vector<std::int64_t>;

TEST_CASE("operand_layout: properties and text") {
  operand_layout const plain(3), last({0, 2, 3, 1}), blocks({0, 1, 2, 3}, 1, 16);
  CHECK(plain.is_plain());
  CHECK(plain.text() == "(d0, d1, d2)");
  CHECK_FALSE(last.is_plain());
  CHECK(last.text() == "(d0, d2, d3, d1)");
  CHECK_FALSE(blocks.is_plain());
  CHECK(blocks.text() == "(d0, d1/16, d2, d3, d1%16)");
  extents const shape{2, 32, 5, 7};
  CHECK(last.in_memory(shape) == extents{2, 5, 7, 32});
  CHECK(blocks.in_memory(shape) == extents{2, 2, 5, 7, 16});
  for (auto const& l : {operand_layout(4), last, blocks}) CHECK(l.declared(l.in_memory(shape)) == shape);
}

TEST_CASE("operand_layout: impossible layouts are refused") {
  CHECK_THROWS_WITH_AS(operand_layout({0, 2}), "a layout of 2 dimensions has each of them once", argument_error);
  CHECK_THROWS_AS(operand_layout({0, 1, 1}), argument_error);
  CHECK_THROWS_WITH_AS(operand_layout({0, 1}, 2, 8), "a layout of 2 dimensions has no dimension 2", argument_error);
  CHECK_THROWS_AS(operand_layout({0, 1}, 1, 1), argument_error);
  operand_layout const blocks({0, 1}, 1, 8);
  CHECK(blocks.refusal({3, 16}).empty());
  CHECK(blocks.refusal({3, 12}) == "8 does not divide 12");
  CHECK(blocks.refusal({3, 8, 8}) == "it is of 2 dimensions, the operand of 3");
}

TEST_CASE("operand_layout: an element goes where the layout says") {
  extents const shape{2, 4, 3};
  std::vector<std::int16_t> plain(24), packed(24, -1);
  std::iota(plain.begin(), plain.end(), std::int16_t{0});
  pack_elements(operand_layout({0, 1, 2}, 1, 2), shape, 2, plain.data(), packed.data());
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 3; ++c)
        CHECK(packed[static_cast<std::size_t>(((a * 2 + b / 2) * 3 + c) * 2 + b % 2)] == (a * 4 + b) * 3 + c);
}

TEST_CASE("operand_layout: unpack is the inverse of pack, for layouts drawn at random") {
  rng random(7);
  auto const below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint64_t>(n))); };
  for (int round = 0; round < 300; ++round) {
    auto const rank = 1 + below(5);
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    for (int i = rank; i-- > 1;)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(below(i + 1))]);
    extents shape;
    for (int d = 0; d < rank; ++d) shape.push_back(below(6));  // none at all, too
    operand_layout l(order);
    if (below(2) == 1) {
      auto const d = below(rank);
      auto const block = 2 + below(4);
      shape[static_cast<std::size_t>(d)] *= block;
      l = operand_layout(order, d, block);
    }
    std::size_t elements = 1;
    for (auto const e : shape) elements *= static_cast<std::size_t>(e);
    std::vector<std::uint64_t> plain(elements), packed(elements), again(elements, 0);
    for (auto& p : plain) p = random.below(1'000'000) + 1;
    pack_elements(l, shape, 8, plain.data(), packed.data());
    unpack_elements(l, shape, 8, packed.data(), again.data());
    CHECK(again == plain);
  }
}

}  // namespace operand_layout_tests
