// SPDX-License-Identifier: Apache-2.0
// Greedy plans: orders of blocks, and gaps between those that are placed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "ttune/network/memory_plan.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// The gap that a block takes. `either_end` alternates between the lowest offset and the highest one in an arena of the
/// least size.
enum class memory_fit : std::uint8_t { tightest, lowest, either_end };

/// Makes greedy plans of the same blocks.
class memory_planner {
 public:
  using block_order = std::vector<std::size_t>;

  memory_planner(std::vector<memory_block> const& blocks, std::vector<in_place_pair> const& in_place);

  [[nodiscard]] block_order by_size() const;
  [[nodiscard]] block_order by_breadth() const;
  [[nodiscard]] block_order by_time() const;
  /// Places the blocks of an order; without `shares`, pairs in place are like others.
  [[nodiscard]] memory_plan place(block_order const& order, memory_fit fit, bool shares) const;

 private:
  /// Bytes of the arena.
  struct range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  static constexpr std::int64_t most_bytes = std::int64_t{1} << 61;  // so that no sum of two offsets overflows

  void add_block(memory_block block);
  void add_pair(in_place_pair pair);
  void find_least_bytes();
  [[nodiscard]] bool alive(std::size_t block, std::int64_t step) const;
  [[nodiscard]] bool conflict(std::size_t one, std::size_t other) const;
  [[nodiscard]] bool is_pair(std::size_t one, std::size_t other) const;
  [[nodiscard]] std::int64_t bytes_alive(std::int64_t step) const;
  [[nodiscard]] std::int64_t bytes_shared(std::int64_t step) const;
  [[nodiscard]] std::int64_t offset_of_partner(std::size_t block, block_order const& placed,
                                               std::vector<std::int64_t> const& offsets) const;
  [[nodiscard]] std::vector<range> taken_for(std::size_t block, block_order const& placed,
                                             std::vector<std::int64_t> const& offsets) const;
  [[nodiscard]] static std::vector<range> gaps_between(std::vector<range> const& taken, std::int64_t bytes,
                                                       std::int64_t top);
  [[nodiscard]] static std::int64_t tightest(std::vector<range> const& gaps);

  std::vector<memory_block> blocks_;                // bytes are multiples of the alignment
  std::vector<std::vector<std::size_t>> operands_;  // [result]: operands that it may replace
  std::int64_t sum_ = 0;                            // of all bytes
  std::int64_t least_bytes_ = 0;
  std::int64_t least_apart_ = 0;  // the same if no pair shares memory
};

memory_planner::memory_planner(std::vector<memory_block> const& blocks, std::vector<in_place_pair> const& in_place) {
  for (auto const& block : blocks) add_block(block);
  operands_.resize(blocks_.size());
  for (auto const& pair : in_place) add_pair(pair);
  find_least_bytes();
}

void memory_planner::add_block(memory_block block) {
  auto const name = "memory plan: block " + std::to_string(blocks_.size());
  if (block.bytes < 0) throw argument_error(name + " has " + std::to_string(block.bytes) + " bytes");
  if (block.last_use < block.first_use)
    throw argument_error(name + " is last used at step " + std::to_string(block.last_use) +
                         ", before its first use at step " + std::to_string(block.first_use));
  auto const rest = block.bytes % memory_plan_alignment;
  auto const padding = rest == 0 ? 0 : memory_plan_alignment - rest;
  if (block.bytes > most_bytes - padding || block.bytes + padding > most_bytes - sum_)
    throw argument_error(name + " and those before it exceed 2^61 bytes");
  block.bytes += padding;
  sum_ += block.bytes;
  blocks_.push_back(block);
}

void memory_planner::add_pair(in_place_pair pair) {
  for (auto const block : {pair.operand, pair.result})
    if (block >= blocks_.size())
      throw argument_error("memory plan: a pair in place names block " + std::to_string(block) + " among " +
                           std::to_string(blocks_.size()));
  if (pair.operand == pair.result)
    throw argument_error("memory plan: block " + std::to_string(pair.operand) + " is a pair in place with itself");
  if (blocks_[pair.operand].last_use == blocks_[pair.result].first_use) operands_[pair.result].push_back(pair.operand);
}

bool memory_planner::alive(std::size_t block, std::int64_t step) const {
  return blocks_[block].first_use <= step && step <= blocks_[block].last_use;
}

bool memory_planner::conflict(std::size_t one, std::size_t other) const {
  return alive(one, blocks_[other].first_use) || alive(other, blocks_[one].first_use);
}

bool memory_planner::is_pair(std::size_t one, std::size_t other) const {
  auto const names = [](std::vector<std::size_t> const& list, std::size_t block) {
    return std::find(list.begin(), list.end(), block) != list.end();
  };
  return names(operands_[one], other) || names(operands_[other], one);
}

std::int64_t memory_planner::bytes_alive(std::int64_t step) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) sum += alive(i, step) ? blocks_[i].bytes : 0;
  return sum;
}

/// Returns no less than the bytes that results made at this step share with operands. A result shares with one operand
/// and an operand with one result, so that neither sum of the most that each may share is exceeded.
std::int64_t memory_planner::bytes_shared(std::int64_t step) const {
  std::int64_t by_results = 0, by_operands = 0;
  std::vector<std::int64_t> of_operand(blocks_.size(), 0);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].first_use != step) continue;
    std::int64_t of_result = 0;
    for (auto const operand : operands_[i]) {
      auto const bytes = std::min(blocks_[i].bytes, blocks_[operand].bytes);
      of_result = std::max(of_result, bytes);
      of_operand[operand] = std::max(of_operand[operand], bytes);
    }
    by_results += of_result;
  }
  for (auto const bytes : of_operand) by_operands += bytes;
  return std::min(by_results, by_operands);
}

/// The sum is largest at a step that is the first use of a block.
void memory_planner::find_least_bytes() {
  for (auto const& block : blocks_) {
    auto const apart = bytes_alive(block.first_use);
    least_apart_ = std::max(least_apart_, apart);
    least_bytes_ = std::max({least_bytes_, block.bytes, apart - bytes_shared(block.first_use)});
  }
}

memory_planner::block_order memory_planner::by_time() const {
  block_order order(blocks_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t before, std::size_t after) {
    return std::pair(blocks_[before].first_use, before) < std::pair(blocks_[after].first_use, after);
  });
  return order;
}

memory_planner::block_order memory_planner::by_size() const {
  block_order order(blocks_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t before, std::size_t after) {
    auto const key = [&](std::size_t i) { return std::tuple(-blocks_[i].bytes, blocks_[i].first_use, i); };
    return key(before) < key(after);
  });
  return order;
}

memory_planner::block_order memory_planner::by_breadth() const {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // (minus the bytes alive, step)
  for (auto const& block : blocks_) steps.emplace_back(-bytes_alive(block.first_use), block.first_use);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  auto const large_first = by_size();
  std::vector<bool> listed(blocks_.size());
  block_order order;
  for (auto const& step : steps)
    for (auto const block : large_first)
      if (!listed[block] && alive(block, step.second)) {
        listed[block] = true;
        order.push_back(block);
      }
  return order;
}

/// Returns the offset of a placed block with which this one may share it, if it conflicts with no other there; or -1.
std::int64_t memory_planner::offset_of_partner(std::size_t block, block_order const& placed,
                                               std::vector<std::int64_t> const& offsets) const {
  auto const free_at = [&](std::int64_t offset) {
    return std::none_of(placed.begin(), placed.end(), [&](std::size_t other) {
      return offsets[other] < offset + blocks_[block].bytes && offset < offsets[other] + blocks_[other].bytes &&
             conflict(block, other) && !(offsets[other] == offset && is_pair(block, other));
    });
  };
  for (auto const other : placed)
    if (is_pair(block, other) && free_at(offsets[other])) return offsets[other];
  return -1;
}

/// Returns the places of the blocks that conflict with this one, the lowest first.
std::vector<memory_planner::range> memory_planner::taken_for(std::size_t block, block_order const& placed,
                                                             std::vector<std::int64_t> const& offsets) const {
  std::vector<range> taken;
  for (auto const other : placed)
    if (conflict(block, other)) taken.push_back({offsets[other], offsets[other] + blocks_[other].bytes});
  std::sort(taken.begin(), taken.end(),
            [](range const& before, range const& after) { return before.begin < after.begin; });
  return taken;
}

/// Returns the gaps for these bytes below `top`, the lowest first; the one after all that is taken if there is no
/// other.
std::vector<memory_planner::range> memory_planner::gaps_between(std::vector<range> const& taken, std::int64_t bytes,
                                                                std::int64_t top) {
  std::vector<range> gaps;
  std::int64_t end = 0;
  for (auto const& place : taken) {
    if (place.begin - end >= bytes) gaps.push_back({end, place.begin});
    end = std::max(end, place.end);
  }
  if (top - end >= bytes) gaps.push_back({end, top});
  if (gaps.empty()) gaps.push_back({end, end + bytes});
  return gaps;
}

std::int64_t memory_planner::tightest(std::vector<range> const& gaps) {
  auto const room = [](range const& gap) { return gap.end - gap.begin; };
  return std::min_element(gaps.begin(), gaps.end(),
                          [&](range const& less, range const& more) { return room(less) < room(more); })
      ->begin;
}

memory_plan memory_planner::place(block_order const& order, memory_fit fit, bool shares) const {
  memory_plan plan{std::vector<std::int64_t>(blocks_.size(), 0), 0, least_bytes_};
  block_order placed;
  bool highest = false;
  for (auto const block : order) {
    auto const bytes = blocks_[block].bytes;
    if (bytes == 0) continue;
    auto offset = shares ? offset_of_partner(block, placed, plan.offsets) : -1;
    if (offset < 0) {
      auto const top = !highest ? std::numeric_limits<std::int64_t>::max() : shares ? least_bytes_ : least_apart_;
      auto const gaps = gaps_between(taken_for(block, placed, plan.offsets), bytes, top);
      if (highest) offset = gaps.back().end - bytes;
      else offset = fit == memory_fit::tightest ? tightest(gaps) : gaps.front().begin;
      highest = fit == memory_fit::either_end && !highest;
    }
    plan.offsets[block] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    placed.push_back(block);
  }
  return plan;
}

}  // namespace detail

memory_plan plan_memory(std::vector<memory_block> const& blocks, std::vector<in_place_pair> const& in_place) {
  detail::memory_planner const planner(blocks, in_place);
  auto best = planner.place(planner.by_size(), detail::memory_fit::tightest, true);
  for (auto const& order : {planner.by_size(), planner.by_breadth(), planner.by_time()})
    for (auto const fit : {detail::memory_fit::tightest, detail::memory_fit::lowest, detail::memory_fit::either_end})
      for (bool const shares : {true, false}) {
        if (best.bytes == best.least_bytes) return best;
        if (!shares && in_place.empty()) continue;  // the same plan once more
        auto plan = planner.place(order, fit, shares);
        if (plan.bytes < best.bytes) best = std::move(plan);
      }
  return best;
}

}}  // namespace ttune::v0
