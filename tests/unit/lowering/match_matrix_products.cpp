// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/match_matrix_products.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/random_nest.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/verify.hpp"

namespace match_matrix_products_tests {

using namespace ttune_test;

namespace {

auto const A = share(ir::buffer{{}, "A", dtype::f16, {16, 16}, ir::memory::operand, 0, {}});
auto const B = share(ir::buffer{{}, "B", dtype::f16, {16, 8}, ir::memory::operand, 1, {}});
auto const t = ir::make_variable("t");
auto const r = ir::make_variable("r");
auto const c = ir::make_variable("c");
auto const k = ir::make_variable("k");

ir::expr divided_by_4(ir::expr const& e) { return ir::make_binary(ir::binary_op::floor_divide, e, ir::make_index(4)); }
ir::expr rest_by_4(ir::expr const& e) { return ir::make_binary(ir::binary_op::floor_modulo, e, ir::make_index(4)); }

/// Returns a kernel whose threads add up the products of 2 rows of A, from `row`, by 2 columns of B, from `column`.
ir::stmt kernel(ir::expr const& row, ir::expr const& column, std::int64_t terms = 16, std::int64_t threads = 32) {
  auto const sums = share(ir::buffer{{}, "S", dtype::f32, {2, 2}, ir::memory::local, -1, {}});
  auto const wide = [](ir::expr const& e) { return ir::make_cast(dtype::f32, e); };
  auto const product = wide(ir::make_access(A, {row + r, k})) * wide(ir::make_access(B, {k, column + c}));
  std::vector<ir::expr> const at{r, c};
  auto made = ir::make_store(sums, at, ir::make_access(sums, at) + product);
  made = loop("k", 0, terms, loop_kind::tensorized, made);
  made = loop("r", 0, 2, loop_kind::tensorized, loop("c", 0, 2, loop_kind::tensorized, made));
  return loop("t", 0, threads, loop_kind::thread_x, ir::make_allocate(sums, made));
}

ir::stmt matched(ir::stmt const& s, char const* machine = "sm_80") {
  lowering::device_features features{"a language", {.cpu = machine, .warp_threads = 32}, true, true};
  features.has_matrices = true;
  auto const grid = lowering::measure_grid(s, {}, features.language);
  auto const made = lowering::match_matrix_products(s, {features, grid, {}});
  ir::verify(ir::lowered{"product", {A, B}, {}, {}, made});
  return made;
}

std::string refusal(ir::stmt const& s, char const* machine = "sm_80") {
  try {
    (void)matched(s, machine);
  } catch (backend_error const& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("match_matrix_products: tensorized loops become one statement, with indices by lanes") {
  auto const made = matched(kernel(divided_by_4(t) * 2, rest_by_4(t) * 2));
  CHECK(ir::print(made) ==
        "bind(thread.x) t < 32\n"
        "  alloc S f32 (2, 2) local\n"
        "  warp_multiply S[r, c] += cast<f32>(A[t / 4 * 2 + r, k]) * cast<f32>(B[k, t % 4 * 2 + c]), r < 2, c < 2, k < "
        "16\n");
  auto const* threads = ir::as<ir::loop>(made);
  auto const* product = ir::as<ir::matrix_multiply>(ir::as<ir::allocate>(threads->body)->body);
  REQUIRE(product);
  CHECK(ir::print(product->left_by_lanes[0]) == "@row * 2 + r");
  CHECK(ir::print(product->right_by_lanes[1]) == "@column * 2 + c");
  CHECK(matched(made) == made);
  CHECK(ir::equal(made, matched(kernel(divided_by_4(t) * 2, rest_by_4(t) * 2))));
  CHECK_FALSE(ir::equal(made, matched(kernel(divided_by_4(t), rest_by_4(t) * 2))));
}

TEST_CASE("match_matrix_products: what no instruction computes is refused") {
  std::string const start = "a language: the loops from r on are tensorized as a product of matrices, but ";
  auto const rows = divided_by_4(t) * 2;
  auto const columns = rest_by_4(t) * 2;
  CHECK(refusal(kernel(columns, rows)).find(start + "neighbouring threads differ otherwise") == 0);
  CHECK(refusal(kernel(rows, columns, 4)).find(start + "there is no instruction for 4 terms of f16 times f16") == 0);
  CHECK(refusal(kernel(rows, columns, 16, 16)).find(start + "threads are no whole warps") == 0);
  CHECK(refusal(kernel(rows, columns), "sm_75").find(start + "sm_75 has no instruction for it") == 0);
}

}  // namespace match_matrix_products_tests
