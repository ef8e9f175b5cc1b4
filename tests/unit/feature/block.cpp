// SPDX-License-Identifier: Apache-2.0
#include "ttune/feature/block.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ttune/feature/feature_extractor.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"

namespace block_tests {

using namespace ttune;

namespace {

target gpu() {
  target t;
  t.vector_bytes = 128;
  t.vector_registers = 255;
  t.cores = 28;
  t.l1_bytes = 48 << 10;
  return t;
}

/// Returns the choice with the value `parts`.
std::int32_t choice_of(knob const& k, std::vector<std::int32_t> const& parts) {
  for (std::int32_t i = 0; i < k.choices(); ++i) {
    auto const c = k.choice(i);
    if (std::equal(c.begin(), c.end(), parts.begin(), parts.end())) return i;
  }
  FAIL("knob ", k.name, " has no such choice");
  return 0;
}

struct worked {
  space in = ops::cuda_conv2d_template({1, 512, 7, 7, 512, 3, 1, 1});
  plan p = make_plan(in);
  configuration chosen;
  block_work b;

  explicit worked(std::vector<std::vector<std::int32_t>> const& values) {
    for (std::size_t k = 0; k < in.knobs.size(); ++k) chosen.choices.push_back(choice_of(in.knobs[k], values[k]));
    loop_nest n;
    instantiate(p, chosen, n);
    chain_builder const chains(p, gpu());
    block_builder(p, gpu()).build(n, chains, values[6][0], b);
  }
};

/// 32 blocks of 8 threads, 7 virtual ones; each thread computes 2 filters by 7 columns.
std::vector<std::vector<std::int32_t>> const example = {{32, 1, 8, 2}, {1, 7, 1, 1}, {1, 1, 1, 7}, {32, 8, 2},
                                                        {1, 3, 1},     {1, 1, 3},    {512},        {1}};

}  // namespace

TEST_SUITE("block features") {
  TEST_CASE("a convolution of blocks, worked by hand") {
    worked const w(example);
    auto const& b = w.b;
    REQUIRE(b.there);
    CHECK(b.blocks == 32);
    CHECK(b.threads == 8);
    CHECK(b.virtual_threads == 7);
    CHECK(b.accumulators == 7 * 2 * 7);
    CHECK(b.reduction == 512 * 9);
    CHECK(b.steps == 32);
    CHECK(b.middle == 8 * 3);
    CHECK(b.inner_reduction == 2 * 3);
    auto const& [kernel, data] = b.operands;
    CHECK(kernel.group_words == 16 * 16 * 9);
    CHECK(data.group_words == 16 * 9 * 9);
    CHECK(b.group_bytes == 4 * (2304 + 1296));
    CHECK(kernel.fetch_words == 288);
    CHECK(data.fetch_words == 162);
    CHECK(kernel.fetch_use == 1);
    CHECK(kernel.fetch_run == 16 * 9);  // channels of one filter
    CHECK(data.fetch_run == 16 * 81);   // whole planes
    CHECK(kernel.fetch_sectors == 8);   // threads are 288 words apart, a multiple of 32
    CHECK(kernel.store_conflict == 8);
    CHECK(kernel.thread_words == 2 * 2 * 3);
    CHECK(data.thread_words == 7 * 2 * 3 * 7);
    CHECK(kernel.load_words == 8);
    CHECK(kernel.load_conflict == 8);
    CHECK(data.load_words == 1);  // all threads read the same pixels
    CHECK(data.load_conflict == 1);
    CHECK(b.output_sectors == 8);  // 2 x 49 words apart
    CHECK(b.registers == 98 + 20 + 2 + 49);
    CHECK(b.resident == 2);  // there are only two per core
    CHECK(b.tail == doctest::Approx(1.75));
    CHECK(b.warp_fill == doctest::Approx(0.25));
    CHECK(b.time_fma == doctest::Approx(7));  // a quarter of the lanes, two blocks where 8/7 were even
    CHECK(b.time > b.time_fma);
  }

  TEST_CASE("unrolling stops at the limit") {
    auto values = example;
    values[6] = {0};
    worked const none(values);
    CHECK(none.b.unrolled_levels == 0);
    CHECK_FALSE(none.b.unrolled_tile);
    worked const some(example);  // 7 virtual threads x 7 columns x 2 filters, 3 rows; 2 channels are too many
    CHECK(some.b.unrolled_levels == 3);
    CHECK(some.b.unrolled_body == 7 * 7 * 2 * 3);
    values[6] = {1500};
    CHECK(worked(values).b.unrolled_levels == 4);
  }

  TEST_CASE("a larger tile per thread lowers the loads per multiply-add") {
    auto values = example;
    values[0] = {32, 1, 2, 8};
    worked const large(values);
    values[0] = {32, 1, 16, 1};
    worked const small(values);
    auto const loads = [](block_work const& b) {
      return (b.operands[0].thread_words + b.operands[1].thread_words) / (b.accumulators * b.inner_reduction);
    };
    CHECK(loads(large.b) < loads(small.b));
    CHECK(large.b.registers > small.b.registers);
  }

  TEST_CASE("the estimate of the row is the block's") {
    worked const w(example);
    feature_extractor const extract(w.p, gpu());
    std::vector<float> row(feature_extractor::size());
    loop_nest n;
    instantiate(w.p, w.chosen, n);
    extract.extract(n, w.chosen, row);
    auto const value = [&](std::string const& name) {
      for (std::size_t i = 0; i < feature_count; ++i)
        if (feature_name(i) == name) return static_cast<double>(row[i]);
      return -1.0;
    };
    CHECK(value("time") == doctest::Approx(std::log2(1 + w.b.time)).epsilon(1e-3));
    CHECK(value("efficiency") == doctest::Approx(1 / w.b.time).epsilon(1e-3));
    CHECK(value("block_time") == doctest::Approx(std::log2(1 + 1000 * w.b.time)).epsilon(1e-3));
    CHECK(value("warp_fill") == doctest::Approx(0.25));
  }
}

}  // namespace block_tests
