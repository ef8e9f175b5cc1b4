// SPDX-License-Identifier: Apache-2.0
// Reads what tests send to the programs of this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ttune/support/error.hpp"

namespace ttune_test {

inline void read(std::vector<std::uint8_t>& bytes) {
  if (std::fread(bytes.data(), 1, bytes.size(), stdin) != bytes.size()) throw ttune::error("the input ends early");
}

/// Returns true if the input has ended.
inline bool is_at_end() {
  int const next = std::getchar();
  if (next != EOF) std::ungetc(next, stdin);
  return next == EOF;
}

/// Reads a size of eight bytes, the lowest first, and as many bytes.
inline std::vector<std::uint8_t> read_part() {
  std::vector<std::uint8_t> size(8);
  read(size);
  std::uint64_t count = 0;
  for (int i = 7; i >= 0; --i) count = count << 8 | size[static_cast<std::size_t>(i)];
  std::vector<std::uint8_t> bytes(count);
  read(bytes);
  return bytes;
}

}  // namespace ttune_test
