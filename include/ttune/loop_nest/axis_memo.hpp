// SPDX-License-Identifier: Apache-2.0
// Remembers what has been found about the axes of stages, so that a recursion over reads visits each axis once.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ttune/loop_nest/loop_nest.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// One value for each axis of a stage. `instantiate` makes many of these: an empty one is cheap to make, and the first
/// values need no heap.
template <class Value>
class axis_memo {
 public:
  /// Returns the value of an axis, valid until the next one is kept; null if there is none yet.
  [[nodiscard]] Value const* find(std::size_t stage, std::size_t axis) const {
    if (count_ == 0 || (known_[stage] >> axis & 1U) == 0) return nullptr;
    std::size_t const slot = slot_[stage][axis];
    return slot < few ? &first_[slot] : &others_[slot - few];
  }
  void keep(std::size_t stage, std::size_t axis, Value const& value) {
    if (count_ == 0) known_.fill(0);
    known_[stage] = static_cast<std::uint16_t>(known_[stage] | 1U << axis);
    slot_[stage][axis] = static_cast<std::uint16_t>(count_);
    if (count_ < few) first_[count_] = value;
    else others_.push_back(value);
    ++count_;
  }

 private:
  static constexpr std::size_t few = 32;
  static_assert(loop_nest::max_axes <= 16, "known_ has a bit for each axis");

  std::array<std::uint16_t, loop_nest::max_stages> known_;  ///< a bit for each axis; set from the first value on
  std::array<std::array<std::uint16_t, loop_nest::max_axes>, loop_nest::max_stages>
      slot_;                      ///< set where `known_` says so
  std::array<Value, few> first_;  ///< the values of slots below `few`
  std::vector<Value> others_;     ///< the values of the other slots
  std::size_t count_ = 0;
};

}}}  // namespace ttune::v0::detail
