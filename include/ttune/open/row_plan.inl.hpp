// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "ttune/open/row_plan.hpp"

namespace ttune { inline namespace v0 { namespace detail {

row_plan::row_plan(std::vector<row_block> blocks, bool repeats) : blocks_(std::move(blocks)) {
  auto const speed = [](row_block const& b) { return static_cast<double>(b.rows) / b.seconds; };
  for (std::size_t b = 0; b < blocks_.size(); ++b)
    if (speed(blocks_[b]) >= speed(blocks_[bulk_])) bulk_ = static_cast<std::uint8_t>(b);
  auto const planned = static_cast<std::size_t>(std::min(most_planned, 4 * blocks_.back().rows));
  for (std::size_t largest = 0; largest < blocks_.size(); ++largest) {
    auto& next = next_.emplace_back(planned + 1, std::uint8_t{0});
    std::vector<double> seconds(planned + 1, std::numeric_limits<double>::infinity());
    seconds[0] = 0;
    for (std::size_t left = 1; left <= planned; ++left)
      for (std::size_t b = 0; b <= largest; ++b) {
        auto const rows = static_cast<std::size_t>(blocks_[b].rows);
        if (rows > left && !repeats) break;
        auto const all = seconds[left - std::min(left, rows)] + blocks_[b].seconds;
        if (all <= seconds[left]) seconds[left] = all, next[left] = static_cast<std::uint8_t>(b);
      }
  }
}

double row_plan::seconds(std::int64_t rows) const {
  double sum = 0;
  for_each_block(rows, [&](std::size_t block, std::int64_t) { sum += blocks_[block].seconds; });
  return sum;
}

std::string row_plan::text(std::int64_t rows) const {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // rows of a block, times
  for_each_block(rows, [&](std::size_t block, std::int64_t) {
    auto const its_rows = blocks_[block].rows;
    if (runs.empty() || runs.back().first != its_rows) runs.emplace_back(its_rows, 0);
    ++runs.back().second;
  });
  std::string made;
  for (auto const& [its_rows, times] : runs)
    made += (made.empty() ? "" : " + ") + (times > 1 ? std::to_string(times) + " x " : "") + std::to_string(its_rows);
  return made;
}

std::vector<row_block> with_seconds(std::vector<row_block> blocks) {
  bool const measured = std::all_of(blocks.begin(), blocks.end(), [](row_block const& b) { return b.seconds > 0; });
  for (auto& b : blocks)
    if (!measured) b.seconds = 1 + static_cast<double>(b.rows);
  return blocks;
}

std::vector<row_block> choose_blocks(std::vector<row_block> all, row_uses const& uses, std::size_t most, bool repeats) {
  auto const seconds_with = [&](std::vector<row_block> const& some) {
    row_plan const plan(some, repeats);
    std::vector<double> made;
    for (auto const& [rows, share] : uses) made.push_back(plan.seconds(rows));
    return made;
  };
  auto const least = seconds_with(all);
  while (all.size() > std::max<std::size_t>(most, 1)) {
    std::size_t worst = 0;
    double least_loss = std::numeric_limits<double>::infinity();
    for (std::size_t b = 1; b < all.size(); ++b) {
      auto fewer = all;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(b));
      auto const seconds = seconds_with(fewer);
      double loss = 0;
      for (std::size_t u = 0; u < uses.size(); ++u) loss += uses[u].second * seconds[u] / least[u];
      if (loss < least_loss) least_loss = loss, worst = b;
    }
    if (worst == 0) break;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  return all;
}

std::vector<std::int64_t> row_candidates(std::int64_t high, row_uses const& uses) {
  constexpr std::size_t most = 24;
  constexpr std::int64_t largest = 512;
  std::vector<std::int64_t> made;
  auto const add = [&](std::int64_t rows) {
    if (rows >= 1 && rows <= std::min(high, row_plan::most_planned) && made.size() < most &&
        std::find(made.begin(), made.end(), rows) == made.end())
      made.push_back(rows);
  };
  for (std::int64_t rows = 1; rows <= 8; ++rows) add(rows);
  for (std::int64_t rows = 8; rows <= largest; rows *= 2) add(rows), add(rows + rows / 2);
  if (high < largest) add(high);
  auto by_share = uses;
  std::sort(by_share.begin(), by_share.end(), [](auto const& a, auto const& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (auto const& [rows, share] : by_share) add(rows);
  std::sort(made.begin(), made.end());
  return made;
}

row_uses even_uses(std::int64_t low, std::int64_t high) {
  row_uses made;
  for (std::int64_t from = 1; from <= std::min(high, row_plan::most_planned); from *= 2)
    for (auto const quarter : {4, 5, 6, 7})
      if (auto const rows = from * quarter / 4;
          rows >= low && rows <= high && (made.empty() || made.back().first < rows))
        made.emplace_back(rows, 1.0);
  if (made.empty()) made.emplace_back(low, 1.0);
  return made;
}

}}}  // namespace ttune::v0::detail
