// SPDX-License-Identifier: Apache-2.0
// The effort of records: what answers what, and how stores keep it.
#include "ttune/records/effort.hpp"

#include <doctest/doctest.h>

#include <string>

#include "samples.hpp"
#include "sqlite_file.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/effort_json.hpp"
#include "ttune/records/json_lines.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/records/sqlite.hpp"

namespace effort_records_tests {

using namespace ttune;
using ttune_test::sample_key;
using ttune_test::sample_record;
using ending = recorded_effort::ending;

namespace {

constexpr double day = 86'400;

asked_effort budget(std::int64_t trials, double seconds = day, std::int64_t patience = 0) {
  return {effort_level::none, trials, seconds, patience};
}
asked_effort level(effort_level of, double seconds = day) { return {of, 0, seconds, 0}; }

}  // namespace

TEST_CASE("effort: a record of a budget answers budgets that are not larger") {
  recorded_effort const by_time{50, 10, ending::at_limit, budget(256, 10)};
  CHECK(suffices(by_time, budget(256, 10)));
  CHECK(suffices(by_time, budget(100, 9)));
  CHECK(suffices(by_time, budget(50)));  // as many trials were made
  CHECK_FALSE(suffices(by_time, budget(51)));
  CHECK_FALSE(suffices(by_time, budget(256, 11)));
  recorded_effort const impatient{30, 1, ending::at_limit, budget(256, day, 8)};
  CHECK(suffices(impatient, budget(256, day, 8)));
  CHECK(suffices(impatient, budget(256, day, 4)));
  CHECK_FALSE(suffices(impatient, budget(256, day, 9)));
  CHECK_FALSE(suffices(impatient, budget(256)));
}

TEST_CASE("effort: a tuning that was cut short answers what is less than it was") {
  recorded_effort const cut{9, 1, ending::cut_short, budget(64)};
  CHECK_FALSE(suffices(cut, budget(64)));
  CHECK(suffices(cut, budget(9)));  // it made as many trials, and wanted more
  CHECK_FALSE(suffices(cut, budget(10)));
  // Its end is missing, the comparison with the first kernel.
  CHECK_FALSE(suffices(recorded_effort{70, 1, ending::cut_short, budget(64)}, budget(64)));
  CHECK(suffices(cut, budget(0)));
  CHECK(suffices(cut, level(effort_level::estimate)));
}

TEST_CASE("effort: levels answer lower levels; what is complete answers all; records of before answer but one") {
  recorded_effort const patient{300, 20, ending::at_limit, level(effort_level::patient)};
  CHECK(suffices(patient, level(effort_level::measure)));
  CHECK(suffices(patient, level(effort_level::patient)));
  CHECK_FALSE(suffices(patient, level(effort_level::exhaustive)));
  CHECK(suffices(patient, budget(300)));
  CHECK_FALSE(suffices(patient, budget(301)));
  recorded_effort const limited{300, 20, ending::at_limit, level(effort_level::patient, 20)};
  CHECK_FALSE(suffices(limited, level(effort_level::patient)));
  recorded_effort const all{16, 1, ending::complete, budget(20)};
  CHECK(suffices(all, level(effort_level::exhaustive)));
  CHECK(suffices(all, budget(1'000'000)));
  for (auto const l : {effort_level::estimate, effort_level::measure, effort_level::patient})
    CHECK(suffices(recorded_effort(), level(l)));
  CHECK(suffices(recorded_effort(), budget(1'000'000)));
  CHECK_FALSE(suffices(recorded_effort(), level(effort_level::exhaustive)));
}

TEST_CASE("effort: names and texts") {
  for (auto const l : {effort_level::estimate, effort_level::measure, effort_level::patient, effort_level::exhaustive})
    CHECK(effort_level_named(name_of(l)) == l);
  CHECK(effort_level_named("wisdom") == effort_level::none);
  CHECK(text_of({1, 0.125, ending::cut_short, budget(64)}) == "1 trial in 0.125 s, cut short");
  CHECK(text_of({300, 20, ending::at_limit, level(effort_level::patient)}) == "300 trials in 20 s, patient");
  CHECK(text_of({16, 1, ending::complete, budget(64)}) == "16 trials in 1 s, complete");
}

TEST_CASE("effort: JSON brings it back; a value that is none is no effort") {
  for (auto const& e :
       {recorded_effort{12, 3.5, ending::at_limit, level(effort_level::patient, 20)},
        recorded_effort{1, 0, ending::cut_short, {}}, recorded_effort{9, 1, ending::complete, budget(256, day, 8)}}) {
    auto const written = detail::json_of(e);
    CHECK(detail::read_effort(&written) == e);
  }
  CHECK_FALSE(detail::read_effort(nullptr));
  for (auto const* const text : {"7", "null", "[]"}) {
    auto const parsed = parse_json(text);
    CHECK_FALSE(detail::read_effort(&*parsed.value));
  }
  auto const strange = parse_json(R"({"trials": "many", "ended": "well", "level": "wisdom"})");
  CHECK(detail::read_effort(&*strange.value) == recorded_effort{0, 0, ending::cut_short, {}});
}

TEST_CASE("effort: all stores keep it, and say it of a key; a line without it is a record of before") {
  recorded_effort const late{12, 3.5, ending::at_limit, level(effort_level::patient)};
  auto last = sample_record(2e-3);
  last.effort = late;
  ttune_test::temporary_folder const folder;
  auto const check = [&](record_store& store) {
    auto before = sample_record(1e-3);
    before.effort = {};
    store.append(before);
    CHECK_FALSE(store.keys().front().effort);
    store.append(last);
    CHECK_FALSE(store.best(sample_key())->effort);
    CHECK(store.all(sample_key()).back().effort == late);
    CHECK(store.keys().front().effort == late);
    store.put_image(last, std::vector<std::uint8_t>{1, 2, 3});
    CHECK(store.get_image(sample_key()).of.effort == late);
  };
  memory_store in_memory;
  json_lines lines(folder / "records.jsonl");
  sqlite file(folder / "records.db");
  check(in_memory);
  check(lines);
  check(file);
  CHECK(file.lasting());
  CHECK_FALSE(sqlite(folder / "records.db", record_mode::read_only).lasting());
  CHECK(json_lines(folder / "records.jsonl").all(sample_key()).back().effort == late);
  CHECK(sqlite(folder / "records.db").get_image(sample_key()).of.effort == late);
  auto text = to_json_line(last);
  text.erase(text.find(",\"effort\"")).push_back('}');
  auto const old = from_json_line(text);
  REQUIRE(old.value);
  CHECK_FALSE(old.value->effort);
}

TEST_CASE("effort: a SQLite file of the schema before is read as it is, and then brought up to date") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.db";
  auto before = sample_record();
  before.effort = {};
  sqlite(path).put_image(before, std::vector<std::uint8_t>{1, 2, 3});
  ttune_test::execute(path,
                      "alter table explanations drop column work; alter table records drop column effort;"
                      " pragma user_version = 4;");
  auto const check = [&](sqlite const& store) {
    ttune_test::check_equal(store.best(sample_key()).value(), before);
    ttune_test::check_equal(store.get_image(sample_key()).of, before);
    CHECK(store.all(sample_key()).size() == 1);
    CHECK(store.keys().front().records == 1);
    CHECK_FALSE(store.keys().front().effort);
    CHECK(store.near(sample_key(600)).size() == 1);
    CHECK(store.get_image(sample_key()).bytes.size() == 3);
    store.for_each([&](record const& r) { return ttune_test::check_equal(r, before), true; });
  };
  {
    sqlite const old(path, record_mode::read_only);
    check(old);
    sqlite copy(folder / "copy.db");
    copy.append_all(old);
    check(copy);
  }
  sqlite store(path);
  check(store);
  auto more = sample_record(1e-4);
  more.effort = recorded_effort{9, 1, ending::complete, budget(64)};
  store.append(more);
  CHECK(store.best(sample_key())->effort == more.effort);
  CHECK(ttune_test::integrity(path) == "ok");
}

}  // namespace effort_records_tests
