// SPDX-License-Identifier: Apache-2.0
// The JSON reader: valid values, invalid ones, and the places of faults.
#include "ttune/records/json.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>

namespace json_tests {

using namespace ttune;

namespace {

std::string again(std::string_view text) {
  auto const [value, fault] = parse_json(text);
  if (!value) return fault;
  std::string out;
  write_json(out, *value);
  return out;
}

}  // namespace

TEST_CASE("parse_json: values come back as they were written") {
  for (auto const* text :
       {"null", "true", "false", "0", "-1", "9223372036854775807", "-9223372036854775808", "0.1", "1e+300", "-2.5e-07",
        R"("")", R"("a\"\\\n\tb")", "[]", "{}", "[1,[2,[3]],{}]", R"({"a":1,"b":[true,null],"":{"c":"π"}})"})
    CHECK(again(text) == text);
  CHECK(again(" [ 1 , 2 ]\r\n") == "[1,2]");
  CHECK(again(R"("\u0041\u00e9\u20ac\ud83d\ude00\/\b\f")") == "\"A\u00e9\u20ac\U0001F600/\\u0008\\u000c\"");
}

TEST_CASE("parse_json: integers stay exact and become doubles only beyond 64 bits") {
  CHECK(parse_json("9223372036854775808").value->as<double>());
  CHECK(parse_json("1.0").value->integer(-1) == 1);
  CHECK(parse_json("1.5").value->integer(-1) == -1);
  CHECK(parse_json("7").value->number(0) == 7.0);
  CHECK(parse_json("\"7\"").value->number(-1) == -1);
}

TEST_CASE("parse_json: a fault has its place") {
  for (auto const* text : {"",
                           " ",
                           "nul",
                           "tru",
                           "01",
                           "-",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "0x10",
                           "NaN",
                           "[1,]",
                           "[1 2]",
                           "[",
                           "{",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{a:1}",
                           "{\"a\":1,}",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\x01\"",
                           "\"\xff\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "1 2",
                           "[1]]",
                           "1e999"}) {
    INFO(text);
    auto const result = parse_json(text);
    CHECK(!result.value);
    CHECK(result.fault.starts_with("at byte "));
  }
  CHECK(parse_json("[1,x]").fault == "at byte 3: not a JSON value");
  CHECK(!parse_json(std::string(100'000, '[')).value);  // deep nesting must not exhaust the stack
  CHECK(parse_json(std::string(60, '[') + std::string(60, ']')).value);
}

TEST_CASE("parse_json: takes any bytes without harm") {
  std::mt19937 random(1);
  std::string const seed = R"({"a":[1,-2.5e3,"x\u00e9\n",true,null],"b":{"c":"d"}})";
  for (int i = 0; i < 20'000; ++i) {
    auto text = seed;
    for (int change = 0; change < 3; ++change) text[random() % text.size()] = static_cast<char>(random());
    text.resize(random() % (text.size() + 1));
    if (auto const once = parse_json(text); once.value) {
      std::string out;
      write_json(out, *once.value);
      CHECK(again(out) == out);
    }
  }
}

TEST_CASE("write_json: numbers are exact, infinities and NaN become null") {
  for (double const d : {0.1, 1.0 / 3, 1e-300, 123456789.125, std::numeric_limits<double>::denorm_min()}) {
    std::string out;
    write_json(out, d);
    CHECK(parse_json(out).value->number(0) == d);
  }
  std::string out;
  write_json(out, std::numeric_limits<double>::infinity());
  write_json(out, std::string_view("\xff|\xe2\x82", 4));
  CHECK(out == "null\"\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace json_tests
