// SPDX-License-Identifier: Apache-2.0
#include "ttune/feature/feature_extractor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/random_program.hpp"
#include "support/seed.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/feature/autotvm.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/space/sampler.hpp"

using namespace ttune;

namespace {

ir::expr axis(char const* name) { return ir::make_variable(name); }

handle<ir::tensor> tensor(char const* name, std::vector<ir::extent> shape,
                          ir::tensor_role role = ir::tensor_role::input) {
  ir::tensor t;
  t.name = name;
  t.shape = std::move(shape);
  t.role = role;
  return share(std::move(t));
}

handle<ir::program> sum_program(std::vector<handle<ir::tensor>> inputs, std::vector<ir::axis> axes,
                                std::vector<ir::axis> reduced, ir::expr const& value, ir::expr const& predicate = {}) {
  ir::stage st;
  st.name = "C";
  st.axes = std::move(axes);
  st.reduction.kind = ir::reduction_kind::sum;
  st.reduction.axes = std::move(reduced);
  st.components.push_back({"", dtype::f32, value});
  st.predicate = predicate;
  auto const shared = share(std::move(st));
  ir::program p;
  p.name = "sum";
  p.inputs = std::move(inputs);
  p.stages = p.outputs = {shared};
  return share(std::move(p));
}

/// for y < 8, for x < 8 { C[y][x] = 0; for k < 8: C[y][x] += A[k][y] * B[k][x] }
handle<ir::program> slide() {
  auto const a = tensor("A", {8, 8});
  auto const b = tensor("B", {8, 8});
  return sum_program({a, b}, {{"y", 0, 8}, {"x", 0, 8}}, {{"k", 0, 8}},
                     ir::make_access(a, {axis("k"), axis("y")}) * ir::make_access(b, {axis("k"), axis("x")}));
}

handle<ir::program> matmul(std::int64_t m, std::int64_t n, std::int64_t k) {
  auto const a = tensor("A", {m, k});
  auto const b = tensor("B", {k, n});
  return sum_program({a, b}, {{"i", 0, m}, {"j", 0, n}}, {{"k", 0, k}},
                     ir::make_access(a, {axis("i"), axis("k")}) * ir::make_access(b, {axis("k"), axis("j")}));
}

/// A convolution of 3 x 3 with padding 1.
handle<ir::program> conv2d(std::int64_t size, std::int64_t in, std::int64_t out) {
  auto const image = tensor("I", {in, size, size});
  auto const weights = tensor("W", {out, in, 3, 3}, ir::tensor_role::constant);
  auto const y = axis("y") + axis("r") + (-1);
  auto const x = axis("x") + axis("s") + (-1);
  auto const less = [](ir::expr const& a, ir::expr const& b) { return ir::make_binary(ir::binary_op::less, a, b); };
  auto const both = [](ir::expr const& a, ir::expr const& b) {
    return ir::make_binary(ir::binary_op::logical_and, a, b);
  };
  auto const inside = [&](ir::expr const& e) {
    return both(less(ir::make_index(-1), e), less(e, ir::make_index(size)));
  };
  return sum_program({image, weights}, {{"f", 0, out}, {"y", 0, size}, {"x", 0, size}},
                     {{"c", 0, in}, {"r", 0, 3}, {"s", 0, 3}},
                     ir::make_access(image, {axis("c"), y, x}) *
                         ir::make_access(weights, {axis("f"), axis("c"), axis("r"), axis("s")}),
                     both(inside(y), inside(x)));
}

target machine() {
  target t;
  t.vector_bytes = 64;
  t.vector_registers = 32;
  t.cores = 2;
  return t;
}

loop_nest instantiated(plan const& p, configuration const& chosen = {}) {
  loop_nest n;
  instantiate(p, chosen, n);
  return n;
}

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

// -------------------------------------------------------------------------------------------------- brute force

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
