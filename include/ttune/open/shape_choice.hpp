// SPDX-License-Identifier: Apache-2.0
// Which of a few kernels computes a call, by its extents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ttune/runtime/shape_tree.hpp"

namespace ttune { inline namespace v0 { namespace detail {

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

/// Returns the tree for some kernels, all of which may be used, and those that it uses.
[[nodiscard]] shape_choice tree_for(std::vector<shape_candidate> const& kernels, std::vector<shape_use> const& uses,
                                    call_shape const& smallest, call_shape const& largest);

/// Returns at most `most` of the candidates without a tree: the same, if each use could choose freely.
[[nodiscard]] std::vector<std::size_t> choose_for_each(std::vector<shape_candidate> const& all,
                                                       std::vector<shape_use> const& uses, call_shape const& largest,
                                                       std::size_t most);

/// Returns the square of the distance of two shapes, by the logarithms (to base 2) of their extents.
[[nodiscard]] double distance_of(call_shape const& a, call_shape const& b);

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
