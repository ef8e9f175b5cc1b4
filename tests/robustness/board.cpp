// SPDX-License-Identifier: Apache-2.0
// A board without a compiler: kernels for 64-bit ARM are compiled here, and tuned by workers in its emulator.
#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "robustness/tuning.hpp"
#include "support/require.hpp"
#include "support/worker_command.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/conv2d.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/records/memory_store.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/runtime/measure/oracle_check.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/support/error.hpp"

namespace board_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Returns the command of tests/cross; without words if there is none.
worker::command board(std::string device) {
  auto const* const text = std::getenv("TTUNE_AARCH64_WORKER");
  worker::command made;
  made.device = std::move(device);
  std::istringstream words(text ? text : "");
  for (std::string word; words >> word;) made.words.push_back(word);
  return made;
}

target two_cores() {
  auto machine = named_target("aarch64");
  machine.cores = 2;
  return machine;
}

std::string missing() {
  if (auto const there = orc_backend(two_cores()).availability(); !there) return there.reason;
  if (!has_program("qemu-aarch64") || board("").words.empty())
    return "g++-aarch64-linux-gnu or qemu-user is not installed, or TTUNE_AARCH64_WORKER does not name a worker";
  return {};
}

runner_options one_thread() {
  runner_options o;
  o.threads = 1;
  return o;
}

/// Tunes, runs the winner on a fresh worker, and compares the result with the interpreter.
template <class Op>
void tune_on_boards(Op const& op, std::int64_t trials) {
  INFO(op.text());
  auto const records = std::make_shared<memory_store>();
  auto options = one_thread_options(worker::fleet{{board("left"), board("right")}});
  options.records = records;
  options.batch = 8;
  auto const found = tuner(orc_backend(two_cores()), options).tune(op.program(), {.trials = trials});
  CHECK(found.report.trials == trials);
  CHECK(found.report.checked_elements > 0);
  CHECK(found.report.isolated);
  auto const good = found.report.trials_by_status[static_cast<std::size_t>(trial_status::ok)] +
                    found.report.trials_by_status[static_cast<std::size_t>(trial_status::cut_off)];
  CHECK(good == trials);
  CHECK(found.image.target == two_cores().name);
  std::set<std::string> devices;
  records->for_each([&](record const& r) {
    devices.insert(r.device);
    return true;
  });
  CHECK(devices == std::set<std::string>{"left", "right"});

  auto const fresh = make_runner(board("fresh"), found.image.signature, one_thread());
  std::vector<std::vector<std::uint8_t>> outputs;
  auto const ran = fresh->run(found.image, outputs);
  REQUIRE_MESSAGE(ran.ok(), ran.message);
  CHECK(ran.device == "fresh");
  auto const verdict = check_against_oracle(*op.program(), found.image.signature, [&](std::size_t i) {
    return outputs[i].empty() ? fresh->operand_bytes(i) : outputs[i];
  });
  CHECK(verdict.elements > 0);
  CHECK_MESSAGE(verdict.difference.empty(), verdict.difference);
}

}  // namespace

TEST_CASE("board: operators are tuned by two workers in an emulator of 64-bit ARM") {
  auto const reason = missing();
  TTUNE_SKIP_UNLESS("aarch64", reason.empty(), reason);
  tune_on_boards(ops::matmul(33, 47, 29), 24);
  tune_on_boards(ops::conv2d_bias_relu({1, 5, 12, 11, 20, 3, 1, 1}), 24);
}

TEST_CASE("board: the emulated worker reports faults of kernels") {
  auto const reason = missing();
  TTUNE_SKIP_UNLESS("aarch64", reason.empty(), reason);
  auto signature = copy_signature(64);
  auto const m = make_runner(board("arm"), signature, one_thread());
  auto const measured = [&](std::vector<std::uint32_t> const& words) {
    kernel_image image;
    image.signature = signature;
    image.target = two_cores().name;
    image.abi = abi_version;
    image.main_offset = 0;
    for (auto const word : words)
      for (int byte = 0; byte < 4; ++byte) image.code.push_back(static_cast<std::uint8_t>(word >> (8 * byte)));
    return m->measure(image, {});
  };
  auto const null_write = measured({0xD2800001, 0xF9000021, 0xD65F03C0});  // mov x1, 0; str x1, [x1]; ret
  CHECK(null_write.status == trial_status::crashed);
  CHECK_MESSAGE(null_write.message.find("SIGSEGV") != std::string::npos, null_write.message);
  auto const illegal = measured({0x00000000});  // udf
  CHECK(illegal.status == trial_status::crashed);
  CHECK_MESSAGE(illegal.message.find("SIGILL") != std::string::npos, illegal.message);
  auto const leaves = measured({0xD2800060, 0xD2800BC8, 0xD4000001});  // mov x0, 3; mov x8, exit_group; svc 0
  CHECK(leaves.status == trial_status::exited);
  CHECK_MESSAGE(leaves.message.find("status 3") != std::string::npos, leaves.message);
  auto const nothing = measured({0xD65F03C0});
  CHECK_MESSAGE(nothing.ok(), nothing.message);  // accepted, because it does no harm and there is no reference
  // an image for this machine's processor is refused there
  if (is_host_architecture("x86_64")) CHECK(m->measure(copy_image(64), {}).status == trial_status::unsupported);
}

}  // namespace board_tests
