// SPDX-License-Identifier: Apache-2.0
// What the tuner asks of a backend: to turn lowered programs into kernel images for one target.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ttune/core/target.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/runtime/availability.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune::inline v0 {

/// An image, or the compiler's diagnostics.
struct compile_result {
  std::optional<kernel_image> image;
  std::string diagnostics;
  double seconds = 0;
};

/// `compile` is called from one thread at a time per backend object; a failure is a value, never an exception.
class backend {
 public:
  virtual ~backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual ttune::availability availability() const = 0;
  [[nodiscard]] virtual ttune::target const& target() const = 0;
  [[nodiscard]] virtual compile_result compile(ir::lowered const& program, kernel_signature signature) = 0;
  /// The source text that `compile` would hand to the compiler, for people.
  [[nodiscard]] virtual std::string source(ir::lowered const& program, kernel_signature const& signature) const = 0;
  /// For the same target, to compile beside this one in another thread. Null: it cannot be done.
  [[nodiscard]] virtual std::unique_ptr<backend> another() const { return nullptr; }
};

/// A backend that says itself what a call costs: no trial of its programs is run.
class untimed_backend : public backend {
 public:
  /// Of one call, more than 0.
  [[nodiscard]] virtual double seconds(ir::lowered const& program) const = 0;
};

}  // namespace ttune::inline v0
