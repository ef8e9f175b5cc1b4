// SPDX-License-Identifier: Apache-2.0
// An image found in a store, if this library can load it.
#pragma once

#include <optional>

#include "ttune/records/store.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/support/error.hpp"
#include "ttune/tune/workload.hpp"

namespace ttune::inline v0 {

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

}  // namespace ttune::inline v0
