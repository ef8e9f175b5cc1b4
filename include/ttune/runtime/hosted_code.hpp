// SPDX-License-Identifier: Apache-2.0
// What a kernel does where it is no machine code: an object of this process, called with the operands.
#pragma once

#include <span>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

/// Immutable; may be called from many threads at once.
class hosted_code {
 public:
  hosted_code() = default;
  hosted_code(hosted_code const&) = delete;
  hosted_code& operator=(hosted_code const&) = delete;
  virtual ~hosted_code() = default;

  /// `operands`: inputs, then outputs, contiguous, as in the kernel's signature.
  virtual void run(std::span<void* const> operands) const = 0;
};

}  // namespace ttune::inline v0
