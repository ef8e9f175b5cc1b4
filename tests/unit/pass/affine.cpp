// SPDX-License-Identifier: Apache-2.0
#include "ttune/pass/affine.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/operands.hpp"

using namespace ttune;
using namespace ttune::ir;

namespace {
expr const i = make_variable("i"), j = make_variable("j"), k = make_variable("k");
std::string through(expr const& e) { return print(pass::from_affine(*pass::to_affine(e))); }
}  // namespace

TEST_CASE("affine: sums are collected into one canonical order") {
  CHECK(through(j + i * 4 - make_index(1)) == "i * 4 + j - 1");
  CHECK(through((i + j) * 3 - i * 3) == "j * 3");
  CHECK(through(make_index(3) - k) == "3 - k");
  CHECK(through(i - i) == "0");
  CHECK(through((k - i) * -2 + 4) == "i * 2 - k * 2 + 4");
  CHECK(equal(pass::from_affine(*pass::to_affine(i + j * 2 + 1)), pass::from_affine(*pass::to_affine(j + 1 + i + j))));
}

TEST_CASE("affine: what is no sum of multiples is not affine, but linear in it") {
  auto const half = make_binary(binary_op::floor_divide, i, make_index(2));
  CHECK(!pass::to_affine(half));
  CHECK(!pass::to_affine(i * j));
  CHECK(!pass::to_affine(make_real(dtype::f32, 1)));
  auto const form = pass::to_linear(half * 6 + j - half * 2 + 3);
  CHECK(form.constant == 3);
  CHECK(form.terms.size() == 2);
  CHECK(print(pass::from_linear(form)) == "i / 2 * 4 + j + 3");
}

TEST_CASE("affine: add, scale and ask") {
  auto a = *pass::to_affine(i * 2 + j + 5);
  a.add(*pass::to_affine(i - k), 3);
  CHECK(a.coefficient_of("i") == 5);
  CHECK(a.coefficient_of("k") == -3);
  CHECK(a.coefficient_of("x") == 0);
  a.add("j", -1);
  CHECK(a.terms.size() == 2);
  a.scale(0);
  CHECK(a.terms.empty());
  CHECK(a.constant == 0);
}
