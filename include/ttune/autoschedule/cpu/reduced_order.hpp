// SPDX-License-Identifier: Apache-2.0
// The order of the reduced loops of a contraction, and which of them are unrolled inside of a register tile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/cpu/contraction_axes.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// The reduced axes of a contraction.
struct reduced_order {
  std::vector<std::int32_t> rolled;   ///< loops, from the outermost
  std::vector<std::int32_t> windows;  ///< unrolled loops inside of these
};

class reduced_order_choice {
 public:
  /// `dot_axis` has the terms of dot products, or is -1; it may run through the components of points that a tap of a
  /// window moves over, and is no window then. `leaves_tail`: a tile of vectors is partly filled.
  reduced_order_choice(contraction_axes const& axes, std::int32_t dot_axis, bool leaves_tail)
      : axes_(axes), dot_axis_(dot_axis), leaves_tail_(leaves_tail) {}

  /// Returns the reduced axes from the outermost: first those that run into a boundary along an axis without a tile
  /// (their loops are shortened there), then the long ones, then small windows along the row axis, which are unrolled.
  [[nodiscard]] reduced_order choose() const {
    std::vector<std::int32_t> guarded;
    std::vector<std::int32_t> longs;
    reduced_order made;
    bool const taps_outside = taps_are_outside();
    for (auto a = axes_.free_axes(); a < axes_.all_axes(); ++a) {
      if (axes_.size(a) == 1) continue;
      if (axes_.is_window(a) && a != dot_axis_) made.windows.push_back(a);
      else if (is_phased(a) || meets_lanes(a) || axes_.is_interleaved(a)) made.windows.insert(made.windows.begin(), a);
      else if (is_guarded(axes_.reduction, static_cast<std::size_t>(a)) && !(taps_outside && axes_.is_slid_over(a)))
        guarded.push_back(a);
      else longs.push_back(a);
    }
    made.rolled = guarded;
    made.rolled.insert(made.rolled.end(), longs.begin(), longs.end());
    if (auto const at = std::find(made.rolled.begin(), made.rolled.end(), dot_axis_); at != made.rolled.end())
      std::rotate(at, at + 1, made.rolled.end());  // its terms must be innermost
    auto const& reduction = axes_.reduction.definition->reduction;
    return reduction.associative && reduction.commutative ? made : in_written_order(made);
  }

 private:
  /// Returns true if loops over images are in their written order: each begins and ends where the tap of a loop around
  /// them says. If taps are in the tile, or a loop is short, the loops are better outside of all others.
  [[nodiscard]] bool taps_are_outside() const {
    for (auto a = axes_.free_axes(); a < axes_.all_axes(); ++a)
      if (is_guarded(axes_.reduction, static_cast<std::size_t>(a)) && axes_.is_slid_over(a) &&
          (axes_.size(a) < least_long || axes_.moves_with(a, axes_.vectors) || axes_.moves_with(a, axes_.rows)))
        return false;
    return true;
  }

  /// Returns true if phases use different taps, or if phases of the vector axis share the elements below the taps.
  [[nodiscard]] bool is_phased(std::int32_t a) const {
    return (axes_.phases(a) > 1 && axes_.size(a) <= 2 * most_phases) ||
           (axes_.phases(axes_.vectors) > 1 && axes_.size(a) <= most_phases);
  }

  /// Returns the axes in their written order; those after the last axis that is no window are unrolled.
  [[nodiscard]] static reduced_order in_written_order(reduced_order const& of) {
    auto all = of.rolled;
    all.insert(all.end(), of.windows.begin(), of.windows.end());
    std::sort(all.begin(), all.end());
    auto const is_rolled = [&](std::int32_t a) {
      return std::find(of.rolled.begin(), of.rolled.end(), a) != of.rolled.end();
    };
    auto const last = std::find_if(all.rbegin(), all.rend(), is_rolled).base();
    return {{all.begin(), last}, {last, all.end()}};
  }

  /// Returns true if the boundary of a tap of a short window cuts a last, partly filled tile of vectors. If the taps
  /// are unrolled, the remaining lanes are known; otherwise they would be computed one by one.
  [[nodiscard]] bool meets_lanes(std::int32_t a) const {
    return leaves_tail_ && axes_.size(a) <= 7 && is_guarded(axes_.reduction, static_cast<std::size_t>(a)) &&
           reaches_past(a);
  }

  /// Returns true if the last tap of a window is past the end for the last element of the vector axis.
  [[nodiscard]] bool reaches_past(std::int32_t a) const {
    for (auto const& access : axes_.reduction.accesses) {
      auto const shape = shape_of(axes_.p, axes_.reduction, access);
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        auto const& i = access.indices[d];
        if (i.whole) continue;
        auto const of_taps = i.coefficient[static_cast<std::size_t>(a)];
        auto const of_lanes = i.coefficient[static_cast<std::size_t>(axes_.vectors)];
        auto const last = i.constant + of_taps * (axes_.size(a) - 1) + of_lanes * (axes_.size(axes_.vectors) - 1);
        if (of_taps != 0 && of_lanes != 0 && last >= shape[d] * i.divisor) return true;
      }
    }
    return false;
  }

  contraction_axes const& axes_;
  std::int32_t dot_axis_;
  bool leaves_tail_;
};

}}}  // namespace ttune::v0::autoschedule
