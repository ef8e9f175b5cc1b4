// SPDX-License-Identifier: Apache-2.0
// Divides long sums in registers into runs, whose sums are added in memory: the error of a sum of n terms, one after
// the other, grows with n (Higham, "The Accuracy of Floating Point Summation", 1993, section 4).
//
//                                       R.total[…] = R[…]
//                                       R[…] = 0
//                                       for k.run < 4
//   for k < 2048                          for k.inside < 512
//     R[…] += A[k] * B[k]       →           R[…] += A[k.run * 512 + k.inside] * B[k.run * 512 + k.inside]
//                                         R.total[…] += R[…]
//                                         R[…] = 0
//                                       R[…] = R.total[…]
//
// It looks at 16 and 32-bit floats whose loops do nothing else with these registers, and have constant bounds. The
// loops over all elements are those of the registers' first values. Programs that fix the order of terms must not be
// given to it. A run costs 0.5 to 1.5 % of the time of its terms (1024 x 1024 x 1024, convolutions with 2304 to 4608
// terms, Zen 4).
#pragma once

#include "ttune/ir/stmt.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

/// The most terms of a sum that stays as it is. Runs have as many, or as many terms as there are runs, if that is more.
inline constexpr std::int64_t longest_run = 512;

[[nodiscard]] ir::stmt sum_in_runs(ir::stmt const& s);

}}}  // namespace ttune::v0::lowering

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/lowering/sum_in_runs.inl.hpp"
#endif
