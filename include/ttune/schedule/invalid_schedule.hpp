// SPDX-License-Identifier: Apache-2.0
// Stands for a schedule after an error that the compiler reports, so that one error makes one message.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "ttune/schedule/schedule_builder.hpp"

namespace ttune { inline namespace v0 {

/// Replaces a schedule after its first error: it accepts every call, and reports nothing more.
struct invalid_schedule {
  template <class... X>
  invalid_schedule split(X const&...) const {
    return {};
  }
  template <class L, class... X>
  invalid_schedule split(L const&, std::initializer_list<std::int64_t>, X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule fuse(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule merge(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule reorder(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule tile(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule parallel(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule vectorize(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule unroll(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule tensorize(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule bind(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule annotate(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule in(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule compute_at(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule cache_read(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule cache_write(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule rfactor(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule inline_stage(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule compute_once(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule compute_with(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule separate(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule store_in(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule swizzle(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule pack(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule slide(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule expand_reduction(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule double_buffer(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule prefetch(X const&...) const {
    return {};
  }
  template <class... X>
  invalid_schedule where(X const&...) const {
    return {};
  }
  operator ttune::space() const { return {}; }
};

}}  // namespace ttune::v0
