// SPDX-License-Identifier: Apache-2.0
// Which of a few kernels computes a call, by its extents: a binary tree of comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// The extents of a call, in the order of `open_extents`.
using call_shape = std::vector<std::int64_t>;

/// A shape with its share of the calls, in any unit.
struct shape_use {
  call_shape shape;
  double weight = 1;
};

/// A kernel of a choice: the largest extents that it computes, and its seconds for each shape that was measured;
/// infinity where it was not.
struct shape_candidate {
  call_shape largest;
  std::vector<double> seconds;

  [[nodiscard]] bool computes(std::span<std::int64_t const> shape) const noexcept {
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape[d] > largest[d]) return false;
    return true;
  }
};

/// A tree of comparisons of extents. A call passes a handful of them, in a few nanoseconds.
class shape_tree {
 public:
  struct node {
    std::int32_t extent = -1;  ///< place of the extent that is compared; -1: a leaf
    std::int64_t most = 0;     ///< smaller or equal extents go to `below`
    std::int32_t below = 0;    ///< number of a node; of a leaf, that of the kernel
    std::int32_t above = 0;
  };

  shape_tree() = default;
  /// The first node is the root.
  explicit shape_tree(std::vector<node> nodes) : nodes_(std::move(nodes)) {}

  [[nodiscard]] std::size_t choose(std::span<std::int64_t const> shape) const noexcept {
    auto const* at = nodes_.data();
    while (at->extent >= 0)
      at = nodes_.data() + (shape[static_cast<std::size_t>(at->extent)] <= at->most ? at->below : at->above);
    return static_cast<std::size_t>(at->below);
  }
  /// Returns the tree as an expression of C++: `M <= 64 ? 1 : N <= 16 ? 2 : 0`.
  [[nodiscard]] std::string text(std::vector<std::string> const& names) const { return text_of(0, names); }
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }

 private:
  [[nodiscard]] std::string text_of(std::int32_t at, std::vector<std::string> const& names) const;

  std::vector<node> nodes_{node{}};
};

/// Kernels, and the tree that chooses among them.
struct shape_choice {
  std::vector<std::size_t> kernels;  ///< numbers of candidates; leaves of the tree are numbers of these
  shape_tree tree;
};

/// Returns at most `most` of the candidates, and the tree for them: the weighted mean of the logarithms of
/// seconds over the least seconds of any candidate is small on `uses`. Some candidate must compute `largest`; it is
/// among the kernels, and each leaf has a kernel that computes all shapes which reach it. Source: DietCode (Zheng et
/// al., MLSys 2022) chooses micro-kernels by a decision tree over extents.
[[nodiscard]] shape_choice choose_by_shape(std::vector<shape_candidate> const& all, std::vector<shape_use> const& uses,
                                           call_shape const& smallest, call_shape const& largest, std::size_t most);

/// Returns at most `most` of the candidates without a tree: the same, if each use could choose freely.
[[nodiscard]] std::vector<std::size_t> choose_for_each(std::vector<shape_candidate> const& all,
                                                       std::vector<shape_use> const& uses, call_shape const& largest,
                                                       std::size_t most);

/// Returns some of the shapes that are far apart: each of the others is near one of them. Source: Gonzalez, "Clustering
/// to minimize the maximum intercluster distance" (1985), with logarithms of extents.
/// The first `given` are taken in any case.
[[nodiscard]] std::vector<call_shape> apart_shapes(std::vector<shape_use> const& uses, std::size_t most,
                                                   std::size_t given = 0);

/// Returns shapes of which each octave of each extent has the same share.
[[nodiscard]] std::vector<shape_use> even_shapes(call_shape const& smallest, call_shape const& largest,
                                                 std::size_t count);

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/open/shape_choice.inl.hpp"
#endif
