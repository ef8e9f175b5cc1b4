// SPDX-License-Identifier: Apache-2.0
// An operator of the corpus with some extents: its program, its inputs, and the expected outputs.
#pragma once

#include <ttune/ir/ndarray.hpp>
#include <ttune/ir/node.hpp>
#include <ttune/runtime/image.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "../../problem.hpp"
#include "operators.hpp"

namespace ttune_bench {

/// The source of the right result.
enum class reference : std::uint8_t {
  loops,       ///< the plain loops
  interpreter  ///< ttune's interpreter, in double precision: small shapes only
};

struct corpus_shape {
  corpus::corpus_operator const* what = nullptr;
  std::vector<corpus::index> extents;
  reference right = reference::loops;
  std::string name = {};
  double operations = 0;     ///< operations of the program, as ttune counts them; known after the problem is made
  double operand_bytes = 0;  ///< bytes of all operands together

  [[nodiscard]] double flops() const { return operations; }
  /// Returns the GFLOP/s that the machine allows: its f32 peak of multiply-adds, or all operands through memory once.
  [[nodiscard]] double attainable(double fma_peak, double copy) const;
};

[[nodiscard]] inline corpus_shape at_its_size(corpus::corpus_operator const& o) {
  return {&o, o.extents, reference::loops, o.name};
}
[[nodiscard]] inline corpus_shape small(corpus::corpus_operator const& o) {
  return {&o, o.small, reference::interpreter, o.name};
}

/// Throws the exceptions of `op`, and std::logic_error if plain loops are missing or have other operands.
struct corpus_problem {
  explicit corpus_problem(corpus_shape s);
  /// Returns the number of floats for all outputs, each aligned to 64 bytes.
  [[nodiscard]] std::int64_t output_floats() const { return output_floats_; }
  /// Returns the largest difference from the right result, divided by the root mean square of the output, over all
  /// elements of all outputs; NaN if only one of two elements is NaN.
  [[nodiscard]] double error_of(buffer const& out) const;
  [[nodiscard]] double tolerance() const { return shape.what->tolerance; }
  /// Returns the inputs, then the outputs inside of `out`.
  [[nodiscard]] std::vector<void*> operands(buffer const& out) const;
  /// Runs a plain function with these operands.
  void run(corpus::plain_function const& f, buffer const& out) const;

  corpus_shape shape;
  ttune::handle<ttune::ir::program> program;
  ttune::kernel_signature signature;
  std::vector<buffer> in;

 private:
  void make_inputs();
  void make_expected();

  std::vector<std::int64_t> output_at_;  ///< offset of each output in `out`, in floats
  std::int64_t output_floats_ = 0;
  std::vector<ttune::ir::ndarray> expected_;
};

}  // namespace ttune_bench
