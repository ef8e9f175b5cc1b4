// SPDX-License-Identifier: Apache-2.0
// What a store has for a workload, as far as this machine can run it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ttune/records/store.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune::inline v0::detail {

/// A kernel that records have, in one way or another.
struct stored_kernel {
  record of;                          ///< of another key where the image of another key stands in
  std::optional<kernel_image> image;  ///< nothing: the workload has to be tuned
  bool compiled = false;              ///< the image is a new one, of the schedule that is recorded
  std::string fallback = {};          ///< not empty: why the stored image does not serve, and what does
};

/// Nothing if there is none, or if another version of the library made it.
[[nodiscard]] inline std::optional<kernel_image> usable_image(image_lookup const& stored) {
  if (!stored || stored.of.lowering_version != lowering_version) return std::nullopt;
  try {
    auto image = image_from_bytes(stored.bytes);
    if (image.abi == abi_version) return image;
  } catch (record_error const&) {  // it is compiled again
  }
  return std::nullopt;
}

/// What this machine lacks of the instructions that an image is made of, if it is for this kind of processor; else
/// empty. Images for other processors run elsewhere.
[[nodiscard]] inline std::string missing_for(kernel_image const& image) {
  return is_host_architecture(image.target) ? missing_features(image.features) : std::string();
}

/// Of the images for the same program and objective that were made for other targets or in other spaces, the fastest
/// (where it was measured) that runs here, or none. Looks at the 1000 nearest keys.
[[nodiscard]] stored_kernel next_stored_image(record_store const& in, record_key const& wanted);

/// The stored image of a key. Where this machine lacks instructions for it, the next one; where there is none, what
/// `compile` makes of the best record: nothing, if that fails.
[[nodiscard]] stored_kernel find_stored(record_store const& in, record_key const& wanted,
                                        std::function<std::optional<kernel_image>(record const&)> const& compile);

/// The recorded choices as text, "C.tile_j=64 C.order=0,1".
[[nodiscard]] std::string describe_choices(std::vector<knob_choice> const& choices);

}  // namespace ttune::inline v0::detail

#if TTUNE_HEADER_ONLY
#include "ttune/tune/session/stored_image.inl.hpp"
#endif
