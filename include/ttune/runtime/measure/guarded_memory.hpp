// SPDX-License-Identifier: Apache-2.0
// Memory for an operand between inaccessible pages: an access out of bounds faults, or leaves a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Layout: [no access][red zone][data][red zone][no access]. The data lies flush against one end, where an access out
/// of bounds faults at once. The rest of the accessible pages is a red zone, which shows writes out of bounds.
class guarded_memory {
 public:
  static constexpr std::size_t guard_bytes = std::size_t{1} << 20;

  guarded_memory() = default;
  /// Allocates `bytes` bytes. With `at_end`, the data ends at the upper guard and starts at a multiple of `alignment`
  /// (a power of two, at most 4096); otherwise it starts at a page. Throws std::bad_alloc.
  guarded_memory(std::int64_t bytes, bool at_end, std::size_t alignment = 1);
  guarded_memory(guarded_memory&& other) noexcept;
  guarded_memory& operator=(guarded_memory&& other) noexcept;
  ~guarded_memory();

  [[nodiscard]] std::uint8_t* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void paint_red_zones() const noexcept;
  /// Returns the offset, relative to the start of the data, of the first overwritten byte of a red zone; 0 if there is
  /// none.
  [[nodiscard]] std::int64_t overwritten() const noexcept;

  /// Address ranges for fault handlers: an address in [all, all_end) but not in [data, data_end) is out of bounds.
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

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/guarded_memory.inl.hpp"
#endif
