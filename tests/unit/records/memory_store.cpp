// SPDX-License-Identifier: Apache-2.0
// Checks the laws of stores for the store in memory.
#include "ttune/records/memory_store.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "samples.hpp"

namespace memory_store_tests {

using namespace ttune;

TEST_CASE("memory_store: keeps the laws of stores") {
  memory_store store;
  ttune_test::check_store(store);
}

TEST_CASE("shared_store: any store converts to it and is shared by copies") {
  shared_store const none;
  CHECK(!none);
  shared_store const a = memory_store{};
  auto const b = a;
  b->append(ttune_test::sample_record());
  CHECK(a->count() == 1);
  CHECK(shared_store(std::make_shared<memory_store>())->count() == 0);
}

TEST_CASE("merge_records: all records and images, each once") {
  memory_store from, into;
  from.put_image(ttune_test::sample_record(1), std::vector<std::uint8_t>{1, 2, 3});
  from.append(ttune_test::sample_record(2));
  into.append(ttune_test::sample_record(2));
  merge_records(from, into);
  merge_records(from, into);
  CHECK(into.count() == 2);
  CHECK(into.get_image(ttune_test::sample_key()).bytes == std::vector<std::uint8_t>{1, 2, 3});
}

TEST_SUITE("threads") {
  TEST_CASE("memory_store: threads append at once") {
    memory_store store;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&store, t] {
        for (int i = 0; i < 50; ++i) {
          store.append(ttune_test::sample_record(1 + t * 1000 + i, ttune_test::sample_key(i % 3)));
          (void)store.best(ttune_test::sample_key(i % 3));
        }
      });
    for (auto& t : threads) t.join();
    CHECK(store.count() == 200);
  }
}

}  // namespace memory_store_tests
