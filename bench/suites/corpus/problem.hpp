// SPDX-License-Identifier: Apache-2.0
// An operator of the corpus at some extents: its program, its inputs, and what its outputs should be.
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

/// Which result is right.
enum class reference : std::uint8_t {
  loops,       ///< that of the plain loops
  interpreter  ///< that of ttune's interpreter, in double precision: small shapes only
};

struct corpus_shape {
  corpus::corpus_operator const* what = nullptr;
  std::vector<corpus::index> extents;
  reference right = reference::loops;
  std::string name = {};
  double operations = 0;     ///< of the program, as ttune counts them; known once the problem is made
  double operand_bytes = 0;  ///< of all operands together

  [[nodiscard]] double flops() const { return operations; }
  /// GFLOP/s that the machine allows: the peak of its multiply-adds (of f32), or every operand through memory once.
  [[nodiscard]] double attainable(double fma_peak, double copy) const;
};

[[nodiscard]] inline corpus_shape at_its_size(corpus::corpus_operator const& o) {
  return {&o, o.extents, reference::loops, o.name};
}
[[nodiscard]] inline corpus_shape small(corpus::corpus_operator const& o) {
  return {&o, o.small, reference::interpreter, o.name};
}

/// Throws what `op` throws, and std::logic_error where plain loops are missing or of other operands.
struct corpus_problem {
  explicit corpus_problem(corpus_shape s);
  /// Floats that hold all outputs, each on a boundary of 64 bytes.
  [[nodiscard]] std::int64_t output_floats() const { return output_floats_; }
  /// The largest difference from what is right by the root mean square of the output, over all elements of all outputs.
  /// NaN where only one of both is NaN.
  [[nodiscard]] double error_of(buffer const& out) const;
  [[nodiscard]] double tolerance() const { return shape.what->tolerance; }
  /// Inputs, then outputs inside of `out`.
  [[nodiscard]] std::vector<void*> operands(buffer const& out) const;
  /// Runs a plain function of these operands.
  void run(corpus::plain_function const& f, buffer const& out) const;

  corpus_shape shape;
  ttune::handle<ttune::ir::program> program;
  ttune::kernel_signature signature;
  std::vector<buffer> in;

 private:
  void make_inputs();
  void make_expected();

  std::vector<std::int64_t> output_at_;  ///< floats from the beginning of `out`
  std::int64_t output_floats_ = 0;
  std::vector<ttune::ir::ndarray> expected_;
};

}  // namespace ttune_bench
