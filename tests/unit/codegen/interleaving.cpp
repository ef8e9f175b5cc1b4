// SPDX-License-Identifier: Apache-2.0
#include "ttune/codegen/interleaving.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using ttune::codegen::interleaving;

namespace interleaving_tests {

using vectors = std::vector<std::vector<int>>;

/// Returns the vectors that the shuffles make of others.
vectors shuffled(vectors all, interleaving const& by, int lanes) {
  for (auto const& step : by.steps()) {
    std::vector<int> made;
    for (int const p : step.places)
      made.push_back(p < lanes ? all[static_cast<std::size_t>(step.first)][static_cast<std::size_t>(p)]
                               : all[static_cast<std::size_t>(step.second)][static_cast<std::size_t>(p - lanes)]);
    all.push_back(made);
  }
  vectors results;
  for (int const r : by.results()) results.push_back(all[static_cast<std::size_t>(r)]);
  return results;
}

}  // namespace interleaving_tests

TEST_CASE("interleaving: takes components apart, and puts them together again") {
  using namespace interleaving_tests;
  for (int lanes = 2; lanes <= 64; lanes *= 2)
    for (int components = 1; components <= 16; ++components) {
      CAPTURE(lanes);
      CAPTURE(components);
      vectors points, apart;  // element p * components + c is component c of point p
      for (int v = 0; v < components; ++v) {
        points.emplace_back();
        apart.emplace_back();
        for (int lane = 0; lane < lanes; ++lane) {
          points.back().push_back(v * lanes + lane);
          apart.back().push_back(lane * components + v);
        }
      }
      CHECK(shuffled(points, {components, lanes, interleaving::direction::apart}, lanes) == apart);
      CHECK(shuffled(apart, {components, lanes, interleaving::direction::together}, lanes) == points);
    }
}
