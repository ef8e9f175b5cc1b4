// SPDX-License-Identifier: Apache-2.0
// Instructions that an application brings along: what their statement must be, and which terms have their form.
#include "ttune/runtime/add_instruction.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/find_dot.hpp"
#include "ttune/support/error.hpp"

namespace add_instruction_tests {

using namespace ttune;

namespace {

/// S(i) = sum over k of L(i, k) R(i, k), in `int`.
template <class Left = std::int16_t, class Right = std::int16_t>
handle<ir::program> products(std::int64_t lanes, std::int64_t terms) {
  auto const [i, k] = axes<"i", "k">;
  tensor<"L", Left, 2> const L{{lanes, terms}};
  tensor<"R", Right, 2> const R{{lanes, terms}};
  auto const S = compute<"S">(i) = sum(over(k), cast<int>(L(i, k)) * cast<int>(R(i, k)));
  return op(inputs(L, R), outputs(S), "products").program();
}

instruction_statement pairs(handle<ir::program> semantics) {
  return {.name = "pairs",
          .intrinsic = "llvm.x86.avx512.vpdpwssd.512",
          .feature = "avx512vnni",
          .semantics = std::move(semantics),
          .argument_type = "<16 x i32>"};
}

target server() {
  target machine;
  machine.name = "x86_64 server";
  machine.triple = "x86_64-unknown-linux-gnu";
  machine.cpu = "x86-64-v4";
  machine.features = "+avx512f,+avx512vnni";
  machine.vector_bytes = 64;
  return machine;
}

ir::expr term_of(handle<ir::program> const& p) { return p->stages[0]->components[0].value; }

}  // namespace

TEST_CASE("own_instruction: the statement must be a sum over the terms of lanes") {
  auto const says = [](instruction_statement const& stated, char const* part) {
    try {
      ir::own_instruction const made(stated);
      FAIL_CHECK("nothing was thrown");
    } catch (argument_error const& e) {
      CHECK_MESSAGE(std::string(e.what()).find(part) != std::string::npos, std::string(e.what()));
    }
  };
  auto other = pairs(products(16, 2));
  other.name.clear();
  says(other, "has no name");
  other = pairs(products(16, 2));
  other.intrinsic = "vpdpwssd";
  says(other, "instruction pairs: it needs LLVM's name of an intrinsic");
  says(pairs({}), "has no semantics");
  says(pairs(products(16, 4)), "has 8 bytes of terms a lane: 2 or 4 can be loaded at once");
  says(pairs(products(1, 2)), "has 1 lane: it needs at least two");
  auto const [i, k] = axes<"i", "k">;
  tensor<"L", std::int16_t, 2> const L{{16, 2}};
  tensor<"R", std::int16_t, 2> const R{{16, 2}};
  tensor<"T", std::int16_t, 2> const T{{2, 16}};
  auto const sum_of = [&](auto const& a, auto const& b, auto const& term) {
    auto const S = compute<"S">(i) = sum(over(k), term);
    return pairs(op(inputs(a, b), outputs(S), "other").program());
  };
  says(sum_of(L, T, cast<int>(L(i, k)) * cast<int>(T(k, i))), "must read each input at (lane, term)");
  says(sum_of(L, R, cast<int>(L(i, k)) * cast<int>(R(i, 0))), "must read each input at (lane, term)");
  auto const M = compute<"M">(i) = max(over(k), cast<int>(L(i, k)) * cast<int>(R(i, k)));
  says(pairs(op(inputs(L, R), outputs(M), "largest").program()), "is no sum over one axis for each lane");
}

TEST_CASE("own_instruction: it is there on machines with the feature and vectors of its lanes") {
  ir::own_instruction const made(pairs(products(16, 2)));
  CHECK(made.lanes() == 16);
  CHECK(made.terms() == 2);
  auto machine = server();
  CHECK(made.is_on(machine));
  machine.vector_bytes = 32;
  CHECK_FALSE(made.is_on(machine));
  machine = server();
  machine.features = "+avx512f,+avx512vnni2";
  CHECK_FALSE(made.is_on(machine));
  machine = server();
  machine.triple = "aarch64-unknown-linux-gnu";
  CHECK_FALSE(made.is_on(machine));
}

TEST_CASE("own_instruction: terms of its form, in either order of the operands") {
  auto machine = server();
  CHECK(add_instruction(machine, pairs(products(16, 2))));
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", std::int16_t, 2> const A{{32, 64}};
  tensor<"B", std::int16_t, 2> const B{{64, 32}};
  auto const found = [&](auto const& term) {
    auto const C = compute<"C">(i, j) = sum(over(k), term);
    return ir::find_dot(machine, term_of(op(inputs(A, B), outputs(C), "C").program()), dtype::i32);
  };
  auto const product = found(cast<int>(A(i, k)) * cast<int>(B(k, j)));
  REQUIRE(product);
  CHECK(product->how.how == dot_method::own);
  CHECK(product->how.terms == 2);
  CHECK(ir::name_of(ir::as<ir::access>(product->left)->from) == "A");
  CHECK(found(cast<int>(B(k, j)) * cast<int>(A(i, k))).has_value());
  CHECK_FALSE(found(cast<int>(A(i, k)) * cast<int>(B(k, j)) + 1).has_value());
  machine.instructions.clear();
  auto const without = found(cast<int>(A(i, k)) * cast<int>(B(k, j)));
  REQUIRE(without);
  CHECK(without->how.how == dot_method::words);
}

TEST_CASE("own_instruction: any term of two operands can be its form") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"L", std::uint8_t, 2> const L{{4, 4}};
  tensor<"R", std::uint8_t, 2> const R{{4, 4}};
  auto const term = [](auto const& a, auto const& b) { return max(cast<int>(a) - cast<int>(b), 0); };
  auto const S = compute<"S">(i) = sum(over(k), term(L(i, k), R(i, k)));
  ir::own_instruction const made({.name = "excess",
                                  .intrinsic = "llvm.toaster.excess",
                                  .semantics = op(inputs(L, R), outputs(S), "excess").program()});
  tensor<"X", std::uint8_t, 1> const X{{64}};
  tensor<"Y", std::uint8_t, 2> const Y{{64, 8}};
  auto const T = compute<"T">(i) = sum(over(k), term(X(k), Y(k, i)));
  auto const U = compute<"U">(i) = sum(over(k), term(Y(k, i), X(k)));
  auto const in_order = made.match(term_of(op(inputs(X, Y), outputs(T), "T").program()), dtype::i32);
  REQUIRE(in_order);
  CHECK(ir::name_of(ir::as<ir::access>(in_order->left)->from) == "X");
  auto const exchanged = made.match(term_of(op(inputs(X, Y), outputs(U), "U").program()), dtype::i32);
  REQUIRE(exchanged);
  CHECK(ir::name_of(ir::as<ir::access>(exchanged->left)->from) == "Y");
  CHECK_FALSE(made.match(term_of(products<std::uint8_t, std::uint8_t>(4, 4)), dtype::i32));
}

}  // namespace add_instruction_tests
