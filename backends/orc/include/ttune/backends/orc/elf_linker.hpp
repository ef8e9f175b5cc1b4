// SPDX-License-Identifier: Apache-2.0
// Links an x86-64 ELF object without LLVM. Replaces ORC's linker for versions whose C API cannot place sections (LLVM
// 15), and serves as a second implementation in tests.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ttune/backends/orc/object_file.hpp"

namespace ttune { inline namespace v0 { namespace orc {

inline constexpr std::size_t most_image_bytes = 16U << 20;

/// A section, and its place in an image.
struct placed_section {
  std::string name;
  std::size_t begin = 0;  ///< offset from the start of the image
};

/// The result of linking: the bytes of all sections, and the offsets of the entries.
struct linked_code {
  std::vector<std::uint8_t> bytes;
  std::int64_t main_offset = -1;
  std::int64_t prepare_offset = -1;  ///< -1: no such entry
  std::vector<placed_section> sections = {};
  std::vector<std::uint8_t> object = {};  ///< what was linked; only if asked for (compiler::compile)
};

/// Linker for objects that the compiler in this process created: sizes in the object are trusted.
class elf_linker {
 public:
  explicit elf_linker(std::span<std::uint8_t const> object);

  /// Links the object. Returns nothing, with the reason in `diagnostics`, if it is of another format or not
  /// self-contained.
  [[nodiscard]] std::optional<linked_code> link(std::string& diagnostics);

 private:
  static constexpr std::int64_t left_out = -1;

  [[nodiscard]] std::string place_sections();
  [[nodiscard]] std::string relocate(Elf64_Shdr const& table);
  [[nodiscard]] std::string apply(Elf64_Rela const& entry, Elf64_Sym const& symbol, std::int64_t section);
  void find_entries();

  object_file object_;
  std::vector<std::int64_t> places_;  ///< offset of each section in the image
  linked_code made_;
};

}}}  // namespace ttune::v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/elf_linker.inl.hpp"
#endif
