// SPDX-License-Identifier: Apache-2.0
// Memory of an operand in a check: writes around it are noticed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace testing { namespace detail {

/// Memory of an operand with zones before and behind it that must not be written.
class fenced_memory {
 public:
  explicit fenced_memory(std::vector<std::uint8_t> const& content)
      : size_(content.size()), bytes_(content.size() + 2 * zone + 64, fence) {
    std::copy(content.begin(), content.end(), data());
  }
  [[nodiscard]] std::uint8_t* data() noexcept {
    auto const raw = reinterpret_cast<std::uintptr_t>(bytes_.data()) + zone;
    return bytes_.data() + zone + (64 - raw % 64) % 64;
  }
  [[nodiscard]] std::span<std::uint8_t> content() noexcept { return {data(), size_}; }
  [[nodiscard]] bool intact() noexcept {
    auto const is_fence = [](std::uint8_t b) { return b == fence; };
    return std::all_of(bytes_.data(), data(), is_fence) &&
           std::all_of(data() + size_, bytes_.data() + bytes_.size(), is_fence);
  }

 private:
  static constexpr std::size_t zone = 1024;
  static constexpr std::uint8_t fence = 0xC3;
  std::size_t size_;
  std::vector<std::uint8_t> bytes_;
};

}}}}  // namespace ttune::v0::testing::detail
