// SPDX-License-Identifier: Apache-2.0
// Places of functions, lines and sections in linked code, read from the object that it was linked from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ttune/backends/orc/elf_linker.hpp"
#include "ttune/runtime/tools/code_map.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// Fills in functions, lines and places of sections of linked code, and keeps its object. `sections` says where the
/// linker placed them, `names` has what people call the functions, by symbol.
void read_object(std::vector<std::uint8_t> object, std::vector<placed_section> const& sections,
                 std::map<std::string, std::string> const& names, tools::code_map& map);

}}}  // namespace ttune::v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/map_of_object.inl.hpp"
#endif
