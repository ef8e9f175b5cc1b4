// SPDX-License-Identifier: Apache-2.0
// Memory of an operand between pages that must not be touched, so that a step outside of it faults or is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune::inline v0 {

/// [no access][red zone][data][red zone][no access]: the data lies flush against one end (a step over that end faults
/// at once), the rest of its pages is a red zone that shows what was written.
class guarded_memory {
 public:
  static constexpr std::size_t guard_bytes = std::size_t{1} << 20;

  guarded_memory() = default;
  /// At the end, the data starts at a multiple of `alignment` (a power of two, at most 4096); at the start, at a page.
  /// Throws std::bad_alloc.
  guarded_memory(std::int64_t bytes, bool at_end, std::size_t alignment = 1);
  guarded_memory(guarded_memory&& other) noexcept;
  guarded_memory& operator=(guarded_memory&& other) noexcept;
  ~guarded_memory();

  [[nodiscard]] std::uint8_t* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void paint_red_zones() const noexcept;
  /// The offset from the data's start of the first byte of a red zone that was overwritten; 0 if none was.
  [[nodiscard]] std::int64_t overwritten() const noexcept;

  /// Where it lies, for handlers of faults: what is in [all, all_end) but not in [data, data_end) is out of bounds.
  struct extent {
    std::uintptr_t all, data, data_end, all_end;
  };
  [[nodiscard]] extent where() const noexcept;

 private:
  static constexpr std::uint8_t red = 0xA5;
  std::uint8_t* all_ = nullptr;
  std::size_t body_bytes_ = 0;
  std::uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/guarded_memory.inl.hpp"
#endif
