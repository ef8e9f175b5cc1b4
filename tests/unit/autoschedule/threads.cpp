// SPDX-License-Identifier: Apache-2.0
// Which seeds use threads: those whose work takes longer than waking them, functions counted.
#include <doctest/doctest.h>

#include <string>

#include "support/derived_programs.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/tune/workload.hpp"

namespace threads_tests {

using namespace ttune;

namespace {

template <class Op>
bool seed_uses_threads(Op const& op) {
  target machine;
  machine.cores = 2;
  workload const work(derive_space(op.program(), machine), machine);
  auto const text = ir::print(work.lower(work.seed()));
  // A parallel loop of one task disappears.
  return text.find("parallel") != std::string::npos;
}

auto rectifier(std::int64_t n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{n, 1024}};
  auto const Y = compute<"Y">(i, j) = max(X(i, j), 0.0F);
  return op(inputs(X), outputs(Y));
}

auto gelu(std::int64_t n) {
  auto const [i, j] = axes<"i", "j">;
  tensor<"X", float, 2> const X{{n, 1024}};
  auto const Y = compute<"Y">(i, j) = X(i, j) * (1.0F + erf(X(i, j) * 0.7071F));
  return op(inputs(X), outputs(Y));
}

auto softmax(std::int64_t n) {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"X", float, 2> const X{{n, 1000}};
  auto const e = compute<"e">(i, j) = exp(X(i, j) - max(over(k), X(i, k)));
  auto const Y = compute<"Y">(i, j) = e(i, j) / sum(over(k), e(i, k));
  return op(inputs(X), outputs(Y));
}

auto row_sums(std::int64_t n) {
  auto const [i, k] = axes<"i", "k">;
  tensor<"X", float, 2> const X{{n, 1000}};
  auto const Y = compute<"Y">(i) = sum(over(k), X(i, k));
  return op(inputs(X), outputs(Y));
}

}  // namespace

TEST_CASE("threads: seeds use them for about half a microsecond of work, and functions are work") {
  CHECK_FALSE(seed_uses_threads(rectifier(8)));
  CHECK(seed_uses_threads(rectifier(12)));
  CHECK_FALSE(seed_uses_threads(gelu(4)));
  CHECK(seed_uses_threads(gelu(6)));
  CHECK_FALSE(seed_uses_threads(softmax(2)));
  CHECK(seed_uses_threads(softmax(4)));
  CHECK_FALSE(seed_uses_threads(row_sums(8)));
  CHECK(seed_uses_threads(row_sums(20)));
}

}  // namespace threads_tests
