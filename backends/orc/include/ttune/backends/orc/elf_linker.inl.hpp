// SPDX-License-Identifier: Apache-2.0
// Places the sections one after the other, then applies relocations: System V ABI, AMD64 supplement, 4.4.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "ttune/backends/orc/elf_linker.hpp"

namespace ttune { inline namespace v0 { namespace orc {

elf_linker::elf_linker(std::span<std::uint8_t const> object) : object_(object) {}

std::optional<linked_code> elf_linker::link(std::string& diagnostics) {
  auto const& sections = object_.sections();
  if (sections.empty() || object_.read<Elf64_Ehdr>(0).e_machine != EM_X86_64)
    return diagnostics = "only x86-64 ELF objects can be linked with this LLVM", std::nullopt;
  diagnostics = place_sections();
  for (auto const& s : sections)
    if (diagnostics.empty() && s.sh_type == SHT_RELA && places_[s.sh_info] != left_out) diagnostics = relocate(s);
  find_entries();
  if (diagnostics.empty() && made_.main_offset < 0) diagnostics = "the object defines no ttune_main";
  if (!diagnostics.empty()) return std::nullopt;
  return std::move(made_);
}

std::string elf_linker::place_sections() {
  for (auto const& s : object_.sections()) {
    places_.push_back(left_out);
    auto const name = object_.name_of(s);
    if ((s.sh_flags & SHF_ALLOC) == 0 || s.sh_size == 0 || name == ".eh_frame") continue;
    if (s.sh_flags & SHF_WRITE) return "the code cannot stand alone: it needs the writable section " + name;
    auto const align = std::max<std::size_t>(64, s.sh_addralign);
    auto const begin = (made_.bytes.size() + align - 1) / align * align;
    if (begin + s.sh_size > most_image_bytes) return "the code cannot stand alone: it has more than 16 MiB";
    places_.back() = static_cast<std::int64_t>(begin);
    made_.sections.push_back({name, begin});
    made_.bytes.resize(begin + s.sh_size);
    if (s.sh_type != SHT_NOBITS) std::memcpy(made_.bytes.data() + begin, object_.content(s).data(), s.sh_size);
  }
  return {};
}

std::string elf_linker::relocate(Elf64_Shdr const& table) {
  auto const& sections = object_.sections();
  auto const& symbols = sections[table.sh_link];
  for (std::uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Rela)) {
    auto const entry = object_.read<Elf64_Rela>(table.sh_offset + at);
    auto const symbol = object_.read<Elf64_Sym>(symbols.sh_offset + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
    auto const name = object_.text(sections[symbols.sh_link], symbol.st_name);
    if (symbol.st_shndx == SHN_UNDEF) return "the code cannot be linked: Symbols not found: [ " + name + " ]";
    if (symbol.st_shndx >= sections.size() || places_[symbol.st_shndx] == left_out)
      return "the code cannot stand alone: it refers to " + name;
    if (auto fault = apply(entry, symbol, places_[table.sh_info]); !fault.empty())
      return "the code cannot stand alone: section " + object_.name_of(sections[table.sh_info]) + fault;
  }
  return {};
}

/// Writes the distance from the relocated place to the symbol. Returns the end of an error message; empty on success.
std::string elf_linker::apply(Elf64_Rela const& entry, Elf64_Sym const& symbol, std::int64_t section) {
  auto const place = section + static_cast<std::int64_t>(entry.r_offset);
  auto const distance = places_[symbol.st_shndx] + static_cast<std::int64_t>(symbol.st_value) + entry.r_addend - place;
  auto const write = [&](auto value) { std::memcpy(made_.bytes.data() + place, &value, sizeof value); };
  switch (ELF64_R_TYPE(entry.r_info)) {
    case R_X86_64_NONE: return {};
    case R_X86_64_PC64: write(distance); return {};
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      if (distance != static_cast<std::int32_t>(distance)) return " is too far from what it refers to";
      write(static_cast<std::int32_t>(distance));
      return {};
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: return " takes an address from the table .got";
    default: return " holds an absolute address";
  }
}

void elf_linker::find_entries() {
  object_.for_each_symbol([&](Elf64_Sym const& symbol, std::string const& name) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= places_.size()) return;
    auto const offset = places_[symbol.st_shndx] + static_cast<std::int64_t>(symbol.st_value);
    if (name == "ttune_main") made_.main_offset = offset;
    if (name == "ttune_prepare") made_.prepare_offset = offset;
  });
}

}}}  // namespace ttune::v0::orc
