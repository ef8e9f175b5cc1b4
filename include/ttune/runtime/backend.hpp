// SPDX-License-Identifier: Apache-2.0
// The interface between the tuner and a backend: a backend turns lowered programs into kernel images for one target.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/availability.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 {

/// Result of a compilation: an image, or the compiler's diagnostics.
struct compile_result {
  std::optional<kernel_image> image;
  std::string diagnostics;
  double seconds = 0;
};

/// Compiler for one target. The caller uses a backend object from one thread at a time. A failed compilation is
/// returned as a value; `compile` never throws.
class backend {
 public:
  virtual ~backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual ttune::availability availability() const = 0;
  [[nodiscard]] virtual ttune::target const& target() const = 0;
  [[nodiscard]] virtual compile_result compile(ir::lowered const& program, kernel_signature signature) = 0;
  /// Returns the source text that `compile` hands to the compiler, for people to read.
  [[nodiscard]] virtual std::string source(ir::lowered const& program, kernel_signature const& signature) const = 0;
  /// Returns a second backend for the same target, for compiling in another thread; null if that is not supported.
  [[nodiscard]] virtual std::unique_ptr<backend> another() const { return nullptr; }
  /// Returns a backend for tests, whose kernels check each access to memory: a call throws access_error at the first
  /// one outside of its buffer. Null if there is none.
  [[nodiscard]] virtual std::unique_ptr<backend> checked() const { return nullptr; }
};

/// A backend with an analytic cost: the tuner uses `seconds` and never runs the programs.
class analytic_backend : public backend {
 public:
  /// Returns the cost of one call, in seconds; greater than 0.
  [[nodiscard]] virtual double seconds(ir::lowered const& program) const = 0;
};

}}  // namespace ttune::v0
