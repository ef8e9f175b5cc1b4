// SPDX-License-Identifier: Apache-2.0
// The cache lines that parts of a kernel touch, and those that come into a cache of a certain size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ttune/roof/loop_tree.hpp"

namespace ttune { inline namespace v0 { namespace roof {

/// Returns the cache lines that an access touches while the loops of its path from `depth` on run. Like the features of
/// a nest (feature/README.md), it takes the smallest box around the elements; rows that follow each other are one
/// piece.
[[nodiscard]] inline double lines_of(loop_tree const& tree, counted_store const& s, touch const& t, std::size_t depth,
                                     double line_bytes) {
  auto const element = static_cast<double>(size_in_bytes(t.buffer->type));
  double runs = s.share;
  for (auto i = depth; i < s.path.size(); ++i) runs *= tree.loops[s.path[i]].trips;
  runs = std::max(1.0, runs);
  double lines = 1, piece = element;  // bytes of a contiguous piece
  bool joined = true;
  for (auto d = t.dimensions.rbegin(); d != t.dimensions.rend(); ++d) {
    double span = 0, places = 1;
    for (auto i = depth; i < s.path.size(); ++i) {
      if (d->step[i] == 0) continue;
      span += d->step[i] * (tree.loops[s.path[i]].trips - 1);
      places *= tree.loops[s.path[i]].trips;
    }
    if (d->gathered) span = d->extent - 1, places = runs;
    span = std::min(std::floor(span) + 1, d->extent);
    places = std::min(places, span);
    if (!joined) {
      lines *= places;
      continue;
    }
    auto const whole = std::max(1.0, std::ceil(piece * span / line_bytes));
    lines = std::min(whole, std::max(1.0, std::ceil(piece / line_bytes)) * places);
    joined = span >= d->extent;
    piece *= span;
  }
  return t.gathered() ? std::min(lines, runs) : lines;
}

/// The lines that come into a cache for one buffer.
struct traffic {
  double bytes = 0;
  std::size_t repeated_by = none;  ///< the loop that makes data come again most often
};

/// Computes what comes into a cache while a kernel runs.
class cache_traffic {
 public:
  cache_traffic(loop_tree const& tree, double line_bytes) : tree_(tree), line_bytes_(line_bytes) {
    for (auto const& s : tree.stores)
      for (auto const& t : s.touches)
        if (t.buffer->where != ir::memory::registers && slot(t.buffer) == buffers_.size()) buffers_.push_back(t.buffer);
  }

  [[nodiscard]] std::vector<ir::buffer const*> const& buffers() const noexcept { return buffers_; }

  /// Returns the bytes of the lines of each buffer that a region touches, each once.
  [[nodiscard]] std::vector<double> footprint(loop_region const& of) const { return footprint(of, of.depth); }

  /// Returns what comes into a cache of this size while a region runs, if it holds nothing of it before. What fits
  /// comes once. If the loop around it, and loops further out, do not move a buffer, its lines stay, because they are
  /// used again and again.
  [[nodiscard]] std::vector<traffic> into(loop_region const& of, double cache_bytes) const {
    return come_into(of, cache_bytes).each;
  }

  [[nodiscard]] static double sum(std::vector<double> const& of) {
    double made = 0;
    for (auto const bytes : of) made += bytes;
    return made;
  }

 private:
  struct result {
    std::vector<traffic> each;
    std::vector<bool> stays;  ///< the buffer is in the cache as long as no loop moves it
  };

  [[nodiscard]] std::size_t slot(ir::buffer const* b) const {
    return static_cast<std::size_t>(std::find(buffers_.begin(), buffers_.end(), b) - buffers_.begin());
  }

  template <class Visit>
  void for_each_store(loop_region const& of, Visit const& visit) const {
    if (of.store != none) visit(tree_.stores[of.store]);
    for (auto const& part : of.inside) for_each_store(part, visit);
  }

  [[nodiscard]] std::vector<double> footprint(loop_region const& of, std::size_t depth) const {
    std::vector<double> made(buffers_.size());
    for_each_store(of, [&](counted_store const& s) {
      for (auto const& t : s.touches)
        if (auto const at = slot(t.buffer); at < made.size())
          made[at] = std::max(made[at], lines_of(tree_, s, t, depth, line_bytes_) * line_bytes_);
    });
    return made;
  }

  [[nodiscard]] bool moves(loop_region const& loop, std::size_t buffer) const {
    bool found = false;
    for_each_store(loop, [&](counted_store const& s) {
      for (auto const& t : s.touches)
        found = found || (t.buffer == buffers_[buffer] && (t.moves_with(loop.depth) || t.gathered()));
    });
    return found;
  }

  [[nodiscard]] result once(std::vector<double> const& bytes) const {
    result made{{}, std::vector<bool>(buffers_.size(), false)};
    for (auto const b : bytes) made.each.push_back({b, none});
    return made;
  }

  [[nodiscard]] result come_into(loop_region const& of, double cache_bytes) const {
    auto const touched = footprint(of);
    if (sum(touched) <= cache_bytes) return once(touched);
    if (of.loop == none) return parts_in_sequence(of, cache_bytes);
    auto const body = footprint(of, of.depth + 1);
    if (sum(body) <= cache_bytes) {
      auto made = once(touched);
      for (std::size_t b = 0; b < buffers_.size(); ++b) made.stays[b] = touched[b] == body[b] && touched[b] > 0;
      return made;
    }
    auto made = parts_in_sequence(of, cache_bytes);
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      bool const moved = moves(of, b);
      if (made.stays[b] && !moved) continue;
      made.stays[b] = false;
      made.each[b].bytes *= tree_.loops[of.loop].trips;
      if (made.each[b].bytes > touched[b] * 1.5) repeat(made.each[b], of.loop);
    }
    return made;
  }

  [[nodiscard]] result parts_in_sequence(loop_region const& of, double cache_bytes) const {
    if (of.inside.empty()) return once(footprint(of));
    result made = once(std::vector<double>(buffers_.size()));
    made.stays.assign(buffers_.size(), true);
    for (auto const& part : of.inside) {
      auto const one = come_into(part, cache_bytes);
      for (std::size_t b = 0; b < buffers_.size(); ++b) {
        made.each[b].bytes += one.each[b].bytes;
        repeat(made.each[b], one.each[b].repeated_by);
        if (one.each[b].bytes > 0) made.stays[b] = made.stays[b] && one.stays[b];
      }
    }
    return made;
  }

  void repeat(traffic& of, std::size_t loop) const {
    auto const trips = [&](std::size_t l) { return l == none ? 1 : tree_.loops[l].trips; };
    if (trips(loop) > trips(of.repeated_by)) of.repeated_by = loop;
  }

  loop_tree const& tree_;
  double line_bytes_;
  std::vector<ir::buffer const*> buffers_;
};

}}}  // namespace ttune::v0::roof
