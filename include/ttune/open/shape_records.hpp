// SPDX-License-Identifier: Apache-2.0
// Records of the kernels for many shapes: all kernels in one image, so that a start with records compiles and times
// nothing.
#pragma once

#include <optional>

#include "ttune/open/shape_options.hpp"
#include "ttune/records/record.hpp"
#include "ttune/runtime/shape_images.hpp"
#include "ttune/tune/tuner.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Kernels for many shapes as a record has them.
struct recorded_shapes {
  shape_images images;
  recorded_effort effort = {};
  double seconds = 0;  ///< of a call: the weighted geometric mean over all shapes that were timed
};

/// Returns the key of the kernels for a program with open extents, within their ranges: likely shapes and the number
/// of kernels belong to it, and the tuner's target and objective. Its text is that of records/shape_keys.hpp.
[[nodiscard]] record_key key_of_shapes(handle<ir::program> const& open, shape_options const& how, tuner const& by);

/// Stores kernels if the tuner has records that can be written.
void keep_shapes(record_key const& as, recorded_shapes const& found, tuner const& by);

/// Returns the kernels that this version of the library stored, if they answer what is asked for and can be loaded
/// here; otherwise nothing. Profilers and debuggers see the lines of kernels that are compiled in this process only:
/// for them there are none.
[[nodiscard]] std::optional<recorded_shapes> find_shapes(record_key const& as, asked_effort const& asked,
                                                         tuner const& by);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/shape_records.inl.hpp"
#endif
