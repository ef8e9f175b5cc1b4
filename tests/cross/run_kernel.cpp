// SPDX-License-Identifier: Apache-2.0
// Runs one kernel image in the emulator of another processor: reads the image and the memory of its operands from
// standard input, each behind its size, and writes all operands to standard output. Statically linked, without a
// compiler library.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "parts.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/load.hpp"

int main() {
  try {
    auto const image = ttune::image_from_bytes(ttune_test::read_part());
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<void*> operands;
    for (std::size_t i = 0; i < image.signature.operands.size(); ++i)
      operands.push_back(memory.emplace_back(ttune_test::read_part()).data());
    ttune::kernel_call const call(ttune::load(image), ttune::default_executor());
    call(operands);
    for (auto const& m : memory) std::fwrite(m.data(), 1, m.size(), stdout);
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
