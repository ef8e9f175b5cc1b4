// SPDX-License-Identifier: Apache-2.0
// Programs and schedules that random tests found to be refused or wrong: buffers that cannot be registers, arms that
// end in different shapes, tasks that share a buffer, hints that read.
#include "ttune/lowering/settle_storage.hpp"

#include <doctest/doctest.h>

#include <string>

#include "kernel_runs.hpp"
#include "support/forked.hpp"
#include "support/kernel_trial.hpp"
#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/schedule.hpp"

namespace settled_storage_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Returns a machine without masks, if this machine runs its code.
target avx2() {
  auto const made = named_target("x86-64-v3", probe_host());
  return is_host_architecture(made.name) && missing_features(made.features).empty() ? made : probe_host();
}

/// Returns the fault of one configuration between guard pages, or an empty text.
std::string fault_of(handle<ir::program> const& p, space const& s, configuration const& chosen,
                     target const& machine = probe_host()) {
  return said_by_child([&] {
    orc_backend backend(machine);
    rng random(1);
    auto const operands = ttune_test::random_operands(*p, random);
    auto const made =
        try_kernel(backend, schedule_source::derived, std::pair{s, chosen}, 3, operands, expect(*p, operands));
    return made.kind == trial_kind::right ? std::string()
                                          : "kind " + std::to_string(static_cast<int>(made.kind)) + " " + made.text;
  });
}

/// Checks the derived seed and some random configurations, with masks and without.
template <class Op>
void check_all(Op const& op, int configurations = 8) {
  for (auto const& machine : {probe_host(), avx2()}) {
    workload const work(derive_space(op.program(), machine), machine);
    rng random(7);
    for (int i = 0; i < configurations; ++i)
      CHECK(fault_of(op.program(), work.space(), i == 0 ? work.seed() : work.sampler().draw(random), machine) == "");
  }
}

}  // namespace

TEST_CASE("settled storage: a row in registers that is read by a remainder of a loop") {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"T", std::uint16_t, 1> const T{{5}};
  tensor<"U", std::int64_t, 2> const U{{1, 35}};
  auto const A = compute<"A">(i.in(7)) = sum(over(r.in(1)), T(r + r));
  auto const B = compute<"B">(i.in(1), j.in(13)) =
      select(i * 2 + j + 2 < i, wrap_outside(U)(i, j * 2 + j), cast<std::int64_t>(A(j % 7)));
  check_all(op(inputs(T, U), outputs(B), "by_remainder"));
}

TEST_CASE("settled storage: Harris corners") {
  auto const [y, x, r, s] = axes<"y", "x", "r", "s">;
  std::int64_t const height = 23, width = 37;
  tensor<"I", float, 3> const I{{3, height + 4, width + 4}};
  auto const G = compute<"G">(y, x) = 0.299F * I(0, y, x) + 0.587F * I(1, y, x) + 0.114F * I(2, y, x);
  auto const Ix = compute<"Ix">(y.in(height + 2), x.in(width + 2)) = (G(y, x + 2) - G(y, x)) * (1 / 12.0F) +
                                                                     (G(y + 1, x + 2) - G(y + 1, x)) * (2 / 12.0F) +
                                                                     (G(y + 2, x + 2) - G(y + 2, x)) * (1 / 12.0F);
  auto const Iy = compute<"Iy">(y.in(height + 2), x.in(width + 2)) = (G(y + 2, x) - G(y, x)) * (1 / 12.0F) +
                                                                     (G(y + 2, x + 1) - G(y, x + 1)) * (2 / 12.0F) +
                                                                     (G(y + 2, x + 2) - G(y, x + 2)) * (1 / 12.0F);
  auto const Sxx = compute<"Sxx">(y.in(height), x.in(width)) =
      sum(over(r.in(3), s.in(3)), Ix(y + r, x + s) * Ix(y + r, x + s));
  auto const Sxy = compute<"Sxy">(y.in(height), x.in(width)) =
      sum(over(r.in(3), s.in(3)), Ix(y + r, x + s) * Iy(y + r, x + s));
  auto const Syy = compute<"Syy">(y.in(height), x.in(width)) =
      sum(over(r.in(3), s.in(3)), Iy(y + r, x + s) * Iy(y + r, x + s));
  auto const trace = Sxx(y, x) + Syy(y, x);
  auto const H = compute<"H">(y.in(height), x.in(width)) =
      Sxx(y, x) * Syy(y, x) - Sxy(y, x) * Sxy(y, x) - 0.04F * trace * trace;
  check_all(op(inputs(I), outputs(H), "harris"));
}

TEST_CASE("settled storage: f16 values common to all lanes, in one arm of a choice") {
  auto const [i, j, k, r] = axes<"i", "j", "k", "r">;
  constant<"T", f16, 2> const T{{3, 15}};
  constant<"U", f16, 2> const U{{5, 3}};
  auto const A = compute<"A">(i.in(8), j.in(5)) = select(j + i - 1 < 0, T(j / 2, i * 2), U(j, i % 3));
  auto const B = compute<"B">(i.in(8), j.in(8), k.in(3)) =
      max(over(r.in(1)), select(i + r <= 3 && i <= k, cast<std::int32_t>(clamp_outside(A)(r + j + 2, r)),
                                cast<std::int32_t>(A(j, j % 5)) - cast<std::int32_t>(U((k + j) % 5, k))));
  check_all(op(inputs(T, U), outputs(B), "halves"));
}

TEST_CASE("settled storage: tasks inside of a vectorised loop fill a buffer of that loop together") {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"T", float, 1> const T{{7}};
  auto const A = compute<"A">(j.in(4)) = sum(over(r.in(5)), T(j * 0 + r));
  auto const B = compute<"B">(i.in(9)) = A(i / 3);
  auto const o = op(inputs(T), outputs(B), "tasks");
  auto const s = schedule(o, "B").vectorize(i).in("A").compute_at("B", i).parallel(j);
  CHECK(fault_of(o.program(), s, {}) == "");
}

TEST_CASE("settled storage: a buffer in registers around a parallel loop") {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"T", float, 2> const T{{6, 7}};
  auto const A = compute<"A">(i.in(6)) = sum(over(r.in(7)), T(i, r));
  auto const B = compute<"B">(i.in(6), j.in(9)) = A(i) * cast<float>(j);
  auto const o = op(inputs(T), outputs(B), "around");
  auto const s = schedule(o, "B").parallel(j).in("A").compute_at("B", i).store_in(ir::memory::registers);
  CHECK(fault_of(o.program(), s, {}) == "");
}

TEST_CASE("settled storage: lanes behind the last element do not make the others read another quotient") {
  auto const [j, j_0, j_1, k] = axes<"j", "j_0", "j_1", "k">;
  tensor<"T", std::int64_t, 1> const T{{6}};
  auto const A = compute<"A">(j.in(13), k.in(2)) = T((k * 3 + j + 1) / 3);
  auto const o = op(inputs(T), outputs(A), "quotient");
  auto const s = schedule(o, "A").split(j, 4, j_0, j_1).reorder(k, j_0, j_1).unroll(k).unroll(j_0).vectorize(j_1);
  for (auto const& machine : {probe_host(), avx2()}) CHECK(fault_of(o.program(), s, {}, machine) == "");
}

TEST_CASE("settled storage: lanes that a remainder sends to three places") {
  auto const [i] = axes<"i">;
  tensor<"T", std::int32_t, 1> const T{{8}};
  auto const A = compute<"A">(i.in(8)) = T(i * 3 % 8);
  auto const B = compute<"B">(i.in(16)) = T(i * 3 / 8);
  auto const o = op(inputs(T), outputs(A, B), "remainder");
  auto const s = schedule(o, "A").vectorize(i).in("B").vectorize(i);
  for (auto const& machine : {probe_host(), avx2()}) CHECK(fault_of(o.program(), s, {}, machine) == "");
}

TEST_CASE("settled storage: a register that all lanes read where the first one does not run") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"T", std::int32_t, 1> const T{{4}};
  auto const A = compute<"A">(i.in(4)) = T(i) + 5;
  auto const B = compute<"B">(k.in(3), i.in(2)) = select(1 <= i, A(0) * A(2 * i), -1);
  auto const o = op(inputs(T), outputs(B), "uniform");
  auto const s = schedule(o, "B").vectorize(i).in("A").compute_at("B", k).store_in(ir::memory::registers).vectorize(i);
  for (auto const& machine : {probe_host(), avx2()}) CHECK(fault_of(o.program(), s, {}, machine) == "");
}

TEST_CASE("settled storage: lanes that a condition leaves out keep the first value of their own buffer") {
  auto const [i, r] = axes<"i", "r">;
  tensor<"T", std::int32_t, 1> const T{{7}};
  auto const A = compute<"A">(i.in(8)) = sum(over(r.in(7)), T(r));
  auto const whole = op(inputs(T), outputs(A), "left_out").program();
  auto some = *whole->stages[0];
  some.predicate = ir::make_binary(ir::binary_op::less, ir::make_variable("i"), ir::make_index(3));
  auto made = *whole;
  made.stages = made.outputs = {share(std::move(some))};
  space s;
  s.program = share(std::move(made));
  s.steps = {{primitive::rfactor, "A", {"r"}, {"part", "run"}, {literal(-2)}},
             {primitive::vectorize, "A", {"i"}, {}, {}},
             {primitive::compute_at, "part", {"A", "i"}, {}, {}}};
  for (auto const& machine : {probe_host(), avx2()}) CHECK(fault_of(s.program, s, {}, machine) == "");
}

TEST_CASE("settled storage: a register that only an arm which never runs reads") {
  auto const [i, j, r] = axes<"i", "j", "r">;
  tensor<"T", std::int32_t, 3> const T{{10, 14, 10}};
  auto const A = compute<"A">(i.in(11), j.in(2)) = sum(over(r.in(1)), zero_outside(T)(r + j, i + r, r + j));
  auto const B = compute<"B">(i.in(16), j.in(11)) =
      sum(over(r.in(1)), select(r + j <= r + i, zero_outside(T)(r + j, i + r, r + j), zero_outside(A)(j, i + r)));
  auto const o = op(inputs(T), outputs(B), "dead_arm");
  auto const s = schedule(o, "B").cache_write("acc").in("A").store_in(ir::memory::registers).compute_at("acc", r);
  for (auto const& machine : {probe_host(), avx2()}) CHECK(fault_of(o.program(), s, {}, machine) == "");
}

TEST_CASE("halves: their maxima and comparisons call no function") {
  auto const [i, r] = axes<"i", "r">;
  tensor<"T", f16, 2> const T{{5, 19}};
  auto const A = compute<"A">(i) = max(over(r), max(T(r, i), T(r, 0)));
  auto const B = compute<"B">(i) = sin(max(cast<float>(T(0, i)), -1.0F)) + cast<float>(A(i));
  auto const C = compute<"C">(i) = select(cast<float>(T(1, i)) < 1.0F, 1.0F, cast<float>(T(1, i)));
  check_all(op(inputs(T), outputs(B, C), "halves"), 4);
}

TEST_CASE("prefetch: a gathered place some iterations ahead reads no index after the last one") {
  auto const [i] = axes<"i">;
  tensor<"ix", std::int32_t, 1> const ix{{2}, values(0, 5)};
  tensor<"T", std::int64_t, 1> const T{{5}};
  auto const A = compute<"A">(i) = T(at(ix(i)));
  auto const o = op(inputs(ix, T), outputs(A), "gather");
  auto const s = schedule(o, "A").prefetch("T", i, 4);
  for (auto const& machine : {probe_host(), avx2()}) CHECK(fault_of(o.program(), s, {}, machine) == "");
}

}  // namespace settled_storage_tests
