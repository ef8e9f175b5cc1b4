// SPDX-License-Identifier: Apache-2.0
// One or several workers started by commands: they may send anything.
#include "ttune/runtime/measure/fleet_runner.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/machine_code.hpp"
#include "support/seed.hpp"
#include "support/slurm_node.hpp"
#include "support/temporary_folder.hpp"
#include "support/worker_command.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/runtime/worker/protocol.hpp"
#include "ttune/support/bytes.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace fleet_runner_tests {

using namespace ttune_test;
namespace protocol = ttune::protocol;
using ttune::trial_status;

namespace {

constexpr std::int64_t n = 1000;

std::unique_ptr<ttune::runner> make(ttune::worker_choice how) {
  ttune::runner_options o;
  o.threads = 1;
  return ttune::make_runner(std::move(how), copy_signature(n), std::move(o));
}

bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

std::string reason(ttune::worker_choice how) {
  try {
    (void)make(std::move(how));
  } catch (ttune::backend_error const& e) {
    return e.what();
  }
  return "";
}

using bytes = std::vector<std::uint8_t>;

/// Makes a message for the wire; `claimed` may be a wrong number of bytes.
bytes message(protocol::kind kind, bytes const& body, std::uint64_t claimed) {
  protocol::head const h{protocol::magic, kind, claimed};
  bytes wire(sizeof h);
  std::memcpy(wire.data(), &h, sizeof h);
  wire.insert(wire.end(), body.begin(), body.end());
  return wire;
}
bytes message(protocol::kind kind, bytes const& body) { return message(kind, body, body.size()); }

bytes hello(std::uint32_t version = protocol::version, std::uint32_t abi = ttune::abi_version) {
  ttune::byte_sink body;
  body.put(version);
  body.put(abi);
  body.put(std::string("0.0.0"));
  return message(protocol::kind::hello, body.take());
}

bytes answer(bytes const& content) {
  ttune::byte_sink body;
  body.put(std::string());
  body.put(content);
  return message(protocol::kind::answer, body.take());
}

bytes operator+(bytes a, bytes const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Starts a program that sends the given bytes, whatever it is asked, and then stays silent or ends.
ttune::worker::command impostor(std::string const& file, bytes const& says, bool ends, double silence_seconds = 30) {
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<char const*>(says.data()), std::ssize(says));
  return {{"/bin/sh", "-c", std::string("cat \"$0\"") + (ends ? "" : "; exec sleep 1000"), file}, "", silence_seconds};
}

std::unique_ptr<ttune::runner> fleet_of(std::vector<ttune::worker::command> members) {
  return make(ttune::worker::fleet{std::move(members)});
}

/// Measures `count` right candidates; all must be measured. Returns the devices that did it.
std::multiset<std::string> measure_right(std::unique_ptr<ttune::runner> const& m, int count) {
  for (int i = 0; i < count; ++i) m->submit(copy_image(n), {});
  auto const results = m->collect();
  REQUIRE(results.size() == static_cast<std::size_t>(count));
  std::multiset<std::string> devices;
  for (auto const& r : results) {
    CHECK_MESSAGE(r.ok(), name_of(r.status), ": ", r.message);
    devices.insert(r.device);
  }
  return devices;
}

/// Measures until all of them have taken part.
void wait_for_all(std::unique_ptr<ttune::runner> const& m, std::set<std::string> const& devices) {
  for (int round = 0; round < 1000; ++round) {
    auto const seen = measure_right(m, 8);
    if (std::set<std::string>(seen.begin(), seen.end()) == devices) return;
  }
  FAIL("one of the workers never measured anything: ", m->description());
}

}  // namespace

TEST_CASE("command: a worker of another version is refused by name") {
  temporary_folder const folder;
  CHECK(has(reason(impostor(folder / "a", hello(99), false)), "its protocol is 99"));
  CHECK(has(reason(impostor(folder / "b", hello(protocol::version, 77), false)), "its ABI 77"));
  CHECK(has(reason(impostor(folder / "c", hello(1), true)), "its protocol is 1"));
}

TEST_CASE("command: half a greeting, garbage and silence are no worker") {
  temporary_folder const folder;
  auto half = hello();
  half.resize(half.size() - 3);
  CHECK(has(reason(impostor(folder / "a", half, true)), "does not answer as a worker does"));
  CHECK(has(reason(impostor(folder / "b", half, false, 0.2)), "nothing was heard of it for 0.2 s"));
  CHECK(has(reason(impostor(folder / "c", message(protocol::kind::hello, {1, 2}), false)), "does not answer"));
  CHECK(has(reason(impostor(folder / "d", message(protocol::kind::hello, {}, 1 << 30), true)), "does not answer"));
  CHECK(has(reason(impostor(folder / "e", {}, false, 0.2)), "nothing was heard of it for 0.2 s"));
  ttune::rng random(seed());
  for (int i = 0; i < 20; ++i) {
    bytes noise(random.below(200));
    for (auto& b : noise) b = static_cast<std::uint8_t>(random());
    CHECK(has(reason(impostor(folder / "f", noise, true)), "does not answer"));
  }
}

TEST_CASE("command: nonsense behind a right greeting is told, too") {
  temporary_folder const folder;
  CHECK(has(reason(impostor(folder / "a", hello() + bytes{1, 2, 3}, true)), "failed"));
  CHECK(has(reason(impostor(folder / "b", hello() + message(protocol::kind::measure, {}), false)), "makes no sense"));
  CHECK(
      has(reason(impostor(folder / "c", hello() + message(protocol::kind::answer, {9, 9}), false)), "makes no sense"));
  CHECK(has(reason(impostor(folder / "d", hello() + message(protocol::kind::stage, {9}), false)), "makes no sense"));
  CHECK(has(reason(impostor(folder / "e", hello() + message(protocol::kind::fault, {9}), false)), "makes no sense"));
  CHECK(has(reason(impostor(folder / "f", hello(), false, 0.2)), "nothing was heard of the worker for 0.2 s"));
}

TEST_CASE("command: answers to a trial may be half, nonsense, or never come") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const opened = hello() + answer({});
  // sends the rest after the request: an idle worker with something to send is replaced
  auto const measured = [&](char const* name, bytes const& says) {
    auto const file = folder / name;
    (void)impostor(file, opened, true);
    std::ofstream(file + "2", std::ios::binary).write(reinterpret_cast<char const*>(says.data()), std::ssize(says));
    auto m = make(ttune::worker::command{
        {"/bin/sh", "-c", "cat \"$0\"; head -c 6000 >/dev/null; cat \"${0}2\"; exec sleep 1000", file}, "", 0.5});
    auto request = copy_image(n);
    request.code.resize(20'000);  // more than has been read before
    auto const result = m->measure(request, {});
    CHECK_FALSE(result.ok());
    CHECK(m->lost());
    return result;
  };
  CHECK(measured("silent", {}).message == "nothing was heard of the worker for 0.5 s");
  auto const no_measurement = answer({1, 2, 3});
  CHECK(measured("nonsense", no_measurement).message == "the worker's answer makes no sense");
  CHECK(measured("noise", {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}).message ==
        "the worker's answer makes no sense");
  auto half = no_measurement;
  half.pop_back();
  CHECK(has(measured("half", half).message, "nothing was heard of the worker"));
}

TEST_CASE("command: a worker that works is not silent, one that is stopped is") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto how = own_worker_with_id(folder / "id", "the board");
  how.silence_seconds = 1.2;
  auto m = make(how);
  CHECK(m->set_reference(copy_image(n), {}).device == "the board");
  ttune::trial_limits limits;
  limits.hang_seconds = 1.5;
  auto const hangs = m->measure(copy_and(code::endless_loop(), n), limits);
  CHECK(hangs.status == trial_status::timed_out);
  CHECK(hangs.message == "still running when its time was over");
  CHECK_FALSE(m->lost());
  CHECK(m->measure(copy_image(n), {}).ok());
  REQUIRE(send_signal(folder / "id", SIGSTOP));
  auto const silent = m->measure(copy_image(n), {});
  CHECK(silent.status == trial_status::timed_out);
  CHECK(silent.message == "nothing was heard of the worker for 1.2 s");
  CHECK(m->lost());
  auto const after = m->measure(copy_image(n), {});
  CHECK(after.ok());
  CHECK(after.device == "the board");
  CHECK(m->respawns() == 2);
}

TEST_CASE("fleet: two workers measure side by side, and results tell who did") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = fleet_of({own_worker("a"), own_worker("b")});
  CHECK(m->isolated());
  CHECK(m->width() == 2);
  auto const first = m->set_reference(copy_image(n), {});
  CHECK_MESSAGE(first.ok(), first.message);
  CHECK((first.device == "a" || first.device == "b"));
  wait_for_all(m, {"a", "b"});
  CHECK(m->description() == "2 of 2 workers");
  // results are in the order of the candidates, and both workers know the reference
  for (int i = 0; i < 12; ++i)
    m->submit(i % 3 == 0 ? copy_and(code::write_word(1, 4 * 137, 0x40A00000), n) : copy_image(n), {});
  auto const results = m->collect();
  REQUIRE(results.size() == 12);
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(results[i].status == (i % 3 == 0 ? trial_status::wrong_result : trial_status::ok));
  CHECK(m->collect().empty());
  CHECK(m->operand_bytes(1) == m->operand_bytes(0));
  std::vector<std::vector<std::uint8_t>> outputs;
  CHECK(m->run(copy_image(n), outputs).ok());
  CHECK(outputs.at(1) == m->operand_bytes(0));
  auto const c = m->compare(copy_and(code::spin(20), n), copy_image(n), 20);
  CHECK_MESSAGE(c.failure.empty(), c.failure);
  CHECK(c.faster);
}

TEST_CASE("fleet: the user's reference reaches all workers") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = fleet_of({own_worker("a"), own_worker("b")});
  std::vector<std::vector<std::uint8_t>> wrong(2);
  wrong[1] = m->operand_bytes(0);
  wrong[1][7] ^= 0x40;
  m->set_reference(wrong);
  for (int i = 0; i < 20; ++i) m->submit(copy_image(n), {});
  for (auto const& r : m->collect()) CHECK(r.status == trial_status::wrong_result);
  wrong[1].pop_back();
  CHECK_THROWS_AS(m->set_reference(wrong), ttune::error);
}

TEST_CASE("fleet: a lost worker's candidate is measured by another") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto m = fleet_of({own_worker("a"), own_worker_with_id(folder / "id", "b")});
  CHECK(m->set_reference(copy_image(n), {}).ok());
  wait_for_all(m, {"a", "b"});
  ttune::rng random(seed());
  for (int kill = 0; kill < 10; ++kill) {
    for (int i = 0; i < 12; ++i) m->submit(copy_image(n), {});
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(5000)));
    (void)send_signal(folder / "id", SIGKILL);
    for (auto const& r : m->collect()) CHECK_MESSAGE(r.ok(), name_of(r.status), ": ", r.message);
  }
  wait_for_all(m, {"a", "b"});
  CHECK(m->respawns() > 0);
}

TEST_CASE("fleet: a candidate that ends two workers is their cause") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = fleet_of({own_worker("a"), own_worker("b"), own_worker("c")});
  CHECK(m->set_reference(copy_image(n), {}).ok());
  auto const result = m->measure(copy_and(code::exit(3), n), {});
  CHECK(result.status == trial_status::exited);
  CHECK(has(result.message, "status 3"));
  CHECK(m->respawns() == 2);
  auto const crash = m->measure(copy_and(code::null_write(), n), {});
  CHECK(crash.status == trial_status::crashed);
  CHECK(has(crash.message, "SIGSEGV"));
  CHECK(m->respawns() == 3);  // the fault was reported, so no other worker tries
  (void)measure_right(m, 9);
}

TEST_CASE("fleet: a slow worker does not hold up the others") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto m = fleet_of({own_worker("a"), own_worker_with_id(folder / "id", "b")});
  CHECK(m->set_reference(copy_image(n), {}).ok());
  wait_for_all(m, {"a", "b"});
  REQUIRE(send_signal(folder / "id", SIGSTOP));  // stopped for ever; the test does not wait for the 30 s of silence
  auto const devices = measure_right(m, 12);
  CHECK(devices.count("a") == 12);
  CHECK(measure_right(m, 3).count("a") == 3);
}

TEST_CASE("fleet: members that cannot be started are left out, and named") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto other = impostor(folder / "other", hello(99), true);
  other.device = "old board";
  ttune::worker::command const missing{{"/nonexistent/ttune-worker"}, "no board"};
  {
    auto m = fleet_of({other, own_worker("a"), missing});
    CHECK(m->set_reference(copy_image(n), {}).ok());
    CHECK(measure_right(m, 6).count("a") == 6);
    for (int wait = 0; wait < 500 && !has(m->description(), "1 of 3"); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(has(m->description(), "1 of 3 workers"));
    CHECK(has(m->description(), "old board: no worker: "));
    CHECK(has(m->description(), "its protocol is 99"));
    CHECK(has(m->description(), "no board: no worker: /nonexistent/ttune-worker cannot be started"));
    CHECK(measure_right(m, 3).count("a") == 3);
  }
  auto const nobody = reason(ttune::worker::fleet{{other, missing}});
  CHECK(has(nobody, "no worker of the fleet can be started: old board: "));
  CHECK(has(nobody, "no board: "));
  CHECK_THROWS_AS(make(ttune::worker::fleet{}), ttune::argument_error);
}

TEST_CASE("fleet: the last worker that goes is an error, not a wait") {
  TTUNE_SKIP_UNLESS_X86();
  temporary_folder const folder;
  auto const once = folder / "once";
  std::ofstream(once) << "";
  // starts as long as the file exists
  ttune::worker::command const how{
      {"/bin/sh", "-c", "[ -e \"$0\" ] || exit 1; exec \"$1\" --ttune-worker", once, own_path()}, "b"};
  auto m = fleet_of({how});
  CHECK(m->set_reference(copy_image(n), {}).ok());
  std::remove(once.c_str());
  CHECK(m->measure(copy_and(code::null_write(), n), {}).status == trial_status::crashed);
  CHECK_THROWS_AS((void)m->measure(copy_image(n), {}), ttune::backend_error);
}

TEST_CASE("fleet: a stop ends running and waiting requests") {
  TTUNE_SKIP_UNLESS_X86();
  auto m = fleet_of({own_worker("a"), own_worker("b")});
  CHECK(m->set_reference(copy_image(n), {}).ok());
  std::stop_source source;
  m->stop_with(source.get_token());
  for (int i = 0; i < 6; ++i) m->submit(copy_and(code::endless_loop(), n), {});
  std::jthread const user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  for (auto const& r : m->collect()) {
    CHECK(r.status == trial_status::timed_out);
    CHECK(r.message == "stopped");
  }
  m->stop_with({});
  (void)measure_right(m, 4);
}

TEST_CASE("fleet: OpenMPI's mpirun starts workers") {
  TTUNE_SKIP_UNLESS_X86();
  TTUNE_SKIP_UNLESS("mpirun", has_program("mpirun"), "mpirun is not installed (openmpi-bin)");
  ttune::worker::command const rank{
      {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "1", own_path(), "--ttune-worker"}, "rank"};
  auto m = fleet_of({rank, own_worker("a")});
  CHECK(m->set_reference(copy_image(n), {}).ok());
  wait_for_all(m, {"a", "rank"});
}

TEST_CASE("fleet: Slurm's srun starts workers") {
  TTUNE_SKIP_UNLESS_X86();
  slurm_node const cluster;
  TTUNE_SKIP_UNLESS("srun", cluster.failure().empty(), cluster.failure());
  auto m = fleet_of({{{"srun", "--unbuffered", "-n", "1", own_path(), "--ttune-worker"}, "node"}, own_worker("a")});
  CHECK(m->set_reference(copy_image(n), {}).ok());
  wait_for_all(m, {"a", "node"});
}

}  // namespace fleet_runner_tests
