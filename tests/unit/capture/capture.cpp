// SPDX-License-Identifier: Apache-2.0
#include "ttune/capture/capture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "ttune/expr.hpp"
#include "ttune/ir/interpret.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/error.hpp"

namespace capture_tests {

using namespace ttune;

namespace {

template <class Op>
std::string text(Op const& op) {
  return ir::print(*op.program());
}

/// Returns the message with which a compute is refused.
template <class Function>
std::string refusal(Function const& f) {
  try {
    f();
  } catch (program_error const& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("capture: indices are made of data and axes") {
  auto const [m, t] = axes<"m", "t">;
  tensor<"S", float, 2> const S{{4, 20}};
  tensor<"delay", std::int32_t, 1> const delay{{4}, values(0, 5)};
  auto const with_index = op(inputs(S, delay), outputs(compute<"O">(m, t.in(16)) = S(m, at(delay(m)) + t)), "shift");
  CHECK(text(with_index).find("O(m, t) = S(m, at(delay(m)) + t)") != std::string::npos);
  auto const with_data =
      op(inputs(S, delay), outputs(compute<"O">(m, t.in(16)) = S(m, at(delay(m) + cast<std::int32_t>(t)))), "shift");
  CHECK(text(with_data) == text(with_index));  // the sum cannot wrap
  auto const scaled = compute<"O">(m, t.in(3)) = S(m, at(delay(m)) * 2 + (8 - 2 * t) - 3 + t);
  CHECK(text(op(inputs(S, delay), outputs(scaled), "scaled")).find("at(delay(m)) * 2") != std::string::npos);

  tensor<"bytes", std::uint8_t, 1> const bytes{{4}};
  tensor<"L", float, 1> const L{{300}};
  auto const wraps = compute<"O">(m, t.in(40)) = L(at(bytes(m) + cast<std::uint8_t>(t)));  // bytes wrap at 256
  CHECK(text(op(inputs(bytes, L), outputs(wraps), "wraps")).find("at(bytes(m) + cast<u8>(t))") != std::string::npos);

  CHECK(refusal([&] {
          (void)(compute<"O">(m, t.in(17)) = S(m, at(delay(m)) + t));
        }).find("O: S dimension 1 is indexed with at(delay(m)) + t, which runs over [0, 21)") == 0);
}

TEST_CASE("capture: a matrix product") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{512, 256}};
  tensor<"B", float, 2> const B{{256, 1024}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const matmul = op(inputs(A, B), outputs(C), "matmul");
  CHECK(matmul.text() == "matmul(A f32 (512, 256), B f32 (256, 1024)) -> C f32 (512, 1024)");
  CHECK(text(matmul).find("C(i, j) = sum(k < 256) A(i, k) * B(k, j)") != std::string::npos);
  auto const D = compute<"C">(i, j) = sum(A(i, k) * B(k, j));  // the short form means the same
  CHECK(text(op(inputs(A, B), outputs(D), "matmul")) == text(matmul));
}

TEST_CASE("capture: a reduction inside an expression is a stage in the order of the left side") {
  auto const [n, f, y, x, c, r, s] = axes<"n", "f", "y", "x", "c", "r", "s">;
  tensor<"I", float, 4> const I{{1, 64, 56, 56}};
  constant<"W", float, 4> const W{{128, 64, 3, 3}};
  tensor<"bias", float, 1> const bias{{128}};
  auto const O = compute<"O">(n, f, y.in(28), x.in(28)) =
      relu(sum(over(c, r, s), zero_outside(I)(n, c, y * 2 + r - 1, x * 2 + s - 1) * W(f, c, r, s)) + bias(f));
  auto const printed = text(op(inputs(I, W, bias), outputs(O)));
  CHECK(printed.find("O.sum(n < 1, f < 128, y < 28, x < 28) = sum(c < 64, r < 3, s < 3)") != std::string::npos);
  CHECK(printed.find("O(n, f, y, x) = max(O.sum(n, f, y, x) + bias(f), 0.0)") != std::string::npos);
}

TEST_CASE("capture: equal reductions are one stage") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"S", float, 2> const S{{64, 100}};
  auto const P = compute<"P">(i, k) =
      exp(S(i, k) - max(over(k), S(i, k))) / sum(over(k), exp(S(i, k) - max(over(k), S(i, k))));
  auto const made = op(inputs(S), outputs(P), "softmax");
  CHECK(made.program()->stages.size() == 3);
  CHECK(text(made).find("P.sum(i < 64) = sum(k < 100) exp(S(i, k) - P.max(i))") != std::string::npos);
}

TEST_CASE("capture: rank 0, several outputs, tuples, gather, updates") {
  auto const [i, k] = axes<"i", "k">;
  tensor<"S", float, 2> const S{{8, 10}};
  auto const d = compute<"d">() = sum(S(i, k) * S(i, k));
  CHECK(text(op(inputs(S), outputs(d))).find("d() = sum(i < 8, k < 10) S(i, k) * S(i, k)") != std::string::npos);
  auto const h = compute<"h">(i, k) = S(i, k) * 2;
  auto const g = compute<"g">(i, k) = h(i, k) + 1;
  CHECK(op(inputs(S), outputs(h, g)).program()->outputs.size() == 2);
  tensor<"ix", std::int32_t, 1> const ix{{5}, values(0, 8)};
  auto const rows = compute<"rows">(i, k) = S(at(ix(i)), k);
  CHECK(op(inputs(S, ix), outputs(rows)).program()->stages.size() == 1);
  tensor<"T", float, 2, row_major, tensor_kind::inout> const T{{8, 10}};
  auto const t = update(T)(i, k) = T(i, k) + S(i, k);
  CHECK(op(inputs(T, S), outputs(t)).program()->outputs[0]->updates);
}

TEST_CASE("capture: an index that min and max bound needs no declared range") {
  auto const [i] = axes<"i">;
  tensor<"curve", float, 1> const curve{{1024}};
  tensor<"E", std::int32_t, 1> const E{{8}};
  tensor<"X", float, 1> const X{{8}};
  auto const by_integers = compute<"O">(i) = curve(at(min(max(E(i) * 2, 0), 1023)));
  auto const by_floats = compute<"P">(i) = curve(at(cast<std::int32_t>(min(max(X(i) * 1000, 0), 1023))));
  CHECK(op(inputs(curve, E, X), outputs(by_integers, by_floats)).program()->stages.size() == 2);
  CHECK(refusal([&] {
          (void)(compute<"Q">(i) = curve(at(min(max(E(i), 0), 1024))));
        }).find("Q: curve dimension 0 is indexed with") == 0);
}

TEST_CASE("capture: functions that are composed of others, and numbers with a type of their own") {
  auto const [i] = axes<"i">;
  tensor<"X", double, 1> const X{{4}};
  auto const Y = compute<"Y">(i) =
      select(X(i) < 1, cast<double>(-1), 1) * (tan(X(i)) + log2(X(i)) + log10(X(i)) + exp2(X(i)));
  ir::ndarray x(dtype::f64, {4});
  for (std::size_t e = 0; e < 4; ++e) x.set_number(e, 0.4 * static_cast<double>(e + 1));
  auto const got = ir::evaluate(*op(inputs(X), outputs(Y)).program(), std::vector{x});
  for (std::size_t e = 0; e < 4; ++e) {
    auto const v = x.number(e);
    auto const sum = std::tan(v) + std::log2(v) + std::log10(v) + std::exp2(v);
    CHECK(got[0].number(e) == doctest::Approx(v < 1 ? -sum : sum).epsilon(1e-14));
  }
}

TEST_CASE("capture: run-time extents are bound to constants") {
  auto const [i, j, k] = axes<"i", "j", "k">;
  dim const b{"b", 1, 4096};
  tensor<"A", float, 2> const A{{b, 256}};
  tensor<"B", float, 2> const B{{256, 8}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  auto const D = compute<"D">(i, j) = C(i, j) + C(i, 0);
  auto const open = op(inputs(A, B), outputs(D), "layer");
  CHECK(capture::open_dims(*open.program()) == std::vector<std::string>{"b"});
  auto const bound = open.at({{b, 64}});
  CHECK(capture::open_dims(*bound.program()).empty());
  tensor<"A", float, 2> const A64{{64, 256}};
  auto const C64 = compute<"C">(i, j) = sum(over(k), A64(i, k) * B(k, j));
  auto const D64 = compute<"D">(i, j) = C64(i, j) + C64(i, 0);
  CHECK(text(bound) == text(op(inputs(A64, B), outputs(D64), "layer")));
  CHECK(refusal([&] { (void)open.at({{b, 5000}}); }) == "dim b is 5000, and was declared within [1, 4096]");
  CHECK(refusal([&] { (void)open.at({{dim{"c", 1, 9}, 5}}); }) == "layer: no extent is the dim c");
  tensor<"V", float, 1> const V{{b}};
  auto const first = compute<"F">(i.in(100)) = V(i);
  CHECK(refusal([&] {
          (void)op(inputs(V), outputs(first)).at({{b, 64}});
        }).find("F: V dimension 0 is indexed with i, which runs over [0, 100); V has 64 there") == 0);
}

TEST_CASE("capture: errors at run time name axis, operand and remedy") {
  auto const [i, j, k, y, x] = axes<"i", "j", "k", "y", "x">;
  tensor<"A", float, 2> const A{{512, 256}};
  tensor<"E", float, 2> const E{{255, 1024}};
  CHECK(refusal([&] { (void)(compute<"C">(i, j) = sum(over(k), A(i, k) * E(k, j))); }) ==
        "C: axis k has extent 256 in A dimension 1 and 255 in E dimension 0");
  tensor<"I", float, 2> const I{{56, 56}};
  auto const outside = refusal([&] { (void)(compute<"O">(y.in(28), x.in(28)) = I(y * 2 + 1, x * 2 + 2)); });
  CHECK(outside.find("O: I dimension 1 is indexed with") == 0);
  CHECK(outside.find("which runs over [2, 57); I has 56 there: use zero_outside(I)") != std::string::npos);
  CHECK(refusal([&] { (void)(compute<"O">(y, x.in(28)) = I(y * 2, x)); }) ==
        "O: nothing gives the extent of axis y; write y.in(n)");
  CHECK(refusal([&] { (void)tensor<"Z", float, 1>{{-1}}; }).find("an extent is -1") != std::string::npos);
  CHECK(refusal([&] {
          auto const C = compute<"C">(i, k) = A(i, k) * 2;
          (void)op(inputs(E), outputs(C));
        }).find("C reads A, which is not among the inputs") == 0);
  tensor<"Idx", std::int32_t, 1> const Idx{{8}};
  CHECK(refusal([&] {
          (void)(compute<"O">(i, x) = I(at(Idx(i)), x));
        }).find("or say which values Idx holds where it is declared: Idx{{…}, values(0, 56)}") != std::string::npos);
  tensor<"U", std::uint8_t, 1> const U{{4}};
  CHECK(refusal([&] { (void)(compute<"C">(i) = U(i) + 300); }).find("the constant 300 does not fit into u8") == 0);
  tensor<"ix", std::int32_t, 1> const ix{{5}, values(0, 1000)};
  CHECK(refusal([&] { (void)(compute<"R">(j, k) = A(at(ix(j)), k)); }).find("A has 512 there") != std::string::npos);
  tensor<"T", float, 2, row_major, tensor_kind::inout> const T{{8, 8}};
  CHECK(refusal([&] { (void)(update(T)(i, k) = T(k, i)); }).find("reads T at other indices than it writes") !=
        std::string::npos);
}

}  // namespace capture_tests
