// SPDX-License-Identifier: Apache-2.0
// The file from which `perf inject --jit` takes code that was made while a program ran, with its lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "ttune/runtime/tools/code_map.hpp"
#include "ttune/runtime/tools/tool_file.hpp"

namespace ttune { inline namespace v0 { namespace tools {

/// A jitdump file, version 1 (tools/perf/Documentation/jitdump-specification.txt of Linux). perf finds it because a
/// page of it is mapped as code, and records times by the same clock if it is started with `-k mono`.
class jitdump {
 public:
  /// Creates the file, which must be named jit-PID.dump, and maps it. Throws backend_error if that fails.
  explicit jitdump(std::string path);
  jitdump(jitdump const&) = delete;
  jitdump& operator=(jitdump const&) = delete;
  ~jitdump();

  /// Adds the functions of an image whose code is at an address: their lines, if the image knows them, and their code.
  /// Throws backend_error if the file cannot be written.
  void add(std::uintptr_t code, kernel_image const& image);

 private:
  static constexpr std::size_t mapped_bytes = 4096;

  void add_lines(std::uintptr_t code, code_function const& f, code_map const& map);
  void add_code(std::uintptr_t code, code_function const& f, std::span<std::uint8_t const> bytes);
  void add_record(std::uint32_t kind, std::string const& body);

  tool_file file_;
  void* mapped_ = nullptr;
  std::string records_;  ///< not written yet
  std::uint64_t next_ = 0;
};

}}}  // namespace ttune::v0::tools

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/tools/jitdump.inl.hpp"
#endif
