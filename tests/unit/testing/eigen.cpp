// SPDX-License-Identifier: Apache-2.0
#include "ttune/testing/eigen.hpp"

#include <doctest/doctest.h>

#include "ttune/ops/matmul.hpp"
#include "ttune/testing/check.hpp"

namespace eigen_tests {

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

TEST_CASE("check: column-major operands are column-major objects of Eigen") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2, col_major> const A{{5, 7}};
  tensor<"B", float, 2> const B{{7, 3}};
  auto const C = compute<"C", col_major>(i, j) = sum(over(k), A(i, k) * B(k, j));
  CHECK(testing::check(op(inputs(A, B), outputs(C)), testing::with_eigen([](auto const& a, auto const& b) {
                         static_assert(!std::decay_t<decltype(a)>::IsRowMajor && std::decay_t<decltype(b)>::IsRowMajor);
                         return (a * b).eval();
                       })));
  CHECK(testing::check(op(inputs(A, B), outputs(C)), [](auto const& a, auto const& b, auto const& c) {
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 3; ++x)
        for (int z = 0; z < 7; ++z) c(y, x) += a(y, z) * b(z, x);
  }));
}

}  // namespace eigen_tests
