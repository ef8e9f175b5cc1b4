// SPDX-License-Identifier: Apache-2.0
// Places in the machine code of a kernel: functions, lines of the loop nest, and the compiler's debug sections.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/runtime/image.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// A function of a kernel.
struct code_function {
  std::string name;  ///< for people, such as "matmul.main"
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// From this offset on, up to that of the next one, the code is of a line of the loop nest.
struct code_line {
  std::int64_t offset = 0;
  int line = 0;  ///< counted from 1; 0: of no line
};

/// The places of functions, lines and sections in an image. Offsets are from the start of its code, in bytes.
struct code_map {
  std::vector<code_function> functions;  ///< by offset
  std::vector<code_line> lines;          ///< by offset
  std::string folder;                    ///< the folder of the file with the loop nest
  std::string file;
  std::string loops;  ///< its content (ir/print.hpp)
  /// The object that the code was linked from: an ELF file with debug sections that are not relocated.
  std::vector<std::uint8_t> object;
  std::vector<std::int64_t> section_offsets;  ///< of the object's sections, by their numbers; -1: not in the image

  [[nodiscard]] std::string path() const { return folder + "/" + file; }
};

/// Returns the functions of an image. Images from a file know only their entries: what stands in front of one are the
/// tasks of its parallel loops, "matmul.tasks".
[[nodiscard]] std::vector<code_function> functions_of(kernel_image const& image);

/// Returns a name for the file of a loop nest that no other kernel has: "ttune-PID-NUMBER-KERNEL.loops".
[[nodiscard]] std::string new_loops_file(std::string const& kernel);

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/code_map.inl.hpp"
#endif
