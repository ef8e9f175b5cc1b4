// SPDX-License-Identifier: Apache-2.0
// A backend for unit tests: kernels are interpreted, trials are counted. No compiler, no clock, no worker.
#pragma once

#include "ttune/runtime/backend.hpp"

namespace ttune::inline v0 {

/// With it an application's tests tune and call kernels with nothing installed, and get the same kernel each time:
///
///   ttune::tuner tuner{ttune::interpreter_backend{}, {.seed = 7}};
///   const auto tuned = tuner.tune(my_operator, {.trials = 20});
///   tuned(a, b, c);
///
/// A trial costs as many nanoseconds as its program counts operations (runtime/operation_count.hpp); nothing runs.
/// Kernels are checked as they run: an index out of bounds, or an element that is read before it is written, throws.
/// They take about 10 ns an operation, live in this process only and are not stored; what was tried is.
class interpreter_backend final : public untimed_backend {
 public:
  /// Of a machine with 4 cores and vectors of 16 bytes, whichever it runs on: the same space is derived everywhere.
  interpreter_backend();
  /// Spaces and counts of this machine; its name is "interpreter" all the same.
  explicit interpreter_backend(ttune::target machine);

  [[nodiscard]] std::string name() const override { return "interpreter"; }
  [[nodiscard]] ttune::availability availability() const override { return {}; }
  [[nodiscard]] ttune::target const& target() const override { return target_; }
  [[nodiscard]] compile_result compile(ir::lowered const& program, kernel_signature signature) override;
  /// The program in the notation of ir/print.hpp.
  [[nodiscard]] std::string source(ir::lowered const& program, kernel_signature const& signature) const override;
  [[nodiscard]] double seconds(ir::lowered const& program) const override;

 private:
  ttune::target target_;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/interpreter_backend.inl.hpp"
#endif
