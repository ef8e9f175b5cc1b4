// SPDX-License-Identifier: Apache-2.0
// The kernels that an export writes: which images of the records, under which names in C, in which order they are
// tried.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/records/export/options.hpp"
#include "ttune/records/store.hpp"
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
  [[nodiscard]] bool has_constants() const;
};

struct export_selection {
  std::vector<exported_kernel> kernels;  ///< by name
  std::vector<std::string> left_out;     ///< sentences: which images stay behind, and why
};

/// Returns the operands of a kernel as text, as "A f32 (64, 32), C f32 (64)": kernels of one function have the same.
[[nodiscard]] std::string operands_text(kernel_signature const& signature);

/// Returns a text with each letter, digit and `_` as it is, and `_` for all else; begins with a letter or `_`.
[[nodiscard]] std::string c_identifier(std::string_view text);
/// Returns true for a name that a C or C++ program can give to a function.
[[nodiscard]] bool is_c_identifier(std::string_view text);

/// Chooses the kernels of an export. Throws record_error or argument_error if there are none, or not those asked for.
[[nodiscard]] export_selection select_kernels(record_store const& from, export_options const& options);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/records/export/exported_kernel.inl.hpp"
#endif
