// SPDX-License-Identifier: Apache-2.0
// Tests of ttune/ir/parts_of_term.hpp.
#include "ttune/ir/parts_of_term.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/print.hpp"

namespace parts_of_term_tests {

using namespace ttune;

namespace {

ir::expr number(dtype type, char const* name) {
  auto const operand = share(ir::tensor{{}, name, type, {4}});
  return ir::make_access(operand, {ir::make_variable("i")});
}

std::string added(ir::expr const& term) { return ir::print(ir::add_by_parts(number(term->type, "S") + term)); }

}  // namespace

TEST_CASE("add_by_parts: products are added one after the other, other terms as a whole") {
  auto const a = number(dtype::f32, "a"), b = number(dtype::f32, "b"), c = number(dtype::f32, "c");
  CHECK(added(a * b - b * c) == "S(i) + a(i) * b(i) - b(i) * c(i)");
  CHECK(added(a * b - (b * c - a * c)) == "S(i) + a(i) * b(i) - b(i) * c(i) + a(i) * c(i)");
  CHECK(added(a * b) == "S(i) + a(i) * b(i)");
  CHECK(added(a * b + c) == "S(i) + (a(i) * b(i) + c(i))");
  CHECK(ir::parts_of_term(a * b + a * c + b * c + a * a + b * b).empty());
  auto const n = number(dtype::i32, "n");
  CHECK(ir::parts_of_term(n * n + n * n).empty());
}

}  // namespace parts_of_term_tests
