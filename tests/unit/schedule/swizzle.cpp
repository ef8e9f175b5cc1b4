// SPDX-License-Identifier: Apache-2.0
// Swizzled chunks of 16 bytes: their banks, and refused cases.
#include "ttune/schedule/primitive/swizzle.hpp"

#include <doctest/doctest.h>

#include <set>

#include "ttune/ir/print.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/passes.hpp"
#include "ttune/lowering/statements.hpp"
#include "ttune/schedule.hpp"

namespace swizzle_tests {

using namespace ttune;

namespace {

std::int64_t place(std::int64_t chunk, std::int64_t swizzle) { return chunk ^ (chunk / swizzle % 8); }

}  // namespace

TEST_CASE("swizzle: eight rows, as far apart as was said, meet all banks, whatever their length") {
  for (std::int64_t apart = 1; apart <= 16; ++apart)
    for (std::int64_t chunks = 1; chunks <= 24; ++chunks) {
      auto const swizzle = primitives::swizzle_distance(apart, 16 * chunks);
      CHECK(swizzle % 8 == 0);
      for (std::int64_t first = 0; first < chunks; ++first) {
        std::set<std::int64_t> banks;
        for (std::int64_t row = 0; row < 8; ++row) banks.insert(place(row * apart * chunks + first, swizzle) % 8);
        CHECK_MESSAGE(banks.size() == 8, apart, " apart, ", chunks, " chunks, the one at ", first);
      }
    }
}

TEST_CASE("swizzle: a line of all banks keeps its chunks") {
  for (std::int64_t const swizzle : {8, 16, 24, 40})
    for (std::int64_t line = 0; line < 100; ++line) {
      std::set<std::int64_t> places;
      for (std::int64_t c = 8 * line; c < 8 * line + 8; ++c) {
        CHECK(place(c, swizzle) / 8 == line);
        places.insert(place(c, swizzle));
      }
      CHECK(places.size() == 8);
    }
}

TEST_CASE("swizzle: what is printed, and what is refused") {
  auto const [i, j] = axes<"i", "j">;
  tensor<"A", float, 2> const A{{6, 20}};
  auto const P = compute<"P">(i, j) = A(i, j) + 1.0F;
  auto const E = compute<"E">(i, j) = P(i, j) * P(i, j);
  auto const in_group = schedule(E)
                            .bind(i, ir::loop_kind::block_x)
                            .bind(j, ir::loop_kind::thread_x)
                            .in(P)
                            .compute_at(E, i)
                            .store_in(ir::memory::shared);
  space const made = in_group.swizzle(3).space();
  loop_nest n;
  instantiate(make_plan(made), {}, n);
  auto const text = ir::print(lowering::build_statements(make_plan(made), n));
  CHECK_MESSAGE(text.find("alloc P f32 (1, 20) shared swizzled 120") != std::string::npos, text);
  auto const says = [](auto const& schedule, std::string const& sentence) {
    try {
      (void)make_plan(schedule.space());
      FAIL_CHECK("nothing was thrown; expected ", sentence);
    } catch (schedule_error const& e) {
      CHECK_MESSAGE(std::string(e.what()).find(sentence) != std::string::npos, e.what());
    }
  };
  says(in_group.swizzle(0), "takes how far apart the rows are that are read at once, 1 to 1024");
  says(schedule(E).in(P).swizzle(), "is not known to live in shared memory: store it there first");
  says(schedule(E).swizzle(), "is an output");
}

}  // namespace swizzle_tests
