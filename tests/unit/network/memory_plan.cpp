// SPDX-License-Identifier: Apache-2.0
#include "ttune/network/memory_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace memory_plan_tests {

using namespace ttune;
using offsets = std::vector<std::int64_t>;

namespace {

bool may_share(std::vector<memory_block> const& blocks, std::vector<in_place_pair> const& in_place, std::size_t one,
               std::size_t other) {
  return std::any_of(in_place.begin(), in_place.end(), [&](in_place_pair const& pair) {
    return ((pair.operand == one && pair.result == other) || (pair.operand == other && pair.result == one)) &&
           blocks[pair.operand].last_use == blocks[pair.result].first_use;
  });
}

/// Returns why the plan is wrong, or an empty text.
std::string fault_of(memory_plan const& plan, std::vector<memory_block> const& blocks,
                     std::vector<in_place_pair> const& in_place = {}) {
  if (plan.offsets.size() != blocks.size()) return "offsets are missing";
  if (plan.bytes < plan.least_bytes) return "the bound is above the plan";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    auto const begin = plan.offsets[i], end = begin + blocks[i].bytes;
    if (begin < 0 || begin % memory_plan_alignment != 0) return "an offset is not aligned";
    if (end > plan.bytes) return "a block leaves the arena";
    for (std::size_t j = 0; j < i; ++j) {
      auto const other = plan.offsets[j];
      bool const together = blocks[i].first_use <= blocks[j].last_use && blocks[j].first_use <= blocks[i].last_use;
      bool const overlap = begin < other + blocks[j].bytes && other < end;
      if (together && overlap && !(begin == other && may_share(blocks, in_place, i, j))) return "blocks overlap";
    }
  }
  return {};
}

std::vector<memory_block> random_blocks(rng& random) {
  std::vector<memory_block> made;
  for (auto i = random.below(30); i-- > 0;) {
    auto const first = static_cast<std::int64_t>(random.below(20));
    auto const bytes = random.chance(0.1) ? 0 : random.below(random.chance(0.5) ? 500 : 10'000);
    made.push_back({static_cast<std::int64_t>(bytes), first, first + static_cast<std::int64_t>(random.below(6))});
  }
  return made;
}

/// Each step reads the block of the step before and writes its own.
std::vector<memory_block> chain(std::vector<std::int64_t> const& bytes) {
  std::vector<memory_block> made;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    made.push_back({bytes[i], static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) + 1});
  return made;
}

}  // namespace

TEST_CASE("memory plan: no blocks take no memory") {
  auto const plan = plan_memory({});
  CHECK(plan.offsets.empty());
  CHECK(plan.bytes == 0);
  CHECK(plan.least_bytes == 0);
}

TEST_CASE("memory plan: blocks of no bytes take no memory") {
  auto const plan = plan_memory({{0, 0, 5}, {100, 1, 3}, {0, 2, 2}});
  CHECK(plan.offsets == offsets{0, 0, 0});
  CHECK(plan.bytes == 128);
  CHECK(plan_memory({{0, 0, 5}}).bytes == 0);
}

TEST_CASE("memory plan: a block after the last use of another takes its memory") {
  auto const plan = plan_memory({{100, 0, 1}, {64, 1, 2}, {70, 2, 3}});
  CHECK(plan.offsets[0] == plan.offsets[2]);
  CHECK(plan.bytes == 192);
  CHECK(plan.least_bytes == 192);
}

TEST_CASE("memory plan: blocks alive together never overlap") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  for (int i = 0; i < 400; ++i) {
    auto const blocks = random_blocks(random);
    auto const plan = plan_memory(blocks);
    CHECK(fault_of(plan, blocks) == "");
    CHECK(static_cast<double>(plan.bytes) <= 1.5 * static_cast<double>(plan.least_bytes));
  }
}

TEST_CASE("memory plan: only pairs in place overlap") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  for (int i = 0; i < 400; ++i) {
    auto const blocks = random_blocks(random);
    std::vector<in_place_pair> in_place;
    for (std::size_t operand = 0; operand < blocks.size(); ++operand)
      for (std::size_t result = 0; result < blocks.size(); ++result)
        if (operand != result && random.chance(0.3)) in_place.push_back({operand, result});
    auto const plan = plan_memory(blocks, in_place);
    CHECK(fault_of(plan, blocks, in_place) == "");
    CHECK(plan.bytes <= plan_memory(blocks).bytes);
  }
}

TEST_CASE("memory plan: chains take the bytes of their widest step") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int64_t> bytes(2 + random.below(40));
    for (auto& each : bytes) each = static_cast<std::int64_t>(64 * (1 + random.below(50)));
    std::int64_t widest = 0;
    for (std::size_t step = 1; step < bytes.size(); ++step) widest = std::max(widest, bytes[step - 1] + bytes[step]);
    auto const blocks = chain(bytes);
    auto const plan = plan_memory(blocks);
    CHECK(fault_of(plan, blocks) == "");
    CHECK(plan.least_bytes == widest);
    CHECK(plan.bytes == widest);
  }
}

TEST_CASE("memory plan: results in place") {
  std::vector<memory_block> const blocks = chain({640, 640, 640, 64});
  auto const plan = plan_memory(blocks, {{0, 1}, {1, 2}});
  CHECK(plan.offsets == offsets{0, 0, 0, 640});
  CHECK(plan.bytes == 704);
  CHECK(plan.least_bytes == 704);
  // The operand is used once more after its result is made.
  CHECK(plan_memory({{640, 0, 2}, {640, 1, 3}}, {{0, 1}}).bytes == 1280);
  // Two results of one operand do not both take its place.
  auto const two = plan_memory({{640, 0, 1}, {640, 1, 2}, {640, 1, 2}}, {{0, 1}, {0, 2}});
  CHECK(two.bytes == 1280);
  CHECK(two.least_bytes == 1280);
  CHECK(two.offsets[1] != two.offsets[2]);
  // A sum takes the place of one of its operands.
  auto const sum = plan_memory({{640, 0, 2}, {640, 1, 2}, {640, 2, 3}}, {{0, 2}, {1, 2}});
  CHECK(sum.bytes == 1280);
  CHECK(sum.least_bytes == 1280);
}

TEST_CASE("memory plan: what is wrong is named") {
  CHECK_THROWS_WITH_AS((void)plan_memory({{1, 0, 0}, {-5, 0, 0}}), "memory plan: block 1 has -5 bytes", argument_error);
  CHECK_THROWS_WITH_AS((void)plan_memory({{1, 5, 2}}),
                       "memory plan: block 0 is last used at step 2, before its first use at step 5", argument_error);
  CHECK_THROWS_WITH_AS((void)plan_memory({{1, 0, 0}}, {{0, 4}}), "memory plan: a pair in place names block 4 among 1",
                       argument_error);
  CHECK_THROWS_WITH_AS((void)plan_memory({{1, 0, 0}}, {{0, 0}}), "memory plan: block 0 is a pair in place with itself",
                       argument_error);
  CHECK_THROWS_WITH_AS((void)plan_memory({{1, 0, 0}, {INT64_MAX, 0, 0}}),
                       "memory plan: block 1 and those before it exceed 2^61 bytes", argument_error);
}

}  // namespace memory_plan_tests
