// SPDX-License-Identifier: Apache-2.0
// Stored images that this machine cannot run, and their replacements.
#include "ttune/tune/session/stored_image.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/machine_code.hpp"
#include "support/scripted_tuning.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/tune/tuner.hpp"

namespace stored_image_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

char const* const unheard_of = "+sse3,+fma4,+xop";  // no processor has had these since 2017

code marked(int mark) { return code().bytes({0xB8, mark, 0, 0, 0}).then(right()); }  // mov eax, mark

/// Records of a tuning with an image that needs instructions which no machine has.
struct shipped {
  std::shared_ptr<memory_store> store = std::make_shared<memory_store>();
  std::map<std::string, std::vector<code>> scripts;
  bool with_alternatives;

  explicit shipped(bool of_alternatives = false) : with_alternatives(of_alternatives) {
    scripts = {{"copy", {right()}}, {"direct", {code::spin(300).then(right())}}, {"short", {right()}}};
    (void)tune();
    for (auto const& s : store->keys())
      if (auto stored = store->get_image(s.key)) {
        auto image = image_from_bytes(stored.bytes);
        image.features = unheard_of;
        store->put_image(stored.of, to_bytes(image));
        mine = stored.of;
      }
  }

  tuning_result tune() {
    tuner_options o;
    o.worker = worker::in_process{};
    o.executor = std::make_shared<thread_pool>(1);
    o.records = store;
    auto const compiler = std::make_shared<scripted_backend>(scripts);
    tuner made(compiler, o);
    auto const space_of = [&](char const* name) { return derive_space(copy_program(name), compiler->target()); };
    auto result = with_alternatives
                      ? made.tune_alternatives({{space_of("direct"), 0}, {space_of("short"), 0}}, {.trials = 8})
                      : made.tune(space_of("copy"), {.trials = 4});
    compiled = 0;
    for (auto const& [name, script] : scripts) compiled += compiler->compiled(name);
    return result;
  }

  /// Adds the same kernel as another machine may have stored it.
  void add(std::string const& target, double seconds, int mark, std::string const& features = {},
           std::string const& objective = "warm") {
    auto of = mine;
    of.key.target = target + " x8";
    of.key.objective = objective;
    of.key.space += 1;
    of.choices[0].knob = "of another space";
    if (!with_alternatives) of.choices.resize(1);
    of.result.seconds = seconds;
    auto image = image_from_bytes(store->get_image(mine.key).bytes);
    image.code = marked(mark).then(code::ret()).get();
    image.target = target;
    image.features = features;
    store->put_image(of, to_bytes(image));
  }

  record mine;
  std::size_t compiled = 0;
};

std::string const lacks = "it needs fma4, xop, which this processor lacks: ";

}  // namespace

TEST_CASE(
    "stored image: one that this machine cannot run is replaced by the fastest that it can, nothing is compiled") {
  TTUNE_SKIP_UNLESS_X86();
  shipped records;
  records.add("x86_64 first", 5e-6, 1);
  records.add("x86_64 second", 3e-6, 2, "+sse3");
  records.add("x86_64 third", 4e-6, 3);
  records.add("x86_64 like the first", 1e-6, 4, unheard_of);
  records.add("aarch64 cortex-a76", 1e-6, 5, "+neon");
  records.add("x86_64 cold", 1e-6, 6, {}, "cold");
  auto const found = records.tune();
  CHECK(records.compiled == 0);
  CHECK(found.image.code == marked(2).then(code::ret()).get());
  CHECK(found.report.source == tuning_report::origin::record);
  CHECK(found.report.seconds == 3e-6);
  CHECK(found.report.fallback == lacks + "that for x86_64 second x8 runs in its place");
  CHECK(found.report.schedule.starts_with("of another space="));
  CHECK(found.chosen.choices.empty());
  CHECK(found.report.text().find("the stored image: " + found.report.fallback) != std::string::npos);
  CHECK(image_from_bytes(records.store->get_image(records.mine.key).bytes).features == unheard_of);  // it is kept
}

TEST_CASE("stored image: if none runs here, the recorded schedule is compiled again, once") {
  TTUNE_SKIP_UNLESS_X86();
  shipped records;
  records.add("aarch64 cortex-a76", 1e-6, 5);
  auto const found = records.tune();
  CHECK(records.compiled == 1);
  CHECK(found.report.source == tuning_report::origin::record);
  CHECK(found.report.fallback == lacks + "its schedule was compiled again");
  auto const again = records.tune();
  CHECK(records.compiled == 0);
  CHECK(again.report.fallback.empty());
}

TEST_CASE("stored image: if the recorded schedule cannot be compiled, the workload is tuned from its seed") {
  TTUNE_SKIP_UNLESS_X86();
  shipped records;
  records.scripts["copy"] = {code(), right()};  // the first compilation fails
  auto const found = records.tune();
  CHECK(found.report.source != tuning_report::origin::record);
  CHECK(found.report.trials > 0);
  CHECK(found.report.fallback == lacks + "its schedule cannot be compiled here, tuned anew");
}

TEST_CASE("stored image: alternatives have the same fallbacks, and the replacement is reported") {
  TTUNE_SKIP_UNLESS_X86();
  shipped records(true);
  auto const again = shipped(true).tune();
  CHECK(again.report.alternative == "short");
  CHECK(again.report.fallback == lacks + "its schedule was compiled again");
  records.add("x86_64 second", 3e-6, 2);
  auto const found = records.tune();
  CHECK(records.compiled == 0);
  CHECK(found.image.code == marked(2).then(code::ret()).get());
  CHECK(found.report.alternative == "short");
  CHECK(found.report.fallback == lacks + "that for x86_64 second x8 runs in its place");
}

}  // namespace stored_image_tests
