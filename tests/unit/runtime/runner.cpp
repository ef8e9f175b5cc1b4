// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/measure/make_runner.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/machine_code.hpp"
#include "support/main.hpp"
#include "support/temporary_folder.hpp"
#include "support/worker_command.hpp"
#include "ttune/runtime/worker/entry.hpp"
#include "ttune/runtime/worker/process.hpp"
#include "ttune/support/error.hpp"
#include "unit/runtime/runner_cases.hpp"

namespace runner_tests {

using namespace ttune_test;
using ttune::trial_status;

namespace {

/// Main begins as `worker::self` needs it; TTUNE_TEST_FORGETFUL makes it a program that forgets this.
ttune_test::at_start const as_worker{[](int argc, char** argv) {
  if (std::getenv("TTUNE_TEST_FORGETFUL") && ttune::inside_worker()) return 5;
  return ttune::is_worker(argc, argv) ? ttune::run_worker() : -1;
}};

}  // namespace

TEST_CASE("runner: a good candidate is measured as in process") {
  TTUNE_SKIP_UNLESS_X86();
  auto isolated = make_copier();
  auto local = make_copier(ttune::worker::in_process{});
  CHECK(isolated->isolated());
  CHECK_FALSE(local->isolated());
  CHECK(local->description() == "in process, unprotected");
  for (auto* m : {isolated.get(), local.get()}) {
    auto const reference = m->set_reference(copy_image(copied), {});
    CHECK_MESSAGE(reference.ok(), reference.message);
    CHECK(reference.seconds > 0);
    CHECK(reference.samples >= 3);
    auto const trial = m->measure(copy_image(copied), {});
    CHECK_MESSAGE(trial.ok(), trial.message);
    CHECK(trial.measure_seconds > 0);
    CHECK(m->respawns() == 0);
  }
  CHECK(isolated->operand_bytes(0) == local->operand_bytes(0));
  CHECK(isolated->operand_bytes(1) == isolated->operand_bytes(0));
  CHECK(local->operand_bytes(1) == local->operand_bytes(0));
}

TEST_CASE("runner: kernels are compared in pairs") {
  TTUNE_SKIP_UNLESS_X86();
  for (ttune::worker_choice const& how :
       {ttune::worker_choice(ttune::worker::self{}), ttune::worker_choice(ttune::worker::in_process{})}) {
    auto m = make_copier(how);
    CHECK(m->set_reference(copy_image(copied), {}).ok());
    auto const slow = copy_and(code::spin(20), copied);
    auto const quick = copy_and(code::spin(10), copied);
    auto c = m->compare(slow, quick, 20);
    CHECK_MESSAGE(c.failure.empty(), c.failure);
    CHECK(c.pairs >= 20);
    CHECK(c.faster);
    CHECK(c.ratio < 0.8);
    CHECK(c.low <= c.ratio);
    CHECK(c.ratio <= c.high);
    CHECK(c.first_seconds > c.second_seconds);
    c = m->compare(quick, slow, 20);
    CHECK_FALSE(c.faster);
    CHECK(c.low > 1);
    c = m->compare(quick, copy_and(code::write_word(1, 0, 0), copied), 20);
    CHECK_MESSAGE(has(c.failure, "wrong_result"), c.failure);
  }
  auto m = make_copier();
  CHECK(has(m->compare(copy_image(copied), copy_and(code::null_write(), copied), 20).failure, "crashed"));
}

TEST_CASE("runner: a reference can be given, and outputs be had") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = make_copier();
  std::vector<std::vector<std::uint8_t>> reference(2);
  reference[1] = m->operand_bytes(0);
  reference[1][7] ^= 0x40;  // the exponent of element 1
  m->set_reference(reference);
  CHECK(m->measure(copy_image(copied), {}).status == trial_status::wrong_result);
  std::vector<std::vector<std::uint8_t>> outputs;
  auto const run = m->run(copy_image(copied), outputs);
  CHECK_MESSAGE(run.ok(), run.message);
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0].empty());
  CHECK(outputs[1] == m->operand_bytes(0));
  reference[1].pop_back();
  CHECK_THROWS_AS(m->set_reference(reference), ttune::error);
}

TEST_CASE("runner: the user's own data is what kernels get, also after a crash") {
  TTUNE_SKIP_UNLESS_X86();
  ttune::runner_options options = one_thread();
  options.data.resize(1);
  options.data[0].assign(static_cast<std::size_t>(4 * copied), 0x3F);
  auto m = make_copier(ttune::worker::self{}, options);
  CHECK(m->operand_bytes(0) == options.data[0]);
  CHECK(m->measure(copy_and(code::null_write(), copied), {}).status == trial_status::crashed);
  CHECK(m->operand_bytes(0) == options.data[0]);
  options.data[0].pop_back();
  CHECK_THROWS_AS(make_copier(ttune::worker::self{}, options), ttune::argument_error);
  CHECK_THROWS_AS(make_copier(ttune::worker::in_process{}, options), ttune::argument_error);
}

TEST_CASE("runner: one that is killed while idle is started again") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const id_file = folder / "id";
  auto m = make_copier(own_worker_with_id(id_file));
  CHECK(m->set_reference(copy_image(copied), {}).ok());
  REQUIRE(send_signal(id_file, SIGKILL));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  auto const after = m->measure(copy_image(copied), {});
  CHECK_MESSAGE(after.ok(), after.message);
  CHECK(m->respawns() == 1);
  CHECK(m->measure(image_of(copy_signature(copied), code::ret()), {}).status == trial_status::wrong_result);
}

TEST_CASE("runner: what is none is refused with a reason") {
  auto const reason = [](ttune::worker_choice how) -> std::string {
    try {
      (void)make_copier(std::move(how));
    } catch (ttune::backend_error const& e) {
      return e.what();
    }
    return "";
  };
  CHECK(has(reason(ttune::worker::program{"/nonexistent/ttune-worker"}), "cannot be started"));
  CHECK(has(reason(ttune::worker::command{{"/bin/echo", "hello"}}), "does not answer as a worker does"));
  CHECK(has(reason(ttune::worker::command{{"/bin/sh", "-c", "echo oh dear >&2; exit 1"}}), "it said: oh dear"));
  CHECK(has(reason(ttune::worker::command{}), "no words"));
  setenv("TTUNE_TEST_FORGETFUL", "1", 1);
  CHECK(has(reason(ttune::worker::self{}), "if (ttune::is_worker(argc, argv)) return ttune::run_worker();"));
  unsetenv("TTUNE_TEST_FORGETFUL");
}

TEST_CASE("runner: the helper program is found") {
  TTUNE_SKIP_UNLESS_X86();
  std::string tried;
  auto const path = ttune::worker::find_program(tried);
  TTUNE_SKIP_UNLESS("worker", !path.empty(), "ttune-worker is not built");
  auto m = make_copier(ttune::worker::program{});
  CHECK(m->description() == "worker " + path);
  CHECK(m->set_reference(copy_image(copied), {}).ok());
  CHECK(m->measure(copy_and(code::exit(0), copied), {}).status == trial_status::exited);
}

TEST_CASE("runner: a prepared kernel is prepared once, and checked") {
  TTUNE_SKIP_UNLESS_X86();
  for (auto const goal : {ttune::objective::warm, ttune::objective::cold, ttune::objective::cold_constants}) {
    auto image = prepared_image(copied);
    auto options = one_thread();
    options.objective = goal;
    options.last_level_bytes = 1 << 20;
    auto const m = ttune::make_runner(ttune::worker::self{}, image.signature, options);
    auto const r = m->set_reference(image, {});
    CHECK_MESSAGE(r.ok(), r.message);
    CHECK(m->operand_bytes(1) == m->operand_bytes(0));
    CHECK(m->measure(image, {}).ok());
  }
}

TEST_CASE("runner: constants come from memory for cold constants") {
  TTUNE_SKIP_UNLESS_X86();
  constexpr std::int64_t elements = 32 << 10;  // a second-level cache holds both operands
  auto const least_seconds = [](ttune::kernel_image const& image, ttune::objective goal) {
    auto options = one_thread();
    options.objective = goal;
    auto const m = ttune::make_runner(ttune::worker::self{}, image.signature, options);
    CHECK(m->set_reference(image, {}).ok());
    double least = 1;
    for (int i = 0; i < 5; ++i) least = std::min(least, m->measure(image, {}).seconds);
    return least;
  };
  auto const slower = [&](ttune::kernel_image const& image) {
    return least_seconds(image, ttune::objective::cold_constants) / least_seconds(image, ttune::objective::warm);
  };
  auto given = copy_image(elements);
  CHECK(slower(given) < 1.2);  // operands that are no constants stay in the caches
  given.signature.operands[0].direction = ttune::operand_direction::constant;
  CHECK(slower(given) > 1.3);
  given.operand_uses = {0, 0};  // only what is read matters
  CHECK(slower(given) < 1.2);
  CHECK(slower(prepared_image(elements)) > 1.3);
}

TEST_CASE("runner: operands that are read and written start anew at each run") {
  TTUNE_SKIP_UNLESS_X86();
  ttune::kernel_signature s;
  s.name = "increment";
  s.operands = {operand("A", 16, ttune::operand_direction::inout, ttune::dtype::i32)};
  auto const image = image_of(s, code().bytes({0x48, 0x8B, 0x07, 0xFF, 0x00, 0xC3}));  // ++A[0]
  auto const m = ttune::make_runner(ttune::worker::self{}, s, one_thread());
  auto const before = m->operand_bytes(0);
  CHECK(m->set_reference(image, {}).ok());
  auto const trial = m->measure(image, {});
  CHECK_MESSAGE(trial.ok(), trial.message);
  auto const after = m->operand_bytes(0);
  CHECK(after[0] == static_cast<std::uint8_t>(before[0] + 1));
}

TEST_CASE("runner: a parallel kernel runs on all its threads") {
  TTUNE_SKIP_UNLESS_X86();
  auto s = copy_signature(1024);
  auto const image = image_of(s, code::parallel_copy(4096, 16));
  ttune::runner_options options;
  options.threads = 2;
  auto const m = ttune::make_runner(ttune::worker::self{}, s, options);
  auto const r = m->set_reference(image, {});
  CHECK_MESSAGE(r.ok(), r.message);
  CHECK(m->measure(image, {}).ok());
  auto const crash = m->measure(image_of(s, code::parallel_null_write(64)), {});
  CHECK(crash.status == trial_status::crashed);
  CHECK_MESSAGE(has(crash.message, "SIGSEGV"), crash.message);
  CHECK(m->measure(image, {}).ok());
}

}  // namespace runner_tests
