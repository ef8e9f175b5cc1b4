// SPDX-License-Identifier: Apache-2.0
#include "ttune/schedule/primitive/compute_once.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/derived_programs.hpp"
#include "support/random_program.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/schedule.hpp"
#include "ttune/schedule/plan.hpp"

namespace compute_once_tests {

using namespace ttune;

namespace {

auto const [i, j, k, r] = axes<"i", "j", "k", "r">;
tensor<"A", float, 2> const A{{6, 8}};
tensor<"B", float, 2> const B{{8, 10}};
tensor<"V", float, 1> const V{{20}};

handle<ir::program> once(handle<ir::program> const& p, std::string stage, std::vector<std::string> of) {
  return make_plan({p, {{primitive::compute_once, std::move(stage), std::move(of), {"E"}, {}}}, {}, {}, {}}).program;
}
std::string refusal(handle<ir::program> const& p, std::string stage, std::vector<std::string> of) {
  try {
    (void)once(p, std::move(stage), std::move(of));
  } catch (schedule_error const& e) {
    return e.what();
  }
  return "none";
}
bool says(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

void check_same(handle<ir::program> const& a, handle<ir::program> const& b) {
  rng random(3);
  auto const operands = ttune_test::random_operands(*a, random);
  CHECK(ttune_test::difference(ir::evaluate(*a, operands), ir::evaluate(*b, operands)) == "");
}

int stages_computed_once(handle<ir::program> const& p) {
  auto const space = derive_space(p, named_target("x86-64-v3"));
  return static_cast<int>(std::count_if(space.steps.begin(), space.steps.end(),
                                        [](step const& s) { return s.what == primitive::compute_once; }));
}

}  // namespace

TEST_CASE("compute_once: weights of a window, counted from 0") {
  auto const W = exp(cast<float>(r) * -0.5F);
  auto const O = compute<"O">(i.in(10)) = sum(over(r.in(2, 6)), V(i + r) * W);
  auto const p = op(inputs(V), outputs(O)).program();
  auto const with = once(p, "O", {"r"});
  REQUIRE(with->stages.size() == 2);
  CHECK(with->stages[0]->axes[0].size() == 4);
  check_same(p, with);
}

TEST_CASE("compute_once: a function of elements, at whatever places they are read, in all stages") {
  auto const O = compute<"O">(i.in(10)) = sum(over(r.in(5)), sqrt(abs(V(i + r))));
  auto const Y = compute<"Y">(i.in(10)) = O(i) * sqrt(abs(V(i * 2)));
  auto const p = op(inputs(V), outputs(Y)).program();
  auto const with = once(p, "O", {"V"});
  REQUIRE(with->stages.size() == 3);
  CHECK(!says(ir::print(*with).substr(ir::print(*with).find("O(")), "sqrt"));
  check_same(p, with);
}

TEST_CASE("compute_once: takes what surrounds the function in the same way everywhere") {
  auto const elu = [](auto const& x) { return select(x > 0, x + 1, exp(x)); };
  auto const C = compute<"C">(i, j) = sum(over(k), elu(A(i, k)) * B(k, j));
  auto const n = compute<"n">(i) = sum(over(k), elu(A(i, k)));
  auto const D = compute<"D">(i, j) = C(i, j) / n(i);
  auto const p = op(inputs(A, B), outputs(D)).program();
  for (auto const& of : {std::vector<std::string>{"i", "k"}, {"A"}}) {
    auto const with = once(p, "C", of);
    auto const text = ir::print(*with);
    REQUIRE(with->stages.size() == 4);
    CHECK(says(text, "sum(k < 8) E(i, k) * B(k, j)"));
    CHECK(text.find("select") == text.rfind("select"));
    check_same(p, with);
  }
}

TEST_CASE("compute_once: leaves surroundings that differ, are wider, or are a whole map") {
  auto const different = compute<"C">(i, j) = sum(over(k), (exp(A(i, k)) + 1) * B(k, j) + exp(A(i, k)));
  auto const of_different = once(op(inputs(A, B), outputs(different)).program(), "C", {"i", "k"});
  CHECK(says(ir::print(*of_different), "E(i < 6, k < 8) = exp(A(i, k))\n"));
  auto const wider = compute<"C">(i, j) = sum(over(k), cast<double>(exp(A(i, k))) * cast<double>(B(k, j)));
  auto const of_wider = once(op(inputs(A, B), outputs(wider)).program(), "C", {"i", "k"});
  CHECK(says(ir::print(*of_wider), "E(i < 6, k < 8) = exp(A(i, k))\n"));
  auto const map = compute<"M">(i, k) = exp(A(i, k)) + 1;
  auto const of_map = once(op(inputs(A), outputs(map)).program(), "M", {"i", "k"});
  CHECK(says(ir::print(*of_map), "E(i < 6, k < 8) = exp(A(i, k))\n"));
}

TEST_CASE("compute_once: a place is no element of the new stage, the data that give it are") {
  tensor<"X", double, 2> const X{{6, 8}};
  auto const place = cast<std::int64_t>(abs(exp(X(i, k))));
  auto const C = compute<"C">(i, j) = sum(over(k), A(at(min(max(place, 0), 5)), k) * B(k, j));
  auto const p = op(inputs(X, A, B), outputs(C)).program();
  auto const with = once(p, "C", {"i", "k"});
  REQUIRE(with->stages.size() == 2);
  CHECK(with->stages[0]->type() == dtype::i64);
  check_same(p, with);
}

TEST_CASE("compute_once: elements that are gathered together are combined before") {
  tensor<"C", std::int32_t, 2> const C{{12, 9}, values(0, 6)};
  tensor<"R", float, 1> const R{{6}};
  tensor<"D", float, 1> const D{{6}};
  auto const place = at(C(i, k));
  auto const N = compute<"N">(i) = 0.15 + 0.85 * sum(over(k), R(place) * D(place) * 0.5);
  auto const p = op(inputs(C, R, D), outputs(N)).program();
  auto const with = once(p, "N.sum", {"R"});
  REQUIRE(with->stages.size() == 3);
  CHECK(says(ir::print(*with), "E(d0 < 6) = R(d0) * D(d0) * 0.5\n"));
  check_same(p, with);
  CHECK(stages_computed_once(p) == 1);
  auto const apart = compute<"N">(i) = sum(over(k), R(place) * D(at(C(i, 0))));  // at two places
  CHECK(stages_computed_once(op(inputs(C, R, D), outputs(apart)).program()) == 0);
}

TEST_CASE("compute_once: the new stage has the axes in the order of the step") {
  auto const C = compute<"C">(i.in(8), j) = sum(over(k.in(6)), exp(A(k, i)) * B(i, j));
  auto const p = op(inputs(A, B), outputs(C)).program();
  auto const with = once(p, "C", {"k", "i"});
  CHECK(says(ir::print(*with), "E(k < 6, i < 8) = exp(A(k, i))\n"));
  check_same(p, with);
  CHECK(says(refusal(p, "C", {"k", "k"}), "are not the axes of any function"));
}

TEST_CASE("compute_once: no function of elements that a guard protects") {
  auto const P = compute<"P">(i.in(9), j) = sum(over(k), select(i < 6, exp(zero_outside(A)(i, k)), 0.0F) * B(k, j));
  auto const p = op(inputs(A, B), outputs(P)).program();
  CHECK(says(refusal(p, "P", {"i", "k"}), "are not the axes of any function"));
  CHECK(says(refusal(p, "P", {"A"}), "is no source of which P has a function"));  // nor the 1 outside of it
  CHECK(says(refusal(p, "P", {"B"}), "is no source of which P has a function"));
  CHECK(says(refusal(p, "P", {"i", "j"}), "are not the axes"));
}

TEST_CASE("compute_once: no function of 16-bit floats, which a stage would round") {
  tensor<"H", bf16, 2> const H{{6, 8}};
  auto const C = compute<"C">(i, j) = max(over(k), exp(H(i, k)) * cast<bf16>(B(k, j)));
  auto const p = op(inputs(H, B), outputs(C)).program();
  CHECK(says(refusal(p, "C", {"i", "k"}), "are not the axes of any function"));
  CHECK(says(refusal(p, "C", {"H"}), "is no source of which C has a function"));
}

TEST_CASE("derived: functions with few different arguments are computed once for each") {
  auto const product = compute<"C">(i, j) = sum(over(k), exp(A(i, k)) * B(k, j));
  auto const window = compute<"O">(i.in(10)) = sum(over(r.in(5)), sqrt(abs(V(i + r))));
  auto const m = compute<"m">(i) = max(over(k), A(i, k));
  auto const softmax = compute<"S">(i, k) = exp(A(i, k) - m(i)) / sum(over(k), exp(A(i, k) - m(i)));
  auto const once_each = compute<"X">(i, k) = exp(A(i, k));
  CHECK(stages_computed_once(op(inputs(A, B), outputs(product)).program()) == 1);
  CHECK(stages_computed_once(op(inputs(V), outputs(window)).program()) == 1);
  CHECK(stages_computed_once(op(inputs(A), outputs(softmax)).program()) == 1);
  CHECK(stages_computed_once(op(inputs(A), outputs(once_each)).program()) == 0);
  ttune_test::check_derived(op(inputs(A, B), outputs(product), "exp_product"));
  ttune_test::check_derived(op(inputs(V), outputs(window), "window_of_roots"));
  ttune_test::check_derived(op(inputs(A), outputs(softmax), "softmax_without_stages"));
}

TEST_CASE("derived: a function that is computed once is stored in the order of its elements") {
  auto const C = compute<"C">(i.in(8), j) = sum(over(k.in(6)), exp(A(k, i)) * B(k, j));
  auto const D = op(inputs(A, B), outputs(C), "exp_transposed");
  auto const space = derive_space(D.program(), named_target("x86-64-v3"));
  auto const found = std::find_if(space.steps.begin(), space.steps.end(),
                                  [](step const& s) { return s.what == primitive::compute_once; });
  REQUIRE(found != space.steps.end());
  CHECK(found->loops == std::vector<std::string>{"k", "i"});
  ttune_test::check_derived(D);
}

TEST_CASE("compute_once: a constant that is read at other places than its axes is laid out as it is read") {
  constant<"K", float, 2> const K{{8, 44}};
  auto const O = compute<"O">(i.in(6), j.in(40)) = sum(over(k.in(8), r.in(2)), A(i, k) * K(k, 43 - 2 * r - j));
  auto const p = op(inputs(A, K), outputs(O)).program();
  auto const with = once(p, "O", {"j", "k", "r"});
  REQUIRE(with->stages.size() == 2);
  CHECK(says(ir::print(*with), "E(j, k, r)"));
  check_same(p, with);
  CHECK(stages_computed_once(p) == 1);
  auto const P = compute<"O">(i.in(6), j.in(44)) = sum(over(k.in(8)), A(i, k) * K(k, j));
  CHECK(stages_computed_once(op(inputs(A, K), outputs(P)).program()) == 0);
}

}  // namespace compute_once_tests
