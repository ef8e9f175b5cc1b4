// SPDX-License-Identifier: Apache-2.0
// Shuffles that take interleaved components of points apart, and shuffles that interleave them again.
//
//   x0 y0 z0 x1, y1 z1 x2 y2, z2 x3 y3 z3     ⇄     x0 x1 x2 x3, y0 y1 y2 y3, z0 z1 z2 z3
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ttune/codegen/transposition.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

/// Largest number of components that are taken apart, or interleaved, in registers.
inline constexpr std::int64_t most_interleaved = 16;

/// Returns true if shuffles take vectors of this number of lanes apart at less cost than loads of each lane.
[[nodiscard]] inline bool interleaves(int lanes) { return lanes >= 8 && (lanes & (lanes - 1)) == 0; }

/// Computes the shuffles. An even number of components is halved: even and odd elements are streams of their own. An
/// odd number m needs m shuffles of one vector and m * ceil(log2 m) selections of two: the vectors are rotated against
/// each other in each lane, by 1, 2, 4, ... vectors, until each contains one component (Catanzaro, Keller, Garland: A
/// Decomposition for In-place Matrix Transposition, 2014).
class interleaving {
 public:
  using step = transposition::step;
  enum class direction { apart, together };

  /// Lanes are a power of two.
  interleaving(int components, int lanes, direction way)
      : lanes_(lanes), made_(components), results_(static_cast<std::size_t>(components)) {
    numbers all;
    for (int i = 0; i < components; ++i) all.push_back(i);
    if (way == direction::apart) separate(all, 0, 1);
    else results_ = joined(all);
  }

  [[nodiscard]] std::vector<step> const& steps() const noexcept { return steps_; }
  /// Returns the numbers of the resulting vectors: the given ones are 0, 1, ..., the results of the steps follow.
  [[nodiscard]] std::vector<int> const& results() const noexcept { return results_; }

 private:
  using numbers = std::vector<int>;

  int shuffle(int a, int b, std::vector<int> places) {
    steps_.push_back({a, b, std::move(places)});
    return made_++;
  }

  /// Takes a stream apart whose components have the numbers `first`, `first` + `apart`, ...
  void separate(numbers const& stream, int first, int apart) {
    auto const count = stream.size();
    if (count == 1) {
      results_[static_cast<std::size_t>(first)] = stream[0];
    } else if (count % 2 == 0) {
      for (int odd : {0, 1}) {
        std::vector<int> places;
        for (int lane = 0; lane < lanes_; ++lane) places.push_back(2 * lane + odd);
        numbers half;
        for (std::size_t i = 0; i < count; i += 2) half.push_back(shuffle(stream[i], stream[i + 1], places));
        separate(half, first + odd * apart, 2 * apart);
      }
    } else {
      auto const turned = rotated(stream, -1);
      for (int u = 0; u < static_cast<int>(count); ++u) {
        std::vector<int> places(static_cast<std::size_t>(lanes_));
        for (int lane = 0; lane < lanes_; ++lane)
          places[static_cast<std::size_t>(point(u, lane, static_cast<int>(count)))] = lane;
        auto const from = turned[static_cast<std::size_t>(u)];
        results_[static_cast<std::size_t>(first + component(u, static_cast<int>(count)) * apart)] =
            shuffle(from, from, std::move(places));
      }
    }
  }

  /// Returns the stream of interleaved components.
  [[nodiscard]] numbers joined(numbers const& components) {
    auto const count = components.size();
    if (count == 1) return components;
    if (count % 2 == 0) {
      numbers halves[2];
      for (std::size_t i = 0; i < count; ++i) halves[i % 2].push_back(components[i]);
      for (auto& h : halves) h = joined(h);
      numbers stream;
      for (std::size_t i = 0; i < count; ++i) {
        std::vector<int> places;
        for (int lane = 0; lane < lanes_; ++lane)
          places.push_back(lane / 2 + (i % 2 == 1 ? lanes_ / 2 : 0) + lane % 2 * lanes_);
        stream.push_back(shuffle(halves[0][i / 2], halves[1][i / 2], std::move(places)));
      }
      return stream;
    }
    numbers turned;
    for (int u = 0; u < static_cast<int>(count); ++u) {
      std::vector<int> places;
      for (int lane = 0; lane < lanes_; ++lane) places.push_back(point(u, lane, static_cast<int>(count)));
      auto const from = components[static_cast<std::size_t>(component(u, static_cast<int>(count)))];
      turned.push_back(shuffle(from, from, std::move(places)));
    }
    return rotated(turned, 1);
  }

  /// Returns how many vectors a lane is rotated by, for an odd number of components: the multiple of `lanes` that is
  /// the lane, modulo their number.
  [[nodiscard]] int turns(int lane, int count) const {
    int made = 0;
    while ((made * lanes_ - lane) % count != 0) ++made;
    return made;
  }
  /// Returns the component, and for a lane the point, of rotated vector `u`.
  [[nodiscard]] int component(int u, int count) const { return u * lanes_ % count; }
  [[nodiscard]] int point(int u, int lane, int count) const {
    auto const vector = (u - turns(lane, count) + count) % count;
    return (vector * lanes_ + lane) / count;
  }

  /// Rotates the lanes of vectors: vector `v` of the result has in each lane the element of vector `v` + `way` *
  /// turns(lane).
  [[nodiscard]] numbers rotated(numbers vectors, int way) {
    auto const count = static_cast<int>(vectors.size());
    for (int by = 1; by < count; by *= 2) {
      std::vector<int> places;
      for (int lane = 0; lane < lanes_; ++lane) places.push_back((turns(lane, count) & by) != 0 ? lanes_ + lane : lane);
      numbers next;
      for (int v = 0; v < count; ++v) {
        auto const other = ((v + way * by) % count + count) % count;
        next.push_back(shuffle(vectors[static_cast<std::size_t>(v)], vectors[static_cast<std::size_t>(other)], places));
      }
      vectors = std::move(next);
    }
    return vectors;
  }

  int lanes_;
  int made_;  ///< number of the next vector
  std::vector<step> steps_;
  std::vector<int> results_;
};

}}}  // namespace ttune::v0::codegen
