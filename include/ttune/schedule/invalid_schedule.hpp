// SPDX-License-Identifier: Apache-2.0
// Stands for a schedule after an error that the compiler reports, so that one error makes one message.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "ttune/schedule/space.hpp"

namespace ttune { inline namespace v0 {

/// Replaces a schedule after its first error: it accepts every call, and reports nothing more.
struct invalid_schedule {
#define TTUNE_ACCEPTED_CALL(name, effect)    \
  template <class... X>                      \
  invalid_schedule name(X const&...) const { \
    return {};                               \
  }
  TTUNE_PRIMITIVES(TTUNE_ACCEPTED_CALL)
  TTUNE_ACCEPTED_CALL(tile, )
  TTUNE_ACCEPTED_CALL(in, )
  TTUNE_ACCEPTED_CALL(where, )
#undef TTUNE_ACCEPTED_CALL

  template <class Loop, class... X>
  invalid_schedule split(Loop const&, std::initializer_list<std::int64_t>, X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule compute_once(std::initializer_list<char const*>, X const&...) const {
    return {};
  }
  operator ttune::space() const { return {}; }
};

}}  // namespace ttune::v0
