// SPDX-License-Identifier: Apache-2.0
// Kernels for many shapes that a later start finds in the records.
#include "ttune/open/shape_records.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "eigen_matrices.hpp"
#include "open_product.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/eigen.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/records/shape_keys.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/shape_kernel.hpp"

namespace shape_records_tests {

using namespace ttune;
using eigen_matrices::rows;

namespace {

dim const height{"M", 1, 5};
dim const width{"N", 1, 6};
dim const depth{"K", 1, 4};

auto product() { return ttune_test::open_product(height, width, depth); }

shape_options few(std::size_t kernels) {
  return {.likely = {{{{height, 1}, {width, 6}, {depth, 2}}, 1}, {{{height, 5}, {width, 3}, {depth, 4}}, 2}},
          .most_kernels = kernels};
}

/// A start of a program with records.
struct start {
  explicit start(shared_store records, int stop_after = 1000)
      : by{orc_backend{},
           {.records = std::move(records),
            .worker = worker::in_process{},
            .executor = std::make_shared<thread_pool>(2),
            .on_progress = [this, stop_after](progress const&) {
              if (++trials == stop_after) stop.request_stop();
            }}} {}

  int trials = 0;
  std::stop_source stop;
  tuner by;
};

/// Returns the only key of the kernels together.
record_key key_in(record_store const& store) {
  record_key found;
  int count = 0;
  for (auto const& s : store.keys())
    if (detail::is_of_shapes(s.key)) found = s.key, ++count;
  CHECK(count == 1);
  return found;
}

}  // namespace

TEST_CASE("shape records: a later start finds the same kernels and the same choice, without a trial") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "kernels.db";
  rows const a = rows::Random(5, 3), b = rows::Random(3, 6);
  rows first(5, 6), second(5, 6);
  std::string choice;
  {
    start once{sqlite{path}};
    auto const kernel = tune_shapes(once.by, product(), few(3), {.trials = 20});
    CHECK(once.trials > 0);
    choice = kernel.choice();
    kernel(a, b, first);
  }
  start again{sqlite{path}};
  auto const kernel = tune_shapes(again.by, product(), few(3), {.trials = 20});
  CHECK(again.trials == 0);
  CHECK(kernel.choice() == choice);
  REQUIRE(kernel.reports().size() == kernel.kernel_count());
  for (auto const& report : kernel.reports()) {
    CHECK(report.source == tuning_report::origin::record);
    CHECK(report.seconds > 0);
    CHECK(report.text().find("product") != std::string::npos);
  }
  kernel(a, b, second);
  CHECK(first == second);
  start must_hit{sqlite{path, record_mode::must_hit}};
  CHECK(tune_shapes(must_hit.by, product(), few(3), {.trials = 20}).choice() == choice);
}

TEST_CASE("shape records: other wishes, and a tuning that was cut short, are tuned") {
  auto const store = std::make_shared<memory_store>();
  start once{store};
  (void)tune_shapes(once.by, product(), few(2), {.trials = 8});
  start other{store};
  (void)tune_shapes(other.by, product(), few(1), {.trials = 20});
  CHECK(other.trials > 0);
  start more{store};
  (void)tune_shapes(more.by, product(), few(2), {.trials = 100});
  CHECK(more.trials > 0);
  start less{store};
  (void)tune_shapes(less.by, product(), few(2), {.trials = 90});
  CHECK(less.trials == 0);

  auto const cut = std::make_shared<memory_store>();
  start stopped{cut, 5};
  (void)tune_shapes(stopped.by, product(), few(2), {.trials = 100, .stop = stopped.stop.get_token()});
  CHECK(stopped.trials < 50);
  start on{cut};
  (void)tune_shapes(on.by, product(), few(2), {.trials = 100});
  CHECK(on.trials > 0);
}

TEST_CASE("shape records: damaged kernels, and those of another version, are made again") {
  auto const store = std::make_shared<memory_store>();
  start once{store};
  auto const choice = tune_shapes(once.by, product(), few(1), {.trials = 2}).choice();
  auto const key = key_in(*store);
  auto const stored = store->get_image(key);
  CHECK(detail::are_shape_images(stored.bytes));
  REQUIRE(store->explanation(key));
  CHECK(store->explanation(key)->schedule.find("tuned as product") != std::string::npos);
  auto damaged = stored.bytes;
  damaged[damaged.size() / 2] ^= 1;
  store->put_image(stored.of, damaged);
  start again{store};
  CHECK(tune_shapes(again.by, product(), few(1), {.trials = 2}).choice() == choice);
  CHECK(store->get_image(key).bytes != damaged);
  auto older = stored.of;
  older.lowering_version -= 1;
  store->put_image(older, stored.bytes);
  CHECK(!detail::find_shapes(key, {}, again.by));
  store->put_image(stored.of, stored.bytes);
  CHECK(detail::find_shapes(key, {}, again.by));
}

TEST_CASE("shape records: which kernels belong together is seen by their keys") {
  auto const store = std::make_shared<memory_store>();
  start once{store};
  (void)tune_shapes(once.by, product(), few(2), {.trials = 8});
  auto const all = key_in(*store);
  CHECK(id_of(all).size() == 16);
  CHECK(title_of(all).find("product(A ") == 0);
  int parts = 0;
  for (auto const& s : store->keys()) parts += detail::is_part_of_shapes(s.key, all);
  CHECK(parts == static_cast<int>(store->keys().size()) - 1);
  CHECK(!detail::is_part_of_shapes(all, all));
  auto elsewhere = all;
  elsewhere.target = "x86_64 other x2";
  for (auto const& s : store->keys()) CHECK(!detail::is_part_of_shapes(s.key, elsewhere));
}

}  // namespace shape_records_tests
