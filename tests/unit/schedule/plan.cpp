// SPDX-License-Identifier: Apache-2.0
// Cases that each primitive refuses: the primitive, the culprit and the sentence in the message.
#include "ttune/schedule/plan.hpp"

#include <doctest/doctest.h>

#include "ttune/expr.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/space/factors.hpp"
#include "ttune/support/error.hpp"

namespace plan_tests {

using namespace ttune;

namespace {

using steps = std::vector<step>;
constexpr auto registers = static_cast<std::int64_t>(ir::memory::registers);

/// C(i, j) = sum(k) A * B; D(i, j) = C + 1; E = the output, which reads D.
handle<ir::program> chain() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{6, 8}};
  tensor<"B", float, 2> const B{{8, 10}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const D = compute<"D">(i, j) = C(i, j) + 1.0F;
  auto const E = compute<"E">(i, j) = D(i, j) * 2.0F;
  return op(inputs(A, B), outputs(E)).program();
}

plan apply(steps all) { return make_plan({chain(), std::move(all), {}, {}, {}}); }

void refuses(steps all, std::string const& primitive_name, std::string const& culprit, std::string const& sentence) {
  try {
    (void)apply(std::move(all));
    FAIL_CHECK("nothing was thrown; expected ", sentence);
  } catch (schedule_error const& e) {
    CHECK(e.primitive == primitive_name);
    CHECK(e.culprit == culprit);
    CHECK_MESSAGE(std::string(e.what()).find(sentence) != std::string::npos, e.what());
  }
}

step split_i() { return {primitive::split, "C", {"i"}, {"io", "ii"}, {literal(2)}}; }

}  // namespace

TEST_CASE("plan: split") {
  refuses({{primitive::split, "C", {"x"}, {"a", "b"}, {literal(2)}}}, "split", "x",
          "no loop x in stage C; its loops are i, j, k");
  refuses({{primitive::split, "Q", {"i"}, {"a", "b"}, {literal(2)}}}, "split", "Q",
          "no stage of this name; there are C, D, E");
  refuses({{primitive::split, "C", {"i"}, {"a", "j"}, {literal(2)}}}, "split", "j", "has a loop of this name");
  refuses({{primitive::split, "C", {"i"}, {"a", "b"}, {literal(0)}}}, "split", "i", "must be at least 1");
  refuses({{primitive::split, "C", {"i"}, {"a", "b"}, {}}}, "split", "i", "takes one loop, the names of its parts");
  refuses({split_i(), {primitive::split, "C", {"i"}, {"a", "b"}, {literal(2)}}}, "split", "i",
          "was split: name one of its parts");
  refuses({{primitive::fuse, "C", {"i", "j"}, {"f"}, {}}, {primitive::split, "C", {"f"}, {"a", "b"}, {literal(2)}}},
          "split", "f", "this loop is fused of others");
}

TEST_CASE("plan: fuse and reorder") {
  refuses({{primitive::fuse, "C", {"i"}, {"f"}, {}}}, "fuse", "i", "takes two or more loops and one name");
  refuses({{primitive::fuse, "C", {"j", "i"}, {"f"}, {}}}, "fuse", "i", "is not directly inside j: reorder first");
  refuses({{primitive::fuse, "C", {"j", "k"}, {"f"}, {}}}, "fuse", "k", "a reduced and a free axis cannot be fused");
  refuses({{primitive::parallel, "C", {"j"}, {}, {}}, {primitive::fuse, "C", {"i", "j"}, {"f"}, {}}}, "fuse", "j",
          "fuse before parallel");
  refuses({{primitive::fuse, "C", {"i", "j"}, {"f"}, {}}, {primitive::parallel, "C", {"i"}, {}, {}}}, "parallel", "i",
          "this loop is fused with another");
  refuses({{primitive::reorder, "C", {"i", "i"}, {}, {}}}, "reorder", "i", "named twice");
  refuses({{primitive::fuse, "C", {"i", "j"}, {"f"}, {}}, {primitive::reorder, "C", {"f", "k"}, {}, {}}}, "reorder",
          "f", "reorder them first");
}

TEST_CASE("plan: how loops run") {
  refuses({{primitive::parallel, "C", {"k"}, {}, {}}}, "parallel", "k", "belongs to a reduced axis: use rfactor");
  refuses({{primitive::vectorize, "C", {"k"}, {}, {}}}, "vectorize", "k", "belongs to a reduced axis");
  refuses({{primitive::vectorize, "C", {"j"}, {}, {}}, {primitive::parallel, "C", {"j"}, {}, {}}}, "parallel", "j",
          "already runs in a way of its own");
  refuses({{primitive::vectorize, "C", {"i"}, {}, {}}, {primitive::vectorize, "C", {"j"}, {}, {}}}, "vectorize", "j",
          "is vectorized already");
  CHECK_NOTHROW((void)apply({{primitive::unroll, "C", {"k"}, {}, {}}}));
}

TEST_CASE("plan: places") {
  refuses({{primitive::compute_at, "E", {"E", "i"}, {}, {}}}, "compute_at", "E", "is an output");
  refuses({{primitive::compute_at, "D", {"C", "i"}, {}, {}}}, "compute_at", "C", "does not read D");
  refuses({{primitive::compute_at, "D", {"E", "x"}, {}, {}}}, "compute_at", "x", "no loop x in stage E");
  refuses({{primitive::compute_at, "C", {"D", place_inline}, {}, {}}}, "compute_at", "C",
          "is a reduction, which cannot be computed inline");
  refuses({{primitive::store_in, "E", {}, {}, {literal(registers)}}}, "store_in", "E",
          "lives where the caller puts it");
  refuses({{primitive::pack, "E", {}, {}, {}}}, "pack", "E", "its layout is the caller's");
  refuses({{primitive::compute_at, "C", {"E", "j"}, {}, {}}}, "compute_at", "C",
          "is read by D, which is computed outside of this loop");
  refuses({{primitive::compute_at, "C", {"E", "j"}, {}, {}}, {primitive::compute_at, "D", {"E", "i"}, {}, {}}},
          "compute_at", "C", "is read by D, which is computed outside of this loop");
  CHECK_NOTHROW((void)apply(
      {{primitive::compute_at, "C", {"E", "i"}, {}, {}}, {primitive::compute_at, "D", {"E", "j"}, {}, {}}}));
  auto const p = apply(
      {{primitive::compute_at, "D", {"E", "i"}, {}, {}}, {primitive::store_in, "D", {}, {}, {literal(registers)}}});
  CHECK(p.stages[1].places.size() == 1);
  CHECK(p.stages[1].where == ir::memory::registers);
  CHECK(p.stages[2].where == ir::memory::operand);
}

TEST_CASE("plan: a stage is not inlined if its copies would be huge") {
  auto const x = ir::make_variable("x");
  auto const input = share(ir::tensor{{}, "A", dtype::f32, {4}});
  ir::program made{{}, "chain", {input}, {}, {}};
  ir::expr last = ir::make_access(input, {x});
  steps all;
  for (int s = 0; s < 20; ++s) {
    ir::stage st;
    st.name = "S" + std::to_string(s);
    st.axes = {{"x", 0, 4}};
    st.components.push_back({"", dtype::f32, last * last});
    made.stages.push_back(share(std::move(st)));
    last = ir::make_access(made.stages.back(), {x});
    if (s < 19) all.push_back({primitive::inline_stage, "S" + std::to_string(s), {}, {}, {}});
  }
  made.outputs = {made.stages.back()};
  space chain;
  chain.program = share(std::move(made));
  chain.steps = all;
  try {
    (void)make_plan(chain);
    FAIL_CHECK("nothing was thrown");
  } catch (schedule_error const& e) {
    CHECK(std::string(e.what()).find("is read so often that its copies have ") != std::string::npos);
  }
}

TEST_CASE("plan: steps that change the program") {
  refuses({{primitive::cache_read, "C", {"Z"}, {"Zp"}, {}}}, "cache_read", "Z", "stage C does not read it");
  refuses({{primitive::cache_read, "C", {"A"}, {"D"}, {}}}, "cache_read", "D", "there is a stage of this name");
  refuses({{primitive::cache_write, "C", {}, {"E"}, {}}}, "cache_write", "E", "there is a stage of this name");
  refuses({{primitive::rfactor, "D", {"i"}, {"rf", "l"}, {literal(4)}}}, "rfactor", "D", "reduces nothing");
  refuses({{primitive::rfactor, "C", {"i"}, {"rf", "l"}, {literal(4)}}}, "rfactor", "i", "is not a reduced axis of C");
  refuses({{primitive::rfactor, "C", {"k"}, {"rf", "l"}, {literal(0)}}}, "rfactor", "k",
          "takes a literal factor other than 0");
  refuses({{primitive::inline_stage, "C", {}, {}, {}}}, "inline_stage", "C", "is a reduction");
  refuses({{primitive::inline_stage, "E", {}, {}, {}}}, "inline_stage", "E", "is an output");

  auto const p = apply({{primitive::inline_stage, "D", {}, {}, {}},
                        {primitive::cache_write, "C", {}, {"acc"}, {}},
                        {primitive::cache_read, "acc", {"A"}, {"Ap"}, {}},
                        {primitive::rfactor, "acc", {"k"}, {"rf", "l"}, {literal(3)}}});
  std::string names;
  for (auto const& st : p.stages) names += st.definition->name + " ";
  CHECK(names == "Ap rf acc C E ");
}

}  // namespace plan_tests
