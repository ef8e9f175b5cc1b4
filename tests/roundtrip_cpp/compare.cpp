// SPDX-License-Identifier: Apache-2.0
// Compiles the prints of fifty random schedules of five operators: each must make the loops of its schedule.
#include <doctest/doctest.h>

#include "roundtrip_cpp/drawn.hpp"
#include "roundtrip_cpp/operators.hpp"
#include "ttune/schedule/to_cpp.hpp"

#define PASTED(name)                                                                                           \
  ttune::space name##_0(), name##_1(), name##_2(), name##_3(), name##_4(), name##_5(), name##_6(), name##_7(), \
      name##_8(), name##_9()
PASTED(matmul);
PASTED(conv);
PASTED(softmax);
PASTED(stencil);
PASTED(pool);

namespace {

using make_space = ttune::space (*)();

void compare(char const* name, ttune::handle<ttune::ir::program> const& program,
             std::vector<make_space> const& pasted) {
  auto const drawn = ttune_test::draw(name, program);
  REQUIRE(drawn.size() == pasted.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    auto const text = to_cpp(drawn[i].space, drawn[i].chosen);
    INFO(name, " ", i, "\n", text);
    ttune::space made;
    REQUIRE_NOTHROW(made = pasted[i]());
    CHECK(made.knobs.empty());
    CHECK(ttune_test::loops_of(make_plan(made), {}) ==
          ttune_test::loops_of(make_plan(drawn[i].space), drawn[i].chosen));
    CHECK(to_cpp(made, {}) == text);
  }
}

}  // namespace

#define COMPARE(name)                          \
  compare(#name, ttune_test::name().program(), \
          {name##_0, name##_1, name##_2, name##_3, name##_4, name##_5, name##_6, name##_7, name##_8, name##_9})

TEST_CASE("to_cpp: schedules print as C++ that makes the same loops") {
  COMPARE(matmul);
  COMPARE(conv);
  COMPARE(softmax);
  COMPARE(stencil);
  COMPARE(pool);
}
