// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/measure/guarded_memory.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <new>
#include <utility>

namespace guarded_memory_tests {

TEST_CASE("guarded memory: lies flush against its end, and overwritten red zones show where") {
  for (bool const at_end : {true, false})
    for (std::int64_t const bytes : {0, 1, 100, 4095, 4096, 4097, 100000}) {
      ttune::guarded_memory const m(bytes, at_end);
      REQUIRE(m.bytes() == static_cast<std::size_t>(bytes));
      auto const where = m.where();
      auto const data = reinterpret_cast<std::uintptr_t>(m.data());
      CHECK(where.data == data);
      CHECK(where.data_end == data + m.bytes());
      CHECK((at_end ? (where.data_end - where.all) % 4096 == 0 : data % 4096 == 0));
      if (bytes > 0) std::memset(m.data(), 1, m.bytes());
      CHECK(m.overwritten() == 0);
      if (bytes % 4096 == 0) continue;  // there is no red zone
      auto const offset = at_end ? -1 : bytes;
      m.data()[offset] = 0;
      CHECK(m.overwritten() == offset);
      m.paint_red_zones();
      CHECK(m.overwritten() == 0);
    }
}

TEST_CASE("guarded memory: is aligned as asked, and the gap is a red zone") {
  ttune::guarded_memory const m(100, true, 64);
  CHECK(reinterpret_cast<std::uintptr_t>(m.data()) % 64 == 0);
  m.data()[100] = 7;
  CHECK(m.overwritten() == 100);
}

TEST_CASE("guarded memory: a size beyond the machine's memory is refused") {
  CHECK_THROWS_AS(ttune::guarded_memory(std::int64_t{1} << 50, true), std::bad_alloc);
  CHECK_THROWS_AS(ttune::guarded_memory(-1, true), std::bad_alloc);
}

TEST_CASE("guarded memory: moves") {
  ttune::guarded_memory a(10, true);
  auto* const data = a.data();
  ttune::guarded_memory b(std::move(a));
  CHECK(b.data() == data);
  b = ttune::guarded_memory(20, false);
  CHECK(b.bytes() == 20);
}

}  // namespace guarded_memory_tests
