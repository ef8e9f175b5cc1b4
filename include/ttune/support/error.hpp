// SPDX-License-Identifier: Apache-2.0
// The exceptions of the library: one base, five leaves, each says whose fault it is.
// What a candidate kernel does wrong is never an exception but a value (runtime/measurement.hpp).
#pragma once

#include <stdexcept>
#include <string>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

/// Base of everything ttune throws for something the caller asked for.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What an operator computes is wrong: extents that disagree, an index that leaves its operand.
struct program_error : error {
  using error::error;
};

/// A schedule primitive cannot be applied. Names the primitive, what it was aimed at, and the fix.
struct schedule_error : error {
  schedule_error(std::string primitive_name, std::string culprit_name, std::string const& sentence)
      : error(primitive_name + "(" + culprit_name + "): " + sentence),
        primitive(std::move(primitive_name)),
        culprit(std::move(culprit_name)) {}
  std::string primitive;
  std::string culprit;
};

/// A kernel was called, or a tuner made, with arguments that do not fit.
struct argument_error : error {
  using error::error;
};

/// Memory that a kernel needs beside its operands cannot be had.
struct memory_error : error {
  using error::error;
};

/// A foreign library failed: names it and carries its full log.
struct backend_error : error {
  using error::error;
};

/// A record file cannot be used: names the file, the reason and the way on.
struct record_error : error {
  using error::error;
};

}  // namespace ttune::inline v0
