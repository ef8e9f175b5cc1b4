// SPDX-License-Identifier: Apache-2.0
#include "ttune/records/work_json.hpp"

#include <doctest/doctest.h>

#include <string>

#include "samples.hpp"

namespace work_json_tests {

using namespace ttune;

namespace {

std::string text_of(json_value const& v) {
  std::string made;
  write_json(made, v);
  return made;
}
kernel_work work_in(std::string const& text) {
  auto const read = parse_json(text);
  REQUIRE(read.value);
  return read_work(&*read.value);
}
machine_roof roof_in(std::string const& text) {
  auto const read = parse_json(text);
  REQUIRE(read.value);
  return read_roof(&*read.value);
}
std::string with(std::string text, std::string const& from, std::string const& to) {
  auto const at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("work as JSON: what is written is read") {
  auto const work = ttune_test::sample_explanation().work;
  REQUIRE(work.known());
  CHECK(work_in(text_of(json_of(work))) == work);
  CHECK_FALSE(read_work(nullptr).known());
}

TEST_CASE("work as JSON: damaged work is not known") {
  auto const text = text_of(json_of(ttune_test::sample_explanation().work));
  for (auto const& [from, to] : {std::pair{"\"threads\":2", "\"threads\":0"},
                                 {"\"tasks\":8", "\"tasks\":0"},
                                 {"\"strided\"", "\"striped\""},
                                 {"\"from\":\"l3\"", "\"from\":\"l9\""},
                                 {",1500,", ",-1500,"},
                                 {",1500,", ",null,"},
                                 {",1]", ",-1]"},
                                 {",1]", ",4000000000]"},
                                 {",1]", "]"},
                                 {"\"phases\":[", "\"phases\":[7,"}}) {
    INFO(to);
    CHECK_FALSE(work_in(with(text, from, to)).known());
  }
  CHECK_FALSE(work_in("[]").known());
}

TEST_CASE("roof as JSON: what is written is read, and what is missing makes it unknown") {
  machine_roof roof{"x86_64 some", 2, 1e-10, 1e-9, 2e-10, 4e-10, 1e-9, {1e11, 5e10, 2e10}, {2e11, 8e10, 3e10}, 5e-7};
  auto const text = text_of(json_of(roof));
  auto const read = roof_in(text);
  CHECK(text_of(json_of(read)) == text);
  CHECK(read.known());
  CHECK(read.target == "x86_64 some");
  for (auto const& [from, to] : {std::pair{"\"fma_seconds\":", "\"x\":"},
                                 {"\"store_seconds\":", "\"store_seconds\":-"},
                                 {"\"threads\":2", "\"threads\":0"},
                                 {",20000000000", ""}}) {
    INFO(to);
    auto const bad = text.find(from) == std::string::npos ? with(text, ",2e+10", "") : with(text, from, to);
    CHECK_FALSE(roof_in(bad).known());
  }
  CHECK_FALSE(read_roof(nullptr).known());
}

}  // namespace work_json_tests
