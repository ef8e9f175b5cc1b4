// SPDX-License-Identifier: Apache-2.0
// A network as data: tensors, and operators that connect them. `network` (network/network.hpp) builds it from the DSL
// with checks by the compiler; readers of files and passes build it here, and everything is checked when it is added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/support/handle.hpp"

namespace ttune { inline namespace v0 {

namespace ir {
struct program;
}

/// The origin of the elements of a tensor.
enum class tensor_origin : std::uint8_t {
  input,    ///< the caller passes it
  weights,  ///< known when the network is tuned
  result    ///< an operator computes it
};

/// A tensor of a network, row-major where the caller sees it.
struct network_tensor {
  std::string name;
  dtype type = dtype::f32;
  std::vector<std::int64_t> shape;
  tensor_origin origin = tensor_origin::result;
  std::shared_ptr<void const> content = {};  ///< of weights: the elements

  [[nodiscard]] std::int64_t elements() const noexcept;
  [[nodiscard]] std::int64_t bytes() const noexcept;
  [[nodiscard]] std::string text() const;  ///< such as "conv1.W f32 (64, 3, 7, 7)"
};

/// One way to compute an operator.
struct network_compute {
  handle<ir::program> program;
  double error = 0;  ///< rounding error relative to a direct sum (expr/numerics.hpp); 0: it only reassociates

  [[nodiscard]] std::string const& name() const noexcept;  ///< that of the program
};

/// An operator of a network. A view gives the elements of its input another shape; it computes nothing.
struct network_operator {
  std::string name;
  std::vector<network_compute> computes;  ///< equivalent; the first is the oracle of the others. None: a view
  std::vector<std::size_t> inputs;        ///< tensors, in the order of the kernels' inputs
  std::vector<std::size_t> outputs;       ///< tensors, in the order of the kernels' outputs

  [[nodiscard]] bool is_view() const noexcept { return computes.empty(); }
};

/// The operands of a kernel, in their order.
struct divided_operands {
  std::vector<operand_info> inputs;  ///< constants included
  std::vector<operand_info> results;
};
[[nodiscard]] divided_operands divide_operands(kernel_signature const& signature);

/// Tensors and operators, each after those that it depends on. Functions that add something throw program_error, naming
/// the operator and the operand, for what does not fit.
class network_graph {
 public:
  explicit network_graph(std::string name) : name_(std::move(name)) {}

  /// Adds an input of the network. Callers pass inputs in the order in which they were added.
  std::size_t add_input(std::string name, dtype type, std::vector<std::int64_t> shape);
  /// Adds weights. `content` holds all elements in row-major order, and shares the ownership of their memory.
  std::size_t add_weights(std::string name, dtype type, std::vector<std::int64_t> shape,
                          std::shared_ptr<void const> content);
  /// Adds an operator; returns its results. An empty name stands for that of the program.
  std::vector<std::size_t> add_operator(std::string name, std::vector<network_compute> computes,
                                        std::vector<std::size_t> inputs);
  /// Adds a view: the elements of a tensor, in row-major order, with another shape.
  std::size_t add_view(std::string name, std::size_t of, std::vector<std::int64_t> shape);
  /// Makes a result an output of the network. Callers pass outputs after the inputs, in the order of these calls.
  void add_output(std::string name, std::size_t tensor);

  /// Returns the same network with other operators on its tensors; tensors that no operator uses any more stay listed.
  [[nodiscard]] network_graph with_operators(std::vector<network_operator> operators) const;
  /// Returns the same network without the elements of weights. It cannot be executed.
  [[nodiscard]] network_graph without_content() const;
  /// Gives up the elements of weights, and frees them if nobody else has them.
  void drop_content(std::size_t tensor) { tensors_.at(tensor).content.reset(); }

  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] std::vector<network_tensor> const& tensors() const noexcept { return tensors_; }
  [[nodiscard]] std::vector<network_operator> const& operators() const noexcept { return operators_; }
  [[nodiscard]] std::vector<std::size_t> const& inputs() const noexcept { return inputs_; }
  [[nodiscard]] std::vector<std::size_t> const& outputs() const noexcept { return outputs_; }
  /// Returns the operators that read a tensor, each once.
  [[nodiscard]] std::vector<std::size_t> readers(std::size_t tensor) const;
  /// Returns the operator that computes a tensor; `operators().size()` for inputs and weights.
  [[nodiscard]] std::size_t producer(std::size_t tensor) const;
  [[nodiscard]] bool is_output(std::size_t tensor) const;
  /// Returns a line per operator: its name, operands and results.
  [[nodiscard]] std::string text() const;

 private:
  std::size_t add_tensor(network_tensor made);
  void check_name(std::string const& tensor) const;
  void check_program(std::string const& op, ir::program const& program) const;
  void check_operands(std::string const& op, std::vector<operand_info> const& wanted,
                      std::vector<std::size_t> const& given) const;
  [[noreturn]] void refuse(std::string const& why) const;

  std::string name_;
  std::vector<network_tensor> tensors_;
  std::vector<network_operator> operators_;
  std::vector<std::size_t> inputs_;
  std::vector<std::size_t> outputs_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/graph.inl.hpp"
#endif
