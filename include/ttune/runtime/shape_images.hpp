// SPDX-License-Identifier: Apache-2.0
// The kernels of an operator whose extents calls give, and the choice among them, as databases have them and exports
// read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/open_range.hpp"
#include "ttune/runtime/shape_tree.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// One of the kernels, with what reports say about it.
struct shape_image {
  kernel_image image;
  std::string workload = {};  ///< the operator with the shape at which the kernel was tuned
  std::string schedule = {};
  double seconds = 0;  ///< of a call at that shape
};

/// The kernels, which have the same operands and targets, and the tree that chooses one by the extents of a call.
struct shape_images {
  open_range range;
  std::vector<shape_image> kernels;
  shape_tree tree;

  /// Returns the signature in a call with the largest extents.
  [[nodiscard]] kernel_signature signature() const;
};

/// Returns true for bytes that `to_bytes` made of shape images, and false for those of a single image.
[[nodiscard]] bool are_shape_images(std::span<std::uint8_t const> bytes) noexcept;
/// Serialises shape images as {magic, version, checksum, body}. The checksum detects damage, not malice.
[[nodiscard]] std::vector<std::uint8_t> to_bytes(shape_images const& all);
/// Parses shape images. Throws record_error with the reason if the bytes are not intact ones of this version. Safe for
/// arbitrary bytes: the tree of returned images ends at one of the kernels for any extents, and operands have extents
/// of the range.
[[nodiscard]] shape_images shape_images_from_bytes(std::span<std::uint8_t const> bytes);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/shape_images.inl.hpp"
#endif
