// SPDX-License-Identifier: Apache-2.0
// Kernels that check their accesses: each kind of fault is found, named, and does no harm; kernels without one compute
// what others do.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "ttune/backends/orc.hpp"
#include "ttune/codegen/checked_llvm_ir.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/testing/check.hpp"
#include "ttune/ttune.hpp"

namespace checked_kernels_tests {

using namespace ttune;

namespace {

using exprs = std::vector<ir::expr>;

/// A program written by hand, whose loops may go anywhere.
class hand_written {
 public:
  handle<ir::buffer> operand(std::string name, dtype type, std::vector<std::int64_t> extents, operand_direction way) {
    auto const slot = static_cast<int>(program_.operands.size());
    program_.operands.push_back(share(ir::buffer{{}, name, type, extents, ir::memory::operand, slot, {}}));
    signature_.operands.push_back({std::move(name), type, std::move(extents), way});
    return program_.operands.back();
  }
  /// Adds an operand whose rows are `row_stride` elements apart in calls.
  handle<ir::buffer> strided_operand(ir::buffer what) {
    signature_.operands.push_back({what.name, what.type, what.extents, operand_direction::in, what.strides});
    program_.operands.push_back(share(std::move(what)));
    return program_.operands.back();
  }
  /// The call gives one extent, that of the rows of open operands.
  void extent_of_call(std::int64_t rows) {
    operand("extents", dtype::index, {1}, operand_direction::extents);
    rows_ = rows;
  }
  handle<ir::buffer> open_operand(std::string name, std::vector<std::int64_t> extents, operand_direction way) {
    auto made = operand(std::move(name), dtype::f32, std::move(extents), way);
    signature_.operands.back().open = {0, -1};
    return made;
  }
  handle<ir::buffer> input(std::string name, std::int64_t n, dtype type = dtype::f32) {
    return operand(std::move(name), type, {n}, operand_direction::in);
  }
  handle<ir::buffer> output(std::string name, std::int64_t n) {
    return operand(std::move(name), dtype::f32, {n}, operand_direction::out);
  }
  handle<ir::buffer> constant_packed_into(std::string const& name, std::int64_t n) {
    program_.prepared.push_back(share(ir::buffer{{}, name, dtype::f32, {n}, ir::memory::prepared, 0, {}}));
    return program_.prepared.back();
  }
  void prepares(ir::stmt body) { program_.prepare = std::move(body); }

  /// Compiles and runs the program; returns the text of its access_error, or nothing.
  [[nodiscard]] std::string fault(ir::stmt body, std::vector<std::int64_t> const& integers = {}) {
    program_.name = signature_.name = "planted";
    program_.body = std::move(body);
    auto const backend = orc_backend().checked();
    auto const made = backend->compile(program_, signature_);
    REQUIRE_MESSAGE(made.image, made.diagnostics);
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<void*> pointers;
    for (auto const& o : at_extents(signature_, std::array{rows_}).operands) {
      bool const strided = o.strides != operand_strides::dense;
      memory.emplace_back(static_cast<std::size_t>(strided ? (2 * row_stride + 4) * 4 : o.bytes()), std::uint8_t{0});
      if (o.direction == operand_direction::strides)
        std::memcpy(memory.back().data(), std::array<std::int64_t, 2>{row_stride, 1}.data(), 16);
      if (o.direction == operand_direction::extents) std::memcpy(memory.back().data(), &rows_, sizeof rows_);
      for (std::size_t i = 0; o.type == dtype::i32 && i < integers.size(); ++i) {
        auto const number = static_cast<std::int32_t>(integers[i]);
        std::memcpy(memory.back().data() + 4 * i, &number, sizeof number);
      }
    }
    for (auto& m : memory) pointers.push_back(m.data());
    try {
      kernel_call(load(*made.image))(pointers);
    } catch (access_error const& e) {
      return e.what();
    }
    return {};
  }

 private:
  static constexpr std::int64_t row_stride = 10;

  std::int64_t rows_ = 0;  ///< of open operands
  ir::lowered program_;
  kernel_signature signature_;
};

auto const i = ir::make_variable("i");
auto const j = ir::make_variable("j");

ir::stmt loop(std::int64_t extent, ir::stmt body, ir::loop_kind kind = ir::loop_kind::serial,
              std::string const& variable = "i") {
  return ir::make_loop(variable, ir::make_index(0), ir::make_index(extent), kind, std::move(body));
}
ir::stmt copy(handle<ir::buffer> const& to, ir::expr const& at, handle<ir::buffer> const& from, ir::expr const& place) {
  return ir::make_store(to, {at}, ir::make_access(from, {place}));
}
handle<ir::buffer> scratch(ir::memory where, std::int64_t n) {
  return share(ir::buffer{{}, "T", dtype::f32, {n}, where, -1, {}});
}

}  // namespace

TEST_CASE("checked kernels: reads and writes outside of operands are named") {
  SUBCASE("behind the end") {
    hand_written k;
    auto const A = k.input("A", 8);
    auto const Y = k.output("Y", 9);
    auto const found = k.fault(loop(9, copy(Y, i, A, i)));
    CHECK(found == "kernel planted reads A[8] outside of its extents (8), in: Y[i] = A[i]");
  }
  SUBCASE("before the first element") {
    hand_written k;
    auto const A = k.input("A", 8);
    auto const Y = k.output("Y", 8);
    auto const found = k.fault(loop(8, copy(Y, i, A, i + -1)));
    CHECK(found == "kernel planted reads A[-1] outside of its extents (8), in: Y[i] = A[i - 1]");
  }
  SUBCASE("a store") {
    hand_written k;
    auto const A = k.input("A", 9);
    auto const Y = k.output("Y", 8);
    CHECK(k.fault(loop(9, copy(Y, i, A, i))).starts_with("kernel planted writes Y[8] outside of its extents (8)"));
  }
  SUBCASE("whole vectors") {
    hand_written k;
    auto const A = k.input("A", 63);
    auto const Y = k.output("Y", 64);
    auto const found = k.fault(loop(64, copy(Y, i, A, i), ir::loop_kind::vectorized));
    CHECK(found.starts_with("kernel planted reads A[63] outside of its extents (63)"));
  }
  SUBCASE("a vector with a mask") {
    hand_written k;
    auto const A = k.input("A", 20);
    auto const Y = k.output("Y", 20);
    auto const inside = ir::make_binary(ir::binary_op::less, i, ir::make_index(21));
    auto const found = k.fault(loop(32, ir::make_conditional(inside, copy(Y, i, A, i)), ir::loop_kind::vectorized));
    CHECK(found.starts_with("kernel planted reads A[20] outside of its extents (20)"));
  }
  SUBCASE("every second element") {
    hand_written k;
    auto const A = k.input("A", 62);
    auto const Y = k.output("Y", 32);
    auto const found = k.fault(loop(32, copy(Y, i, A, i * 2), ir::loop_kind::vectorized));
    CHECK(found.starts_with("kernel planted reads A[62] outside of its extents (62)"));
  }
  SUBCASE("indices that are data") {
    hand_written k;
    auto const G = k.input("G", 16, dtype::i32);
    auto const A = k.input("A", 8);
    auto const Y = k.output("Y", 16);
    auto const at = ir::make_cast(dtype::index, ir::make_access(G, {i}));
    std::vector<std::int64_t> places(16, 3);
    places[5] = 11;
    auto const found = k.fault(loop(16, copy(Y, i, A, at), ir::loop_kind::vectorized), places);
    CHECK(found.starts_with("kernel planted reads A[11] outside of its extents (8)"));
  }
  SUBCASE("in a matrix") {
    hand_written k;
    auto const A = k.operand("A", dtype::f32, {3, 4}, operand_direction::in);
    auto const Y = k.output("Y", 16);
    auto const row = ir::make_store(Y, {i * 4 + j}, ir::make_access(A, {i, j}));
    CHECK(k.fault(loop(4, loop(4, row, ir::loop_kind::serial, "j")))
              .starts_with("kernel planted reads A[3, 0] outside of its extents (3, 4)"));
  }
}

TEST_CASE("checked kernels: faults in tasks, scratch memory, tables and packed constants are named") {
  SUBCASE("a task") {
    hand_written k;
    auto const A = k.input("A", 8);
    auto const Y = k.output("Y", 9);
    CHECK(k.fault(loop(9, copy(Y, i, A, i), ir::loop_kind::parallel)).starts_with("kernel planted reads A[8]"));
  }
  SUBCASE("scratch memory of the call") {
    hand_written k;
    auto const A = k.input("A", 80);
    auto const Y = k.output("Y", 80);
    auto const T = scratch(ir::memory::workspace, 72);
    auto const body = ir::make_block({loop(80, copy(T, i, A, i)), loop(80, copy(Y, i, T, i))});
    CHECK(k.fault(ir::make_allocate(T, body)).starts_with("kernel planted writes T[72] outside of its extents (72)"));
  }
  SUBCASE("scratch memory of a thread") {
    hand_written k;
    auto const A = k.input("A", 9);
    auto const Y = k.output("Y", 8);
    auto const T = scratch(ir::memory::local, 8);
    auto const body =
        ir::make_block({loop(9, copy(T, j, A, j), ir::loop_kind::serial, "j"), copy(Y, i, T, ir::make_index(0))});
    CHECK(k.fault(loop(8, ir::make_allocate(T, body), ir::loop_kind::parallel))
              .starts_with("kernel planted writes T[8] outside of its extents (8)"));
  }
  SUBCASE("a table") {
    hand_written k;
    auto const Y = k.output("Y", 5);
    auto const table = share(ir::buffer{{}, "W", dtype::f32, {4}, ir::memory::workspace, -1, {1, 2, 3, 4}});
    CHECK(k.fault(loop(5, copy(Y, i, table, i))).starts_with("kernel planted reads W[4] outside of its extents (4)"));
  }
  SUBCASE("packed constants") {
    hand_written k;
    auto const W = k.operand("W", dtype::f32, {8}, operand_direction::constant);
    auto const Y = k.output("Y", 8);
    auto const P = k.constant_packed_into("P", 8);
    k.prepares(loop(8, copy(P, i, W, i)));
    CHECK(k.fault(loop(8, copy(Y, i, P, i + 1))).starts_with("kernel planted reads P[8] outside of its extents (8)"));
  }
  SUBCASE("scratch memory that was not written") {
    hand_written k;
    auto const A = k.input("A", 8);
    auto const Y = k.output("Y", 8);
    auto const T = scratch(ir::memory::workspace, 8);
    auto const body = ir::make_block({loop(7, copy(T, i, A, i)), loop(8, copy(Y, i, T, i))});
    CHECK(k.fault(ir::make_allocate(T, body)) ==
          "kernel planted reads elements of its scratch buffer T that it did not write");
  }
  SUBCASE("none") {
    hand_written k;
    auto const A = k.input("A", 80);
    auto const Y = k.output("Y", 80);
    auto const T = scratch(ir::memory::workspace, 80);
    auto const body = ir::make_block(
        {loop(80, copy(T, i, A, i), ir::loop_kind::vectorized), loop(80, copy(Y, i, T, i), ir::loop_kind::vectorized)});
    CHECK(k.fault(ir::make_allocate(T, body)).empty());
  }
}

TEST_CASE("checked kernels: an element of a strided operand is named by its distance") {
  hand_written k;
  auto const strides = k.operand("strides", dtype::index, {2}, operand_direction::strides);
  ir::buffer rows{{}, "A", dtype::f32, {3, 4}, ir::memory::operand, 1, {}};
  rows.strides = operand_strides::outer;
  rows.strides_from = strides;
  auto const A = k.strided_operand(rows);
  auto const Y = k.output("Y", 4);
  CHECK(k.fault(loop(4, ir::make_store(Y, {i}, ir::make_access(A, {i, ir::make_index(0)})))) ==
        "kernel planted reads A, element 30 from its first one, outside of its extents (3, 4), in: Y[i] = A[i, 0]");
}

TEST_CASE("checked kernels: operands end where the extents of the call do") {
  auto const rows = [](std::int64_t n) {
    hand_written k;
    k.extent_of_call(5);
    auto const A = k.open_operand("A", {8, 3}, operand_direction::in);
    auto const Y = k.open_operand("Y", {8, 3}, operand_direction::out);
    return k.fault(loop(n, ir::make_store(Y, {i, i}, ir::make_access(A, {i, i}))));
  };
  CHECK(rows(3).empty());
  CHECK(rows(6) == "kernel planted reads A[5, 1] outside of its extents (5, 3), in: Y[i, i] = A[i, i]");
}

TEST_CASE("checked kernels: the first fault of a long block is named, and blocks of checks end") {
  auto const copies = [](std::int64_t n) {
    hand_written k;
    auto const A = k.input("A", n);
    auto const Y = k.output("Y", 300);
    auto const T = scratch(ir::memory::registers, 1);
    auto const sum = ir::make_access(T, {ir::make_index(0)});
    auto const add = ir::make_store(T, {ir::make_index(0)}, sum + ir::make_access(A, {i}));
    auto const both = ir::make_block({loop(300, add, ir::loop_kind::unrolled), ir::make_store(Y, {j}, sum)});
    auto const zero = ir::make_store(T, {ir::make_index(0)}, ir::make_real(dtype::f32, 0));
    auto const all = ir::make_block({zero, loop(3, both, ir::loop_kind::serial, "j")});
    return k.fault(ir::make_allocate(T, all));
  };
  CHECK(copies(300).empty());
  CHECK(copies(150) == "kernel planted reads A[150] outside of its extents (150), in: T[0] += A[i]");
}

TEST_CASE("checked kernels: derived schedules have no faults") {
  orc_backend const plain;
  auto const backend = plain.checked();
  auto const [y, x, f, c, r, s] = axes<"y", "x", "f", "c", "r", "s">;
  tensor<"X", float, 3> const X{{5, 9, 11}};
  tensor<"W", float, 4, row_major, tensor_kind::constant> const W{{6, 5, 3, 3}};
  auto const Y = compute<"Y">(f, y.in(7), x.in(9)) = sum(over(c, r, s), X(c, y + r, x + s) * W(f, c, r, s));
  CHECK(testing::check(op(inputs(X, W), outputs(Y)), {.configurations = 12, .backend = backend.get()}));
  auto const P = compute<"P">(y.in(5), x.in(11)) = sum(over(r.in(9)), X(y, r, x));
  CHECK(testing::check(op(inputs(X), outputs(P)).with_strides(), {.configurations = 12, .backend = backend.get()}));
}

TEST_CASE("checked kernels: a failing check says which access leaves its buffer, or that none does") {
  orc_backend backend;
  auto const n = axis<"n">{};
  tensor<"A", float, 1> const A{{8}};
  auto const Y = compute<"Y">(n) = 2.0F * A(n);
  auto const wrong = [](auto const& a, auto& y) {
    for (std::size_t k = 0; k < 8; ++k) y(k) = a(k);
  };
  auto const found = testing::check(op(inputs(A), outputs(Y)), wrong, {.configurations = 1, .backend = &backend});
  CHECK(!found);
  CHECK(found.text.find("each access of the kernel lies inside of its buffer") != std::string::npos);
}

}  // namespace checked_kernels_tests
