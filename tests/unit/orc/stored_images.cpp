// SPDX-License-Identifier: Apache-2.0
// Images from a store that another machine has written.
#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "support/require.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/ttune.hpp"

namespace stored_images_tests {

using namespace ttune;

TEST_CASE(
    "stored images: one that needs instructions which this machine lacks is compiled again, and the report says so") {
  auto const lacked = missing_features("+fma4,+xop");
  TTUNE_SKIP_UNLESS("x86", !lacked.empty(), "this machine has all features that the test knows of");
  auto const store = std::make_shared<memory_store>();
  auto const op = ops::matmul(5, 6, 7);
  auto const tune = [&] {
    tuner finds{orc_backend{}, {.records = store}};
    return finds.tune(op, {.trials = 2});
  };
  (void)tune();
  auto const key = store->keys().at(0).key;
  auto stored = store->get_image(key);
  REQUIRE(stored);
  auto image = image_from_bytes(stored.bytes);
  image.features += ",+fma4,+xop";
  store->put_image(stored.of, to_bytes(image));

  auto const kernel = tune();
  CHECK(kernel.report().source == tuning_report::origin::record);
  CHECK(kernel.report().fallback.find(lacked) != std::string::npos);
  std::vector<float> const a(35, 2), b(42, 3);
  std::vector<float> c(30);
  kernel(a, b, c);
  CHECK(c == std::vector<float>(30, 42));
  CHECK(missing_features(image_from_bytes(store->get_image(key).bytes).features).empty());
  CHECK(tune().report().fallback.empty());
}

}  // namespace stored_images_tests
