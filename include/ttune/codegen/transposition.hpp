// SPDX-License-Identifier: Apache-2.0
// Transposition of a tile of vectors: pairs of vectors are shuffled, once for each doubling of the number of rows.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Computes the shuffles that collect the elements of each column. Rows and lanes are powers of two, rows <= lanes. It
/// uses only two kinds of shuffles, for which x86 and ARM have instructions without index tables: first elements are
/// interleaved within 128-bit chunks, then whole chunks are gathered.
class transposition {
 public:
  struct step {
    int first;  ///< first of two vectors: the rows are 0, 1, ..., the results of the steps follow
    int second;
    std::vector<int> places;  ///< indices into the lanes of both vectors, concatenated
  };
  struct place {
    int vector = 0;
    int lane = 0;
  };

  transposition(int rows, int lanes, int element_bytes) : rows_(rows), lanes_(lanes) {
    for (int row = 0; row < rows; ++row) {
      contents_.emplace_back();
      for (int lane = 0; lane < lanes; ++lane) contents_.back().push_back({row, lane});
      tile_.push_back(row);
    }
    int const chunk = element_bytes * lanes <= 16 ? lanes : 16 / element_bytes;
    for (int distance = rows < chunk ? rows / 2 : chunk / 2; distance > 0; distance /= 2) round(distance, chunk, true);
    for (int distance = chunk; distance < rows; distance *= 2) round(distance, chunk, false);
    columns_.resize(static_cast<std::size_t>(lanes), std::vector<place>(static_cast<std::size_t>(rows)));
    for (int const vector : tile_)
      for (int lane = 0; lane < lanes; ++lane) {
        auto const from = content(vector, lane);
        columns_[static_cast<std::size_t>(from.lane)][static_cast<std::size_t>(from.vector)] = {vector, lane};
      }
  }

  [[nodiscard]] std::vector<step> const& steps() const noexcept { return steps_; }
  /// Returns the positions of a column's elements, row by row; all are in one vector.
  [[nodiscard]] std::vector<place> const& column(int lane) const { return columns_[static_cast<std::size_t>(lane)]; }

 private:
  [[nodiscard]] place content(int vector, int lane) const {
    return contents_[static_cast<std::size_t>(vector)][static_cast<std::size_t>(lane)];
  }

  void round(int distance, int chunk, bool interleave) {
    for (int i = 0; i < rows_; ++i) {
      if ((i & distance) != 0) continue;
      auto& a = tile_[static_cast<std::size_t>(i)];
      auto& b = tile_[static_cast<std::size_t>(i + distance)];
      auto const low = shuffle(a, b, interleave ? interleaved(chunk, 0) : gathered(chunk, 0));
      auto const high = shuffle(a, b, interleave ? interleaved(chunk, 1) : gathered(chunk, 1));
      a = low;
      b = high;
    }
  }

  /// Returns the shuffle that takes one half of each chunk, alternating between both vectors.
  [[nodiscard]] std::vector<int> interleaved(int chunk, int half) const {
    std::vector<int> places;
    for (int start = half * chunk / 2; start < lanes_; start += chunk)
      for (int i = start; i < start + chunk / 2; ++i) places.insert(places.end(), {i, i + lanes_});
    return places;
  }

  /// Returns the shuffle that takes the even or the odd chunks of both vectors.
  [[nodiscard]] std::vector<int> gathered(int chunk, int odd) const {
    std::vector<int> places;
    for (int start = odd * chunk; start < 2 * lanes_; start += 2 * chunk)
      for (int i = start; i < start + chunk; ++i) places.push_back(i);
    return places;
  }

  int shuffle(int a, int b, std::vector<int> places) {
    std::vector<place> made;
    for (int const p : places) made.push_back(p < lanes_ ? content(a, p) : content(b, p - lanes_));
    contents_.push_back(std::move(made));
    steps_.push_back({a, b, std::move(places)});
    return static_cast<int>(contents_.size()) - 1;
  }

  int rows_;
  int lanes_;
  std::vector<step> steps_;
  std::vector<int> tile_;                     ///< vectors that hold the current content
  std::vector<std::vector<place>> contents_;  ///< original row and lane of the elements of each vector
  std::vector<std::vector<place>> columns_;
};

}}}  // namespace ttune::v0::codegen
