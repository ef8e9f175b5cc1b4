// SPDX-License-Identifier: Apache-2.0
// The map from extents to kernels.
#include "ttune/live/shape_table.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace shape_table_tests {

using ttune::detail::shape_table;

namespace {

std::array<std::int64_t, 2> shape(std::int64_t i) { return {i, i * i % 7}; }

}  // namespace

TEST_CASE("shape table: finds what was inserted, however often it grew") {
  shape_table<std::int64_t> table;
  CHECK(table.find(shape(0)) == nullptr);
  auto const& first = table.insert(shape(0), 0);
  for (std::int64_t i = 1; i < 1000; ++i) table.insert(shape(i), 10 * i);
  for (std::int64_t i = 0; i < 1000; ++i) {
    REQUIRE(table.find(shape(i)));
    CHECK(*table.find(shape(i)) == 10 * i);
  }
  CHECK(table.find(shape(1000)) == nullptr);
  CHECK(&first == table.find(shape(0)));
}

TEST_SUITE("threads") {
  TEST_CASE("shape table: threads look up while one inserts") {
    shape_table<std::int64_t> table;
    std::atomic<std::int64_t> inserted{0};
    std::atomic<bool> right{true};
    {
      std::vector<std::jthread> readers;
      for (int t = 0; t < 3; ++t)
        readers.emplace_back([&] {
          for (std::int64_t known = 0; known < 500; known = inserted)
            for (std::int64_t i = 0; i < known; ++i) {
              auto const* const found = table.find(shape(i));
              if (!found || *found != i) right = false;
            }
        });
      for (std::int64_t i = 0; i < 500; ++i) {
        table.insert(shape(i), i);
        inserted = i + 1;
      }
    }
    CHECK(right);
  }
}

}  // namespace shape_table_tests
