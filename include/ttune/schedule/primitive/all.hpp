// SPDX-License-Identifier: Apache-2.0
// Includes all primitives, and calls a function with the rules of each (rules.hpp).
#pragma once

#include "ttune/schedule/primitive/annotate.hpp"
#include "ttune/schedule/primitive/bind.hpp"
#include "ttune/schedule/primitive/cache_read.hpp"
#include "ttune/schedule/primitive/cache_write.hpp"
#include "ttune/schedule/primitive/carry.hpp"
#include "ttune/schedule/primitive/compute_along.hpp"
#include "ttune/schedule/primitive/compute_at.hpp"
#include "ttune/schedule/primitive/compute_once.hpp"
#include "ttune/schedule/primitive/compute_with.hpp"
#include "ttune/schedule/primitive/double_buffer.hpp"
#include "ttune/schedule/primitive/expand_reduction.hpp"
#include "ttune/schedule/primitive/fuse.hpp"
#include "ttune/schedule/primitive/fuse_axes.hpp"
#include "ttune/schedule/primitive/inline_stage.hpp"
#include "ttune/schedule/primitive/pack.hpp"
#include "ttune/schedule/primitive/pad.hpp"
#include "ttune/schedule/primitive/parallel.hpp"
#include "ttune/schedule/primitive/prefetch.hpp"
#include "ttune/schedule/primitive/reorder.hpp"
#include "ttune/schedule/primitive/rfactor.hpp"
#include "ttune/schedule/primitive/scatter.hpp"
#include "ttune/schedule/primitive/separate.hpp"
#include "ttune/schedule/primitive/slide.hpp"
#include "ttune/schedule/primitive/split.hpp"
#include "ttune/schedule/primitive/split_axis.hpp"
#include "ttune/schedule/primitive/split_phases.hpp"
#include "ttune/schedule/primitive/split_scan.hpp"
#include "ttune/schedule/primitive/storage_align.hpp"
#include "ttune/schedule/primitive/store_in.hpp"
#include "ttune/schedule/primitive/swizzle.hpp"
#include "ttune/schedule/primitive/tensorize.hpp"
#include "ttune/schedule/primitive/unroll.hpp"
#include "ttune/schedule/primitive/vectorize.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// Calls `f` with the rules of each primitive and its number, in the order of list.hpp: `f.operator()<Rules>(number)`.
template <class Function>
void for_each_rules(Function const& f) {
#define TTUNE_VISIT(name, effect) f.template operator()<rules<primitive::name>>(primitive::name);
  TTUNE_PRIMITIVES(TTUNE_VISIT)
#undef TTUNE_VISIT
}

/// Calls `f` with the rules of one primitive: `f.operator()<Rules>()`.
template <class Function>
void with_rules(primitive which, Function const& f) {
  for_each_rules([&]<class Rules>(primitive one) {
    if (one == which) f.template operator()<Rules>();
  });
}

}}}  // namespace ttune::v0::primitives

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/schedule/primitive/all.inl.hpp"
#endif
