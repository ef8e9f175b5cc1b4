// SPDX-License-Identifier: Apache-2.0
// Finds a stored kernel that this machine can run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ttune/lowering/lower.hpp"
#include "ttune/records/store.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// A kernel found in the records.
struct stored_kernel {
  record of;                          ///< has another key if the image of another key is used instead
  std::optional<kernel_image> image;  ///< nothing if the workload has to be tuned
  bool compiled = false;              ///< true if the recorded schedule was compiled now
  std::string fallback = {};          ///< if not empty: why the stored image cannot be used, and its replacement
};

/// Returns the image; nothing if there is none, or if another version of the library made it.
[[nodiscard]] inline std::optional<kernel_image> usable_image(image_lookup const& stored) {
  if (!stored || stored.of.lowering_version != lowering_version) return std::nullopt;
  try {
    auto image = image_from_bytes(stored.bytes);
    if (image.abi == abi_version) return image;
  } catch (record_error const&) {  // it will be compiled again
  }
  return std::nullopt;
}

/// Returns the instructions of an image that this machine lacks, if the image is for this kind of processor; otherwise
/// an empty text. Images for other processors run elsewhere.
[[nodiscard]] inline std::string missing_for(kernel_image const& image) {
  return is_host_architecture(image.target) ? missing_features(image.features) : std::string();
}

/// Returns the fastest measured image that runs here, among the images for the same program and objective with other
/// targets or spaces; nothing if there is none. Looks at the 1000 nearest keys.
[[nodiscard]] stored_kernel next_stored_image(record_store const& in, record_key const& wanted);

/// Returns the stored image of a key; if TTUNE_TOOLS names a tool, the image that `compile` makes of its
/// record. If this
/// machine lacks instructions for it, returns the next one; if there is none, the image that `compile` makes of the
/// best record; if that fails, nothing.
[[nodiscard]] stored_kernel find_stored(record_store const& in, record_key const& wanted,
                                        std::function<std::optional<kernel_image>(record const&)> const& compile);

/// Returns the recorded choices as text: "C.tile_j=64 C.order=0,1".
[[nodiscard]] std::string describe_choices(std::vector<knob_choice> const& choices);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/session/stored_image.inl.hpp"
#endif
