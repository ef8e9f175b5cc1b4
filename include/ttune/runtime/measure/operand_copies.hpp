// SPDX-License-Identifier: Apache-2.0
// Copies of all operands, together larger than the caches, used in turn: the cold objective.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ttune/runtime/measure/guarded_memory.hpp"
#include "ttune/runtime/measure/loaded_candidate.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Rounds up to whole pages, so that operands share no cache line and hardware prefetchers stop at their ends.
[[nodiscard]] inline std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + 4095) / 4096 * 4096; }

class operand_copies {
 public:
  /// Copies the operands as often as `last_level_bytes` (at least 1 MiB) hold them, and once more.
  operand_copies(std::vector<guarded_memory const*> const& operands, std::int64_t last_level_bytes) {
    for (auto const* o : operands) {
      offsets_.push_back(set_bytes_);
      set_bytes_ += whole_pages(std::max<std::size_t>(1, o->bytes()));
    }
    auto const wanted = static_cast<std::size_t>(std::max<std::int64_t>(last_level_bytes, 1 << 20));
    sets_ = std::clamp<std::size_t>(wanted / std::max<std::size_t>(1, set_bytes_) + 1, 2, 4096);
    memory_ = guarded_memory(static_cast<std::int64_t>(sets_ * set_bytes_), false);
    for (std::size_t s = 0; s < sets_; ++s)
      for (std::size_t i = 0; i < operands.size(); ++i)
        std::memcpy(operand(s, i), operands[i]->data(), operands[i]->bytes());
  }

  /// Makes a kernel use the copies in turn, each with a copy of its prepared buffers.
  void rotate(loaded_candidate& r) const {
    std::size_t prepared_bytes = 0;
    for (auto const& b : r.prepared) prepared_bytes += whole_pages(b.bytes());
    if (prepared_bytes > 0) r.more_prepared = guarded_memory(static_cast<std::int64_t>(sets_ * prepared_bytes), false);
    for (std::size_t s = 0; s < sets_; ++s) {
      auto& pointers = r.rotated.emplace_back();
      for (std::size_t i = 0; i < offsets_.size(); ++i) pointers.push_back(operand(s, i));
      auto* at = r.more_prepared.data() + s * prepared_bytes;
      for (auto const& b : r.prepared) {
        std::memcpy(at, b.data(), b.bytes());
        pointers.push_back(at);
        at += whole_pages(b.bytes());
      }
    }
  }

 private:
  [[nodiscard]] std::uint8_t* operand(std::size_t set, std::size_t i) const noexcept {
    return memory_.data() + set * set_bytes_ + offsets_[i];
  }

  std::size_t sets_ = 0;
  std::size_t set_bytes_ = 0;
  std::vector<std::size_t> offsets_;  ///< offset of each operand in a set
  guarded_memory memory_;
};

}}}  // namespace ttune::v0::detail
