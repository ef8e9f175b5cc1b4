// SPDX-License-Identifier: Apache-2.0
// Samples of one kernel, counted by the lines of its loop nest, and the loop nest with their shares.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ttune/runtime/image.hpp"
#include "ttune/runtime/tools/code_map.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// Counts the samples that fall on the lines of a kernel; on its functions, if the image has no lines.
class sampled_kernel {
 public:
  explicit sampled_kernel(kernel_image const& image);

  /// Returns a number that identifies the code of an image (`hash_of_code`).
  [[nodiscard]] std::uint64_t code() const noexcept { return code_; }
  /// Counts a sample at an offset in the code. A handler of signals may call it, in several threads at once.
  void count(std::int64_t offset) noexcept;
  [[nodiscard]] std::uint64_t samples() const noexcept;
  /// Returns a line that names the kernel, and the loop nest with the shares of its lines:
  ///
  ///     kernel 91a2b3c4d5e6f708 matmul: 2310 samples
  ///        0.3 %  parallel C.tasks < 4
  ///               …
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t code_;
  std::string name_;
  std::vector<code_line> rows_;                           ///< by offset; lines are places in `texts_`, from 1
  std::vector<std::string> texts_;                        ///< the lines of the loop nest, or the names of functions
  std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;  ///< by line; 0: of no line
};

/// Returns a number that identifies the machine code of an image.
[[nodiscard]] std::uint64_t hash_of_code(kernel_image const& image);

/// Finds the text of a kernel in a file of samples (sampler.hpp): that of the same code, else the only one of that
/// name. Returns an empty text if there is none.
[[nodiscard]] std::string find_samples(std::string_view file, std::uint64_t code, std::string_view name);

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/sampled_kernel.inl.hpp"
#endif
