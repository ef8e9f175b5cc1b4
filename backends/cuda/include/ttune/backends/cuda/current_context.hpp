// SPDX-License-Identifier: Apache-2.0
// The context that a thread works in, for as long as it needs it.
#pragma once

#include "ttune/backends/cuda/api.hpp"

namespace ttune::inline v0::cuda {

struct current_context {
  explicit current_context(context c) { check(cuCtxPushCurrent(c), "cuCtxPushCurrent"); }
  current_context(current_context const&) = delete;
  current_context& operator=(current_context const&) = delete;
  ~current_context() {
    context old = nullptr;
    (void)cuCtxPopCurrent(&old);
  }
};

}  // namespace ttune::inline v0::cuda
