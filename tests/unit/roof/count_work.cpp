// SPDX-License-Identifier: Apache-2.0
#include "ttune/roof/count_work.hpp"

#include <doctest/doctest.h>

#include <string>

#include "some_machine.hpp"
#include "ttune/expr.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/schedule.hpp"

namespace count_work_tests {

using namespace ttune;
using doctest::Approx;
using ttune_test::some_machine;

namespace {

kernel_work count(space const& s, target const& machine = some_machine(), bool cold = false) {
  return count_work(lower(s, s.seed), machine, cold);
}

/// Adds up what is demanded of a resource for a cause, of all operands or one.
double amount(kernel_work const& w, resource of, demand_cause why, std::string const& operand = {}) {
  double sum = 0;
  for (auto const& p : w.phases)
    for (auto const& d : p.demands)
      if (d.of == of && d.why == why && (operand.empty() || d.operand == operand)) sum += d.amount;
  return sum;
}

constexpr auto work = demand_cause::work;

}  // namespace

TEST_CASE("work: vectors, their tails, and scalars") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{4, 40}};
  auto const B = compute<"B">(i, j) = A(i, j) * A(i, j) + 1.0F;
  auto const o = op(inputs(A), outputs(B));
  auto w = count(schedule(o, B).vectorize(j));  // 40 lanes are three vectors
  CHECK(amount(w, resource::arithmetic, work) == Approx(4 * 2.5));
  CHECK(amount(w, resource::arithmetic, demand_cause::idle_lanes) == Approx(4 * 0.5));
  CHECK(amount(w, resource::load, work, "A") + amount(w, resource::load, demand_cause::idle_lanes, "A") == Approx(12));
  CHECK(w.operations == Approx(320));
  w = count(schedule(o, B));
  CHECK(amount(w, resource::arithmetic, work) == Approx(10));
  CHECK(amount(w, resource::arithmetic, demand_cause::idle_lanes) == Approx(150));
  CHECK(amount(w, resource::store, demand_cause::idle_lanes) == Approx(150));
}

TEST_CASE("work: unrolled loops load what does not move once") {
  auto const [i, j, k, io, ii] = axes<"i", "j", "k", "io", "ii">;
  tensor<"A", float, 2> const A{{8, 16}};
  tensor<"B", float, 2> const B{{16, 32}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const o = op(inputs(A, B), outputs(C));
  auto const tiled = schedule(o, C)
                         .cache_write("acc")
                         .split(i, 4, io, ii)
                         .reorder(io, ii, j)
                         .in("acc")
                         .compute_at("C", io)
                         .reorder(k, i, j)
                         .unroll(i)
                         .vectorize(j)
                         .store_in(ir::memory::registers);
  auto const w = count(tiled);
  CHECK(amount(w, resource::load, work, "B") == Approx(2 * 16 * 2));  // once for four rows
  CHECK(amount(w, resource::load, work, "A") == Approx(2 * 16 * 4));
  CHECK(amount(w, resource::arithmetic, work) == Approx(8 * 16 * 2));
  CHECK(amount(w, resource::load, demand_cause::reloaded) == 0);
  auto const plain = count(schedule(o, C).reorder(i, k, j).vectorize(j));
  CHECK(amount(plain, resource::load, demand_cause::reloaded, "C") == Approx(8 * 16 * 2));
  CHECK(amount(plain, resource::store, demand_cause::reloaded, "C") == Approx(8 * 16 * 2));
}

TEST_CASE("work: tiles are transposed in registers") {
  auto const [i, j, jo, ji, io, ii] = axes<"i", "j", "jo", "ji", "io", "ii">;
  tensor<"A", float, 2> const A{{64, 64}};
  auto const T = compute<"T">(j.in(64), i.in(64)) = A(i, j);
  auto const o = op(inputs(A), outputs(T));
  auto const one_by_one = count(schedule(o, T).vectorize(i));
  CHECK(amount(one_by_one, resource::load, demand_cause::strided, "A") == Approx(64 * 64));
  auto const tiles = schedule(o, T).split(j, 16, jo, ji).split(i, 16, io, ii).reorder(jo, io, ji, ii).unroll(ji);
  CHECK(amount(count(tiles.vectorize(ii)), resource::load, demand_cause::strided, "A") == Approx(64 * 64 / 16));
}

TEST_CASE("work: a cache holds the loops that fit") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{512, 1024}};
  auto const B = compute<"B">(i, j) = A(i, j) + 1.0F;
  auto const o = op(inputs(A), outputs(B));
  auto const bytes = 512 * 1024 * 4.0;
  auto const w = count(schedule(o, B).vectorize(j));
  CHECK(amount(w, resource::l2, work, "A") == Approx(bytes));
  CHECK(amount(w, resource::l2, work, "B") == Approx(2 * bytes));  // a line comes before it is written
  CHECK(amount(w, resource::l3, work, "A") == Approx(bytes));
  CHECK(amount(w, resource::memory, work) == 0);
  CHECK(w.bytes == Approx(2 * bytes));
  CHECK(w.from == resource::l3);
  CHECK(count(schedule(o, B).vectorize(j), some_machine(), true).from == resource::memory);
  CHECK(amount(count(schedule(o, B).vectorize(j), some_machine(), true), resource::memory, work, "A") == Approx(bytes));

  // Each row of the result reads all columns of X again: 2 MB, which L2 does not hold.
  tensor<"X", float, 2> const X{{512, 1024}};
  auto const C = compute<"C">(i.in(8), j) = sum(over(k), X(k, j) * cast<float>(i));
  auto const again = op(inputs(X), outputs(C));
  auto const sums = count(schedule(again, C).reorder(i, k, j).vectorize(j));
  CHECK(amount(sums, resource::l3, work, "X") == Approx(bytes));
  CHECK(amount(sums, resource::l3, demand_cause::repeated, "X") == Approx(7 * bytes));
}

TEST_CASE("work: a column that is read element by element brings whole lines again and again") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{4096, 512}};
  auto const T = compute<"T">(j.in(512), i.in(4096)) = A(i, j);
  auto const o = op(inputs(A), outputs(T));
  auto const w = count(schedule(o, T).vectorize(i));
  auto const bytes = 4096 * 512 * 4.0;
  CHECK(amount(w, resource::l2, work, "A") == Approx(bytes));
  CHECK(amount(w, resource::l2, demand_cause::strided, "A") == Approx(15 * bytes));  // 16 elements a line
}

TEST_CASE("work: the busiest core counts") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{5, 64}};
  auto const B = compute<"B">(i, j) = A(i, j) + 1.0F;
  auto const o = op(inputs(A), outputs(B));
  auto const w = count(schedule(o, B).parallel(i).vectorize(j), some_machine(4));
  REQUIRE(w.phases.size() == 1);
  CHECK(w.threads == 4);
  CHECK(w.phases[0].loop == "B.i");
  CHECK(w.phases[0].tasks == 5);
  CHECK(w.phases[0].starts == 1);
  CHECK(amount(w, resource::arithmetic, work) == Approx(2 * 4));
  CHECK(w.operations == Approx(320));
}

TEST_CASE("work: functions and divisions are told apart") {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{64}};
  auto const B = compute<"B">(i) = exp(A(i)) / A(i) + sqrt(A(i));
  auto const o = op(inputs(A), outputs(B));
  auto const w = count(schedule(o, B).vectorize(i));
  CHECK(amount(w, resource::division, demand_cause::function) == Approx(4 * 2));
  CHECK(amount(w, resource::arithmetic, demand_cause::function, "exp") == Approx(4 * 12));
  CHECK(amount(w, resource::arithmetic, work) == Approx(4));
}

TEST_CASE("work: kernels for devices are not counted") {
  auto const [i] = axes<"i">;
  tensor<"A", float, 1> const A{{64}};
  auto const B = compute<"B">(i) = A(i) + 1.0F;
  auto const o = op(inputs(A), outputs(B));
  auto machine = some_machine();
  machine.block_threads = 256;
  CHECK_FALSE(count(schedule(o, B), machine).known());
}

}  // namespace count_work_tests
