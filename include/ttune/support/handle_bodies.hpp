// SPDX-License-Identifier: Apache-2.0
// Counts and deletes nodes; needs their complete types.
#pragma once

#include "ttune/support/handle.hpp"

namespace ttune { inline namespace v0 { namespace detail {

template <class T>
void retain(T const* node) noexcept {
  node->references.fetch_add(1, std::memory_order_relaxed);
}
template <class T>
void release(T const* node) noexcept {
  if (node->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node;
}

}}}  // namespace ttune::v0::detail
