// SPDX-License-Identifier: Apache-2.0
// Registers for tiles of matrices (core/tile_product.hpp) in an emulation, for machines that have none: the text calls
// functions of the test program instead of the instructions. They end the process where a processor would report an
// invalid instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ttune/backends/orc.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/ir/operand_uses.hpp"

namespace ttune_test {

/// The registers of one thread.
class tile_registers {
 public:
  static tile_registers& of_thread() {
    thread_local tile_registers made;
    return made;
  }

  void configure(std::uint8_t const* table) {
    require(table[0] == 1 && table[1] == 0);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint16_t bytes = 0;
      std::memcpy(&bytes, table + 16 + 2 * i, sizeof bytes);
      shapes_[i] = {table[48 + i], bytes};
      require(shapes_[i].rows <= most_rows && bytes <= row_bytes && (bytes > 0) == (shapes_[i].rows > 0));
    }
    tiles_ = {};
    is_configured_ = true;
  }
  void release() {
    shapes_ = {};
    is_configured_ = false;
  }
  void zero(std::size_t i) {
    (void)used(i);
    tiles_[i] = {};
  }
  void load(std::size_t i, std::byte const* from, std::int64_t stride) {
    auto const [rows, bytes] = used(i);
    tiles_[i] = {};
    for (std::size_t r = 0; r < rows; ++r) std::memcpy(row(i, r), from + static_cast<std::int64_t>(r) * stride, bytes);
  }
  void store(std::size_t i, std::byte* to, std::int64_t stride) {
    auto const [rows, bytes] = used(i);
    for (std::size_t r = 0; r < rows; ++r) std::memcpy(to + static_cast<std::int64_t>(r) * stride, row(i, r), bytes);
  }
  /// Adds products of `Together` neighbours; `first` and `second` read an element of an operand.
  template <class Sum, std::size_t Together, class Left, class Right>
  void add_products(std::size_t to, std::size_t left, std::size_t right, Left const& first, Right const& second) {
    auto const [rows, bytes] = used(to);
    auto const groups = used(left).bytes / 4;
    require(used(left).rows == rows && used(right).rows == groups && used(right).bytes == bytes);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < bytes / 4; ++c)
        for (std::size_t k = 0; k < groups; ++k) {
          Sum sum;
          std::memcpy(&sum, row(to, r) + 4 * c, sizeof sum);
          for (std::size_t t = 0; t < Together; ++t)
            sum = static_cast<Sum>(sum + first(row(left, r) + 4 * k + t * (4 / Together)) *
                                             second(row(right, k) + 4 * c + t * (4 / Together)));
          std::memcpy(row(to, r) + 4 * c, &sum, sizeof sum);
        }
  }

 private:
  static constexpr std::size_t count = 8;
  static constexpr std::size_t most_rows = 16;
  static constexpr std::size_t row_bytes = 64;
  struct shape {
    std::size_t rows = 0;
    std::size_t bytes = 0;
  };

  static void require(bool holds) {
    if (!holds) std::abort();
  }
  [[nodiscard]] shape used(std::size_t i) const {
    require(is_configured_ && i < count && shapes_[i].rows > 0);
    return shapes_[i];
  }
  [[nodiscard]] std::byte* row(std::size_t i, std::size_t r) { return tiles_[i].data() + r * row_bytes; }

  std::array<shape, count> shapes_{};
  std::array<std::array<std::byte, most_rows * row_bytes>, count> tiles_{};
  bool is_configured_ = false;
};

namespace emulated {

inline float bfloat(std::byte const* at) {
  std::uint16_t half = 0;
  std::memcpy(&half, at, sizeof half);
  auto const bits = std::uint32_t{half} << 16;
  float made = 0;
  std::memcpy(&made, &bits, sizeof made);
  return made;
}
template <class T>
std::uint32_t integer(std::byte const* at) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<T>(*at)));
}

inline void ldtilecfg(std::uint8_t const* table) { tile_registers::of_thread().configure(table); }
inline void tilerelease() { tile_registers::of_thread().release(); }
inline void tilezero(std::uint8_t i) { tile_registers::of_thread().zero(i); }
inline void tileloadd64(std::uint8_t i, std::byte const* from, std::int64_t stride) {
  tile_registers::of_thread().load(i, from, stride);
}
inline void tilestored64(std::uint8_t i, std::byte* to, std::int64_t stride) {
  tile_registers::of_thread().store(i, to, stride);
}
inline void tdpbf16ps(std::uint8_t to, std::uint8_t a, std::uint8_t b) {
  tile_registers::of_thread().add_products<float, 2>(to, a, b, bfloat, bfloat);
}
template <class A, class B>
void bytes(std::uint8_t to, std::uint8_t a, std::uint8_t b) {
  tile_registers::of_thread().add_products<std::uint32_t, 4>(to, a, b, integer<A>, integer<B>);
}

/// Returns the address of the function for an instruction.
inline std::uintptr_t address_of(std::string_view instruction) {
  auto const at = [](auto* f) { return reinterpret_cast<std::uintptr_t>(f); };
  if (instruction == "ldtilecfg") return at(ldtilecfg);
  if (instruction == "tilerelease") return at(tilerelease);
  if (instruction == "tilezero") return at(tilezero);
  if (instruction == "tileloadd64") return at(tileloadd64);
  if (instruction == "tilestored64") return at(tilestored64);
  if (instruction == "tdpbf16ps") return at(tdpbf16ps);
  if (instruction == "tdpbssd") return at(bytes<std::int8_t, std::int8_t>);
  if (instruction == "tdpbsud") return at(bytes<std::int8_t, std::uint8_t>);
  if (instruction == "tdpbusd") return at(bytes<std::uint8_t, std::int8_t>);
  if (instruction == "tdpbuud") return at(bytes<std::uint8_t, std::uint8_t>);
  return 0;
}

/// Returns a module whose instructions for tiles are calls of these functions.
inline std::string with_calls(std::string const& module) {
  constexpr std::string_view prefix = "@llvm.x86.";
  std::string made;
  for (std::size_t at = 0; at < module.size();) {
    auto const end = module.find('\n', at) + 1;
    auto line = module.substr(at, end - at);
    at = end;
    if (auto const name = line.find(prefix); name != std::string::npos) {
      auto const first = name + prefix.size();
      auto const instruction = line.substr(first, line.find('(', first) - first);
      if (auto const address = address_of(instruction)) {
        if (line.starts_with("declare")) continue;
        line.replace(name, prefix.size() + instruction.size(), "inttoptr (i64 " + std::to_string(address) + " to ptr)");
      }
    }
    made += line;
  }
  return made;
}

}  // namespace emulated

/// A backend for a machine with registers for tiles, whose kernels run in this process.
class emulated_tiles final : public ttune::backend {
 public:
  explicit emulated_tiles(ttune::target machine, ttune::orc::compiler_options options = {})
      : real_(with_tiles(std::move(machine)), std::move(options)) {}

  [[nodiscard]] std::string name() const override { return real_.name() + ", tiles in an emulation"; }
  [[nodiscard]] ttune::availability availability() const override { return real_.availability(); }
  [[nodiscard]] ttune::target const& target() const override { return real_.target(); }
  [[nodiscard]] std::string source(ttune::ir::lowered const& program,
                                   ttune::kernel_signature const& signature) const override {
    return emulated::with_calls(real_.source(program, signature));
  }
  [[nodiscard]] ttune::compile_result compile(ttune::ir::lowered const& program,
                                              ttune::kernel_signature signature) override {
    try {
      (void)ttune::codegen::llvm_ir(program, target(), signature);  // fills in the sizes
      auto made = real_.compile_text(source(program, signature), std::move(signature));
      if (made.image) made.image->operand_uses = ttune::ir::operand_uses(program);
      return made;
    } catch (std::exception const& failure) {
      return {std::nullopt, failure.what(), 0};
    }
  }

 private:
  [[nodiscard]] static ttune::target with_tiles(ttune::target machine) {
    machine.has_tiles = true;
    return machine;
  }
  ttune::orc_backend real_;
};

}  // namespace ttune_test
