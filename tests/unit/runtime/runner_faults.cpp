// SPDX-License-Identifier: Apache-2.0
// Bad candidates: each becomes the measurement that names its fault, and the runner goes on.
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

namespace runner_faults_tests {

using namespace ttune_test;
using ttune::trial_status;

TEST_CASE("runner: crashes are measurements that name the signal") {
  TTUNE_SKIP_UNLESS_X86();
  struct {
    code body;
    char const* said;
  } const cases[] = {{code::null_write(), "SIGSEGV: wrote to 0x0"},
                     {code::illegal_instruction(), "SIGILL"},
                     {code::abort(), "SIGABRT"},
                     {code::endless_recursion(), "SIGSEGV"}};
  for (auto const& c : cases) {
    auto const m = planted(copy_and(c.body, copied));
    CHECK(m.status == trial_status::crashed);
    CHECK_MESSAGE(has(m.message, c.said), m.message);
  }
}

TEST_CASE("runner: an exit is a measurement, whatever its status") {
  TTUNE_SKIP_UNLESS_X86();
  for (int const status : {0, 3}) {
    auto const m = planted(copy_and(code::exit(status), copied));
    CHECK(m.status == trial_status::exited);
    CHECK_MESSAGE(has(m.message, ("status " + std::to_string(status)).c_str()), m.message);
  }
}

TEST_CASE("runner: an endless loop is ended when its time is over") {
  TTUNE_SKIP_UNLESS_X86();
  ttune::trial_limits limits;
  limits.hang_seconds = 0.2;
  auto start = std::chrono::steady_clock::now();
  auto m = planted(copy_and(code::endless_loop(), copied), limits);
  CHECK(m.status == trial_status::timed_out);
  CHECK(seconds_since(start) < 2);
  limits.hang_seconds = 100;  // the known cutoff is enough
  limits.cutoff_seconds = 1e-4;
  start = std::chrono::steady_clock::now();
  m = planted(copy_and(code::endless_loop(), copied), limits);
  CHECK(m.status == trial_status::timed_out);
  CHECK(seconds_since(start) < 2);
}

TEST_CASE("runner: too much memory is a measurement") {
  TTUNE_SKIP_UNLESS_X86();
  auto image = copy_image(copied);
  image.signature.shared_bytes = too_many_bytes();
  auto m = planted(image);
  CHECK(m.status == trial_status::out_of_memory);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  m = planted(copy_and(code::huge_allocation(), copied));
  CHECK_MESSAGE((m.status == trial_status::out_of_memory || m.status == trial_status::crashed), m.message);
#endif
}

TEST_CASE("runner: steps outside of operands are found at either end, small and large") {
  TTUNE_SKIP_UNLESS_X86();
  auto const bytes = copied * 4;
  for (std::int64_t const step : {0, 3, 90, 5000, 100000}) {
    auto m = planted(copy_and(code::write(1, bytes + step, 1), copied));
    CHECK(m.status == trial_status::wrote_outside);
    CHECK_MESSAGE(has(m.message, (std::to_string(step + 1) + " bytes past the end of C").c_str()), m.message);
    m = planted(copy_and(code::write(1, -1 - step, 1), copied));
    CHECK(m.status == trial_status::wrote_outside);
    CHECK_MESSAGE(has(m.message, (std::to_string(step + 1) + " bytes before the start of C").c_str()), m.message);
    m = planted(copy_and(code::read(0, bytes + step), copied));
    if (step < 90) {
      CHECK(m.status == trial_status::crashed);
      CHECK_MESSAGE(has(m.message, ("read " + std::to_string(step + 1) + " bytes past the end of A").c_str()),
                    m.message);
      m = planted(copy_and(code::read(0, -1 - step), copied));
      CHECK(m.status == trial_status::crashed);
      CHECK_MESSAGE(has(m.message, ("read " + std::to_string(step + 1) + " bytes before the start of A").c_str()),
                    m.message);
    }
  }
}

TEST_CASE("runner: wrong results name the first wrong element") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = planted(copy_and(code::write_word(1, 4 * 137, 0x40A00000), copied));  // 5.0
  CHECK(m.status == trial_status::wrong_result);
  CHECK_MESSAGE(has(m.message, "C[137] is 5, should be "), m.message);
  m = planted(copy_and(code::write_word(1, 4 * 999, 0x7FC00000), copied));
  CHECK(m.status == trial_status::wrong_result);
  CHECK_MESSAGE(has(m.message, "C[999] is nan"), m.message);
  m = planted(image_of(copy_signature(copied), code::copy(0, 1, 4 * 500).then(code::ret())));
  CHECK(m.status == trial_status::wrong_result);
  CHECK_MESSAGE(has(m.message, "C[500] was never written"), m.message);
  CHECK_MESSAGE(has(m.message, "500 of 1000 elements differ"), m.message);
  m = planted(image_of(copy_signature(copied), code::ret()));
  CHECK_MESSAGE(has(m.message, "C[0] was never written"), m.message);
}

TEST_CASE("runner: a right result with a changed input is a fault") {
  TTUNE_SKIP_UNLESS_X86();
  auto const m = planted(copy_and(code::write(0, 4, 0x55), copied));
  CHECK(m.status == trial_status::wrote_outside);
  CHECK_MESSAGE(has(m.message, "changed its input A"), m.message);
}

TEST_CASE("runner: images for others are unsupported, not run") {
  TTUNE_SKIP_UNLESS_X86();
  auto image = copy_image(copied);
  image.abi = 7;
  CHECK(planted(image).status == trial_status::unsupported);
  image = copy_image(copied);
  image.features = "+xop";
  CHECK(planted(image).status == trial_status::unsupported);
  CHECK(planted(copy_image(copied + 1)).status == trial_status::unsupported);
}

TEST_CASE("runner: a worker's death costs little, and the runner continues") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = make_copier();
  CHECK(m->set_reference(copy_image(copied), {}).ok());
  auto const start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i)
    CHECK(m->measure(image_of(copy_signature(copied), code::null_write()), {}).status == trial_status::crashed);
  MESSAGE("a crash and a new worker: ", seconds_since(start) / 10 * 1e3, " ms");
  CHECK(m->respawns() == 10);
  auto const after = m->measure(copy_image(copied), {});
  CHECK(after.ok());
  CHECK(m->measure(image_of(copy_signature(copied), code::ret()), {}).status == trial_status::wrong_result);
}

TEST_CASE("runner: a stop is honoured within 100 ms, and nothing is left behind") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = make_copier();
  CHECK(m->set_reference(copy_image(copied), {}).ok());
  std::stop_source source;
  m->stop_with(source.get_token());
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  auto const result = m->measure(copy_and(code::endless_loop(), copied), {});
  user.join();
  CHECK(result.status == trial_status::timed_out);
  CHECK(result.message == "stopped");  // not by a limit of its own
  m->stop_with({});
  CHECK(m->measure(copy_image(copied), {}).ok());
}

TEST_CASE("runner: slow candidates are cut off") {
  TTUNE_SKIP_UNLESS_X86();
  ttune::trial_limits limits;
  limits.cutoff_seconds = 1e-4;
  auto const m = planted(copy_and(code::spin(10000), copied), limits);
  CHECK(m.status == trial_status::cut_off);
  CHECK(m.seconds > 1e-3);
  CHECK(m.samples == 0);
}

}  // namespace runner_faults_tests
