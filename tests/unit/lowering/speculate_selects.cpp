// SPDX-License-Identifier: Apache-2.0
#include "ttune/lowering/speculate_selects.hpp"

#include <doctest/doctest.h>

#include "ttune/ir/make.hpp"
#include "ttune/ir/visit.hpp"

namespace speculate_selects_tests {

using namespace ttune;

namespace {

using ir::binary_op;

handle<ir::buffer> buffer(char const* name, std::int64_t extent) {
  ir::buffer made;
  made.name = name;
  made.extents = {extent};
  made.where = ir::memory::operand;
  return share(std::move(made));
}

auto const A = buffer("A", 10);
auto const B = buffer("B", 10);
auto const i = ir::make_variable("i");

ir::expr read(handle<ir::buffer> const& from, ir::expr const& at) { return ir::make_access(from, {at}); }
ir::expr positive(ir::expr const& e) { return ir::make_binary(binary_op::less, ir::make_real(dtype::f32, 0), e); }
ir::expr before(std::int64_t end) { return ir::make_binary(binary_op::less, i, ir::make_index(end)); }
ir::expr both(ir::expr const& a, ir::expr const& b) { return ir::make_binary(binary_op::logical_and, a, b); }

bool has_marked(ir::stmt const& s) {
  bool marked = false;
  (void)ir::rewrite(
      s, [](ir::stmt const& part) { return part; },
      [&](ir::expr const& e) {
        ir::for_each_node(e, [&](ir::expr const& n) {
          auto const* found = ir::as<ir::select>(n);
          marked = marked || (found && found->speculatable);
        });
        return e;
      });
  return marked;
}

/// Returns true if the select is marked in `for i in [0, extent) if (guard) B[0] = value`.
bool is_marked(ir::expr const& value, std::int64_t extent, ir::expr const& guard = ir::make_bool(true)) {
  auto const store = ir::make_store(B, {ir::make_index(0)}, value);
  auto const body = ir::make_conditional(guard, store, {});
  return has_marked(lowering::speculate_selects(
      ir::make_loop("i", ir::make_index(0), ir::make_index(extent), ir::loop_kind::vectorized, body)));
}

ir::expr chosen(ir::expr const& condition, ir::expr const& at) {
  return ir::make_select(condition, read(B, at), ir::make_real(dtype::f32, 0));
}

}  // namespace

TEST_CASE("speculate_selects: arms that read inside of their buffers are marked") {
  CHECK(is_marked(chosen(positive(read(A, i)), i), 10));
  CHECK_FALSE(is_marked(chosen(positive(read(A, i)), i), 11));
  CHECK_FALSE(is_marked(chosen(positive(read(A, i)), i + 1), 10));
}

TEST_CASE("speculate_selects: enclosing comparisons of indices count") {
  CHECK(is_marked(chosen(positive(read(A, i)), i), 16, before(10)));
  CHECK_FALSE(is_marked(chosen(positive(read(A, i)), i), 16, before(11)));
}

TEST_CASE("speculate_selects: a loop that ends at the smaller of two bounds is below both") {
  // for o < 3: for i < min(10 - o * 4, 4): B[0] = a[o * 4 + i] > 0 ? b[o * 4 + i] : 0, the last one of two iterations
  auto const o = ir::make_variable("o");
  auto const at = o * ir::make_index(4) + i;
  auto const marked_until = [&](std::int64_t rows) {
    auto const end =
        ir::make_binary(binary_op::minimum, ir::make_index(rows) - o * ir::make_index(4), ir::make_index(4));
    auto const store = ir::make_store(B, {ir::make_index(0)}, chosen(positive(read(A, at)), at));
    auto const inner = ir::make_loop("i", ir::make_index(0), end, ir::loop_kind::serial, store);
    auto const s = lowering::speculate_selects(
        ir::make_loop("o", ir::make_index(0), ir::make_index(3), ir::loop_kind::serial, inner));
    return has_marked(s);
  };
  CHECK(marked_until(10));
  CHECK_FALSE(marked_until(11));
}

TEST_CASE("speculate_selects: comparisons of indices in the condition count for the first arm only") {
  auto const condition =
      both(before(10), positive(read(A, ir::make_binary(binary_op::floor_modulo, i, ir::make_index(10)))));
  CHECK(is_marked(chosen(condition, i), 16));
  CHECK_FALSE(is_marked(ir::make_select(condition, ir::make_real(dtype::f32, 0), read(B, i)), 16));
}

TEST_CASE("speculate_selects: a division by data may trap") {
  auto const whole = [](ir::expr const& e) { return ir::make_cast(dtype::i32, e); };
  auto const quotient = ir::make_binary(binary_op::divide, whole(read(A, i)), whole(read(B, i)));
  CHECK_FALSE(is_marked(
      ir::make_cast(dtype::f32, ir::make_select(positive(read(A, i)), quotient, ir::make_integer(dtype::i32, 0))), 10));
}

}  // namespace speculate_selects_tests
