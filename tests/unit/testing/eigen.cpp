// SPDX-License-Identifier: Apache-2.0
#include "ttune/testing/eigen.hpp"

#include <doctest/doctest.h>

#include "ttune/ops/matmul.hpp"
#include "ttune/testing/check.hpp"

using namespace ttune;

TEST_CASE("check: references on matrices, vectors, scalars and tensors of Eigen") {
  CHECK(testing::check(ops::matmul(5, 3, 7),
                       testing::with_eigen([](auto const& a, auto const& b) { return (a * b).eval(); })));
  CHECK_FALSE(testing::check(ops::matmul(5, 3, 7),
                             testing::with_eigen([](auto const& a, auto const& b) { return (2 * a * b).eval(); })));
  CHECK(testing::check(ops::matmul(5, 3, 7),
                       testing::with_eigen([](auto const& a, auto const& b, auto c) { c.noalias() = a * b; })));
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"v", double, 1> const v{{9}};
  auto const d = compute<"d">() = sum(v(i) * v(i));
  CHECK(testing::check(op(inputs(v), outputs(d)), testing::with_eigen([](auto const& x) { return x.squaredNorm(); })));
  tensor<"T", float, 3> const T{{2, 3, 5}};
  auto const R = compute<"R">(k, i, j) = T(i, j, k) * 2.0F;
  CHECK(testing::check(op(inputs(T), outputs(R)), testing::with_eigen([](auto const& t, auto r) {
                         r = t.shuffle(Eigen::array<int, 3>{2, 0, 1}) * 2.0F;
                       })));
  tensor<"H", f16, 1> const H{{9}};
  auto const W = compute<"W">(i) = cast<float>(H(i));
  CHECK(testing::check(op(inputs(H), outputs(W)),
                       testing::with_eigen([](auto const& h) { return h.template cast<float>(); })));
}
