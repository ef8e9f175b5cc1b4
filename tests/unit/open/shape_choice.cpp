// SPDX-License-Identifier: Apache-2.0
#include "ttune/open/shape_choice.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <set>

#include "ttune/support/error.hpp"

namespace shape_choice_tests {

using namespace ttune;
using detail::call_shape;
using detail::choose_by_shape;
using detail::shape_candidate;
using detail::shape_use;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Shapes of one extent.
std::vector<shape_use> uses_of(std::vector<std::int64_t> const& extents) {
  std::vector<shape_use> made;
  for (auto const e : extents) made.push_back({{e}, 1});
  return made;
}

}  // namespace

TEST_CASE("shape_choice: each shape gets its best kernel, and shapes that nobody named one that computes them") {
  auto const uses = uses_of({4, 8, 100, 1000});
  std::vector<shape_candidate> const all{{{1024}, {4e-6, 4e-6, 4e-6, 4e-5}}, {{16}, {1e-6, 1e-6, never, never}}};
  auto const made = choose_by_shape(all, uses, {1}, {1024}, 8);
  CHECK(made.kernels == std::vector<std::size_t>{0, 1});
  CHECK(made.tree.text({"M"}) == "M <= 16 ? 1 : 0");
  for (std::int64_t m = 1; m <= 1024; ++m) {
    call_shape const shape{m};
    CHECK(all[made.kernels[made.tree.choose(shape)]].computes(shape));
  }
}

TEST_CASE("shape_choice: a kernel that gains too little is left out, and no more than asked for are chosen") {
  auto const uses = uses_of({4, 40, 400});
  std::vector<shape_candidate> const all{{{512}, {8e-6, 8e-6, 8e-6}},
                                         {{512}, {1e-6, 8e-6, 8e-6}},
                                         {{512}, {8e-6, 2e-6, 8e-6}},
                                         {{512}, {8e-6, 8e-6, 7.99e-6}}};
  CHECK(choose_by_shape(all, uses, {1}, {512}, 8).kernels == std::vector<std::size_t>{1, 2});
  CHECK(choose_by_shape(all, uses, {1}, {512}, 1).kernels == std::vector<std::size_t>{1});
  CHECK(choose_by_shape(all, uses, {1}, {512}, 1).tree.text({"M"}) == "0");
}

TEST_CASE("shape_choice: a tree of two extents") {
  std::vector<shape_use> const uses{{{2, 2}, 1}, {{2, 200}, 1}, {{200, 2}, 1}, {{200, 200}, 1}};
  std::vector<shape_candidate> const all{{{256, 256}, {4e-6, 4e-6, 4e-6, 1e-6}},
                                         {{256, 8}, {1e-6, never, 1e-6, never}},
                                         {{8, 256}, {2e-6, 1e-6, never, never}}};
  auto const made = choose_by_shape(all, uses, {1, 1}, {256, 256}, 3);
  CHECK(made.tree.text({"M", "N"}) == "N <= 8 ? 1 : M <= 8 ? 2 : 0");
}

TEST_CASE("shape_choice: no kernel for the largest shape is an error") {
  std::vector<shape_candidate> const all{{{8}, {1e-6}}};
  CHECK_THROWS_WITH_AS((void)choose_by_shape(all, uses_of({4}), {1}, {16}, 2), "no kernel computes the largest shape",
                       argument_error);
}

TEST_CASE("shape_choice: shapes that are apart") {
  std::vector<shape_use> uses;
  for (auto const& shape : std::vector<call_shape>{{8, 8}, {9, 8}, {8, 1000}, {8, 900}, {500, 8}, {8, 8}})
    uses.push_back({shape, 1});
  CHECK(detail::apart_shapes(uses, 3) == std::vector<call_shape>{{8, 8}, {8, 1000}, {500, 8}});
  CHECK(detail::apart_shapes(uses, 9).size() == 5);  // one of them is there twice
}

TEST_CASE("shape_choice: even shapes are inside, and reach each octave") {
  auto const made = detail::even_shapes({1}, {1000}, 200);
  std::set<int> octaves;
  for (auto const& u : made) {
    REQUIRE(u.shape[0] >= 1);
    REQUIRE(u.shape[0] <= 1000);
    int octave = 0;
    while ((std::int64_t{2} << octave) <= u.shape[0]) ++octave;
    octaves.insert(octave);
  }
  CHECK(octaves.size() == 10);
}

}  // namespace shape_choice_tests
