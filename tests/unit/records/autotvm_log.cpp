// SPDX-License-Identifier: Apache-2.0
// Reads AutoTVM's logs as records, with lines as TVM writes them.
#include "ttune/records/autotvm_log.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "ttune/records/memory_store.hpp"
#include "ttune/space/factors.hpp"

namespace autotvm_log_tests {

using namespace ttune;

namespace {

std::string const old_line =
    R"({"i": ["cuda", "conv2d_no_batching", [1, 28, 28, 128, 256, 3, 3, [2, 2], [1, 1]], {},)"
    R"( ["conv2d_no_batching", 1, 28, 28, 128, 256, 3, 3, [2, 2], [1, 1]], {"i": 68022735, "t": "", "c": null,)"
    R"( "e": [["tile_f", "sp", [32, 1, 4, 1]], ["auto_unroll_max_step", "ot", 1500]]}],)"
    R"( "r": [[0.0002, 0.0001, 0.0004], 0, 1.39, 1544100259.25], "v": 0.1})";
std::string const new_line =
    R"({"input": ["llvm -mcpu=skylake", "dense.x86", [["TENSOR", [1, 512], "float32"], ["TENSOR", [1000, 512],)"
    R"( "float32"], null, "float32"], {}], "config": {"index": 3, "code_hash": null, "entity": [["tile_x", "sp",)"
    R"( [-1, 4]], ["order", "re", [1, 0]]]}, "result": [[1000000000.0], 4, 10.0, 1600000000.0], "version": 0.2,)"
    R"( "tvm_version": "0.8.0"})";

}  // namespace

TEST_CASE("from_autotvm_line: version 0.1") {
  auto const [r, fault] = from_autotvm_line(old_line);
  REQUIRE(r);
  CHECK(r->key.compute_text == "conv2d_no_batching");
  CHECK(r->key.extents == std::vector<std::int64_t>{1, 28, 28, 128, 256, 3, 3, 2, 2, 1, 1});
  CHECK(r->key.target == "cuda");
  CHECK(r->choices == std::vector<knob_choice>{{"tile_f", -1, {32, 1, 4, 1}}, {"auto_unroll_max_step", -1, {1500}}});
  CHECK(r->result.ok());
  CHECK(r->result.seconds == 0.0002);
  CHECK(r->result.samples == 3);
  CHECK(r->result.measure_seconds == 1.39);
  CHECK(r->timestamp == 1544100259250);
}

TEST_CASE("from_autotvm_line: version 0.2, and a failure") {
  auto const [r, fault] = from_autotvm_line(new_line);
  REQUIRE(r);
  CHECK(r->key.compute_text == "dense.x86 TENSOR float32 TENSOR float32 float32");
  CHECK(r->key.extents == std::vector<std::int64_t>{1, 512, 1000, 512});
  CHECK(r->choices[0].values == std::vector<std::int32_t>{-1, 4});
  CHECK(r->result.status == trial_status::crashed);
  CHECK(r->result.seconds == 0);
  CHECK(r->library_version == "AutoTVM 0.8.0");
}

TEST_CASE("from_autotvm_line: one task is one key, another shape is its neighbour") {
  auto const a = from_autotvm_line(old_line).value.value();
  auto other = old_line;
  other.replace(other.find("128, 256"), 8, "256, 256");
  auto const b = from_autotvm_line(other).value.value();
  CHECK(a.key != b.key);
  CHECK(distance(a.key, b.key) < 2);
  memory_store store;
  store.append(b);
  CHECK(store.near(a.key).size() == 1);
}

TEST_CASE("read_autotvm_log: lines that are no records do not stop the others") {
  std::stringstream log(old_line + "\nrubbish\n{\"i\": []}\n" + new_line + "\n");
  memory_store store;
  auto const summary = read_autotvm_log(log, store);
  CHECK(summary.records == 2);
  CHECK(summary.skipped == 2);
  CHECK(store.count() == 2);
  for (auto const* text :
       {"{}", "[]", R"({"input": 1, "config": {}})", R"({"input": ["a", "b", []], "config": {"entity": [[]]}})",
        R"({"input": ["a", "b", []], "config": {"entity": []}, "result": [[], 0, 1, 1e999]})",
        R"({"input": ["a", "b", []], "config": {"entity": []}, "result": [[], 0]})",
        R"({"input": ["a", "b", []], "config": {"entity": []}, "result": [[-1e-3], 0, 1, 1]})",
        R"({"input": ["a", "b", []], "config": {"entity": []}, "result": [[1e-3, 0], 0, 1, 1]})",
        R"({"input": ["a", "b", []], "config": {"entity": []}, "result": [[1e9], 0, 1, 1]})"})
    CHECK(!from_autotvm_line(text).value);
}

namespace {

std::vector<knob> const two_knobs = {factors_knob("tile_f", 128, 4),
                                     one_of_knob("auto_unroll_max_step", {0, 512, 1500})};

}  // namespace

TEST_CASE("rebuild_choices: numbers of a space with the same knobs") {
  auto const r = rebuild_choices(from_autotvm_line(old_line).value.value(), two_knobs).value.value();
  CHECK(two_knobs[0].choice(r.choices[0].index)[0] == 32);
  CHECK(r.choices[1].index == 2);
  auto const chosen = find_configuration(two_knobs, r.choices);
  REQUIRE(chosen);
  CHECK(autotvm_number(two_knobs, *chosen) == r.choices[0].index + 120 * 2);

  auto open = old_line;
  open.replace(open.find("[32, 1, 4, 1]"), 13, "[-1, 1, 4, 1]");
  CHECK(rebuild_choices(from_autotvm_line(open).value.value(), two_knobs).value->choices == r.choices);
}

TEST_CASE("rebuild_choices: knobs and choices that the space lacks are named") {
  auto const fault = [&](char const* from, char const* to) {
    auto line = old_line;
    line.replace(line.find(from), std::string(from).size(), to);
    return rebuild_choices(from_autotvm_line(line).value.value(), two_knobs).fault;
  };
  CHECK(fault("[32, 1, 4, 1]", "[3, 1, 4, 1]") == "the space has no choice tile_f = 3 1 4 1");
  CHECK(fault("[32, 1, 4, 1]", "[32, 1, 4]") == "the space has no choice tile_f = 32 1 4");
  CHECK(fault("1500]", "-1]") == "the space has no choice auto_unroll_max_step = -1");
  CHECK(fault("tile_f", "tile_z") == "the record has no knob tile_f");
  CHECK(fault(", [\"auto_unroll_max_step\", \"ot\", 1500]", "") == "the record has 1 knobs, the space 2");
  std::stringstream log(old_line + "\n" + new_line + "\nrubbish\n");
  memory_store store;
  auto const summary = read_autotvm_log(log, store, two_knobs);
  CHECK(summary.records == 1);
  CHECK(summary.skipped == 2);
}

TEST_CASE("autotvm_number: beyond 63 bits there is none") {
  std::vector<knob> const many(40, factors_knob("k", 512, 4));
  configuration chosen;
  chosen.choices.assign(40, 1);
  CHECK(autotvm_number(many, chosen) == -1);
}

}  // namespace autotvm_log_tests
