// SPDX-License-Identifier: Apache-2.0
// Records for the tests of stores, and laws for every store.
#pragma once

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ttune/records/store.hpp"

namespace ttune_test {

inline ttune::record_key sample_key(std::int64_t m = 512, std::string target = "x86-64 znver4") {
  ttune::record_key key;
  key.compute = 0xfedcba9876543210U + static_cast<std::uint64_t>(m);
  key.compute_text = "C(i, j) = sum(over(k), A(i, k) * B(k, j))";
  key.extents = {m, 1024, 256};
  key.target = std::move(target);
  key.space = 0x8000000000000001U;
  return key;
}

inline ttune::record sample_record(double seconds = 1e-3, ttune::record_key key = sample_key()) {
  ttune::record r;
  r.key = std::move(key);
  r.lowering_version = 7;
  r.choices = {{"tile_y", 3, {64, 8}}, {"tile_x", 0, {1, 1024}}, {"order \"π\"\n", 2, {2, 0, 1}}};
  r.result = {ttune::trial_status::ok, seconds, 0.0125, 11, 0.0065, 0.25, "quick\tbrown"};
  r.timestamp = 1'700'000'000'123;
  r.predicted = -0.1234567890123;
  r.library_version = "0.1.0";
  r.device = "AMD EPYC";
  r.effort = {12, 3.5, ttune::recorded_effort::ending::at_limit, {ttune::effort_level::patient, 340, 86'400, 0}};
  return r;
}

inline ttune::record failed_record(ttune::trial_status status, ttune::record_key key = sample_key()) {
  auto r = sample_record(0, std::move(key));
  r.result = {status, 0, 0, 0, 0.01, 0.02, "signal 11"};
  r.predicted.reset();
  return r;
}

inline ttune::transfer_sample some_transfer_sample(double seconds = 1) {
  return {sample_key(), seconds, 0xfedc'ba98'7654'3210, 2, {0, -1.5F, 3.25F, 1e-3F}, {1, 0.25F}};
}
inline ttune::kernel_work sample_work() {
  using ttune::demand_cause;
  using ttune::resource;
  ttune::work_phase phase{"C.i", 8, 1, {}};
  phase.demands.push_back({resource::arithmetic, demand_cause::work, "C", "", "", 1000, 0, 0});
  phase.demands.push_back({resource::store, demand_cause::strided, "C", "C", "C.\"j\"", 1500, 64, 1});
  return {2, 32000, 4096, 64, resource::l3, {phase}};
}
inline ttune::kernel_explanation sample_explanation(double flops = 2e9) {
  return {"schedule(op, \"C\")\n    .split(i, 64, i_0, i_1);",
          "for i < 8\n  \"<&>\"",
          "define void @ttune_main()\n",
          flops,
          1e12,
          sample_work()};
}

inline void check_equal(ttune::record const& a, ttune::record const& b) {
  CHECK(ttune::hash_of(a) == ttune::hash_of(b));  // all members but the text and the extents of the key
  CHECK(a.key == b.key);
  CHECK(a.key.compute_text == b.key.compute_text);
  CHECK(a.key.extents == b.key.extents);
  CHECK(a.choices == b.choices);
  CHECK(a.result.seconds == b.result.seconds);
  CHECK(a.result.message == b.result.message);
  CHECK(a.predicted == b.predicted);
  CHECK(a.effort == b.effort);
}

/// Checks the laws of a store, which must be empty and writable.
inline void check_store(ttune::record_store& store) {
  auto const key = sample_key();
  CHECK(store.count() == 0);
  CHECK(!store.best(key));
  CHECK(store.all(key).empty());
  CHECK(store.near(key).empty());
  CHECK(!store.get_image(key));
  CHECK(store.get_image(key).reason == "no image is stored");

  auto const slow = sample_record(2e-3), fast = sample_record(1e-3);
  auto const failed = failed_record(ttune::trial_status::crashed);
  store.append(failed);
  CHECK(!store.best(key));
  store.append(slow);
  store.append(fast);
  store.append(slow);  // the same record again
  CHECK(store.count() == 3);
  check_equal(store.best(key).value(), fast);
  auto const all = store.all(key);
  REQUIRE(all.size() == 3);
  check_equal(all[0], failed);
  check_equal(all[1], slow);
  check_equal(all[2], fast);

  auto const wide = sample_record(3e-3, sample_key(600)), narrow = sample_record(4e-3, sample_key(64));
  auto const elsewhere = sample_record(5e-3, sample_key(512, "aarch64 neoverse-v1"));
  auto other = sample_record(6e-3);
  other.key.compute = 1;
  other.key.compute_text = "another operator";
  for (auto const& r : {narrow, elsewhere, wide, other, failed_record(ttune::trial_status::timed_out, sample_key(513))})
    store.append(r);
  auto const near = store.near(key);
  REQUIRE(near.size() == 3);
  check_equal(near[0], wide);
  check_equal(near[1], narrow);
  check_equal(near[2], elsewhere);
  CHECK(store.near(key, 1).size() == 1);

  std::vector<std::uint8_t> const bytes{0, 255, 1, 2, 3}, newer(100'000, 9);
  store.put_image(slow, bytes);
  auto image = store.get_image(key);
  CHECK(image.bytes == bytes);
  check_equal(image.of, slow);
  auto const fastest = sample_record(0.5e-3);
  store.put_image(fastest, newer);  // also appends the record
  image = store.get_image(key);
  CHECK(image.bytes == newer);
  check_equal(image.of, fastest);
  check_equal(store.best(key).value(), fastest);
  CHECK(!store.get_image(sample_key(600)));

  CHECK(!store.explanation(key));
  store.put_explanation(key, sample_explanation(1));
  store.put_explanation(key, sample_explanation());  // replaces the earlier one
  CHECK(store.explanation(key) == sample_explanation());
  CHECK(store.transfer_samples().empty());
  store.put_transfer_sample(some_transfer_sample(2));
  store.put_transfer_sample(some_transfer_sample());  // replaces the earlier one
  CHECK(store.transfer_samples() == std::vector{some_transfer_sample()});
  CHECK(store.transfer_samples(0).empty());
  CHECK(!store.explanation(sample_key(600)));

  auto const summaries = store.keys();
  REQUIRE(summaries.size() == 6);
  CHECK(summaries[0].key == key);
  CHECK(summaries[0].records == 4);
  CHECK(summaries[0].successes == 3);
  CHECK(summaries[0].best_seconds == 0.5e-3);
  CHECK(summaries[0].has_image);
  CHECK(!summaries[1].has_image);

  std::int64_t visited = 0;
  store.for_each([&](ttune::record const& r) {
    if (visited++ == 0) check_equal(r, failed);
    return visited < 5;
  });
  CHECK(visited == 5);
  CHECK(store.count() == 9);
}

}  // namespace ttune_test
