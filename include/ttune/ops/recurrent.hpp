// SPDX-License-Identifier: Apache-2.0
// One step of recurrent layers: LSTM (Hochreiter and Schmidhuber, 1997) and GRU (Cho et al., 2014). Gates and weights
// are in the order of ONNX.
#pragma once

#include "ttune/capture/capture.hpp"
#include "ttune/expr/functions.hpp"
#include "ttune/expr/op.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Shape of a step of a recurrent layer.
struct recurrent_shape {
  std::int64_t batch = 1;
  std::int64_t inputs = 1;
  std::int64_t units = 1;  ///< elements of the state
};

/// One step of an LSTM. The gates are stored in the order input, output, forget, cell (ONNX' iofc); the bias is the sum
/// of the two that ONNX has.
/// Shape: X (batch, inputs), H (batch, units), C (batch, units), W (4 units, inputs) constant, R (4 units, units)
///        constant, bias (4 units) -> next_H (batch, units), next_C (batch, units)
template <class T = float>
[[nodiscard]] auto lstm_cell(recurrent_shape const& s) {
  auto const [n, g, j, k] = axes<"n", "g", "j", "k">;
  tensor<"X", T, 2> const X{{s.batch, s.inputs}};        // (batch, inputs)
  tensor<"H", T, 2> const H{{s.batch, s.units}};         // (batch, units)
  tensor<"C", T, 2> const C{{s.batch, s.units}};         // (batch, units)
  constant<"W", T, 2> const W{{4 * s.units, s.inputs}};  // (4 units, inputs)
  constant<"R", T, 2> const R{{4 * s.units, s.units}};   // (4 units, units)
  tensor<"bias", T, 1> const bias{{4 * s.units}};        // (4 units)
  auto const of_input = compute<"of_input">(n, g.in(4 * s.units)) = sum(over(k), X(n, k) * W(g, k));
  auto const of_state = compute<"of_state">(n, g.in(4 * s.units)) = sum(over(k), H(n, k) * R(g, k));
  auto const gate = [&](std::int64_t which) {
    auto const at = j + which * s.units;
    return of_input(n, at) + of_state(n, at) + bias(at);
  };
  auto const next_C = compute<"next_C">(n, j.in(s.units)) =
      sigmoid(gate(2)) * C(n, j) + sigmoid(gate(0)) * tanh(gate(3));                                // (batch, units)
  auto const next_H = compute<"next_H">(n, j.in(s.units)) = sigmoid(gate(1)) * tanh(next_C(n, j));  // (batch, units)
  return op(inputs(X, H, C, W, R, bias), outputs(next_H, next_C), "lstm_cell");
}

/// One step of a GRU. The gates are stored in the order update, reset, hidden (ONNX' zrh). The reset gate scales the
/// state, or with `linear_before_reset` the product of the state and its weights.
/// Shape: X (batch, inputs), H (batch, units), W (3 units, inputs) constant, R (3 units, units) constant,
///        bias (3 units), state_bias (3 units) -> next_H (batch, units)
template <class T = float>
[[nodiscard]] auto gru_cell(recurrent_shape const& s, bool linear_before_reset = false) {
  auto const [n, g, j, k] = axes<"n", "g", "j", "k">;
  tensor<"X", T, 2> const X{{s.batch, s.inputs}};              // (batch, inputs)
  tensor<"H", T, 2> const H{{s.batch, s.units}};               // (batch, units)
  constant<"W", T, 2> const W{{3 * s.units, s.inputs}};        // (3 units, inputs)
  constant<"R", T, 2> const R{{3 * s.units, s.units}};         // (3 units, units)
  tensor<"bias", T, 1> const bias{{3 * s.units}};              // (3 units)
  tensor<"state_bias", T, 1> const state_bias{{3 * s.units}};  // (3 units)
  auto const hidden = 2 * s.units;                             // where its weights begin
  auto const products = linear_before_reset ? 3 * s.units : hidden;
  auto const of_input = compute<"of_input">(n, g.in(3 * s.units)) = sum(over(k), X(n, k) * W(g, k)) + bias(g);
  auto const of_state = compute<"of_state">(n, g.in(products)) = sum(over(k), H(n, k) * R(g, k)) + state_bias(g);
  auto const gate = [&](std::int64_t first) { return sigmoid(of_input(n, first + j) + of_state(n, first + j)); };
  auto const finish = [&](auto const& candidate) {
    auto const update = compute<"update">(n, j.in(s.units)) = gate(0);  // (batch, units)
    auto const next_H = compute<"next_H">(n, j.in(s.units)) =
        candidate + update(n, j) * (H(n, j) - candidate);  // (batch, units)
    return op(inputs(X, H, W, R, bias, state_bias), outputs(next_H), "gru_cell");
  };
  auto const reset = compute<"reset">(n, j.in(s.units)) = gate(s.units);  // (batch, units)
  if (linear_before_reset) return finish(tanh(of_input(n, hidden + j) + reset(n, j) * of_state(n, hidden + j)));
  auto const kept = compute<"kept">(n, k.in(s.units)) = reset(n, k) * H(n, k);  // (batch, units)
  auto const sums = sum(over(k), kept(n, k) * R(hidden + j, k));
  return finish(tanh(of_input(n, hidden + j) + sums + state_bias(hidden + j)));
}

}}}  // namespace ttune::v0::ops
