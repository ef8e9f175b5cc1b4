// SPDX-License-Identifier: Apache-2.0
// Makes a CUDA context current for the calling thread during a scope.
#pragma once

#include "ttune/backends/cuda/api.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

/// Pushes a context, and pops it at the end of the scope.
struct current_context {
  explicit current_context(context c) { check(cuCtxPushCurrent(c), "cuCtxPushCurrent"); }
  current_context(current_context const&) = delete;
  current_context& operator=(current_context const&) = delete;
  ~current_context() {
    context old = nullptr;
    (void)cuCtxPopCurrent(&old);
  }
};

}}}  // namespace ttune::v0::cuda
