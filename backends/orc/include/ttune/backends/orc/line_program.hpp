// SPDX-License-Identifier: Apache-2.0
// Reads a line-number program: DWARF 4, section 6.2. It is what LLVM writes into .debug_line.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ttune/backends/orc/object_file.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// A row of the table that a line program makes: code from this place on is of a line.
struct line_row {
  object_place at;
  int line = 0;  ///< 0: of no line, and after the end of a sequence
};

/// The section's bytes come in, with the places that its relocations name by their offsets in the section; rows go out,
/// in the order of the program. Sequences of other versions than 2 to 4 are left out.
class line_program {
 public:
  line_program(std::span<std::uint8_t const> bytes, std::map<std::uint64_t, object_place> const& addresses)
      : bytes_(bytes), addresses_(addresses) {}

  [[nodiscard]] std::vector<line_row> run();

 private:
  struct state {
    object_place at;
    std::int64_t line = 1;
  };
  /// The header of a unit describes its opcodes so.
  struct opcodes {
    unsigned step = 1;  ///< smallest length of an instruction
    int line_base = 0;
    unsigned line_range = 1;
    unsigned first_special = 1;
    std::vector<std::uint8_t> operands;  ///< of the standard opcodes, from opcode 1
  };

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  [[nodiscard]] std::uint64_t take_unsigned();
  [[nodiscard]] std::int64_t take_signed();
  [[nodiscard]] opcodes read_header(std::uint16_t version);
  void run_unit(opcodes const& codes, std::uint64_t end);
  void extended(state& now);
  void standard(unsigned code, opcodes const& codes, state& now);
  void add_row(state const& now, bool ends = false) {
    rows_.push_back({now.at, ends ? 0 : static_cast<int>(now.line)});
  }

  std::span<std::uint8_t const> bytes_;
  std::map<std::uint64_t, object_place> const& addresses_;
  std::uint64_t at_ = 0;
  std::vector<line_row> rows_;
};

}}}  // namespace ttune::v0::orc

#if TTUNE_PART_BODIES
#include "ttune/backends/orc/line_program.inl.hpp"
#endif
