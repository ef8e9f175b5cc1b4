// SPDX-License-Identifier: Apache-2.0
// Floats and their values rounded to TF32, as bits: ties, carries into the exponent, the ends of the range, NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ttune_test {

struct tf32_value {
  std::uint32_t bits, rounded;
  [[nodiscard]] float from() const { return std::bit_cast<float>(bits); }
  /// Returns true for the rounded value; all NaN are equal here.
  [[nodiscard]] bool is(float found) const {
    if (std::isnan(from())) return std::isnan(found);
    return std::bit_cast<std::uint32_t>(found) == rounded;
  }
};

/// Returns each value with both signs.
inline std::vector<tf32_value> tf32_values() {
  std::vector<tf32_value> all{
      {0x3f800000, 0x3f800000},  // 1
      {0x3f800fff, 0x3f800000},  // below, at and above the middle of 1 and the next one
      {0x3f801000, 0x3f802000}, {0x3f801001, 0x3f802000}, {0x3f802fff, 0x3f802000},
      {0x3f803000, 0x3f804000},  // away from zero, also from an odd one
      {0x40490fdb, 0x40490000},  // pi
      {0x3fffefff, 0x3fffe000},  // below 2: carries into the exponent
      {0x3ffff000, 0x40000000}, {0x3fffffff, 0x40000000}, {0x7f7fefff, 0x7f7fe000},  // the largest
      {0x7f7ff000, 0x7f800000}, {0x7f7fffff, 0x7f800000}, {0x7f800000, 0x7f800000},  // infinity
      {0x00000000, 0x00000000}, {0x00000001, 0x00000000},                            // subnormals
      {0x00000fff, 0x00000000}, {0x00001000, 0x00002000}, {0x00123456, 0x00124000},
      {0x007fefff, 0x007fe000}, {0x007ff000, 0x00800000},  // to the least normal one
      {0x00800fff, 0x00800000}, {0x7fc00000, 0x7fc00000},  // NaN, quiet and not
      {0x7fffffff, 0x7fffffff}, {0x7f800001, 0x7f800001}, {0x7fbfffff, 0x7fbfffff},
  };
  for (std::size_t i = 0, n = all.size(); i < n; ++i)
    all.push_back({all[i].bits | 0x80000000U, all[i].rounded | 0x80000000U});
  return all;
}

inline std::vector<float> floats_of(std::vector<tf32_value> const& values) {
  std::vector<float> made;
  for (auto const& v : values) made.push_back(v.from());
  return made;
}

}  // namespace ttune_test
