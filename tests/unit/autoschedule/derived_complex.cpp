// SPDX-License-Identifier: Apache-2.0
// Spaces of operators of complex elements.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>

#include "support/derived_programs.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/complex.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/tune/workload.hpp"

namespace derived_complex_tests {

using namespace ttune;
using number = std::complex<double>;
using ttune_test::check_derived;

namespace {

auto const [i, j, k] = axes<"i", "j", "k">;

}  // namespace

TEST_CASE("derived: parts of complex products are merged with the columns") {
  tensor<"A", number, 2> const A{{17, 5}};
  tensor<"B", number, 2> const B{{5, 9}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const product = op(inputs(A, B), outputs(C));
  auto const made = derive_space(product.program(), named_target("x86-64-v3"));
  CHECK(std::any_of(made.steps.begin(), made.steps.end(), [](step const& s) {
    return s.what == primitive::fuse_axes && s.stage == "C" && s.loops == std::vector<std::string>{"j", "re_im"};
  }));
  check_derived(product);
}

TEST_CASE("derived: in a pipeline of transforms, phases of another axis are no tasks") {
  tensor<"A", number, 2> const A{{16, 1}};
  tensor<"B", number, 2> const B{{40, 1}};
  constant<"C", number, 2> const C{{16, 40}};
  tensor<"x", double, 1> const x{{16}};
  auto const S = compute<"S">(j, i) = sum(over(k), A(i, k) * 3 * B(j, k));
  auto const O = compute<"O">(j, i) = S(j, i) * C(i, j);
  auto const scaled = O(j, i) * x(i);
  auto const R = compute<"R">(j, i) = select(x(i) > 0, scaled, scaled * 0.125);
  auto const chain = op(inputs(A, B, C, x), outputs(R));
  auto machine = named_target("x86-64-v3");
  machine.cores = 4;
  workload const work(derive_space(chain.program(), machine), machine);
  CHECK_NOTHROW((void)work.lower(work.seed()));
  check_derived(chain);
}

}  // namespace derived_complex_tests
