// SPDX-License-Identifier: Apache-2.0
#include "ttune/capture/program_text.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/program_kinds.hpp"
#include "ttune/expr.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/softmax.hpp"
#include "ttune/ops/winograd.hpp"
#include "ttune/support/error.hpp"

namespace program_text_tests {

using namespace ttune;

namespace {

/// Checks that the text of a program reads back as the program.
void check_round_trip(handle<ir::program> const& p) {
  auto const text = to_text(*p);
  INFO(text);
  handle<ir::program> read;
  REQUIRE_NOTHROW(read = program_from_text(text));
  CHECK(ir::equal(*read, *p));
  CHECK(ir::hash(*read) == ir::hash(*p));
  CHECK(to_text(*read) == text);
}

/// Returns a program of one stage that computes a value of i, which runs over 8.
handle<ir::program> program_of(ir::expr const& value) {
  ir::program made;
  made.name = "one";
  ir::stage s;
  s.name = "Y";
  s.axes.push_back({"i", 0, 8});
  s.components.push_back({"Y", value->type, value});
  made.stages.push_back(share(std::move(s)));
  made.outputs = made.stages;
  return share(std::move(made));
}

/// Returns the message with which a text is refused.
std::string refusal(std::string const& text) {
  try {
    (void)program_from_text(text);
  } catch (program_error const& fault) {
    return fault.what();
  }
  return "accepted";
}

/// Returns the message about the value of a stage of eight elements, with an operand A of f32 (8).
std::string refusal_of_value(std::string const& value) {
  return refusal("program p\ninput A f32 (8)\nstage Y(i < 8) = " + value + "\noutput Y\n");
}

}  // namespace

TEST_CASE("text of programs: a product with a rectifier") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{512, 256}};
  constant<"B", float, 2> const B{{256, 1024}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const D = compute<"D">(i, j) = max(C(i, j), 0.0F);
  auto const dense = op(inputs(A, B), outputs(D), "dense").program();
  CHECK(to_text(*dense) ==
        "program dense\n"
        "input A f32 (512, 256)\n"
        "constant B f32 (256, 1024)\n"
        "stage C(i < 512, j < 1024) = sum(k < 256) f32: A(i, k) * B(k, j)\n"
        "stage D(i < 512, j < 1024) = f32: max(C(i, j), 0:f32)\n"
        "output D\n");
  check_round_trip(dense);
}

TEST_CASE("text of programs: tuples, boundaries, gathers, tables, updates, free layouts") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"S", float, 2> const S{{6, 9}};
  auto const [best, at_best] = reduce<"best", "at">(
      over(k), identity(-std::numeric_limits<float>::infinity(), 0),
      [](auto l, auto r) {
        auto const take = l.template get<0>() < r.template get<0>();
        return components(select(take, r.template get<0>(), l.template get<0>()),
                          select(take, r.template get<1>(), l.template get<1>()));
      },
      law{.associative = true, .commutative = false}, S(i, k), cast<int>(k));
  auto const B = compute<"B">(i) = best;
  auto const P = compute<"P">(i) = at_best;
  check_round_trip(op(inputs(S), outputs(B, P), "argmax").program());

  tensor<"ix", std::int32_t, 1> const ix{{4}, values(0, 6)};
  tensor<"V", float, 1> const V{{6}};
  table<"T", float, 1> const T({3}, {0.25, -0.5, 1e-9});
  auto const G = compute<"G">(i) = sum(over(k.in(3)), V(at(ix(i))) * T(k)) + clamp_outside(V)(i + 3) +
                                   value_outside(V, -1.5F)(i - 2) + wrap_outside(V)(i * 5) + mirror_outside(V)(i + 4);
  check_round_trip(op(inputs(ix, V), outputs(G), "gather").program());
  check_round_trip(op(inputs(ix, V), outputs(G), "a \"name\" with \\").program());
  check_round_trip(op(inputs(ix, V), outputs(G), "stage").program());

  tensor<"C", double, 1, row_major, tensor_kind::inout> const C{{6}};
  auto const U = update(C)(i) = C(i) * 0.1 + cast<double>(V(i));
  check_round_trip(op(inputs(C, V), outputs(U)).program());

  check_round_trip(ops::conv2d({1, 3, 8, 8, 4, 3, 1, 1}).with_free_layouts().program());
  check_round_trip(ops::softmax(5, 7).program());
}

TEST_CASE("text of programs: numbers of all types keep their bits") {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  for (auto const type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
    for (auto const value : {0.0, -0.0, 0.1, static_cast<double>(0.1F), -1e-30, 65504.0, infinity, -infinity,
                             std::numeric_limits<double>::denorm_min(), 1e300, 123456789.0})
      check_round_trip(program_of(ir::make_real(type, value)));
  check_round_trip(program_of(ir::make_real(dtype::f32, std::numeric_limits<double>::quiet_NaN())));
  auto const of = [](dtype type, std::int64_t value) { return program_of(ir::make_integer(type, value)); };
  check_round_trip(of(dtype::i8, -128));
  check_round_trip(of(dtype::u8, 255));
  check_round_trip(of(dtype::i64, std::numeric_limits<std::int64_t>::min()));
  check_round_trip(of(dtype::u64, -1));  // the bits of 2^64 - 1
  check_round_trip(of(dtype::boolean, 1));
  check_round_trip(program_of(ir::make_unary(ir::unary_op::negate, ir::make_real(dtype::f32, 2))));
}

TEST_CASE("text of programs: random programs read back") {
  int tuples = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed ", seed);
    auto const p = ttune_test::base_program(seed);
    for (auto const& s : p->stages) tuples += s->reduction.kind == ir::reduction_kind::tuple ? 1 : 0;
    check_round_trip(p);
    check_round_trip(ttune_test::strided_for(seed, p));
  }
  CHECK(tuples > 0);
}

TEST_CASE("text of programs: a fault is named with its line") {
  CHECK(refusal("") == "line 1 of the text: `program` is expected, and the text ends");
  CHECK(refusal("program p\nstage Y(i < 8) = f32: 1.0:f32\n") == "line 2 of the text: the program has no output");
  CHECK(refusal("program p\n\nsums A") ==
        "line 3 of the text: `input`, `constant`, `table`, `inout`, `stage` or `output` is expected, not "
        "`sums`");
  CHECK(refusal("program p\ninput A f32 (8)\ninput A f32 (8)\n") == "line 3 of the text: two operands are called A");
  CHECK(
      refusal("program p\ninput \"strides\" f32 (4, 4) strided\nstage Y(i < 4) = f32: \"strides\"(i, 0)\noutput Y\n") ==
      "p: an operand is called strides, which strided operands need: name it apart");
  CHECK(refusal("program p\ninput A f32 (4611686018427387904, 4)\n") ==
        "line 2 of the text: there are too many elements");
  CHECK(refusal("program p\ntable T f32 (2) = 1\n") == "line 2 of the text: table T has 1 numbers, its shape 2");
  CHECK(refusal("program \"p") == "line 1 of the text: a quotation mark is missing");
  CHECK(refusal_of_value("f32: B(i)") == "line 3 of the text: there is no operand or earlier stage B");
  CHECK(refusal_of_value("f32: A(i) + 1:i32") ==
        "line 3 of the text: an operation mixes f32 and i32: convert one with cast<T>(…)");
  CHECK(refusal_of_value("f32: A(i, i)") == "line 3 of the text: A has 1 dimensions, 2 indices given");
  CHECK(refusal_of_value("f32: select(A(i), 1:f32)") == "line 3 of the text: select takes 3 operands, not 2");
  CHECK(refusal_of_value("i8: 128:i8") ==
        "line 3 of the text: the constant 128 does not fit into i8: convert the other operand with cast<T>(…)");
  CHECK(refusal_of_value("f32: left#0") ==
        "line 3 of the text: only the combine function of a tuple has `left` and `right`");
  CHECK(refusal_of_value("f32: " + std::string(5000, '(')) == "line 3 of the text: an expression is nested too deeply");
}

TEST_CASE("text of programs: what is no program, or reads outside, is refused") {
  CHECK(
      refusal_of_value("f32: A(i + 1)") ==
      "Y: A dimension 0 is indexed with i + 1, which runs over [1, 9); A has 8 there: use zero_outside(A), or set the "
      "axis with .in(…)");
  CHECK(refusal_of_value("i32: A(i)") ==
        "the text of p is no program: in stage Y: A(i): has another type than its place");
  CHECK(refusal_of_value("f32: A(j)") == "the text of p is no program: in stage Y: j: the variable is not bound");
}

}  // namespace program_text_tests
