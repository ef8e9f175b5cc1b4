// SPDX-License-Identifier: Apache-2.0
// A kernel of an exported library, with its machine code for several instruction sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/records/record.hpp"
#include "ttune/runtime/shape_images.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Machine code of a kernel for one instruction set.
struct exported_variant {
  shape_images code;  ///< a single image without a range, unless calls give extents
  record_key key;
  double seconds = 0;                      ///< as measured when it was tuned
  std::vector<std::string> features = {};  ///< those that the exported program asks the processor for

  /// Returns the first image: all of a variant have the same operands and target.
  [[nodiscard]] kernel_image const& image() const { return code.kernels.front().image; }
};

/// A function of the exported library.
struct exported_kernel {
  std::string name;                        ///< in C, after the name of the library
  std::string title;                       ///< as "matmul(A 512x256, B 256x1024)"
  kernel_signature signature;              ///< with the largest extents that calls may give
  std::vector<std::string> parameters;     ///< names in C of the operands
  std::vector<std::string> extents;        ///< names in C of the extents that calls give
  std::vector<exported_variant> variants;  ///< by architecture, then in the order in which they are tried

  [[nodiscard]] open_range const& range() const { return variants.front().code.range; }
  /// Returns true for operands that applications pass. Strides are among them, unless all operands are contiguous.
  [[nodiscard]] bool is_passed(operand_info const& o) const { return extents.empty() || !is_given_by_kernels(o); }
  [[nodiscard]] bool has_constants() const {
    return std::ranges::any_of(signature.operands,
                               [](auto const& o) { return o.direction == operand_direction::constant; });
  }
};

/// Returns the operands of a kernel as text, as "A f32 (64, 32), C f32 (64)": kernels of one function have the same.
[[nodiscard]] inline std::string operands_text(kernel_signature const& signature) {
  std::string text;
  for (auto const& o : signature.operands) {
    text += (text.empty() ? "" : ", ") + o.name + " " + name_of(o.type) + " (";
    for (std::size_t d = 0; d < o.shape.size(); ++d) text += (d ? ", " : "") + std::to_string(o.shape[d]);
    text += ")";
  }
  return text;
}

/// Returns the extents of an operand in C, outermost first: numbers, and names of those that calls give.
[[nodiscard]] inline std::vector<std::string> extents_in_c(exported_kernel const& k, operand_info const& o) {
  std::vector<std::string> made;
  for (std::size_t d = 0; d < o.shape.size(); ++d) {
    bool const is_open = !k.extents.empty() && !o.open.empty() && o.open[d] >= 0;
    made.push_back(is_open ? k.extents[static_cast<std::size_t>(o.open[d])] : std::to_string(o.shape[d]));
  }
  return made;
}

}}}  // namespace ttune::v0::detail
