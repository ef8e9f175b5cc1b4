// SPDX-License-Identifier: Apache-2.0
// Features of programs and schedules, those of knobs, and AutoTVM's features of the same programs.
#include "ttune/feature/feature_extractor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/feature_programs.hpp"
#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/feature/autotvm.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/space/sampler.hpp"

namespace feature_extractor_tests {

using namespace ttune;
using ttune_test::conv2d;
using ttune_test::instantiated;
using ttune_test::machine;
using ttune_test::matmul;
using ttune_test::slide;

namespace {

std::vector<float> features_of(plan const& p, configuration const& chosen, target const& t = machine()) {
  feature_extractor const extractor(p, t);
  std::vector<float> made(feature_extractor::size());
  extractor.extract(instantiated(p, chosen), chosen, made);
  return made;
}

float feature(std::vector<float> const& row, std::string const& name) {
  for (std::size_t i = 0; i < feature_count; ++i)
    if (feature_name(i) == name) return row[i];
  FAIL("no feature ", name);
  return 0;
}

}  // namespace

TEST_CASE("features are finite, whatever the program, the configuration and the machine") {
  auto const seed = ttune_test::seed();
  INFO("TTUNE_SEED=", seed);
  rng random(seed);
  auto const check = [&](space const& in, target const& t) {
    auto const p = make_plan(in);
    sampler const draws(in.knobs, in.constraints);
    for (int i = 0; i < 10; ++i) {
      auto const row = features_of(p, draws.draw(random), t);
      for (std::size_t k = 0; k < row.size(); ++k) CHECK_MESSAGE(std::isfinite(row[k]), feature_name(k));
      for (std::size_t k = 0; k < row.size(); ++k) CHECK_MESSAGE(row[k] >= -1e-6F, feature_name(k), " ", row[k]);
    }
  };
  for (auto const& t : {target{}, machine()}) {
    for (auto const& p : {slide(), matmul(1, 1, 1), matmul(17, 513, 100), matmul(1, 4096, 1024), conv2d(7, 5, 12)})
      check(derive_space(p, t), t);
    for (int i = 0; i < 100; ++i) {
      space made;
      made.program = ttune_test::program_generator(random, {}).make();
      check(made, t);
    }
  }
}

TEST_CASE("features depend neither on names nor on the length of the schedule") {
  auto renamed = *slide();
  auto st = *renamed.stages[0];
  st.name = "Result";
  renamed.stages = renamed.outputs = {share(std::move(st))};
  auto const a = make_plan({.program = slide(), .steps = {}, .knobs = {}, .constraints = {}, .seed = {}});
  auto const b =
      make_plan({.program = share(std::move(renamed)), .steps = {}, .knobs = {}, .constraints = {}, .seed = {}});
  CHECK(features_of(a, {}) == features_of(b, {}));
  space trivial;  // a loop with one iteration changes nothing
  trivial.program = slide();
  trivial.steps = {{primitive::split, "C", {"y"}, {"y0", "y1"}, {literal(1)}}};
  CHECK(features_of(a, {}) == features_of(make_plan(trivial), {}));
}

TEST_CASE("features describe the schedule") {
  space in;
  in.program = matmul(64, 64, 64);
  in.steps = {{primitive::cache_write, "C", {}, {"acc"}, {}},
              {primitive::split, "C", {"i"}, {"i0", "i1"}, {literal(4)}},
              {primitive::split, "C", {"j"}, {"j0", "j1"}, {literal(32)}},
              {primitive::reorder, "C", {"i0", "j0", "i1", "j1"}, {}, {}},
              {primitive::parallel, "C", {"i0"}, {}, {}},
              {primitive::vectorize, "C", {"j1"}, {}, {}},
              {primitive::compute_at, "acc", {"C", "j0"}, {}, {}},
              {primitive::store_in, "acc", {}, {}, {literal(static_cast<int>(ir::memory::registers))}},
              {primitive::reorder, "acc", {"k", "i", "j"}, {}, {}},
              {primitive::unroll, "acc", {"i"}, {}, {}},
              {primitive::vectorize, "acc", {"j"}, {}, {}}};
  auto const row = features_of(make_plan(in), {});
  auto const is = [&](char const* name, double x) {
    INFO(name);
    CHECK(feature(row, name) == doctest::Approx(std::log2(1 + x)).epsilon(1e-4));
  };
  is("points", 64 * 64 * 64);
  is("flops", 2 * 64 * 64 * 64);
  is("tile_rows", 4);
  is("tile_vectors", 2);
  is("accumulators", 8);
  is("tasks", 16);
  is("body", 8);
  is("inner_trips", 64);
  is("vector_extent", 32);
  CHECK(feature(row, "loads_per_fma") == doctest::Approx((4 + 2) / 8.0));
  CHECK(feature(row, "lane_use") == 1);
  CHECK(feature(row, "register_share") == 0.25F);
  CHECK(feature(row, "waste_loops") == 0);
  CHECK(feature(row, "imbalance") == 1);
  is("l2_traffic", 3 * 64 * 64 * 4);  // everything fits
  is("recomputed", 0);
  CHECK(feature(row, "vector_stride.0") == 1);  // C
  CHECK(feature(row, "vector_stride.1") == 0);  // A
  CHECK(feature(row, "vector_stride.2") == 1);  // B
}

TEST_CASE("knobs are the last features") {
  auto const in = derive_space(matmul(512, 512, 512), machine());
  auto const p = make_plan(in);
  auto const row = features_of(p, in.seed);
  for (std::size_t k = 0; k < 16; ++k) {
    auto const value = k < p.knobs.size() ? std::max(0, p.knobs[k].choice(in.seed.choices[k])[0]) : 0;
    CHECK(feature(row, "knob." + std::to_string(k)) == doctest::Approx(std::log2(1.0 + value)).epsilon(1e-4));
  }
}

TEST_CASE("the other columns of all knobs follow, knob after knob") {
  auto const in = ops::cuda_conv2d_template({1, 512, 7, 7, 512, 3, 1, 1});
  auto const p = make_plan(in);
  auto chosen = in.seed;
  chosen.choices[0] = p.knobs[0].choices() / 2;
  auto const row = features_of(p, chosen);
  std::vector<int> inner;
  for (std::size_t k = 0; k < p.knobs.size(); ++k)
    for (auto const value : p.knobs[k].choice(chosen.choices[k]).subspan(1)) inner.push_back(std::max(0, value));
  REQUIRE(inner.size() == 15);  // three splits in four, three in three
  inner.resize(32);             // missing entries are 0
  for (std::size_t i = 0; i < inner.size(); ++i)
    CHECK(feature(row, "knob_inner." + std::to_string(i)) == doctest::Approx(std::log2(1.0 + inner[i])).epsilon(1e-4));
}

TEST_CASE("the README lists every feature in order") {
  std::ifstream file(std::string(TTUNE_TESTS_DIR) + "/../include/ttune/feature/README.md");
  std::stringstream text;
  text << file.rdbuf();
  std::size_t at = 0;
  for (auto const& g : feature_groups) {
    INFO(g.name);
    auto const found = text.str().find("| `" + std::string(g.name) + "` | " + std::to_string(g.count) + " |", at);
    REQUIRE(found != std::string::npos);
    at = found;
  }
}

TEST_CASE("AutoTVM's itervar features of the slide") {
  auto const p = make_plan({.program = slide(), .steps = {}, .knobs = {}, .constraints = {}, .seed = {}});
  auto const row = autotvm::itervar_features(p, instantiated(p), {});
  REQUIRE(row.size() == 3 * (18 + 6 * 4));  // A_0, B_0, C_0 and C_1: the store and its load
  auto const log = [](double x) { return doctest::Approx(std::log2(1 + x)).epsilon(1e-5); };
  CHECK(row[0] == log(8));  // y
  CHECK(row[1] == 1);
  CHECK(row[2] == log(8));
  CHECK(row[3] == log(512));
  CHECK(row[4 + 9] == 1);     // serial
  CHECK(row[18] == log(1));   // A[k][y]: stride
  CHECK(row[19] == -1);       // modulus
  CHECK(row[20] == log(64));  // count
  CHECK(row[21] == log(8));   // reuse
  CHECK(row[24] == log(0));   // B[k][x] does not move with y
  CHECK(row[26] == log(64));
  CHECK(row[30] == log(8));  // C[y][x]
  auto const k = row.begin() + 2 * 42;
  CHECK(k[1] == 3);
  CHECK(k[2] == log(512));
  CHECK(k[15] == log(1));  // one addition
  CHECK(k[16] == log(1));  // one multiplication
  CHECK(k[18] == log(8));
  CHECK(k[32] == log(1));  // C: count
  CHECK(k[33] == log(8));  // and reuse
}

TEST_CASE("AutoTVM's other sets have the lengths that it gives them") {
  auto const in = derive_space(conv2d(28, 16, 32), machine());
  auto const p = make_plan(in);
  auto const n = instantiated(p, in.seed);
  std::size_t values = 0;
  std::size_t options = 0;
  for (auto const& k : in.knobs) {
    values += static_cast<std::size_t>(k.width);
    if (k.kind != knob::sort::factors && k.kind != knob::sort::permutation)
      options += static_cast<std::size_t>(k.width);
  }
  CHECK(autotvm::knob_features(p, in.seed).size() == values);
  auto const curve = autotvm::curve_features(p, n, in.seed);
  CHECK((curve.size() - options) % 160 == 0);
  CHECK(curve.size() > options);
  auto const fixed = autotvm::curve_features(p, n, in.seed, {.samples = 20, .topdown = false});
  CHECK(2 * (fixed.size() - options) == curve.size() - options);
  for (auto const x : autotvm::itervar_features(p, n, in.seed)) CHECK(std::isfinite(x));
}

}  // namespace feature_extractor_tests
