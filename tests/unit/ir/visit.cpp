// SPDX-License-Identifier: Apache-2.0
#include "ttune/ir/visit.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/print.hpp"

namespace visit_tests {

using namespace ttune;
using namespace ttune::ir;

namespace {

expr const i = make_variable("i"), j = make_variable("j");
auto const A = share(tensor{{}, "A", dtype::f32, {8, 8}, layout::row_major, tensor_role::input, false, 0, 0, {}});
expr const guarded =
    make_select(make_binary(binary_op::less, i, j), make_access(A, {i, j + 1}), make_real(dtype::f32, 0));
auto const same = [](auto const& x) { return x; };

}  // namespace

TEST_CASE("rewrite: gives the same handle when nothing changed, and rebuilds what did") {
  CHECK(rewrite(guarded, same) == guarded);
  auto const renamed = rewrite(guarded, [](expr const& x) { return equal(x, j) ? make_variable("k") : x; });
  CHECK(print(renamed) == "select(i < k, A(i, k + 1), 0.0)");
}

TEST_CASE("rewrite: statements, too") {
  auto const b = share(buffer{{}, "b", dtype::f32, {8}, memory::local, -1, {}});
  auto const store = make_store(b, {i}, make_access(b, {i}));
  auto const s = make_loop("i", make_index(0), make_index(8), loop_kind::serial,
                           make_conditional(make_binary(binary_op::less, i, j), make_allocate(b, store)));
  CHECK(rewrite(s, same, same) == s);
  auto const unrolled = rewrite(
      s,
      [](stmt const& x) {
        auto const* n = as<loop>(x);
        return n ? make_loop(n->variable, n->begin, n->end, loop_kind::unrolled, n->body) : x;
      },
      same);
  CHECK(print(unrolled).substr(0, 12) == "unroll i < 8");
  auto const gone = rewrite(s, [](stmt const& x) { return as<ir::store>(x) ? stmt() : x; }, same);
  CHECK(!gone);
}

TEST_CASE("contains and for_each_operand look into indices and fills") {
  auto const fill = make_access(A, {i, i}, boundary::value, make_real(dtype::f32, 7));
  CHECK(contains(fill, [](expr const& x) { return as<constant>(x) != nullptr; }));
  CHECK(!contains(guarded, [](expr const& x) { return as<cast>(x) != nullptr; }));
  int operands = 0;
  for_each_operand(fill, [&](expr const&) { ++operands; });
  CHECK(operands == 3);
}

}  // namespace visit_tests
