// SPDX-License-Identifier: Apache-2.0
// Kernels that choose the layouts of their operands: their arguments, and chains whose results stay packed.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/main.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/eigen.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"
#include "ttune/ttune.hpp"

namespace free_layouts_tests {

using namespace ttune;

namespace {

using rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

tuner small_tuner(shared_store records = {}) {
  return tuner(
      orc_backend{},
      {.records = std::move(records), .worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(1)});
}

template <fixed_string L, fixed_string R, fixed_string Out>
auto free_product(std::int64_t m, std::int64_t n, std::int64_t k_size) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<L, float, 2, layout::any> const A{{m, k_size}};
  tensor<R, float, 2, layout::any> const B{{k_size, n}};
  auto const C = compute<Out, layout::any>(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C), "free_product");
}

std::vector<float> counting(std::size_t n) {
  std::vector<float> made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = static_cast<float>(static_cast<int>(i * 7 % 13) - 6);
  return made;
}

std::span<float const> span_of(rows const& m) { return {m.data(), static_cast<std::size_t>(m.size())}; }

}  // namespace

TEST_CASE("layout::any: a kernel in each layout computes what Eigen does, and a chain stays packed") {
  rows const a = rows::Random(24, 32), b = rows::Random(32, 48), d = rows::Random(48, 16);
  rows const expected = a * b, expected_chain = expected * d;
  auto tuner = small_tuner();
  auto const first_op = free_product<"A", "B", "C">(24, 48, 32);
  operand_layout const turned({1, 0}), blocks({1, 0}, 1, 16);
  for (auto const& of_c : {operand_layout(2), turned, blocks}) {
    auto const first =
        tuner.tune(first_op.with_layout<"A">(turned).with_layout<"B">(blocks).with_layout<"C">(of_c), {.trials = 2});
    CHECK(first.layout_of<"A">() == turned);
    CHECK(first.layout_of<"C">() == of_c);
    std::vector<float> pa(24 * 32), pb(32 * 48), pc(24 * 48), e(24 * 16);
    first.pack<"A">(a, pa);
    first.pack<"B">(b, pb);
    first(pa, pb, pc);
    rows c(24, 48);
    first.unpack<"C">(pc, c);
    CHECK(c.isApprox(expected, 1e-5F));
    // the second kernel takes the result unchanged
    auto const second = tuner.tune(free_product<"C", "D", "E">(24, 16, 48)
                                       .with_layout<"C">(first.layout_of<"C">())
                                       .with_layout<"D">(operand_layout(2))
                                       .with_layout<"E">(operand_layout(2)),
                                   {.trials = 2});
    second(pc, span_of(d), e);
    CHECK(Eigen::Map<rows>(e.data(), 24, 16).isApprox(expected_chain, 1e-4F));
  }
}

TEST_CASE("layout::any: the kernel chooses a layout and reports it; the second start finds it") {
  ops::conv2d_shape const s{.channels = 32, .height = 9, .width = 10, .filters = 32, .kernel = 3, .padding = 1};
  auto const records = std::make_shared<memory_store>();
  auto tuner = small_tuner(records);
  auto const plain = tuner.tune(ops::conv2d(s), {.trials = 1});
  auto const weights = counting(32 * 32 * 9);
  auto const image = counting(32 * 90);
  std::vector<float> expected(32 * 90), packed_image(image.size()), packed(expected.size()), out(expected.size());
  plain(image, weights, expected);
  auto const free = ops::conv2d(s).with_free_layouts();
  auto const found = tuner.tune(free, {.trials = 6});
  CHECK(found.report().alternatives.size() == 3);
  auto const again = small_tuner(records).tune(free, {.trials = 6});
  CHECK(again.report().source == tuning_report::origin::record);
  CHECK(again.layout_of<"I">() == found.layout_of<"I">());
  CHECK(again.layout_of<"O">() == found.layout_of<"O">());
  CHECK(again.layout_of<"W">().is_plain());
  for (auto const& kernel : {found, again}) {
    kernel.pack<"I">(image, packed_image);
    auto const prepared = kernel.prepare(packed_image, weights, packed);
    CHECK(prepared.layout_of<"O">() == kernel.layout_of<"O">());
    prepared(packed_image, weights, packed);
    prepared.unpack<"O">(packed, out);
    CHECK(out == expected);  // exact for small integers
  }
}

TEST_CASE("layout::any: an object with another layout than the kernel's is refused") {
  auto tuner = small_tuner();
  auto const make = [&](operand_layout const& of_a) {
    return tuner.tune(free_product<"A", "B", "C">(4, 16, 8)
                          .with_layout<"A">(of_a)
                          .with_layout<"B">(operand_layout(2))
                          .with_layout<"C">(operand_layout(2)),
                      {.trials = 1});
  };
  rows const a = rows::Random(4, 8), b = rows::Random(8, 16);
  rows c(4, 16);
  auto const turned = make(operand_layout({1, 0}));
  CHECK_THROWS_WITH_AS(
      turned(a, b, c),
      "kernel free_product, operand A: lies as (d1, d0) in memory, this object is plain: bring it into "
      "a span by pack<\"A\">, or back by unpack",
      argument_error);
  auto const plain = make(operand_layout(2));
  plain(a, b, c);
  CHECK(c.isApprox(a * b, 1e-5F));
  std::vector<float> short_one(31), right(32);
  CHECK_THROWS_WITH_AS(turned.pack<"A">(a, short_one),
                       "kernel free_product, operand A: has 31 elements, the operand 32", argument_error);
  CHECK_THROWS_AS(turned.unpack<"A">(short_one, right), argument_error);
  turned.pack<"A">(a, right);
  CHECK(right[1] == a(1, 0));
}

}  // namespace free_layouts_tests
