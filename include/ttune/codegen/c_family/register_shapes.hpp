// SPDX-License-Identifier: Apache-2.0
// Arrays of a thread whose indices are all constant become variables: elements that are stored together form one vector
// variable, wherever they are in the array. The uses are found by emitting the kernel once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The division of a kernel's arrays into variables.
class register_shapes {
 public:
  /// Position of an element: a lane of the variable that is named after its first element.
  struct place {
    std::int64_t first = -1;
    int lane = 0;
    int width = 1;
  };

  /// Records that elements first, first + stride, … are stored together.
  void store(ir::buffer const& b, std::int64_t first, std::int64_t stride, int lanes) {
    seen_[&b].stores.push_back({lanes, first, stride});
  }
  void use_anywhere(ir::buffer const& b) { seen_[&b].indexed = true; }

  /// Ends the first pass over the kernel.
  void settle() {
    for (auto& [b, u] : seen_)
      if (!u.indexed) u.group();
    settled_ = true;
  }
  [[nodiscard]] bool settled() const noexcept { return settled_; }
  /// Returns true if a buffer is split into variables.
  [[nodiscard]] bool is_split(ir::buffer const& b) const {
    auto const it = seen_.find(&b);
    return settled_ && it != seen_.end() && !it->second.indexed;
  }
  /// Returns the position of an element of a buffer that is split; an element without a store is a variable of its own.
  [[nodiscard]] place at(ir::buffer const& b, std::int64_t element) const {
    auto const& places = seen_.at(&b).places;
    auto const it = places.find(element);
    return it == places.end() ? place{element, 0, 1} : it->second;
  }
  /// Returns the variables: first element, width.
  [[nodiscard]] std::vector<std::pair<std::int64_t, int>> variables(ir::buffer const& b) const {
    std::vector<std::pair<std::int64_t, int>> made;
    for (auto const& [element, p] : seen_.at(&b).places)
      if (p.lane == 0) made.emplace_back(p.first, p.width);
    return made;
  }

 private:
  struct together {
    int lanes;
    std::int64_t first;
    std::int64_t stride;
  };
  struct uses {
    std::vector<together> stores;
    bool indexed = false;
    std::map<std::int64_t, place> places;

    /// Forms variables, the longest vectors first; a store that crosses them is split into elements.
    void group() {
      std::sort(stores.begin(), stores.end(), [](together const& a, together const& b) {
        return std::tie(b.lanes, a.first, a.stride) < std::tie(a.lanes, b.first, b.stride);
      });
      for (auto const& s : stores) {
        bool free = true;
        for (int i = 0; i < s.lanes; ++i) free = free && places.count(s.first + s.stride * i) == 0;
        for (int i = 0; i < s.lanes; ++i) {
          auto const element = s.first + s.stride * i;
          if (free) places[element] = {s.first, i, s.lanes};
          else places.try_emplace(element, place{element, 0, 1});
        }
      }
    }
  };

  std::map<ir::buffer const*, uses> seen_;
  bool settled_ = false;
};

}}}}  // namespace ttune::v0::codegen::c_family
