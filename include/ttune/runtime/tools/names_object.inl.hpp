// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "ttune/runtime/tools/elf_machine.hpp"
#include "ttune/runtime/tools/names_object.hpp"

namespace ttune { inline namespace v0 { namespace tools {

namespace detail {

/// The sections of the object, by their numbers.
enum names_section : std::uint16_t { no_section, text_section, symbol_section, string_section, section_count };

/// Names of sections and functions; the numbers are the offsets of the sections' names.
inline constexpr char const section_names[] = "\0.text\0.symtab\0.strtab";
inline constexpr std::uint32_t name_of_text = 1;
inline constexpr std::uint32_t name_of_symbols = 7;
inline constexpr std::uint32_t name_of_strings = 15;

template <class T>
void append(std::vector<std::uint8_t>& to, T const& value) {
  auto const* const bytes = reinterpret_cast<std::uint8_t const*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

inline Elf64_Shdr names_section_at(std::uint32_t name, std::uint32_t type, std::uint64_t offset, std::uint64_t bytes) {
  Elf64_Shdr made{};
  made.sh_name = name;
  made.sh_type = type;
  made.sh_offset = offset;
  made.sh_size = bytes;
  made.sh_addralign = 8;
  return made;
}

inline Elf64_Ehdr names_header() {
  Elf64_Ehdr made{};
  std::memcpy(made.e_ident, ELFMAG, SELFMAG);
  made.e_ident[EI_CLASS] = ELFCLASS64;
  made.e_ident[EI_DATA] = ELFDATA2LSB;
  made.e_ident[EI_VERSION] = EV_CURRENT;
  made.e_type = ET_REL;
  made.e_machine = elf_machine;
  made.e_version = EV_CURRENT;
  made.e_shoff = sizeof made;
  made.e_ehsize = sizeof made;
  made.e_shentsize = sizeof(Elf64_Shdr);
  made.e_shnum = section_count;
  made.e_shstrndx = string_section;
  return made;
}

}  // namespace detail

std::vector<std::uint8_t> names_object(std::vector<code_function> const& functions, std::uintptr_t code) {
  std::string strings(detail::section_names, sizeof detail::section_names);
  std::vector<Elf64_Sym> symbols(1);
  std::int64_t end = 0;
  for (auto const& f : functions) {
    Elf64_Sym one{};
    one.st_name = static_cast<std::uint32_t>(strings.size());
    one.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    one.st_shndx = detail::text_section;
    one.st_value = static_cast<std::uint64_t>(f.offset);
    one.st_size = static_cast<std::uint64_t>(f.bytes);
    symbols.push_back(one);
    strings.append(f.name.c_str(), f.name.size() + 1);
    end = std::max(end, f.offset + f.bytes);
  }
  auto const at = sizeof(Elf64_Ehdr) + detail::section_count * sizeof(Elf64_Shdr);
  auto const symbol_bytes = symbols.size() * sizeof(Elf64_Sym);
  auto text = detail::names_section_at(detail::name_of_text, SHT_NOBITS, at, static_cast<std::uint64_t>(end));
  text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  text.sh_addr = code;
  auto table = detail::names_section_at(detail::name_of_symbols, SHT_SYMTAB, at, symbol_bytes);
  table.sh_link = detail::string_section;
  table.sh_info = 1;  // the first symbol that is not local
  table.sh_entsize = sizeof(Elf64_Sym);
  std::vector<std::uint8_t> made;
  detail::append(made, detail::names_header());
  detail::append(made, Elf64_Shdr{});
  detail::append(made, text);
  detail::append(made, table);
  detail::append(made,
                 detail::names_section_at(detail::name_of_strings, SHT_STRTAB, at + symbol_bytes, strings.size()));
  for (auto const& s : symbols) detail::append(made, s);
  made.insert(made.end(), strings.begin(), strings.end());
  return made;
}

}}}  // namespace ttune::v0::tools
