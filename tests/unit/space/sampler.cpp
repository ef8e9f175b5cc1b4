// SPDX-License-Identifier: Apache-2.0
#include "ttune/space/sampler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/seed.hpp"
#include "ttune/space/factors.hpp"
#include "ttune/support/error.hpp"

namespace sampler_tests {

using namespace ttune;

namespace {

struct small_space {
  std::vector<knob> knobs;
  std::vector<constraint> constraints;

  [[nodiscard]] bool valid(configuration const& c) const {
    return std::all_of(constraints.begin(), constraints.end(),
                       [&](auto const& x) { return x.condition.evaluate(knobs, c) != 0; });
  }
  /// Returns all valid configurations, found by trying all.
  [[nodiscard]] std::vector<configuration> enumerate() const {
    std::vector<configuration> found;
    configuration c{std::vector<std::int32_t>(knobs.size())};
    for (;;) {
      if (valid(c)) found.push_back(c);
      std::size_t k = 0;
      while (k < knobs.size() && ++c.choices[k] == knobs[k].choices()) c.choices[k++] = 0;
      if (k == knobs.size()) return found;
    }
  }
};

knob random_knob(rng& random) {
  std::int32_t const extents[] = {6, 8, 12, 16, 30, 7};
  switch (random.below(5)) {
    case 0: return boolean_knob("b");
    case 1: return one_of_knob("v", {0, 3, -2, 8});
    case 2: return permutation_knob("p", 3);
    case 3:
      return factors_knob("t", extents[random.below(6)], 2 + static_cast<std::int32_t>(random.below(2)),
                          factor_policy::any, {.max_choices = 12});
    default: return factors_knob("f", extents[random.below(6)], 2 + static_cast<std::int32_t>(random.below(2)));
  }
}

knob_expression random_expression(rng& random, std::vector<knob> const& knobs, int depth) {
  if (depth == 0 || random.chance(0.15)) {
    if (random.chance(0.2)) return static_cast<std::int64_t>(random.below(9)) - 2;
    auto const k = random.below(knobs.size());
    return knob_value{static_cast<std::int32_t>(k),
                      static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(knobs[k].width))), 0};
  }
  auto const sub = [&] { return random_expression(random, knobs, depth - 1); };
  // constraints usually have products and sums
  if (random.chance(0.6))
    return combine(random.chance(0.6) ? knob_expression::op::multiply : knob_expression::op::add, sub(), sub());
  auto const what = static_cast<knob_expression::op>(1 + random.below(16));
  if (what == knob_expression::op::logical_not) return !sub();
  if (what == knob_expression::op::select) return select(sub(), sub(), sub());
  return combine(what, sub(), sub());
}

small_space random_space(rng& random) {
  small_space s;
  double points = 1;
  for (auto n = 1 + random.below(5); n > 0; --n) {
    auto k = random_knob(random);
    if ((points *= k.choices()) > 20000) break;
    s.knobs.push_back(std::move(k));
  }
  for (auto n = random.below(4); n > 0; --n) {
    auto const e = random_expression(random, s.knobs, 3);
    configuration c;
    for (auto const& k : s.knobs)
      c.choices.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(k.choices()))));
    s.constraints.push_back({random.chance(0.8) ? e <= e.evaluate(s.knobs, c) : e, "random"});
  }
  return s;
}

struct by_choices {
  bool operator()(configuration const& a, configuration const& b) const { return a.choices < b.choices; }
};
using configurations = std::set<configuration, by_choices>;

int distance(configuration const& a, configuration const& b) {
  int n = 0;
  for (std::size_t k = 0; k < a.choices.size(); ++k) n += a.choices[k] != b.choices[k];
  return n;
}

}  // namespace

TEST_CASE("the space of the report's Figure 1") {
  std::vector<knob> const knobs{factors_knob("tile_y", 512, 2), factors_knob("tile_x", 512, 2)};
  knob_value const ii{0, 1}, ji{1, 1};
  CHECK(sampler(knobs).size() == 100);
  CHECK(sampler(knobs, {{ii * ji <= 1024, "extent(ii) * extent(ji) <= 1024"}}).size() == 64);
  CHECK(sampler(knobs, {{ii * ji <= 1024, "extent(ii) * extent(ji) <= 1024"}}).size().text() == "64");
}

TEST_CASE("AutoTVM's spaces of the logs") {
  auto const size = [](int f, int yx, int rc) {
    return sampler({factors_knob("tile_f", f, 4), factors_knob("tile_y", yx, 4), factors_knob("tile_x", yx, 4),
                    factors_knob("tile_rc", rc, 3), factors_knob("tile_ry", 3, 3), factors_knob("tile_rx", 3, 3),
                    one_of_knob("auto_unroll_max_step", {0, 512, 1500}), boolean_knob("unroll_explicit")})
        .size();
  };
  CHECK(size(512, 7, 512) == 10'454'400);
  CHECK(size(128, 14, 256) == 74'649'600);
}

TEST_CASE("counts, numbers and moves equal brute force on random spaces") {
  auto const seed = ttune_test::seed();
  rng random(seed);
  for (int round = 0; round < 400; ++round) {
    INFO("TTUNE_SEED=" << seed << " round " << round);
    auto const space = random_space(random);
    auto const valid = space.enumerate();
    configurations const all(valid.begin(), valid.end());
    sampler const s(space.knobs, space.constraints);
    REQUIRE(s.size().exact);
    REQUIRE(s.size() == valid.size());
    if (valid.empty()) {
      CHECK_THROWS_AS((void)s.draw(random), schedule_error);
      continue;
    }
    configurations numbered;
    bool inverse = true;
    for (std::uint64_t i = 0; i < valid.size(); ++i) {
      auto const c = s.unrank(i);
      inverse = inverse && s.rank(c) == i && s.valid(c);
      numbered.insert(c);
    }
    CHECK(inverse);
    CHECK(numbered == all);
    auto other = s.draw(random);
    for (int i = 0; i < 50; ++i) {
      auto const c = s.draw(random);
      REQUIRE(all.contains(c));
      auto moved = c;
      bool const could = s.mutate(moved, random);
      bool const alone = std::none_of(valid.begin(), valid.end(), [&](auto const& v) { return distance(v, c) == 1; });
      REQUIRE(could == !alone);
      REQUIRE(distance(moved, c) == (could ? 1 : 0));
      REQUIRE(all.contains(moved));
      moved = c;
      s.shift(moved, random);
      REQUIRE(all.contains(moved));
      REQUIRE(distance(moved, c) == (could ? 1 : 0));
      auto const child = s.crossover(c, other, random);
      REQUIRE(all.contains(child));
      for (std::size_t k = 0; k < child.choices.size(); ++k)
        REQUIRE((child.choices[k] == c.choices[k] || child.choices[k] == other.choices[k]));
      for (auto const& n : s.neighbours(c)) REQUIRE((all.contains(n) && distance(n, c) == 1));
      other = c;
    }
  }
}

TEST_CASE("draws are valid even if solving gives up") {
  auto const seed = ttune_test::seed();
  rng random(seed);
  for (int round = 0; round < 200; ++round) {
    INFO("TTUNE_SEED=" << seed << " round " << round);
    auto const space = random_space(random);
    auto const valid = space.enumerate();
    configurations const all(valid.begin(), valid.end());
    sampler const s(space.knobs, space.constraints, {.work_limit = 40});
    REQUIRE(s.empty() == valid.empty());
    if (s.size().exact) CHECK(s.size() == valid.size());
    for (int i = 0; i < 20 && !valid.empty(); ++i) {
      auto c = s.draw(random);
      REQUIRE(all.contains(c));
      s.mutate(c, random);
      REQUIRE(all.contains(c));
      s.shift(c, random);
      REQUIRE(all.contains(c));
    }
  }
}

TEST_CASE("draws are uniform") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=" << seed);
  rng random(seed);
  std::vector<knob> const knobs{factors_knob("y", 32, 3), factors_knob("x", 32, 3), boolean_knob("b")};
  knob_value const y1{0, 1}, y2{0, 2}, x1{1, 1}, x2{1, 2}, b{2, 0};
  for (auto const work : {2'000'000, 100}) {  // exact, and by rejection
    sampler const s(knobs, {{y2 * x2 <= 64, ""}, {y1 * y2 + x1 * x2 <= 40 + 20 * b, ""}},
                    {.work_limit = static_cast<std::size_t>(work)});
    std::map<std::vector<std::int32_t>, int> seen;
    auto const n =
        static_cast<double>(sampler(knobs, {{y2 * x2 <= 64, ""}, {y1 * y2 + x1 * x2 <= 40 + 20 * b, ""}}).size().count);
    int const draws = static_cast<int>(n) * 50;
    for (int i = 0; i < draws; ++i) ++seen[s.draw(random).choices];
    double chi_square = (n - static_cast<double>(seen.size())) * 50;
    for (auto const& [c, times] : seen) chi_square += (times - 50.0) * (times - 50.0) / 50.0;
    CHECK(chi_square < n + 6 * std::sqrt(2 * n));  // mean n - 1, standard deviation sqrt(2n)
    CHECK(chi_square > n - 6 * std::sqrt(2 * n));
  }
}

TEST_CASE("mutation reaches each other choice of a knob equally often") {
  rng random(3);
  sampler const s({factors_knob("y", 64, 2)}, {{knob_value{0, 1, 0} <= 16, ""}});
  std::map<std::int32_t, int> seen;
  configuration const from{{2}};
  for (int i = 0; i < 4000; ++i) {
    auto c = from;
    REQUIRE(s.mutate(c, random));
    ++seen[c.choices[0]];
  }
  CHECK(seen.size() == 4);
  for (auto const& [choice, times] : seen) CHECK(times == doctest::Approx(1000).epsilon(0.15));
}

TEST_CASE("a shift moves one prime factor between tile levels") {
  sampler const s({factors_knob("f", 512, 4)});
  auto const& k = s.knobs()[0];
  for (std::int32_t c = 0; c < k.choices(); ++c) {
    CHECK(!s.neighbours_of(0, c).empty());
    for (auto const to : s.neighbours_of(0, c)) {
      int changed = 0;
      for (std::size_t part = 0; part < 4; ++part) {
        auto const x = k.choice(c)[part], y = k.choice(to)[part];
        changed += x != y;
        CHECK((x == y || x == 2 * y || y == 2 * x));
      }
      CHECK(changed == 2);
    }
  }
}

TEST_CASE("misuse is named") {
  std::vector<knob> const knobs{factors_knob("y", 8, 2)};
  CHECK_THROWS_WITH_AS(sampler(knobs, {{knob_value{0, 2, 0} <= 4, "extent(yx) <= 4"}}),
                       "where(extent(yx) <= 4): the knob y has 2 parts, number 2 is asked for", argument_error);
  CHECK_THROWS_AS(sampler(knobs, {{knob_value{1, 0, 0} <= 4, ""}}), argument_error);
  sampler const none(knobs, {{knob_value{0, 1, 0} > 8, "extent(yi) > 8"}});
  rng random(1);
  CHECK(none.empty());
  CHECK_THROWS_WITH_AS((void)none.draw(random),
                       "where(extent(yi) > 8): no configuration fulfils all constraints: relax one of them",
                       schedule_error);
  CHECK(sampler(knobs, {{knob_expression(0), "never"}}).empty());
  CHECK(sampler(knobs, {{knob_expression(1), "always"}}).size() == 4);
  CHECK(sampler({}, {}).size() == 1);
  CHECK_THROWS_AS((void)sampler(knobs).unrank(4), argument_error);
}

TEST_CASE("counts beyond 64 bits") {
  std::vector<knob> knobs;
  for (int i = 0; i < 12; ++i) knobs.push_back(factors_knob("f", 512, 4));
  sampler const s(knobs);
  CHECK(s.size().text() == "12855002631049216000000000000");
  rng random(1);
  auto const c = s.draw(random);
  CHECK(s.unrank(s.rank(c)) == c);
  for (int i = 0; i < 8; ++i) knobs.push_back(factors_knob("f", 512, 4));
  CHECK(sampler(knobs).size().saturated);
  CHECK(sampler(knobs).valid(sampler(knobs).draw(random)));
}

TEST_CASE("the same seed draws the same") {
  std::vector<knob> const knobs{factors_knob("y", 512, 4), factors_knob("x", 512, 4)};
  sampler const s(knobs, {{knob_value{0, 3, 0} * knob_value{1, 3, 0} <= 64, ""}});
  rng a(7), b(7), c(8);
  bool same = true, different = false;
  for (int i = 0; i < 100; ++i) {
    auto const first = s.draw(a);
    same = same && first == s.draw(b);
    different = different || !(first == s.draw(c));
  }
  CHECK(same);
  CHECK(different);
  CHECK(rng(1)() == 12966619160104079557U);  // the same on all platforms
}

}  // namespace sampler_tests
