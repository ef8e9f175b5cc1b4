// SPDX-License-Identifier: Apache-2.0
// Operators with a schedule in which one fault is planted, and what must be said of it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/expr.hpp"
#include "ttune/schedule.hpp"

namespace ttune_test {

struct planted_fault {
  char const* fault;
  ttune::handle<ttune::ir::program> program;
  ttune::space schedule;
  int cores = 1;
  std::string bound;  ///< the resource that must be named; empty: any
  std::string words;  ///< that the sentence must contain
};

/// Collects the faults.
struct planted_faults {
  std::vector<planted_fault> all;

  template <class Op, class Schedule>
  void add(char const* fault, Op const& op, Schedule const& s, int cores, char const* bound, char const* words) {
    all.push_back({fault, op.program(), s, cores, bound, words});
  }
};

/// Adds faults of lanes: scalar loops, short vectors, and elements that lie apart.
inline void plant_in_lanes(planted_faults& to) {
  using namespace ttune;
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{64, 64}};
  tensor<"N", float, 2> const N{{512, 3}};
  tensor<"X", float, 1> const X{{1024}};
  tensor<"G", std::int32_t, 1> const G{{2048}, values(0, 1024)};
  auto const Y = compute<"Y">(i, j) = A(i, j) * 2.0F + A(i, j) * A(i, j);
  auto const scalar = op(inputs(A), outputs(Y));
  to.add("scalar loop", scalar, schedule(scalar, Y), 1, "", "idle lanes of Y: loop Y.j fills 1 of a vector");

  auto const Z = compute<"Z">(i, j) = N(i, j) * 2.0F + N(i, j) * N(i, j);
  auto const narrow = op(inputs(N), outputs(Z));
  to.add("short vectors", narrow, schedule(narrow, Z).vectorize(j), 1, "",
         "idle lanes of Z: loop Z.j fills 3 of a vector");

  auto const O = compute<"O">(j.in(64), i.in(64)) = A(i, j) * 2.0F;
  auto const across = op(inputs(A), outputs(O));
  to.add("store across", across, schedule(across, O).reorder(i, j).vectorize(j), 1, "store",
         "the transposed store of O along O.j");
  to.add("load across", across, schedule(across, O).vectorize(i), 1, "load", "the transposed load of A along O.i");

  auto const P = compute<"P">(i) = X(at(G(i)));
  auto const gather = op(inputs(X, G), outputs(P));
  to.add("gathers", gather, schedule(gather, P).vectorize(i), 1, "load", "the gathered load of X");
}

/// Adds faults of threads. Three tasks are for eight cores, one for two.
inline void plant_in_threads(planted_faults& to, int cores) {
  using namespace ttune;
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{std::max(1, cores * 3 / 8), 16384}};
  auto const S = compute<"S">(i, j) = exp(A(i, j)) * 0.5F;
  auto const few = op(inputs(A), outputs(S));
  to.add("few tasks", few, schedule(few, S).parallel(i).vectorize(j), cores, "balance", "cores that");

  tensor<"B", float, 2> const B{{16, 64}};
  auto const T = compute<"T">(i, j) = B(i, j) + 1.0F;
  auto const tiny = op(inputs(B), outputs(T));
  to.add("tiny call", tiny, schedule(tiny, T).parallel(i).vectorize(j), 2, "start",
         "the start of threads for loop T.i");
}

/// Adds faults of caches and memory.
inline void plant_in_memory(planted_faults& to) {
  using namespace ttune;
  auto const [i, j, k, jo, ji] = axes<"i", "j", "k", "jo", "ji">;
  tensor<"A", float, 2> const A{{256, 2048}};
  tensor<"B", float, 2> const B{{2048, 2048}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const product = op(inputs(A, B), outputs(C));
  auto const whole_rows = schedule(product, C)
                              .cache_write("acc")
                              .split(j, 128, jo, ji)
                              .reorder(i, jo, ji)
                              .vectorize(ji)
                              .in("acc")
                              .compute_at("C", jo)
                              .reorder(k, i, j)
                              .vectorize(j)
                              .store_in(ir::memory::registers);
  to.add("large tile", product, whole_rows, 1, "L3",
         "the load of B from L3, which comes 256 times because of loop C.i");

  tensor<"L", float, 2> const L{{4096, 4096}};
  tensor<"R", float, 2> const R{{4096, 4096}};
  auto const S = compute<"S">(i, j) = L(i, j) + R(i, j);
  auto const stream = op(inputs(L, R), outputs(S));
  to.add("stream", stream, schedule(stream, S).parallel(i).vectorize(j), 2, "memory", "the store of S to memory");
}

/// Adds faults of arithmetic: expensive operations, and sums.
inline void plant_in_arithmetic(planted_faults& to) {
  using namespace ttune;
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{64, 64}};
  tensor<"B", float, 2> const B{{64, 64}};
  tensor<"X", float, 2> const X{{16, 2048}};
  auto const Q = compute<"Q">(i.in(32), j) = A(i, j) / B(i, j);  // in L1
  auto const quotients = op(inputs(A, B), outputs(Q));
  to.add("divisions", quotients, schedule(quotients, Q).vectorize(j), 1, "division", "division in Q");

  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const product = op(inputs(A, B), outputs(C));
  to.add("no registers", product, schedule(product, C).reorder(i, k, j).vectorize(j), 1, "",
         "of C at each term of loop C.k, which registers could hold");

  auto const S = compute<"S">(i) = sum(over(k), X(i, k));
  auto const sums = op(inputs(X), outputs(S));
  auto const one = schedule(sums, S).cache_write("acc").in("acc").compute_at("S", i).store_in(ir::memory::registers);
  to.add("one sum", sums, one, 1, "latency", "the terms of acc, which wait for each other");
}

/// Returns a dozen faults. `cores` is the number of cores of the machine.
[[nodiscard]] inline std::vector<planted_fault> all_planted_faults(int cores) {
  planted_faults made;
  plant_in_lanes(made);
  plant_in_threads(made, cores);
  plant_in_memory(made);
  plant_in_arithmetic(made);
  return made.all;
}

}  // namespace ttune_test
