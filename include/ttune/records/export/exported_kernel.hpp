// SPDX-License-Identifier: Apache-2.0
// A kernel of an exported library, with its machine code for several instruction sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ttune/records/record.hpp"
#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Machine code of a kernel for one instruction set.
struct exported_variant {
  kernel_image image;
  record_key key;
  double seconds = 0;                 ///< as measured when it was tuned
  std::vector<std::string> features;  ///< those that the exported program asks the processor for
};

/// A function of the exported library.
struct exported_kernel {
  std::string name;                        ///< in C, after the name of the library
  std::string title;                       ///< as "matmul(A 512x256, B 256x1024)"
  std::vector<std::string> parameters;     ///< names in C of the operands
  std::vector<exported_variant> variants;  ///< by architecture, then in the order in which they are tried

  [[nodiscard]] kernel_signature const& signature() const { return variants.front().image.signature; }
  [[nodiscard]] bool has_constants() const {
    return std::ranges::any_of(signature().operands,
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

}}}  // namespace ttune::v0::detail
