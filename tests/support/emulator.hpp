// SPDX-License-Identifier: Apache-2.0
// Runs kernels of 64-bit ARM in an emulator (tests/cross).
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "ttune/runtime/image.hpp"
#include "ttune/runtime/image_io.hpp"

namespace ttune_test {

/// Returns the command that runs kernels of 64-bit ARM (tests/cross); empty if there is none.
inline std::string emulator() {
  auto const* const command = std::getenv("TTUNE_AARCH64_RUN");
  std::string const text = command ? command : "";
  return std::filesystem::exists(text.substr(text.find(' ') + 1)) ? text : "";
}

/// Runs a kernel in the emulator, through files. Returns a fault, or an empty text.
inline std::string run_emulated(ttune::kernel_image const& image, std::vector<std::vector<std::uint8_t>>& memory) {
  temporary_folder const folder;
  {
    std::ofstream out(folder / "in", std::ios::binary);
    auto const write = [&](std::vector<std::uint8_t> const& bytes) {
      for (int i = 0; i < 8; ++i) out.put(static_cast<char>(bytes.size() >> (8 * i) & 255));
      out.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    };
    write(to_bytes(image));
    for (auto const& m : memory) write(m);
  }
  auto const text = [&](char const* file) {
    std::ifstream in(folder / file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  auto const command = emulator() + " < " + (folder / "in") + " > " + (folder / "out") + " 2> " + (folder / "err");
  if (auto const status = std::system(command.c_str()); status != 0)
    return "the emulator ended with " + std::to_string(status) + ": " + text("err");
  auto const result = text("out");
  std::size_t at = 0;
  for (auto& m : memory) {
    if (at + m.size() > result.size()) return "the emulator wrote too little";
    std::copy_n(result.begin() + static_cast<std::ptrdiff_t>(at), m.size(), m.begin());
    at += m.size();
  }
  return {};
}

}  // namespace ttune_test
