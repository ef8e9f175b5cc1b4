// SPDX-License-Identifier: Apache-2.0
// Sources of the weights of a network: each layer asks for its weights, in the order in which the network uses
// them. A source draws them at random, or reads them from a file.
#pragma once

#include <ttune/core/dtype.hpp>
#include <ttune/support/rng.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace networks {

/// The weights that a layer asks for.
struct weights_request {
  std::string name;  ///< such as "conv3.weight"
  ttune::dtype type = ttune::dtype::f32;
  std::size_t elements = 0;
  double deviation = 1;  ///< standard deviation of random weights
  double mean = 0;       ///< mean of random weights
};

/// Returns memory with all elements of a request, in row-major order.
using weight_source = std::function<std::shared_ptr<void const>(weights_request const& wanted)>;

/// Asks a source for weights of one type.
template <class T>
[[nodiscard]] std::shared_ptr<T const> take_shared(weight_source const& source, std::string name, std::int64_t elements,
                                                   double deviation = 1, double mean = 0) {
  return std::static_pointer_cast<T const>(
      source({std::move(name), ttune::dtype_of<T>(), static_cast<std::size_t>(elements), deviation, mean}));
}

/// Copies what a source has.
template <class T>
[[nodiscard]] std::vector<T> take(weight_source const& source, std::string name, std::int64_t elements,
                                  double deviation = 1, double mean = 0) {
  auto const given = take_shared<T>(source, std::move(name), elements, deviation, mean);
  return {given.get(), given.get() + elements};
}

namespace detail {

template <class T>
std::shared_ptr<void const> draw(ttune::rng& random, weights_request const& wanted) {
  auto made = std::make_shared<std::vector<T>>(wanted.elements);
  auto const width = wanted.deviation * std::sqrt(12.0);  // a uniform number in [0, 1) has the variance 1/12
  for (auto& x : *made) {
    auto const drawn = wanted.mean + (random.uniform() - 0.5) * width;
    x = static_cast<T>(std::is_integral_v<T> ? std::round(drawn) : drawn);
  }
  return {made, made->data()};
}

}  // namespace detail

/// Returns a source of uniform numbers with the wanted mean and deviation; a seed always gives the same numbers. Those
/// of i8 are at most 127.
[[nodiscard]] inline weight_source random_weights(std::uint64_t seed = 1) {
  return [random = std::make_shared<ttune::rng>(seed)](weights_request const& wanted) {
    auto limited = wanted;
    switch (wanted.type) {
      case ttune::dtype::f32: return detail::draw<float>(*random, wanted);
      case ttune::dtype::i32: return detail::draw<std::int32_t>(*random, wanted);
      case ttune::dtype::u8: return detail::draw<std::uint8_t>(*random, wanted);
      case ttune::dtype::i8:
        limited.deviation = std::min(wanted.deviation, 127 / std::sqrt(3.0));
        return detail::draw<std::int8_t>(*random, limited);
      default: throw std::invalid_argument("weights " + wanted.name + ": there are no random numbers of this type");
    }
  };
}

}  // namespace networks
