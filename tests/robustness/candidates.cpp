// SPDX-License-Identifier: Apache-2.0
// Bad candidates in a whole tuning: real machine code in real images and a real worker. Each becomes the measurement
// that names its fault, and the application is not affected.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "robustness/tuning.hpp"
#include "support/main.hpp"
#include "support/sanitized.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/support/error.hpp"

namespace candidates_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

constexpr auto bytes = scripted_elements * 4;

struct planted {
  std::string what;
  code kernel;
  trial_status ends_as;
  std::string said;
};

std::vector<planted> bad_candidates() {
  using enum trial_status;
  auto const copy_and = [](code const& more) { return right().then(more); };
  std::vector<planted> all{
      {"null write", code::null_write(), crashed, "SIGSEGV: wrote to 0x0"},
      {"write past the end of the output", copy_and(code::write(1, bytes, 1)), wrote_outside, "1 bytes past the end"},
      {"write far past the end of the output", copy_and(code::write(1, bytes + 100'000, 1)), wrote_outside,
       "100001 bytes past the end of C"},
      {"write before the start of the output", copy_and(code::write(1, -1, 1)), wrote_outside, "before the start of C"},
      {"read past the end of the input", copy_and(code::read(0, bytes)), crashed, "read 1 bytes past the end of A"},
      {"read before the start of the input", copy_and(code::read(0, -1)), crashed, "before the start of A"},
      {"endless loop", copy_and(code::endless_loop()), timed_out, ""},
      {"abort", copy_and(code::abort()), crashed, "SIGABRT"},
      {"exit(0)", copy_and(code::exit(0)), exited, "status 0"},
      {"illegal instruction", copy_and(code::illegal_instruction()), crashed, "SIGILL"},
      {"stack overflow", copy_and(code::endless_recursion()), crashed, "SIGSEGV"},
      {"NaN in the output", copy_and(code::write_word(1, 4 * 999, 0x7FC00000)), wrong_result, "C[999] is nan"},
      {"one wrong element", copy_and(code::write_word(1, 4 * 137, 0x40A00000)), wrong_result, "C[137] is 5"},
      {"a right answer with a clobbered input", copy_and(code::write(0, 4, 0x55)), wrote_outside, "its input A"},
      {"an output that is not touched", code::spin(1), wrong_result, "C[0] was never written"},
      {"no code at all", code(), compile_failed, "no register is left"},
  };
#if !TTUNE_TEST_SANITIZED  // their workers need unlimited memory
  all.push_back({"100 GB of memory, or all", copy_and(code::huge_allocation()), out_of_memory, ""});
#endif
  return all;
}

/// Returns the slow kernel first and the good one last: the bad ones between must not keep it from winning.
std::vector<code> script_of(std::vector<planted> const& all) {
  std::vector<code> script{slow()};
  for (auto const& p : all) script.push_back(p.kernel);
  script.push_back(right());
  return script;
}

std::vector<record> records_of(record_store const& store) {
  std::vector<record> all;
  store.for_each([&](record const& r) {
    all.push_back(r);
    return true;
  });
  return all;
}

/// State of this process that a kernel could damage: handlers, mask, memory.
struct application_state {
  std::array<struct sigaction, NSIG> handlers{};
  sigset_t mask{};
  int descriptors = open_descriptors();

  application_state() {
    for (int s = 1; s < NSIG; ++s) ::sigaction(s, nullptr, &handlers[static_cast<std::size_t>(s)]);
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  }
  void check_unchanged() const {
    application_state const now;
    for (int s = 1; s < NSIG; ++s) {
      auto const i = static_cast<std::size_t>(s);
      bool const same = now.handlers[i].sa_handler == handlers[i].sa_handler;
      CHECK_MESSAGE(same, "signal ", s);
      CHECK(::sigismember(&now.mask, s) == ::sigismember(&mask, s));
    }
    CHECK(now.descriptors == descriptors);
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);  // no child process is left, dead or alive
    CHECK(errno == ECHILD);
  }
};

}  // namespace

TEST_CASE("robustness: every planted candidate ends as its measurement, and the right one wins") {
  TTUNE_SKIP_UNLESS_X86();
  auto const bad = bad_candidates();
  auto const script = script_of(bad);
  std::vector<unsigned char> const canary(1 << 20, 0xA5);
  {
    auto warm = tune_copy({right()}, one_thread_options(), {.trials = 1});  // opens what stays open
  }
  application_state const before;
  auto const store = std::make_shared<memory_store>();
  auto options = one_thread_options();
  options.records = store;
  auto const trials = static_cast<std::int64_t>(script.size());
  auto const result = tune_copy(script, options, {.trials = trials});
  before.check_unchanged();
  CHECK(canary == std::vector<unsigned char>(1 << 20, 0xA5));

  CHECK(result.report.trials == trials);
  CHECK(result.report.source == tuning_report::origin::tuned);
  CHECK(result.report.gain > 2);
  CHECK(result.report.isolated);
  auto const records = records_of(*store);
  REQUIRE(records.size() >= script.size());
  for (std::size_t i = 0; i < bad.size(); ++i) {
    INFO(bad[i].what);
    auto const& m = records[1 + i].result;
    INFO(m.message);
    CHECK_MESSAGE(m.status == bad[i].ends_as, name_of(m.status));
    CHECK(m.message.find(bad[i].said) != std::string::npos);
  }
}

TEST_CASE("robustness: a tuning in which all but the first candidate die ends with the first") {
  TTUNE_SKIP_UNLESS_X86();
  auto const result = tune_copy({right(), code::null_write()}, one_thread_options(), {.trials = 21});
  CHECK(result.report.source == tuning_report::origin::seed);
  CHECK(result.report.trials_by_status[static_cast<std::size_t>(trial_status::crashed)] == 20);
  CHECK(!result.image.code.empty());
  MESSAGE("a trial that dies: ", result.report.tuning_seconds / 20 * 1e3, " ms, the tuner's work and the new worker");
}

TEST_CASE("robustness: a signature that needs more memory than there is gives out_of_memory") {
  TTUNE_SKIP_UNLESS_X86();
  auto const m = make_runner(worker::self{}, copy_signature(1000), [] {
    runner_options o;
    o.threads = 1;
    return o;
  }());
  REQUIRE(m->set_reference(copy_image(1000), {}).ok());
  auto image = copy_image(1000);
  image.signature.shared_bytes = too_many_bytes();
  CHECK(m->measure(image, {}).status == trial_status::out_of_memory);
  CHECK(m->measure(copy_image(1000), {}).ok());
}

TEST_CASE("robustness: a worker that cannot be started is an error before the first trial") {
  TTUNE_SKIP_UNLESS_X86();
  auto const descriptors = open_descriptors();
  CHECK_THROWS_AS(
      (void)tune_copy({right()}, one_thread_options(worker::program{"/nonexistent/ttune-worker"}), {.trials = 2}),
      backend_error);
  CHECK_THROWS_AS((void)tune_copy({right()}, one_thread_options(worker::command{{"/bin/true"}}), {.trials = 2}),
                  backend_error);
  CHECK(open_descriptors() == descriptors);
}

}  // namespace candidates_tests
