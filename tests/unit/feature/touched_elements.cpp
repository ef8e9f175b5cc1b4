// SPDX-License-Identifier: Apache-2.0
// The elements that loops touch, as the extractor derives them, compared with those that the loops touch when they run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "support/feature_programs.hpp"
#include "support/seed.hpp"
#include "ttune/feature/feature_extractor.hpp"
#include "ttune/support/rng.hpp"

namespace touched_elements_tests {

using namespace ttune;
using ttune_test::axis;
using ttune_test::instantiated;
using ttune_test::machine;
using ttune_test::slide;
using ttune_test::sum_program;
using ttune_test::tensor;

namespace {

/// Σ over k, l of A[a * i + k, j + l] * B[k, j] * D[i, l]. Its loops are split and reordered at random; it accumulates
/// at the root or inside of a loop of the storing stage.
space random_space(rng& random) {
  auto const size = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
  auto const i = size(9);
  auto const j = size(9);
  auto const k = size(4);
  auto const l = size(3);
  auto const step_size = size(2);
  auto const a = tensor("A", {step_size * (i - 1) + k, j + l - 1});
  auto const b = tensor("B", {k, j});
  auto const d = tensor("D", {i, l});
  auto const value = ir::make_access(a, {axis("i") * step_size + axis("k"), axis("j") + axis("l")}) *
                     ir::make_access(b, {axis("k"), axis("j")}) * ir::make_access(d, {axis("i"), axis("l")});
  space made;
  made.program = sum_program({a, b, d}, {{"i", 0, i}, {"j", 0, j}}, {{"k", 0, k}, {"l", 0, l}}, value);
  auto const schedule = [&](std::string const& stage, std::vector<std::string> const& axes) {
    std::vector<std::string> order;
    for (auto const& x : axes) {
      auto const parts = 1 + random.below(3);
      if (parts == 1) order.push_back(x);
      else {
        std::vector<std::string> names;
        std::vector<knob_value> factors;
        for (std::uint64_t part = 0; part < parts; ++part) names.push_back(x + "_" + std::to_string(part));
        for (std::uint64_t part = 1; part < parts; ++part) factors.push_back(literal(size(4)));
        made.steps.push_back({primitive::split, stage, {x}, names, factors});
        order.insert(order.end(), names.begin(), names.end());
      }
    }
    shuffle(std::span(order), random);
    made.steps.push_back({primitive::reorder, stage, order, {}, {}});
    return order;
  };
  if (random.chance(0.5)) {
    schedule("C", {"i", "j", "k", "l"});
    return made;
  }
  made.steps.push_back({primitive::cache_write, "C", {}, {"C.acc"}, {}});
  auto const order = schedule("C", {"i", "j"});
  schedule("C.acc", {"i", "j", "k", "l"});
  if (random.chance(0.8))
    made.steps.push_back({primitive::compute_at, "C.acc", {"C", order[random.below(order.size())]}, {}, {}});
  return made;
}

/// Runs the loops of levels [1, level], with outer ones at 0, and collects the elements that each access touches.
class brute_force {
 public:
  brute_force(plan const& p, loop_nest const& n, loop_chain const& c) : p_(p), n_(n), c_(c) {}

  struct result {
    double box = 1;    ///< elements of the smallest box
    double count = 0;  ///< elements
  };
  std::vector<result> run(std::int32_t level) {
    auto const st = static_cast<std::size_t>(c_.stage);
    own_.assign(p_.stages[st].axis_count(), 0);
    base_.assign(p_.stages[st].axis_count(), 0);
    seen_.assign(p_.stages[st].accesses.size(), {});
    loops(level);
    std::vector<result> made;
    for (auto const& points : seen_) {
      result r;
      r.count = static_cast<double>(points.size());
      for (std::size_t d = 0; !points.empty() && d < points.begin()->size(); ++d) {
        auto low = (*points.begin())[d];
        auto high = low;
        for (auto const& point : points) low = std::min(low, point[d]), high = std::max(high, point[d]);
        r.box *= static_cast<double>(high - low + 1);
      }
      made.push_back(r);
    }
    return made;
  }

 private:
  void loops(std::int32_t level) {
    if (level == 0) return body();
    auto const& at = c_.levels[static_cast<std::size_t>(level)];
    auto const& l = n_.loops[static_cast<std::size_t>(at.loop)];
    auto const axis_index = static_cast<std::size_t>(l.axis);
    bool const own = at.stage == c_.stage;
    auto const st = static_cast<std::size_t>(c_.stage);
    bool const fixed = !own && n_.stages[st].extent[axis_index] >= p_.stages[st].axis_size(axis_index);
    auto& value = own ? own_[axis_index] : base_[axis_index];
    auto const before = value;
    for (std::int32_t i = 0; i < l.extent; ++i, value += fixed ? 0 : l.stride) loops(level - 1);
    value = before;
  }

  void body() {
    auto const st = static_cast<std::size_t>(c_.stage);
    auto const& planned = p_.stages[st];
    std::vector<std::int64_t> values;
    for (std::size_t x = 0; x < own_.size(); ++x) {
      if (own_[x] >= n_.stages[st].extent[x] || base_[x] + own_[x] >= planned.axis_size(x)) return;
      values.push_back(base_[x] + own_[x]);
    }
    for (std::size_t a = 0; a < planned.accesses.size(); ++a) {
      std::vector<std::int64_t> point;
      for (auto const& index : planned.accesses[a].indices) {
        auto sum = index.constant;
        for (std::size_t x = 0; x < values.size(); ++x) sum += index.coefficient[x] * values[x];
        point.push_back(sum);
      }
      seen_[a].insert(point);
    }
  }

  plan const& p_;
  loop_nest const& n_;
  loop_chain const& c_;
  std::vector<std::int64_t> own_;
  std::vector<std::int64_t> base_;
  std::vector<std::set<std::vector<std::int64_t>>> seen_;
};

}  // namespace

TEST_CASE("touched memory and outer lengths are those of the slide") {
  auto const p = make_plan({.program = slide(), .steps = {}, .knobs = {}, .constraints = {}, .seed = {}});
  feature_extractor const extractor(p, machine());
  auto const c = extractor.chain(instantiated(p));
  REQUIRE(c.count == 3);
  REQUIRE(c.access_count == 3);  // C, A, B: of one size, what is written first
  float const touched[3][3] = {{64, 64, 64}, {8, 8, 64}, {1, 8, 8}};
  float const outer[3] = {1, 8, 64};
  for (std::int32_t i = 0; i < 3; ++i) {
    auto const level = static_cast<std::size_t>(3 - i);
    CHECK(c.outer(static_cast<std::int32_t>(level)) == outer[i]);
    for (std::size_t a = 0; a < 3; ++a) CHECK(c.touched[level][a] == touched[i][a]);
  }
  CHECK(c.lines[3][0] == 4);
  CHECK(c.lines[1][1] == 8);  // a column
}

TEST_CASE("touched elements are those that the loops touch") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  int exact = 0;
  int attached = 0;
  for (int round = 0; round < 300; ++round) {
    auto const p = make_plan(random_space(random));
    auto const n = instantiated(p);
    auto const c = feature_extractor(p, machine()).chain(n);
    auto const st = static_cast<std::size_t>(c.stage);
    if (c.count > c.own_count) ++attached;
    chain_builder const tables(p, machine());
    brute_force brute(p, n, c);
    for (std::int32_t level = 0; level <= c.count; ++level) {
      auto const expected = brute.run(level);
      for (std::size_t a = 0; a < expected.size(); ++a) {
        auto const& access = p.stages[st].accesses[a];
        std::size_t slot = 0;
        auto const& merged = tables.facts(st).tables.accesses;
        while (merged[slot].operand != access.operand || merged[slot].write != access.write) ++slot;
        INFO("round ", round, ", level ", level, ", access ", a);
        auto const touched = c.touched[static_cast<std::size_t>(level)][slot];
        CHECK(touched == expected[a].box);
        CHECK(touched >= expected[a].count);
        if (touched == expected[a].count) ++exact;
      }
    }
  }
  CHECK(exact > 1000);
  CHECK(attached > 50);
}

}  // namespace touched_elements_tests
