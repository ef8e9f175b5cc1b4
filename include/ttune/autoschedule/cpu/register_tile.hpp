// SPDX-License-Identifier: Apache-2.0
// Estimates the speed of register tiles of a reduction; the seed is the best one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// Tiles of rows x vectors of accumulators over a result of `row_extent` x `vector_extent` elements.
struct register_tiles {
  std::int64_t vector_extent = 1;
  std::int64_t row_extent = 1;  ///< 1: there are no rows, and each load is used once, by its multiply-add
  std::int64_t lanes = 1;
  std::int64_t registers = 16;     ///< vector registers
  std::int64_t terms = 1;          ///< terms of an element
  std::int64_t operands_each = 1;  ///< registers beside the sums, per vector of a row
  std::int64_t operands_once = 1;  ///< registers beside the sums, for all vectors
  std::int64_t sums = 1;           ///< sums of an element: a stage may have several components
  std::int64_t loads_each = 1;     ///< without rows: loads of a vector of an operand that is not contiguous
  bool unrolls_taps = false;       ///< taps of a window need addresses and operands of their own
  std::int64_t kept_each = 0;      ///< registers per accumulator, for elements under one tap that the next one uses
  std::int64_t held_each = 0;      ///< without rows: registers per vector for operands that all terms of it use
  bool stores_across = false;      ///< neighbours in memory are along the rows

  [[nodiscard]] std::int64_t vectors(std::int64_t elements) const { return ceil_divide(elements, lanes); }
  [[nodiscard]] bool fits(std::int64_t elements, std::int64_t rows) const {
    auto const n = vectors(elements);
    return (row_extent == 1 ? n * sums + 2 : n * rows * sums + n * operands_each + operands_once) <= registers;
  }

  /// Returns the expected share of peak for tiles of `elements` in vectors x `rows`; 0 if a tile does not fit. Lanes
  /// past the extent are wasted; the code of the last tiles, which has a rate of its own, leaves out whole vectors and
  /// rows past it. Of equally fast tiles, those without such code are better.
  [[nodiscard]] double score(std::int64_t elements, std::int64_t rows) const {
    if (!fits(elements, rows)) return 0;
    struct part {
      std::int64_t tiles;
      std::int64_t extent;
    };
    auto const parts = [](std::int64_t extent, std::int64_t tile) {
      return std::array{part{extent / tile, tile}, part{1, extent % tile}};
    };
    auto const width = vectors(elements) * lanes;
    double time = 0;  // in multiply-adds of vectors at peak
    for (auto const& v : parts(vector_extent, width))
      for (auto const& r : parts(row_extent, rows)) {
        if (v.tiles * r.tiles * v.extent * r.extent == 0) continue;
        time += static_cast<double>(v.tiles * r.tiles * vectors(v.extent) * r.extent) / rate(v.extent, r.extent);
      }
    double const even = (vector_extent % width == 0 ? 1.0 : 0.97) * (row_extent % rows == 0 ? 1.0 : 0.97);
    return even * static_cast<double>(vector_extent * row_extent) / (static_cast<double>(lanes) * time);
  }

  /// Returns the expected share of peak inside of one tile: at most one load per two multiply-adds is good, ten
  /// accumulators hide the latency, and too many spill: more than 28 of 32 registers, or more than 21 if taps are
  /// unrolled; if taps share vectors, these count as well, and all registers may be used. Several loads of each vector
  /// hide the latency of fewer accumulators, and make more code of many (softmax of rows of ten: 1.1 s of compilation
  /// with 28 vectors). Operands that all terms of a vector use stay in registers (largest overlap of boxes, four
  /// numbers each: 12 vectors take 1.7 times as long as 2). A tile stored across its vectors costs a shuffle and a
  /// store per vector (C7 and C9 of ResNet-18: 0.55 and 0.77 of peak with 28, 1.05 with 14).
  [[nodiscard]] double rate(std::int64_t elements, std::int64_t rows) const {
    auto const n = vectors(elements);
    auto const accumulators = n * rows * sums;
    double const loads =
        static_cast<double>((loads_each > 1 ? 0 : rows) + n * loads_each) / static_cast<double>(accumulators);
    double const latency = std::min(1.0, static_cast<double>(accumulators * loads_each) / 10.0);
    bool const spills = held_each > 0 && n * (sums + held_each) > registers - 4;
    double const crowded = spills          ? 0.5
                           : kept_each > 0 ? ((1 + kept_each) * accumulators > registers ? 0.5 : 1.0)
                           : accumulators > registers - (unrolls_taps ? 11 : 4) ? 0.8
                                                                                : 1.0;
    double const stores =
        4.0 * static_cast<double>(elements * vectors(rows) * sums) / static_cast<double>(terms * accumulators);
    return latency * crowded / (1.0 + 0.25 * std::max(0.0, loads - 0.4) + (stores_across ? stores : 0.0));
  }
};

}}}  // namespace ttune::v0::autoschedule
