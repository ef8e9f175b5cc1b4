// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>

#include "ttune/backends/orc/line_program.hpp"
#include "ttune/backends/orc/map_of_object.hpp"
#include "ttune/backends/orc/object_file.hpp"

namespace ttune { inline namespace v0 { namespace orc {

namespace detail {

/// Returns the offsets of sections in the image by their numbers; -1 for those that are not in it. Linkers place
/// sections of one name in the order of their numbers.
inline std::vector<std::int64_t> offsets_of_sections(object_file const& object, std::vector<placed_section> placed) {
  std::vector<std::int64_t> made;
  for (auto const& s : object.sections()) {
    made.push_back(-1);
    if ((s.sh_flags & SHF_ALLOC) == 0) continue;
    auto const name = object.name_of(s);
    auto const it = std::find_if(placed.begin(), placed.end(), [&](auto const& p) { return p.name == name; });
    if (it == placed.end()) continue;
    made.back() = static_cast<std::int64_t>(it->begin);
    placed.erase(it);
  }
  return made;
}

inline std::vector<tools::code_line> lines_of(object_file const& object, std::vector<std::int64_t> const& offsets) {
  std::map<std::int64_t, int> lines;  // by offset, of which the last row counts; a sequence may begin where one ends
  for (std::size_t i = 0; i < object.sections().size(); ++i) {
    auto const& s = object.sections()[i];
    if (object.name_of(s) != ".debug_line" || s.sh_type == SHT_NOBITS) continue;
    std::map<std::uint64_t, object_place> addresses;
    object.for_each_relocation(i, [&](std::uint64_t at, object_place const& to) { addresses[at] = to; });
    for (auto const& row : line_program(object.content(s), addresses).run()) {
      if (row.at.section >= offsets.size() || offsets[row.at.section] < 0) continue;
      auto const offset = offsets[row.at.section] + row.at.offset;
      if (row.line == 0) lines.try_emplace(offset, 0);
      else lines[offset] = row.line;
    }
  }
  std::vector<tools::code_line> made;
  for (auto const& [offset, line] : lines) made.push_back({offset, line});
  return made;
}

}  // namespace detail

void read_object(std::vector<std::uint8_t> object, std::vector<placed_section> const& sections,
                 std::map<std::string, std::string> const& names, tools::code_map& map) {
  object_file const file(object);
  map.section_offsets = detail::offsets_of_sections(file, sections);
  file.for_each_symbol([&](Elf64_Sym const& symbol, std::string const& name) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= map.section_offsets.size()) return;
    auto const section = map.section_offsets[symbol.st_shndx];
    if (section < 0) return;
    auto const known = names.find(name);
    map.functions.push_back({known == names.end() ? name : known->second,
                             section + static_cast<std::int64_t>(symbol.st_value),
                             static_cast<std::int64_t>(symbol.st_size)});
  });
  std::sort(map.functions.begin(), map.functions.end(),
            [](auto const& a, auto const& b) { return a.offset < b.offset; });
  map.lines = detail::lines_of(file, map.section_offsets);
  map.object = std::move(object);
}

}}}  // namespace ttune::v0::orc
