// SPDX-License-Identifier: Apache-2.0
// One step of recurrent layers: LSTM (Hochreiter and Schmidhuber, 1997) and GRU (Cho et al., 2014). Gates and weights
// are in the order of ONNX. A cell multiplies its input with weights. Over a sequence, one product does that for all
// steps ahead (`dense` with transposed weights), and a step reads its rows of the result: half of the weights are not
// read again in each step (Appleyard et al., "Optimizing Performance of Recurrent Neural Networks on GPUs", 2016).
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

/// The rows with the products of all inputs of a sequence. Those of a step begin at the row that the operand `row`
/// says; those of the other elements of the batch follow, each `between` rows later.
struct sequence_rows {
  std::int64_t all = 1;      ///< number of rows
  std::int64_t between = 1;  ///< distance of the rows of two neighbours in the batch
};

namespace detail {

/// Returns the operator with the next states of an LSTM. `gate(w)` is the argument of gate w, a function of n and j.
template <class T, class Gate, class... Inputs>
[[nodiscard]] auto lstm_states(recurrent_shape const& s, tensor<"C", T, 2> const& C, char const* name, Gate const& gate,
                               Inputs const&... operands) {
  auto const [n, j] = axes<"n", "j">;
  auto const next_C = compute<"next_C">(n, j.in(s.units)) =
      sigmoid(gate(2)) * C(n, j) + sigmoid(gate(0)) * tanh(gate(3));                                // (batch, units)
  auto const next_H = compute<"next_H">(n, j.in(s.units)) = sigmoid(gate(1)) * tanh(next_C(n, j));  // (batch, units)
  return op(inputs(operands...), outputs(next_H, next_C), name);
}

/// Returns the operator with the next state of a GRU. `of_input(first)` and `of_state(first)` are the arguments of the
/// gate whose rows begin at `first`, functions of n and j.
template <class T, class OfInput, class OfState, class... Inputs>
[[nodiscard]] auto gru_state(recurrent_shape const& s, bool linear_before_reset, char const* name,
                             OfInput const& of_input, OfState const& of_state, tensor<"H", T, 2> const& H,
                             constant<"R", T, 2> const& R, tensor<"state_bias", T, 1> const& state_bias,
                             Inputs const&... operands) {
  auto const [n, j, k] = axes<"n", "j", "k">;
  auto const hidden = 2 * s.units;  // where its weights begin
  auto const gate = [&](std::int64_t first) { return sigmoid(of_input(first) + of_state(first)); };
  auto const finish = [&](auto const& candidate) {
    auto const update = compute<"update">(n, j.in(s.units)) = gate(0);  // (batch, units)
    auto const next_H = compute<"next_H">(n, j.in(s.units)) =
        candidate + update(n, j) * (H(n, j) - candidate);  // (batch, units)
    return op(inputs(operands...), outputs(next_H), name);
  };
  auto const reset = compute<"reset">(n, j.in(s.units)) = gate(s.units);  // (batch, units)
  if (linear_before_reset) return finish(tanh(of_input(hidden) + reset(n, j) * of_state(hidden)));
  auto const kept = compute<"kept">(n, k.in(s.units)) = reset(n, k) * H(n, k);  // (batch, units)
  auto const sums = sum(over(k), kept(n, k) * R(hidden + j, k));
  return finish(tanh(of_input(hidden) + sums + state_bias(hidden + j)));
}

/// Returns the operand with the first row of a step.
[[nodiscard]] inline auto row_of_step(recurrent_shape const& s, sequence_rows const& rows) {
  return tensor<"row", std::int32_t, 1>{{1}, values(0, rows.all - (s.batch - 1) * rows.between)};
}

}  // namespace detail

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
  return detail::lstm_states<T>(s, C, "lstm_cell", gate, X, H, C, W, R, bias);
}

/// One step of an LSTM over a sequence. G has the products of all inputs with their weights, and the bias.
/// Shape: G (rows, 4 units), row (1), H (batch, units), C (batch, units), R (4 units, units) constant
///        -> next_H (batch, units), next_C (batch, units)
template <class T = float>
[[nodiscard]] auto lstm_step(recurrent_shape const& s, sequence_rows const& rows) {
  auto const [n, g, j, k] = axes<"n", "g", "j", "k">;
  tensor<"G", T, 2> const G{{rows.all, 4 * s.units}};   // (rows, 4 units)
  auto const row = detail::row_of_step(s, rows);        // (1)
  tensor<"H", T, 2> const H{{s.batch, s.units}};        // (batch, units)
  tensor<"C", T, 2> const C{{s.batch, s.units}};        // (batch, units)
  constant<"R", T, 2> const R{{4 * s.units, s.units}};  // (4 units, units)
  auto const of_state = compute<"of_state">(n, g.in(4 * s.units)) = sum(over(k), H(n, k) * R(g, k));
  auto const gate = [&](std::int64_t which) {
    auto const at = j + which * s.units;
    return G(ttune::at(row(0)) + n * rows.between, at) + of_state(n, at);
  };
  return detail::lstm_states<T>(s, C, "lstm_step", gate, G, row, H, C, R);
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
  auto const products = linear_before_reset ? 3 * s.units : 2 * s.units;
  auto const of_input = compute<"of_input">(n, g.in(3 * s.units)) = sum(over(k), X(n, k) * W(g, k)) + bias(g);
  auto const of_state = compute<"of_state">(n, g.in(products)) = sum(over(k), H(n, k) * R(g, k)) + state_bias(g);
  return detail::gru_state<T>(
      s, linear_before_reset, "gru_cell", [&](std::int64_t first) { return of_input(n, first + j); },
      [&](std::int64_t first) { return of_state(n, first + j); }, H, R, state_bias, X, H, W, R, bias, state_bias);
}

/// One step of a GRU over a sequence. G has the products of all inputs with their weights, and the bias.
/// Shape: G (rows, 3 units), row (1), H (batch, units), R (3 units, units) constant, state_bias (3 units)
///        -> next_H (batch, units)
template <class T = float>
[[nodiscard]] auto gru_step(recurrent_shape const& s, sequence_rows const& rows, bool linear_before_reset = false) {
  auto const [n, g, j, k] = axes<"n", "g", "j", "k">;
  tensor<"G", T, 2> const G{{rows.all, 3 * s.units}};          // (rows, 3 units)
  auto const row = detail::row_of_step(s, rows);               // (1)
  tensor<"H", T, 2> const H{{s.batch, s.units}};               // (batch, units)
  constant<"R", T, 2> const R{{3 * s.units, s.units}};         // (3 units, units)
  tensor<"state_bias", T, 1> const state_bias{{3 * s.units}};  // (3 units)
  auto const products = linear_before_reset ? 3 * s.units : 2 * s.units;
  auto const of_state = compute<"of_state">(n, g.in(products)) = sum(over(k), H(n, k) * R(g, k)) + state_bias(g);
  return detail::gru_state<T>(
      s, linear_before_reset, "gru_step",
      [&](std::int64_t first) { return G(ttune::at(row(0)) + n * rows.between, first + j); },
      [&](std::int64_t first) { return of_state(n, first + j); }, H, R, state_bias, G, row, H, R, state_bias);
}

}}}  // namespace ttune::v0::ops
