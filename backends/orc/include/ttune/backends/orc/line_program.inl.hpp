// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/backends/orc/line_program.hpp"

namespace ttune { inline namespace v0 { namespace orc {

namespace detail {

enum line_opcode : unsigned {
  line_copy = 1,
  line_advance_pc = 2,
  line_advance_line = 3,
  line_const_add_pc = 8,
  line_fixed_advance_pc = 9
};
enum extended_line_opcode : unsigned { line_end_sequence = 1, line_set_address = 2 };

}  // namespace detail

std::uint64_t line_program::take_unsigned() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    auto const byte = take<std::uint8_t>();
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if ((byte & 0x80U) == 0) return value;
  }
}

std::int64_t line_program::take_signed() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;;) {
    auto const byte = take<std::uint8_t>();
    value |= std::uint64_t{byte & 0x7FU} << shift;
    shift += 7;
    if ((byte & 0x80U) != 0) continue;
    if ((byte & 0x40U) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
}

std::vector<line_row> line_program::run() {
  while (at_ + 4 <= bytes_.size()) {
    auto const length = take<std::uint32_t>();
    auto const end = at_ + length;
    auto const version = take<std::uint16_t>();
    if (version >= 2 && version <= 4) run_unit(read_header(version), end);
    at_ = end;
  }
  return std::move(rows_);
}

/// Reads a header, and moves to the first instruction: the tables of files between are not needed.
line_program::opcodes line_program::read_header(std::uint16_t version) {
  auto const length = take<std::uint32_t>();
  auto const first = at_ + length;
  opcodes made;
  made.step = take<std::uint8_t>();
  if (version >= 4) (void)take<std::uint8_t>();  // operations of an instruction: 1, but on VLIW processors
  (void)take<std::uint8_t>();                    // is_stmt at the start
  auto const base = int{take<std::uint8_t>()};
  made.line_base = base < 128 ? base : base - 256;  // a byte with a sign
  made.line_range = take<std::uint8_t>();
  made.first_special = take<std::uint8_t>();
  for (unsigned i = 1; i < made.first_special; ++i) made.operands.push_back(take<std::uint8_t>());
  at_ = first;
  return made;
}

void line_program::run_unit(opcodes const& codes, std::uint64_t end) {
  state now;
  while (at_ < end) {
    unsigned const code = take<std::uint8_t>();
    if (code == 0) {
      extended(now);
    } else if (code < codes.first_special) {
      standard(code, codes, now);
    } else {
      unsigned const special = code - codes.first_special;
      now.at.offset += special / codes.line_range * codes.step;
      now.line += codes.line_base + static_cast<int>(special % codes.line_range);
      add_row(now);
    }
  }
}

void line_program::extended(state& now) {
  auto const length = take_unsigned();
  auto const next = at_ + length;
  unsigned const code = take<std::uint8_t>();
  if (code == detail::line_end_sequence) {
    add_row(now, true);
    now = {};
  } else if (code == detail::line_set_address) {
    if (auto const it = addresses_.find(at_); it != addresses_.end()) now.at = it->second;
  }
  at_ = next;
}

void line_program::standard(unsigned code, opcodes const& codes, state& now) {
  switch (code) {
    case detail::line_copy: return add_row(now);
    case detail::line_advance_pc: now.at.offset += static_cast<std::int64_t>(take_unsigned()) * codes.step; return;
    case detail::line_advance_line: now.line += take_signed(); return;
    case detail::line_const_add_pc:
      now.at.offset += (255 - codes.first_special) / codes.line_range * codes.step;
      return;
    case detail::line_fixed_advance_pc: now.at.offset += take<std::uint16_t>(); return;
    default:
      for (int i = 0; i < codes.operands[code - 1]; ++i) (void)take_unsigned();
  }
}

}}}  // namespace ttune::v0::orc
