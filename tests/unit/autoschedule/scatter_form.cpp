// SPDX-License-Identifier: Apache-2.0
#include "ttune/arith/scatter_form.hpp"

#include <doctest/doctest.h>

#include "support/scatter_programs.hpp"
#include "ttune/arith/needed_flops.hpp"
#include "ttune/ir/print.hpp"

namespace scatter_form_tests {

using namespace ttune;

namespace {

/// Returns the form of the first stage of a program.
std::optional<arith::scatter_form> form_of(handle<ir::program> const& p) {
  return arith::scatter_form_of(*p->stages.front());
}

}  // namespace

TEST_CASE("scatter form: places, terms and other conditions are taken apart") {
  auto const one = form_of(ttune_test::histogram(7, 5).program());
  REQUIRE(one);
  REQUIRE(one->axes.size() == 1);
  CHECK(one->axes[0].axis == 0);
  CHECK(ir::print(one->axes[0].place) == "at(G(k))");
  CHECK(ir::print(one->terms[0]) == "V(k)");
  CHECK(!one->rest);
  auto const cells = form_of(ttune_test::largest_of_cells(7, 5, 6).program());
  REQUIRE(cells);
  REQUIRE(cells->axes.size() == 2);
  CHECK(ir::print(cells->rest) == "0.0 < V(k)");
  CHECK(ir::print(form_of(ttune_test::byte_counts(2, 9).program())->terms[0]) == "1");
}

TEST_CASE("scatter form: places that are no integers, that move with their axis, or that read no data, are none") {
  auto const [b, k] = axes<"b", "k">;
  tensor<"V", float, 1> const V{{9}};
  tensor<"G", std::int32_t, 1> const G{{9}};
  tensor<"M", std::int32_t, 2> const M{{9, 4}};
  auto const of = [&](auto const& value) {
    auto const H = compute<"H">(b.in(4)) = sum(over(k.in(9)), value);
    return form_of(op(inputs(V, G, M), outputs(H), "none").program()).has_value();
  };
  CHECK(of(select(b == G(k), V(k), 0)));
  CHECK_FALSE(of(select(V(k) == cast<float>(b), V(k), 0)));
  CHECK_FALSE(of(select(M(k, b) == b, V(k), 0)));
  CHECK_FALSE(of(select(cast<int>(k) == b, V(k), 0)));
  CHECK_FALSE(of(select(G(k) == b, V(k), 1)));
  CHECK_FALSE(of(select(G(k) < b, V(k), 0)));
}

TEST_CASE("scatter form: a term counts once for speeds") {
  CHECK(arith::needed_flops(ttune_test::histogram(100, 50).program()) ==
        doctest::Approx(arith::needed_flops(ttune_test::histogram(100, 5).program())));
}

}  // namespace scatter_form_tests
