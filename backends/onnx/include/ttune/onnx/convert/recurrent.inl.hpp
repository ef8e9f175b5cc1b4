// SPDX-License-Identifier: Apache-2.0
// Recurrent layers, unrolled: an operator for each step of each direction.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/onnx/convert/convolutions.inl.hpp"
#include "ttune/onnx/convert/expressions.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/convert/movement.inl.hpp"
#include "ttune/onnx/kernel.hpp"
#include "ttune/ops/dense.hpp"
#include "ttune/ops/recurrent.hpp"

namespace ttune { inline namespace v0 { namespace onnx_convert {

/// The operands of a recurrent layer with `gates` rows of weights per unit.
class recurrent_layer {
 public:
  using states = std::vector<onnx_value>;  ///< of one direction: hidden, and the cell of an LSTM

  recurrent_layer(onnx_context& to, std::int64_t gates, std::vector<std::string> const& activations)
      : to_(to), gates_(gates), node_(to.node()) {
    auto const& x = to.input(0);
    to.check(x.rank() == 3 && to.input(1).rank() == 3 && to.input(2).rank() == 3, "X, W and R must have 3 dimensions");
    batch_first_ = node_.integer("layout", 0) != 0;
    steps_ = x.shape[batch_first_ ? 1 : 0];
    shape_ = {x.shape[batch_first_ ? 0 : 1], x.shape[2], to.input(2).shape[2]};
    auto const direction = node_.string("direction", "forward");
    to.check(direction == "forward" || direction == "reverse" || direction == "bidirectional",
             "the direction is unknown");
    directions_ = direction == "bidirectional" ? 2 : 1;
    reverse_ = direction == "reverse";
    check_operand(1, {directions_, gates * shape_.units, shape_.inputs});
    check_operand(2, {directions_, gates * shape_.units, shape_.units});
    if (to.has_input(3)) check_operand(3, {directions_, 2 * gates * shape_.units});
    to.check(node_.integer("hidden_size", shape_.units) == shape_.units, "hidden_size is not that of the weights");
    if (steps_ > 256) to.unsupported("a sequence of more than 256 steps");
    if (x.type != dtype::f32) to.unsupported("a recurrent layer of other elements than f32");
    check_attributes(activations);
  }

  [[nodiscard]] ops::recurrent_shape const& shape() const noexcept { return shape_; }

  /// Runs the layer. `initial` are the operands with the first states. `steps_of(direction)` returns the steps of a
  /// direction: functions of the place in the sequence and of the states, which return the next states.
  template <class StepsOf>
  void run(std::vector<std::size_t> const& initial, StepsOf const& steps_of) {
    std::vector<std::vector<onnx_value>> hidden(static_cast<std::size_t>(steps_));
    std::vector<states> last;
    for (std::int64_t direction = 0; direction < directions_; ++direction) {
      auto const step = steps_of(direction);
      states now;
      for (auto const operand : initial) now.push_back(first_state(operand, direction));
      for (std::int64_t i = 0; i < steps_; ++i) {
        auto const place = reverse_ || direction == 1 ? steps_ - 1 - i : i;
        now = step(place, now);
        hidden[static_cast<std::size_t>(place)].push_back(now.front());
      }
      last.push_back(std::move(now));
    }
    set_outputs(hidden, last);
  }

  [[nodiscard]] bool is_one_step() const noexcept { return steps_ == 1; }
  /// Returns the input of a layer of one step: (batch, inputs).
  [[nodiscard]] onnx_value only_input() { return to_.view(to_.input(0), {shape_.batch, shape_.inputs}); }

  /// Returns the rows that steps read of `products_of_inputs`.
  [[nodiscard]] ops::sequence_rows rows() const { return {steps_ * shape_.batch, batch_first_ ? steps_ : 1}; }
  /// Returns the products of the inputs of all steps with the weights W of a direction, and the bias.
  [[nodiscard]] onnx_value products_of_inputs(onnx_value const& W, ir::ndarray const& bias) {
    auto const count = steps_ * shape_.batch;
    auto const layer = computes_of(ops::dense({count, shape_.inputs, gates_ * shape_.units, true}));
    return to_.add(layer, {to_.view(to_.input(0), {count, shape_.inputs}), W, known_value("bias", bias)}).front();
  }
  /// Returns the operand with the first row of a step; steps have one program.
  [[nodiscard]] onnx_value row_of(std::int64_t place) {
    ir::ndarray row(dtype::i32, {1});
    row.set_number(0, static_cast<double>(batch_first_ ? place : place * shape_.batch));
    return known_value("row", row);
  }

  /// Returns the rows of an operand that belong to a direction: (directions, rows, ...) as (rows, ...).
  [[nodiscard]] onnx_value of_direction(onnx_value const& all, std::int64_t direction) {
    std::vector<part_of_dimension> parts;
    for (auto const extent : all.shape) parts.push_back({0, 1, extent});
    parts[0] = {direction, 1, 1};
    std::vector<std::int64_t> const shape(all.shape.begin() + 1, all.shape.end());
    if (directions_ == 1) return to_.view(all, shape);
    if (all.is_known()) return known_part(all, direction, shape);
    return to_.view(sliced(to_, all, parts), shape);
  }

  /// Returns the two halves of the bias of a direction, which must be known; zeros if it is left out.
  [[nodiscard]] std::pair<ir::ndarray, ir::ndarray> biases(std::int64_t direction) {
    auto const count = gates_ * shape_.units;
    std::pair<ir::ndarray, ir::ndarray> made{ir::ndarray(dtype::f32, {count}), ir::ndarray(dtype::f32, {count})};
    if (!to_.has_input(3)) return made;
    if (!to_.input(3).is_known()) to_.unsupported("the bias must be a constant");
    auto const all = elements_of(of_direction(to_.input(3), direction));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      made.first.reals[i] = all.reals[i];
      made.second.reals[i] = all.reals[i + static_cast<std::size_t>(count)];
    }
    return made;
  }

 private:
  void check_operand(std::size_t at, std::vector<std::int64_t> const& shape) const {
    if (to_.input(at).shape != shape) to_.refuse("input " + to_.input(at).text() + " does not fit the layer");
  }

  void check_attributes(std::vector<std::string> const& activations) const {
    auto wanted = activations;
    if (directions_ == 2) wanted.insert(wanted.end(), activations.begin(), activations.end());
    if (node_.strings("activations", wanted) != wanted) to_.unsupported("other activations than the default ones");
    if (node_.has("clip")) to_.unsupported("clip");
    if (node_.integer("input_forget", 0) != 0) to_.unsupported("input_forget");
    if (to_.has_input(4))
      for (auto const length : to_.integers(4))
        if (length != steps_) to_.unsupported("sequences of different lengths");
  }

  [[nodiscard]] static onnx_value known_part(onnx_value const& all, std::int64_t direction,
                                             std::vector<std::int64_t> const& shape) {
    auto part = all;
    part.shape = shape;
    auto const bytes = part.elements() * static_cast<std::int64_t>(size_in_bytes(part.type));
    auto const* const first = static_cast<char const*>(all.content.get()) + direction * bytes;
    part.content = std::shared_ptr<void const>(all.content, first);
    part.name += direction == 0 ? ".forward" : ".reverse";
    return part;
  }

  /// Returns the state before the first step: (batch, units).
  [[nodiscard]] onnx_value first_state(std::size_t operand, std::int64_t direction) {
    if (!to_.has_input(operand)) return known_value("zeros", ir::ndarray(dtype::f32, {shape_.batch, shape_.units}));
    auto const& given = to_.input(operand);
    if (!batch_first_) {
      check_operand(operand, {directions_, shape_.batch, shape_.units});
      return of_direction(given, direction);
    }
    check_operand(operand, {shape_.batch, directions_, shape_.units});
    std::vector<part_of_dimension> const parts{{0, 1, shape_.batch}, {direction, 1, 1}, {0, 1, shape_.units}};
    return to_.view(directions_ == 1 ? given : sliced(to_, given, parts), {shape_.batch, shape_.units});
  }

  void set_outputs(std::vector<std::vector<onnx_value>> const& hidden, std::vector<states> const& last) {
    auto const n = shape_.batch, units = shape_.units;
    if (to_.is_used(0)) {
      std::vector<onnx_value> all;
      for (auto const& step : hidden) all.insert(all.end(), step.begin(), step.end());
      auto const shape = batch_first_ ? std::vector<std::int64_t>{n, steps_, directions_, units}
                                      : std::vector<std::int64_t>{steps_, directions_, n, units};
      to_.set_output(0, in_sequence(all, batch_first_, shape));
    }
    for (std::size_t state = 0; state < last.front().size(); ++state) {
      std::vector<onnx_value> all;
      for (auto const& one : last) all.push_back(one[state]);
      auto const shape = batch_first_ ? std::vector<std::int64_t>{n, directions_, units}
                                      : std::vector<std::int64_t>{directions_, n, units};
      if (to_.is_used(state + 1)) to_.set_output(state + 1, in_sequence(all, batch_first_, shape));
    }
  }

  /// Puts (batch, units) one after the other, or beside each other for `batch_first`.
  [[nodiscard]] onnx_value in_sequence(std::vector<onnx_value> const& all, bool batch_first,
                                       std::vector<std::int64_t> const& shape) {
    return to_.view(joined(to_, all, batch_first ? 1 : 0), shape);
  }

  onnx_context& to_;
  std::int64_t gates_;
  onnx_node const& node_;
  ops::recurrent_shape shape_;
  std::int64_t steps_ = 1;
  std::int64_t directions_ = 1;
  bool batch_first_ = false;
  bool reverse_ = false;
};

/// Returns the sum of the two biases of a direction.
[[nodiscard]] inline ir::ndarray summed(std::pair<ir::ndarray, ir::ndarray> biases) {
  auto& [sum, second] = biases;
  for (std::size_t i = 0; i < sum.reals.size(); ++i) sum.set_number(i, sum.reals[i] + second.reals[i]);
  return sum;
}

inline void convert_lstm(onnx_context& to, onnx_node const&) {
  using states = recurrent_layer::states;
  if (to.has_input(7)) to.unsupported("peepholes");
  recurrent_layer layer(to, 4, {"Sigmoid", "Tanh", "Tanh"});
  layer.run({5, 6}, [&](std::int64_t direction) -> std::function<states(std::int64_t, states const&)> {
    auto const W = layer.of_direction(to.input(1), direction), R = layer.of_direction(to.input(2), direction);
    auto const bias = summed(layer.biases(direction));
    if (layer.is_one_step())
      return [&to, &layer, W, R, bias](std::int64_t, states const& now) {
        auto const cell = computes_of(ops::lstm_cell(layer.shape()));
        return to.add(cell, {layer.only_input(), now[0], now[1], W, R, known_value("bias", bias)});
      };
    return [&to, &layer, R, G = layer.products_of_inputs(W, bias),
            step = computes_of(ops::lstm_step(layer.shape(), layer.rows()))](std::int64_t place, states const& now) {
      return to.add(step, {G, layer.row_of(place), now[0], now[1], R});
    };
  });
}

inline void convert_gru(onnx_context& to, onnx_node const& node) {
  using states = recurrent_layer::states;
  recurrent_layer layer(to, 3, {"Sigmoid", "Tanh"});
  bool const linear = node.integer("linear_before_reset", 0) != 0;
  layer.run({5}, [&](std::int64_t direction) -> std::function<states(std::int64_t, states const&)> {
    auto const W = layer.of_direction(to.input(1), direction), R = layer.of_direction(to.input(2), direction);
    auto const [of_input, of_state] = layer.biases(direction);
    auto const state_bias = known_value("state_bias", of_state);
    if (layer.is_one_step())
      return [&to, &layer, W, R, linear, state_bias, bias = known_value("bias", of_input)](std::int64_t,
                                                                                           states const& now) {
        auto const cell = computes_of(ops::gru_cell(layer.shape(), linear));
        return to.add(cell, {layer.only_input(), now[0], W, R, bias, state_bias});
      };
    return [&to, &layer, R, state_bias, G = layer.products_of_inputs(W, of_input),
            step = computes_of(ops::gru_step(layer.shape(), layer.rows(), linear))](std::int64_t place,
                                                                                    states const& now) {
      return to.add(step, {G, layer.row_of(place), now[0], R, state_bias});
    };
  });
}

/// A step of a simple recurrent layer: tanh(X W^T + H R^T + bias). Element n of the batch reads row `row` + n
/// `between`.
inline void convert_rnn(onnx_context& to, onnx_node const&) {
  using states = recurrent_layer::states;
  recurrent_layer layer(to, 1, {"Tanh"});
  auto const s = layer.shape();
  layer.run({5}, [&, s](std::int64_t direction) {
    auto const R = layer.of_direction(to.input(2), direction);
    auto const G =
        layer.products_of_inputs(layer.of_direction(to.input(1), direction), summed(layer.biases(direction)));
    return [&to, &layer, s, R, G](std::int64_t place, states const& now) {
      onnx_kernel made(to);
      auto const rows = layer.rows();
      auto const products = made.read_tensor(G), weights = made.read_tensor(R), state = made.read_tensor(now[0]);
      auto const first = made.read_place(layer.row_of(place), rows.all - (s.batch - 1) * rows.between);
      auto const of_state = made.reduce(
          ir::reduction_kind::sum, dtype::f32, {s.batch, s.units}, {s.units},
          [&](auto const& at, auto const& over) { return state({at[0], over[0]}) * weights({at[1], over[0]}); });
      return states{made.finish(made.map(dtype::f32, {s.batch, s.units}, [&](auto const& at) {
        auto const row = cast(dtype::index, first({ir::make_index(0)})) + at[0] * rows.between;
        return apply(ir::unary_op::tanh, products({row, at[1]}) + of_state(at));
      }))};
    };
  });
}

void add_recurrent(onnx_converters& to) {
  to.add("LSTM", convert_lstm);
  to.add("GRU", convert_gru);
  to.add("RNN", convert_rnn);
}

}}}  // namespace ttune::v0::onnx_convert
