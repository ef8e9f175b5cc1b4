// SPDX-License-Identifier: Apache-2.0
// Records as lines of JSON: round trips, lines that are no records, and the store in a file of lines.
#include "ttune/records/json_lines.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "samples.hpp"
#include "support/child.hpp"
#include "support/main.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/support/error.hpp"

namespace json_lines_tests {

using namespace ttune;
using ttune_test::check_equal;
using ttune_test::sample_record;

namespace {

/// PROGRAM --json-lines-writer FILE WRITER COUNT
ttune_test::at_start const writer{[](int argc, char** argv) {
  if (argc != 5 || std::string(argv[1]) != "--json-lines-writer") return -1;
  json_lines store(argv[2]);
  for (int i = 0; i < std::stoi(argv[4]); ++i) store.append(sample_record(std::stoi(argv[3]) * 1000 + i));
  return 0;
}};

/// PROGRAM --json-lines-limited FILE: simulates a disk that becomes full.
ttune_test::at_start const limited{[](int argc, char** argv) {
  if (argc != 3 || std::string(argv[1]) != "--json-lines-limited") return -1;
  json_lines store(argv[2]);
  store.append(sample_record(1));
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit const little{600, 600};
  ::setrlimit(RLIMIT_FSIZE, &little);
  int failures = 0;
  for (int i = 0; i < 2; ++i) try {
      store.append(sample_record(2));
    } catch (record_error const&) {
      ++failures;
    }
  return failures == 2 && store.count() == 1 && json_lines(argv[2]).count() == 1 ? 0 : 1;
}};

}  // namespace

TEST_CASE("json line: a record comes back whole") {
  check_equal(from_json_line(to_json_line(sample_record())).value.value(), sample_record());
  for (int s = 1; s <= static_cast<int>(trial_status::cut_off); ++s) {
    auto const failed = ttune_test::failed_record(static_cast<trial_status>(s));
    check_equal(from_json_line(to_json_line(failed)).value.value(), failed);
  }
  auto const nothing = record{};
  check_equal(from_json_line(to_json_line(nothing)).value.value(), nothing);
  CHECK(to_json_line(sample_record()).find('\n') == std::string::npos);
}

TEST_CASE("json line: a time that is no number is kept for a failure") {
  auto r = ttune_test::failed_record(trial_status::timed_out);
  r.result.seconds = std::nan("");
  CHECK(std::isnan(from_json_line(to_json_line(r)).value->result.seconds));
}

TEST_CASE("json line: members that are not known are ignored, faults are named") {
  auto line = to_json_line(sample_record());
  line.insert(line.size() - 1, R"(,"later":{"x":[1]})");
  CHECK(from_json_line(line).value);
  auto const fault_with = [&](std::string const& from, std::string const& to) {
    auto changed = to_json_line(sample_record());
    changed.replace(changed.find(from), from.size(), to);
    auto const result = from_json_line(changed);
    CHECK(!result.value);
    return result.fault;
  };
  CHECK(fault_with("\"ttune\":1", "\"ttune\":2").find("newer ttune") != std::string::npos);
  CHECK(fault_with("\"ttune\":1", "\"tune\":1").find("no ttune record") != std::string::npos);
  CHECK(fault_with("\"status\":\"ok\"", "\"status\":\"fine\"").find("fine") != std::string::npos);
  CHECK(fault_with("\"seconds\":0.001", "\"seconds\":null").find("seconds") != std::string::npos);
  CHECK(fault_with("[64,8]", "[64,8e99]").find("choices") != std::string::npos);
  CHECK(fault_with("\"space\":\"8", "\"space\":\"x").find("space") != std::string::npos);
  CHECK(from_json_line("[]").fault == "not an object");
  CHECK(from_json_line("{").fault.starts_with("at byte 1"));
}

TEST_CASE("read_json_lines: lines that are no records do not stop the others") {
  std::stringstream text;
  text << to_json_line(sample_record(1)) << "\n\n  \r\nrubbish\n{}\n"
       << to_json_line(sample_record(2)) << "\r\n"
       << to_json_line(sample_record(3)).substr(0, 40);
  memory_store store;
  auto const summary = read_json_lines(text, store);
  CHECK(summary.records == 2);
  CHECK(summary.skipped == 3);
  CHECK(summary.first_fault.starts_with("line 4: "));
  CHECK(store.count() == 2);
}

TEST_CASE("write_json_lines: a store goes through text unchanged") {
  memory_store a, b;
  for (int i = 1; i < 20; ++i) a.append(sample_record(i, ttune_test::sample_key(i % 4)));
  std::stringstream text;
  write_json_lines(a, text);
  CHECK(read_json_lines(text, b).records == 19);
  auto const expected = a.all(ttune_test::sample_key(2)), found = b.all(ttune_test::sample_key(2));
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) check_equal(found[i], expected[i]);
  std::ofstream full("/dev/full");
  CHECK_THROWS_AS(write_json_lines(a, full), record_error);
}

TEST_CASE("json_lines: keeps the laws of stores, and the records when opened again") {
  ttune_test::temporary_folder const folder;
  {
    json_lines store(folder / "records.jsonl");
    ttune_test::check_store(store);
  }
  json_lines const again(folder / "records.jsonl");
  CHECK(again.count() == 9);
  CHECK(again.reason().empty());
  CHECK(again.best(ttune_test::sample_key())->result.seconds == 0.5e-3);
}

TEST_CASE("json_lines: a line that a killed writer left unfinished costs that line") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.jsonl";
  std::ofstream(path) << to_json_line(sample_record(1)) << '\n' << to_json_line(sample_record(2)).substr(0, 100);
  {
    json_lines store(path);
    CHECK(store.count() == 1);
    CHECK(store.reason().find("line 2") != std::string::npos);
    store.append(sample_record(3));
  }
  CHECK(json_lines(path).count() == 2);
}

TEST_CASE("json_lines: a path that cannot be opened is named") {
  CHECK_THROWS_WITH_AS(json_lines("/nonexistent/x.jsonl"),
                       "/nonexistent/x.jsonl: cannot be opened: No such file or directory", record_error);
  CHECK_THROWS_AS(json_lines("/dev/full"), record_error);  // is no regular file
}

TEST_CASE("json_lines: a record that could not be written is not stored") {
  ttune_test::temporary_folder const folder;
  ttune_test::child child({"--json-lines-limited", folder / "records.jsonl"});
  CHECK(child.wait() == 0);
}

TEST_CASE("json_lines: several processes append to one file") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "records.jsonl";
  {
    ttune_test::child a({"--json-lines-writer", path, "1", "300"}), b({"--json-lines-writer", path, "2", "300"});
    CHECK(a.wait() == 0);
    CHECK(b.wait() == 0);
  }
  json_lines const store(path);
  CHECK(store.count() == 600);
  CHECK(store.reason().empty());
}

}  // namespace json_lines_tests
