// SPDX-License-Identifier: Apache-2.0
// A backend for unit tests: kernels are interpreted and costs are counted. It needs no compiler, clock or worker.
#pragma once

#include "ttune/runtime/backend.hpp"

namespace ttune { inline namespace v0 {

/// Backend that interprets kernels. An application's tests tune and call kernels with it without anything installed,
/// and get the same kernel each time:
///
///   ttune::tuner tuner{ttune::interpreter_backend{}, {.seed = 7}};
///   const auto tuned = tuner.tune(my_operator, {.trials = 20});
///   tuned(a, b, c);
///
/// The cost of a candidate is one nanosecond per operation of its program (runtime/measure/operation_count.hpp); trials
/// run nothing. Kernels are checked while they run: an index out of bounds, or a read of an element that was not
/// written before, throws. A kernel takes about 10 ns per operation, exists in this process only and is not stored; the
/// trials are stored.
class interpreter_backend final : public analytic_backend {
 public:
  /// Assumes a machine with 4 cores and vectors of 16 bytes on every host, so that the same space is derived
  /// everywhere.
  interpreter_backend();
  /// Derives spaces and counts operations for `machine`; the target's name stays "interpreter".
  explicit interpreter_backend(ttune::target machine);

  [[nodiscard]] std::string name() const override { return "interpreter"; }
  [[nodiscard]] ttune::availability availability() const override { return {}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override;
  /// Returns the program in the notation of ir/print.hpp.
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override;
  [[nodiscard]] double seconds(ir::lowered const& program) const override;

 private:
  ttune::target target_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/interpreter_backend.inl.hpp"
#endif
