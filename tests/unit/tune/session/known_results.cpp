// SPDX-License-Identifier: Apache-2.0
#include "ttune/tune/session/known_results.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

using namespace ttune;
using namespace ttune::detail;

namespace {

std::vector<lowered_candidate> batch_of(std::initializer_list<std::optional<std::uint64_t>> texts) {
  std::vector<lowered_candidate> made;
  for (auto const& t : texts) made.push_back({{}, {}, t});
  return made;
}

measurement taking(double seconds) {
  measurement m;
  m.seconds = seconds;
  return m;
}

}  // namespace

TEST_CASE("known_results: the first candidate of each unknown program is to be tried") {
  known_results known;
  known.add(2, taking(0.5));
  CHECK(known.to_be_tried(batch_of({1, 2, 1, 3, 3})) == std::vector<bool>{true, false, false, true, false});
  CHECK(known.find(2)->seconds == 0.5);
  CHECK(known.find(1) == nullptr);
  known.clear();
  CHECK(known.to_be_tried(batch_of({2})) == std::vector<bool>{true});
}

TEST_CASE("known_results: candidates without a program are always tried") {
  known_results known;
  known.add(std::nullopt, taking(1));
  CHECK(known.find(std::nullopt) == nullptr);
  CHECK(known.to_be_tried(batch_of({std::nullopt, std::nullopt})) == std::vector<bool>{true, true});
}
