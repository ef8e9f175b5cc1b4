// SPDX-License-Identifier: Apache-2.0
// A small seeded random generator: a seed gives the same numbers on every platform and standard library.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// Numbers of configurations exceed 64 bits.
__extension__ typedef unsigned __int128 uint128;  // NOLINT(modernize-use-using): no alias takes __extension__

/// xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021); its state is initialised
/// by splitmix64. Models std::uniform_random_bit_generator. The distributions of <random> are not used, since their
/// results differ between standard libraries.
class rng {
 public:
  using result_type = std::uint64_t;

  explicit constexpr rng(std::uint64_t seed = 0) noexcept {
    for (auto& word : state_) word = splitmix(seed);
  }

  [[nodiscard]] static constexpr result_type min() noexcept { return 0; }
  [[nodiscard]] static constexpr result_type max() noexcept { return ~result_type{0}; }

  constexpr result_type operator()() noexcept {
    auto const result = std::rotl(state_[1] * 5, 7) * 9;
    auto const shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Returns a uniform integer in [0, bound), without bias (Lemire, "Fast random integer generation in an interval",
  /// 2019). Requires bound > 0.
  constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    auto product = uint128{(*this)()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      std::uint64_t const threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = uint128{(*this)()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Returns a uniform number in [0, 1), a multiple of 2^-53.
  constexpr double uniform() noexcept { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

  constexpr bool chance(double probability) noexcept { return uniform() < probability; }

  /// Returns a generator whose numbers are independent of the further numbers of this one.
  constexpr rng split() noexcept { return rng((*this)() ^ 0x9e3779b97f4a7c15U); }

 private:
  static constexpr std::uint64_t splitmix(std::uint64_t& seed) noexcept {
    auto z = (seed += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
};

/// Fisher-Yates shuffle. (Not std::shuffle: its use of the generator is unspecified.)
template <class T>
constexpr void shuffle(std::span<T> values, rng& random) noexcept {
  for (std::size_t i = values.size(); i > 1; --i) {
    using std::swap;
    swap(values[i - 1], values[random.below(i)]);
  }
}

}}  // namespace ttune::v0
