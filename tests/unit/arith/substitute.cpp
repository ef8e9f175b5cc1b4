// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/substitute.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"

namespace substitute_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {
expr const i = make_variable("i"), j = make_variable("j");
auto const b = share(buffer{{}, "b", dtype::f32, {8}});
stmt loop_over(std::string const& name, expr const& end, stmt const& body) {
  return make_loop(name, make_index(0), end, loop_kind::serial, body);
}
}  // namespace

TEST_CASE("substitute: all at once, and the same handle if nothing is replaced") {
  CHECK(print(arith::substitute(i + j * 2, {{"i", j}, {"j", i}})) == "j + i * 2");
  auto const e = i + j * 2;
  CHECK(arith::substitute(e, "k", i) == e);
  CHECK(print(arith::substitute(make_access(b, {i + 1}), "i", make_index(3))) == "b[4]");
}

TEST_CASE("substitute: a loop or let of the same name hides it") {
  auto const body = make_store(b, {i}, make_access(b, {j}));
  auto const s = loop_over("i", i + 1, body);
  CHECK(print(arith::substitute(s, {{"i", make_index(5)}, {"j", i}})) == "for i < 6\n  b[i] = b[i]\n");
  CHECK(arith::substitute(s, {{"x", i}}) == s);
}

TEST_CASE("substitute_arguments: a combine function applied") {
  auto const combine = make_argument(dtype::f32, false, 0) + make_argument(dtype::f32, true, 1);
  auto const one = make_real(dtype::f32, 1);
  auto const two = make_real(dtype::f32, 2);
  CHECK(print(arith::substitute_arguments(combine, {one, one}, {two, two})) == "1.0 + 2.0");
}

}  // namespace substitute_tests
