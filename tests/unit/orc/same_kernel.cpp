// SPDX-License-Identifier: Apache-2.0
// Starts from the same records give the same kernel.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/forked.hpp"
#include "support/require.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/support/hash.hpp"
#include "ttune/ttune.hpp"

namespace same_kernel_tests {

using namespace ttune;

namespace {

constexpr std::int64_t n = 24;

auto product() { return ops::matmul(n, n, n); }

/// Tunes a product and returns the records, of which all kernels take the same time.
std::vector<record> equal_records() {
  auto const store = std::make_shared<memory_store>();
  tuner by{orc_backend{},
           {.records = store, .worker = worker::in_process{}, .executor = std::make_shared<thread_pool>(1)}};
  (void)by.tune(product(), {.trials = 16});
  auto all = store->all(store->keys().at(0).key);
  std::erase_if(all, [](record const& r) { return !r.result.ok(); });
  for (auto& r : all) r.result.seconds = 1e-6;
  return all;
}

/// Starts with a file of records, without tuning, and returns what the kernel is and what it computes.
std::string started_from(std::string const& file) {
  return ttune_test::said_by_child([&] {
    tuner by{orc_backend{},
             {.records = sqlite{file, record_mode::must_hit}, .executor = std::make_shared<thread_pool>(1)}};
    auto const kernel = by.tune(product());
    std::vector<float> a(n * n), b(n * n), c(n * n);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = 1.0F / static_cast<float>(i + 1), b[i] = 1.0F / static_cast<float>(i + 3);
    kernel(a, b, c);
    hasher bits;
    for (float const x : c) bits.add(static_cast<double>(x));
    return kernel.report().schedule + std::to_string(bits.value());
  });
}

}  // namespace

TEST_CASE("same kernel: 60 starts from the same records give the same kernel, whatever their order in the file") {
  ttune_test::temporary_folder const folder;
  auto all = equal_records();
  REQUIRE(all.size() > 4);
  std::vector<std::string> files;
  for (int order = 0; order < 4; ++order) {
    files.push_back(folder / std::to_string(order));
    sqlite file{files.back()};
    for (auto const& r : all) file.append(r);
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 4), all.end());
    if (order == 1) std::reverse(all.begin(), all.end());
  }
  std::set<std::string> found;
  for (std::size_t start = 0; start < 60; ++start) found.insert(started_from(files[start % files.size()]));
  CHECK(found.size() == 1);
  CHECK(found.begin()->find("throws") == std::string::npos);
  CHECK(found.begin()->size() > 20);
}

}  // namespace same_kernel_tests
