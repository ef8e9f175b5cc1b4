// SPDX-License-Identifier: Apache-2.0
// Runs one kernel image in the emulator of another processor: reads the image's size, the image and its operands'
// bytes from standard input, writes all operands to standard output. Statically linked, without a compiler library.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/load.hpp"

namespace {

template <class Range>
void read(Range& bytes) {
  if (std::fread(bytes.data(), 1, bytes.size(), stdin) != bytes.size()) throw ttune::error("the input ends early");
}

}  // namespace

int main() {
  try {
    std::vector<std::uint8_t> size(8);
    read(size);
    std::uint64_t count = 0;
    for (int i = 7; i >= 0; --i) count = count << 8 | size[static_cast<std::size_t>(i)];
    std::vector<std::uint8_t> bytes(count);
    read(bytes);
    auto const image = ttune::image_from_bytes(bytes);
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<void*> operands;
    for (auto const& o : image.signature.operands) {
      memory.emplace_back(static_cast<std::size_t>(o.bytes()));
      read(memory.back());
      operands.push_back(memory.back().data());
    }
    ttune::kernel_call const call(ttune::load(image), ttune::default_executor());
    call(operands);
    for (auto const& m : memory) std::fwrite(m.data(), 1, m.size(), stdout);
    return 0;
  } catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
