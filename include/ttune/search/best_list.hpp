// SPDX-License-Identifier: Apache-2.0
// A list of the best distinct configurations that a search has seen and that were not measured.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ttune/search/search.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Keeps the configurations with the highest scores, up to a capacity.
class best_list {
 public:
  best_list(std::size_t capacity, configuration_set const& visited) : capacity_(capacity), visited_(visited) {}

  /// Offers a configuration; returns true if it was added. Of equal scores the first one is kept.
  bool offer(configuration const& c, float score) { return offer(c, score, changes_); }
  /// The one with the smaller `order` is kept of equal scores.
  bool offer(configuration const& c, float score, std::uint64_t order) {
    if (!wants(score, order) || visited_.contains(c) || !members_.insert(c).second) return false;
    if (heap_.size() == capacity_) {
      std::pop_heap(heap_.begin(), heap_.end(), worse_last);
      members_.erase(heap_.back().chosen);
      heap_.pop_back();
    }
    heap_.push_back({c, score, order});
    ++changes_;
    std::push_heap(heap_.begin(), heap_.end(), worse_last);
    return true;
  }
  /// Returns false for what could not enter the list, whatever it is.
  [[nodiscard]] bool wants(float score, std::uint64_t order) const noexcept {
    if (heap_.size() < capacity_) return true;
    return capacity_ > 0 &&
           (score > heap_.front().score || (score == heap_.front().score && order < heap_.front().order));
  }
  /// Returns how often the list has changed.
  [[nodiscard]] std::size_t changes() const noexcept { return changes_; }
  /// Moves the list out, best first.
  void take(std::vector<configuration>& configurations, std::vector<float>& scores) {
    std::sort_heap(heap_.begin(), heap_.end(), worse_last);
    for (auto& e : heap_) {
      configurations.push_back(std::move(e.chosen));
      scores.push_back(e.score);
    }
  }

 private:
  struct entry {
    configuration chosen;
    float score;
    std::uint64_t order;  ///< breaks ties independently of the library's heap
  };
  static bool worse_last(entry const& a, entry const& b) noexcept {
    return a.score != b.score ? a.score > b.score : a.order < b.order;
  }
  std::size_t capacity_;
  configuration_set const& visited_;
  std::vector<entry> heap_;
  configuration_set members_;
  std::size_t changes_ = 0;
};

/// Fills the slots of a batch with `picked`, best first, and with random configurations where the plan has a random
/// slot. If one kind runs out, the other fills its slots.
[[nodiscard]] inline std::vector<configuration> mix_batch(std::vector<bool> const& random_slots,
                                                          std::vector<configuration> picked,
                                                          std::vector<configuration> fresh) {
  std::vector<configuration> batch;
  std::size_t next_pick = 0, next_fresh = 0;
  for (bool const is_random : random_slots) {
    bool const draw = (is_random && next_fresh < fresh.size()) || next_pick == picked.size();
    if (draw && next_fresh == fresh.size()) break;
    batch.push_back(draw ? std::move(fresh[next_fresh++]) : std::move(picked[next_pick++]));
  }
  return batch;
}

}}}  // namespace ttune::v0::detail
