// SPDX-License-Identifier: Apache-2.0
// Arrays of a thread's own whose places are all known become variables: elements that are stored together are one
// vector, wherever they lie in the array. Found by writing a kernel once and looking at what it did.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::emit {

class register_shapes {
 public:
  /// Where an element lies: a lane of the variable that is named after its first element.
  struct place {
    std::int64_t first = -1;
    int lane = 0;
    int width = 1;
  };

  /// Elements first, first + stride, … are stored together.
  void store(ir::buffer const& b, std::int64_t first, std::int64_t stride, int lanes) {
    seen_[&b].stores.push_back({lanes, first, stride});
  }
  void use_anywhere(ir::buffer const& b) { seen_[&b].indexed = true; }

  /// Ends the first writing.
  void settle() {
    for (auto& [b, u] : seen_)
      if (!u.indexed) u.group();
    settled_ = true;
  }
  [[nodiscard]] bool settled() const noexcept { return settled_; }
  /// Whether a buffer is variables.
  [[nodiscard]] bool is_split(ir::buffer const& b) const {
    auto const it = seen_.find(&b);
    return settled_ && it != seen_.end() && !it->second.indexed;
  }
  /// Of an element of a buffer that is variables; one that nothing is stored to is a variable of its own.
  [[nodiscard]] place at(ir::buffer const& b, std::int64_t element) const {
    auto const& places = seen_.at(&b).places;
    auto const it = places.find(element);
    return it == places.end() ? place{element, 0, 1} : it->second;
  }
  /// The variables: first element, width.
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

    /// The longest vectors first; what crosses them is put together of their elements where it is used.
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

}  // namespace ttune::inline v0::emit
