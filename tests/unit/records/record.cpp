// SPDX-License-Identifier: Apache-2.0
// Keys, their distance, and configurations that stay valid when choices are renumbered.
#include "ttune/records/record.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "samples.hpp"
#include "ttune/support/hash.hpp"

namespace record_tests {

using namespace ttune;
using ttune_test::sample_key;
using ttune_test::sample_record;

namespace {

std::vector<knob> two_knobs() {
  return {{"tile", knob::sort::factors, 2, {1, 64, 8, 8, 64, 1}}, {"pack", knob::sort::boolean, 1, {0, 1}}};
}

}  // namespace

TEST_CASE("hasher: pieces are told apart, and one changed word changes the value") {
  CHECK(hasher{}.add("ab").add("c").value() != hasher{}.add("a").add("bc").value());
  CHECK(hasher{}.add("").value() != hasher{}.value());
  CHECK(hasher{}.add("12345678").value() != hasher{}.add("12345679").value());
  CHECK(hasher{}.add("123456789").value() != hasher{}.add("12345678").value());
  CHECK(hasher{}.add(std::uint64_t{1}).value() == 3457865417063848588U);  // the same on all platforms
}

TEST_CASE("record_key: identity is compute, target, space and objective") {
  auto const key = sample_key();
  auto other = key;
  other.compute_text = "printed otherwise";
  CHECK(other == key);
  CHECK(hash_of(other) == hash_of(key));
  for (auto const change : {0, 1, 2, 3}) {
    other = key;
    if (change == 0) ++other.compute;
    if (change == 1) other.target += "+";
    if (change == 2) ++other.space;
    if (change == 3) other.objective = "cold";
    CHECK(other != key);
    CHECK(hash_of(other) != hash_of(key));
  }
}

TEST_CASE("distance: zero to itself, grows with the ratio of extents, infinite to another compute") {
  auto const key = sample_key(512);
  CHECK(distance(key, key) == 0);
  CHECK(distance(key, sample_key(1024)) < distance(key, sample_key(2048)));
  CHECK(distance(key, sample_key(256)) == doctest::Approx(distance(key, sample_key(1024))));
  CHECK(distance(key, sample_key(1024)) < distance(key, sample_key(512, "another")));
  auto other = key;
  other.extents.push_back(1);
  CHECK(std::isinf(distance(key, other)));
  other = key;
  other.compute_text = "x";
  CHECK(std::isinf(distance(key, other)));
}

TEST_CASE("choices: survive a re-numbering") {
  auto knobs = two_knobs();
  auto const choices = choices_of(knobs, {{1, 1}});
  CHECK(choices == std::vector<knob_choice>{{"tile", 1, {8, 8}}, {"pack", 1, {1}}});
  CHECK(find_configuration(knobs, choices).value() == configuration{{1, 1}});
  knobs[0].values = {8, 8, 4, 16, 1, 64};
  CHECK(find_configuration(knobs, choices).value() == configuration{{0, 1}});
  std::swap(knobs[0], knobs[1]);
  CHECK(find_configuration(knobs, choices).value() == configuration{{1, 0}});
}

TEST_CASE("choices: a missing knob or tuple gives no configuration") {
  auto const choices = choices_of(two_knobs(), {{1, 1}});
  auto knobs = two_knobs();
  knobs[0].values = {1, 64, 64, 1};
  CHECK(!find_configuration(knobs, choices));
  knobs = two_knobs();
  knobs.pop_back();
  CHECK(!find_configuration(knobs, choices));
  knobs = two_knobs();
  knobs.push_back({"new", knob::sort::boolean, 1, {0, 1}});
  CHECK(!find_configuration(knobs, choices));
  knobs.back().values = {0};  // a single choice
  CHECK(find_configuration(knobs, choices).value() == configuration{{1, 1, 0}});
}

TEST_CASE("nearest_configuration: by the ratio of the tuples' members") {
  auto knobs = two_knobs();
  std::vector<knob_choice> const recorded{{"tile", 9, {16, 8}}, {"gone", 0, {1}}};
  CHECK(nearest_configuration(knobs, recorded) == configuration{{1, 0}});
  CHECK(nearest_configuration(knobs, recorded, {{0, 1}}) == configuration{{1, 1}});
  knobs[0].kind = knob::sort::permutation;  // orders have no nearest one
  CHECK(nearest_configuration(knobs, recorded, {{2, 1}}) == configuration{{2, 1}});
  CHECK(nearest_configuration(knobs, {{"tile", 9, {1, 2, 3}}}, {{2, 1}}) == configuration{{2, 1}});
}

TEST_CASE("title_of: one line with the shapes of the inputs") {
  record_key key;
  key.compute_text = "T2(A f32 (#, #), B i8 (#) constant in [#, #), c f64 ()) -> C f32 (#, #)\nC(i, j) = A(i, j) + c\n";
  key.extents = {512, 256, 7, 512, 256};
  CHECK(title_of(key) == "T2(A 512x256, B 7, c)");
  key.extents = {512, 256};  // fewer extents than wanted: returns all
  CHECK(title_of(key) == "T2 512 x 256");
  key.compute_text = "dense";
  CHECK(title_of(key) == "dense 512 x 256");
  key.compute_text.clear();
  CHECK(title_of(key) == "(no name) 512 x 256");
  for (auto const* damaged : {"(", ")", "a(", "a() -> ", "a(b (#", "a) -> (#)", "a(((#) -> "}) {
    key.compute_text = damaged;
    CHECK(title_of(key).find('\n') == std::string::npos);
  }
}

TEST_CASE("record: equal records have one hash, faster means successful and less time") {
  CHECK(hash_of(sample_record()) == hash_of(sample_record()));
  auto other = sample_record();
  other.result.message += '!';
  CHECK(hash_of(other) != hash_of(sample_record()));
  auto const failed = ttune_test::failed_record(trial_status::crashed);
  CHECK(is_faster(sample_record(1), sample_record(2)));
  CHECK(!is_faster(sample_record(2), sample_record(1)));
  CHECK(is_faster(sample_record(2), failed));
  CHECK(!is_faster(failed, sample_record(2)));
}

}  // namespace record_tests
