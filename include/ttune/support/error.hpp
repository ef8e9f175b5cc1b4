// SPDX-License-Identifier: Apache-2.0
// The exceptions of the library: one base class, and a derived class for each kind of cause. Faults of a candidate
// kernel are values, not exceptions (runtime/measure/measurement.hpp).
#pragma once

#include <stdexcept>
#include <string>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Base class of all exceptions that ttune throws because of a request of the caller.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The definition of an operator is wrong: extents disagree, or an index leaves its operand.
struct program_error : error {
  using error::error;
};

/// A schedule primitive cannot be applied. The text names the primitive, its target, and the fix.
struct schedule_error : error {
  schedule_error(std::string primitive_name, std::string culprit_name, std::string const& sentence)
      : error(primitive_name + "(" + culprit_name + "): " + sentence),
        primitive(std::move(primitive_name)),
        culprit(std::move(culprit_name)) {}
  std::string primitive;
  std::string culprit;
};

/// A kernel was called, or a tuner created, with unsuitable arguments.
struct argument_error : error {
  using error::error;
};

/// Memory that a kernel needs besides its operands cannot be allocated.
struct memory_error : error {
  using error::error;
};

/// A foreign library failed; the text names it and contains its full log.
struct backend_error : error {
  using error::error;
};

/// Thrown by a call of a checked kernel (runtime/backend.hpp). The text names the kernel, the operand or scratch
/// buffer, the element, and the statement of the loop nest. The outputs are undefined.
struct access_error : backend_error {
  using backend_error::backend_error;
};

/// A record file cannot be used; the text names the file, the reason and a remedy.
struct record_error : error {
  using error::error;
};

}}  // namespace ttune::v0
