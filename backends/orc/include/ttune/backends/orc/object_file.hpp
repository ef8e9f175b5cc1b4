// SPDX-License-Identifier: Apache-2.0
// Reads an ELF object that the compiler in this process made: sections, symbols, relocations. Its sizes are trusted.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// A place in a section of an object.
struct object_place {
  std::size_t section = 0;
  std::int64_t offset = 0;
};

/// An ELF object of 64 bits.
class object_file {
 public:
  explicit object_file(std::span<std::uint8_t const> bytes) : bytes_(bytes) {
    if (!is_object()) return;
    auto const header = read<Elf64_Ehdr>(0);
    for (std::size_t i = 0; i < header.e_shnum; ++i)
      sections_.push_back(read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    names_ = header.e_shstrndx;
  }

  /// Returns the headers of the sections; none if the bytes are another format.
  [[nodiscard]] std::vector<Elf64_Shdr> const& sections() const noexcept { return sections_; }
  [[nodiscard]] std::string name_of(Elf64_Shdr const& s) const { return text(sections_[names_], s.sh_name); }
  [[nodiscard]] std::string text(Elf64_Shdr const& table, std::uint64_t at) const {
    return reinterpret_cast<char const*>(bytes_.data() + table.sh_offset + at);
  }
  [[nodiscard]] std::span<std::uint8_t const> content(Elf64_Shdr const& s) const {
    return bytes_.subspan(s.sh_offset, s.sh_size);
  }
  template <class T>
  [[nodiscard]] T read(std::uint64_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return value;
  }

  /// Calls `f(symbol, name)` for each symbol.
  template <class Function>
  void for_each_symbol(Function const& f) const {
    for (auto const& s : sections_)
      for (std::uint64_t at = 0; s.sh_type == SHT_SYMTAB && at < s.sh_size; at += sizeof(Elf64_Sym)) {
        auto const symbol = read<Elf64_Sym>(s.sh_offset + at);
        f(symbol, text(sections_[s.sh_link], symbol.st_name));
      }
  }

  /// Calls `f(offset, target)` for each relocation of a section, with the place that is wanted at the offset.
  template <class Function>
  void for_each_relocation(std::size_t section, Function const& f) const {
    for (auto const& s : sections_)
      for (std::uint64_t at = 0; s.sh_type == SHT_RELA && s.sh_info == section && at < s.sh_size;
           at += sizeof(Elf64_Rela)) {
        auto const entry = read<Elf64_Rela>(s.sh_offset + at);
        auto const symbol =
            read<Elf64_Sym>(sections_[s.sh_link].sh_offset + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
        f(entry.r_offset, object_place{symbol.st_shndx, static_cast<std::int64_t>(symbol.st_value) + entry.r_addend});
      }
  }

 private:
  [[nodiscard]] bool is_object() const {
    if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) return false;
    auto const header = read<Elf64_Ehdr>(0);
    return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_REL;
  }

  std::span<std::uint8_t const> bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::size_t names_ = 0;  ///< index of the section with the section names
};

}}}  // namespace ttune::v0::orc
