// SPDX-License-Identifier: Apache-2.0
// The choices of a split: how an extent is cut into the extents of nested loops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ttune/space/knob.hpp"

namespace ttune { inline namespace v0 {

/// The tuples among which a split may choose.
enum class factor_policy : std::uint8_t {
  exact,          ///< ordered factorisations: the parts multiply to the extent
  powers_of_two,  ///< inner parts are powers of two, the outermost covers the rest: there may be a tail
  any             ///< inner parts are any numbers, the outermost covers the rest
};

/// Limits of a split's tuples. Inner parts are all parts except the outermost.
struct factor_limits {
  std::int32_t max_inner = 2147483647;  ///< maximum of each inner part
  std::int32_t max_innermost = 2147483647;
  std::int32_t multiple_of = 1;  ///< the innermost part is 1 or a multiple of this, such as the vector width
  double max_waste = 0.5;        ///< iterations past the extent, as a share of all that the loops make; not for `exact`
  std::size_t max_choices = 4096;  ///< if there are more, the tuples with most waste are left out
};

/// Returns all tuples of `parts` loop extents for a loop of `extent`, in one list, outermost first, in lexicographic
/// order of the inner parts from the innermost outwards: the first tuple leaves all iterations to the outermost loop.
/// For 512 and two parts: (512, 1), (256, 2), … (1, 512). The product of the inner parts never exceeds the extent.
/// Throws argument_error if extent < 1 or parts < 1. If no tuple fulfils `multiple_of`, it is ignored.
[[nodiscard]] std::vector<std::int32_t> factor_tuples(std::int64_t extent, std::int32_t parts,
                                                      factor_policy policy = factor_policy::exact,
                                                      factor_limits const& limits = {});

/// Returns a factors knob with these tuples as its choices.
[[nodiscard]] knob factors_knob(std::string name, std::int64_t extent, std::int32_t parts,
                                factor_policy policy = factor_policy::exact, factor_limits const& limits = {});
/// Returns a knob for one of the given values; the next function for one of 0 … n - 1.
[[nodiscard]] knob one_of_knob(std::string name, std::vector<std::int32_t> values);
[[nodiscard]] knob boolean_knob(std::string name);
/// Returns a knob for one of `places` places.
[[nodiscard]] knob location_knob(std::string name, std::int32_t places);
/// Returns a knob for all orders of `loops` loops, the identity first. Throws argument_error for more than 8 loops.
[[nodiscard]] knob permutation_knob(std::string name, std::int32_t loops);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/space/factors.inl.hpp"
#endif
