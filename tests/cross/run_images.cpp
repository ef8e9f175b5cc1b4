// SPDX-License-Identifier: Apache-2.0
// Loads kernel images one after the other, as a program does with those of a database that another machine has written,
// and calls those that this processor can run. Reads from standard input; for each image, prints why it is refused, or
// the last operand, which is of 32-bit floats.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "parts.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/load.hpp"

int main() {
  try {
    while (!ttune_test::is_at_end()) {
      auto const image = ttune::image_from_bytes(ttune_test::read_part());
      std::vector<std::vector<std::uint8_t>> memory;
      std::vector<void*> operands;
      for (std::size_t i = 0; i < image.signature.operands.size(); ++i)
        operands.push_back(memory.emplace_back(ttune_test::read_part()).data());
      if (auto const possible = ttune::can_load(image); !possible) {
        std::printf("%s\n", possible.reason.c_str());
        continue;
      }
      ttune::kernel_call(ttune::load(image), ttune::default_executor())(operands);
      std::vector<float> result(memory.back().size() / sizeof(float));
      std::memcpy(result.data(), memory.back().data(), memory.back().size());
      for (float const x : result) std::printf("%g ", static_cast<double>(x));
      std::printf("\n");
      std::fflush(stdout);
    }
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
