// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over a sequence, as operators of a network: one product of all inputs with their weights, then a
// step after the other (ops/recurrent.hpp). All steps have one kernel and share their weights.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/network/network.hpp"
#include "ttune/ops/dense.hpp"
#include "ttune/ops/recurrent.hpp"

namespace ttune { inline namespace v0 {

/// The results of an LSTM.
template <class T>
struct lstm_values {
  network_value<T, 3> all;     ///< the hidden state of each step: (steps, batch, units)
  network_value<T, 2> hidden;  ///< of the last step: (batch, units)
  network_value<T, 2> memory;  ///< of the last step: (batch, units)
};

/// The results of a GRU.
template <class T>
struct gru_values {
  network_value<T, 3> all;     ///< the hidden state of each step: (steps, batch, units)
  network_value<T, 2> hidden;  ///< of the last step: (batch, units)
};

namespace detail {

/// Returns the products of all inputs with the weights of `gates` gates, and the bias: (steps batch, gates units).
template <class T>
[[nodiscard]] network_value<T, 2> products_of_inputs(network& net, ops::recurrent_shape const& s, std::int64_t steps,
                                                     std::int64_t gates, network_value<T, 3> const& X,
                                                     network_value<T, 2> const& W, network_value<T, 1> const& bias) {
  auto const rows = net.reshape(X, {steps * s.batch, s.inputs});
  return net.add(ops::dense<T>({steps * s.batch, s.inputs, gates * s.units, true}), rows, W, bias);
}

/// Runs `step(row)` for each step; returns the hidden states that it returns, one after the other.
template <class T, class Step>
[[nodiscard]] network_value<T, 3> over_steps(network& net, ops::recurrent_shape const& s, std::int64_t steps,
                                             Step const& step) {
  std::vector<network_value<T, 2>> hidden;
  for (std::int64_t t = 0; t < steps; ++t) {
    std::vector<std::int32_t> row{static_cast<std::int32_t>(t * s.batch)};
    hidden.push_back(step(net.weights("row" + std::to_string(t), {1}, std::move(row))));
  }
  return net.reshape(net.join(hidden, 0), {steps, s.batch, s.units});
}

}  // namespace detail

/// Adds an LSTM over a sequence (ops::lstm_cell says the order of the gates). Throws program_error for a shape that
/// does not fit. Shape: X (steps, batch, inputs), H (batch, units), C (batch, units), W (4 units, inputs), R (4 units,
/// units),
///        bias (4 units)
template <class T>
[[nodiscard]] lstm_values<T> add_lstm(network& net, ops::recurrent_shape const& s, std::int64_t steps,
                                      network_value<T, 3> const& X, network_value<T, 2> H, network_value<T, 2> C,
                                      network_value<T, 2> const& W, network_value<T, 2> const& R,
                                      network_value<T, 1> const& bias) {
  auto const G = detail::products_of_inputs(net, s, steps, 4, X, W, bias);
  auto const one = ops::lstm_step<T>(s, {steps * s.batch});
  auto const all = detail::over_steps<T>(net, s, steps, [&](auto const& row) {
    std::tie(H, C) = net.add(one, G, row, H, C, R);
    return H;
  });
  return {all, H, C};
}

/// Adds a GRU over a sequence (ops::gru_cell says the order of the gates, and what `linear_before_reset` means). Throws
/// program_error for a shape that does not fit.
/// Shape: X (steps, batch, inputs), H (batch, units), W (3 units, inputs), R (3 units, units), bias (3 units),
///        state_bias (3 units)
template <class T>
[[nodiscard]] gru_values<T> add_gru(network& net, ops::recurrent_shape const& s, std::int64_t steps,
                                    network_value<T, 3> const& X, network_value<T, 2> H, network_value<T, 2> const& W,
                                    network_value<T, 2> const& R, network_value<T, 1> const& bias,
                                    network_value<T, 1> const& state_bias, bool linear_before_reset = false) {
  auto const G = detail::products_of_inputs(net, s, steps, 3, X, W, bias);
  auto const one = ops::gru_step<T>(s, {steps * s.batch}, linear_before_reset);
  auto const all = detail::over_steps<T>(net, s, steps, [&](auto const& row) {
    H = net.add(one, G, row, H, R, state_bias);
    return H;
  });
  return {all, H};
}

}}  // namespace ttune::v0
