// SPDX-License-Identifier: Apache-2.0
// The choices of a split: how an extent is cut into the extents of nested loops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/schedule/knob.hpp"

namespace ttune::inline v0 {

/// Which tuples a split may choose.
enum class factor_policy : std::uint8_t {
  exact,          ///< ordered factorisations: the parts multiply to the extent
  powers_of_two,  ///< inner parts are powers of two, the outermost is as many as needed: there may be a tail
  any             ///< inner parts are any numbers, the outermost is as many as needed
};

/// What a split's tuples must keep to. Inner parts are all but the outermost.
struct factor_limits {
  std::int32_t max_inner = 2147483647;  ///< of each inner part
  std::int32_t max_innermost = 2147483647;
  std::int32_t multiple_of = 1;  ///< the innermost part is a multiple of this, as of the vector width (or 1)
  double max_waste = 0.5;        ///< iterations past the extent, as a share of all that the loops make; not for `exact`
  std::size_t max_choices = 4096;  ///< beyond, the tuples that waste most are left out
};

/// All tuples of `parts` loop extents for a loop of `extent`, flat, outermost first, in lexicographic order of the
/// inner parts from the innermost outwards (the first choice leaves all iterations to the outermost loop).
/// For 512 and two parts: (512, 1), (256, 2), … (1, 512). The product of the inner parts never exceeds the extent.
/// Throws argument_error if extent < 1 or parts < 1. If `multiple_of` leaves nothing, it is disregarded.
[[nodiscard]] std::vector<std::int32_t> factor_tuples(std::int64_t extent, std::int32_t parts,
                                                      factor_policy policy = factor_policy::exact,
                                                      factor_limits const& limits = {});

/// A factors knob with these tuples as its choices.
[[nodiscard]] knob factors_knob(std::string name, std::int64_t extent, std::int32_t parts,
                                factor_policy policy = factor_policy::exact, factor_limits const& limits = {});
/// `0 … n-1` of something, or the values given.
[[nodiscard]] knob one_of_knob(std::string name, std::vector<std::int32_t> values);
[[nodiscard]] knob boolean_knob(std::string name);
/// A place among `places`.
[[nodiscard]] knob location_knob(std::string name, std::int32_t places);
/// All orders of `loops` loops, the identity first. Throws argument_error beyond 8 loops.
[[nodiscard]] knob permutation_knob(std::string name, std::int32_t loops);

}  // namespace ttune::inline v0

#if TTUNE_HEADER_ONLY
#include "ttune/schedule/factors.inl.hpp"
#endif
