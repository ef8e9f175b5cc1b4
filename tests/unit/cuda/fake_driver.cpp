// SPDX-License-Identifier: Apache-2.0
// Tests how loaded kernels use the driver, with a fake one (tests/fake_driver), so no GPU is needed. These cases
// run in a process of their own, which opens that driver.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/main.hpp"
#include "support/patient.hpp"
#include "support/plus_kernel.hpp"
#include "support/require.hpp"
#include "support/worker_command.hpp"
#include "ttune/backends/cuda.hpp"
#include "ttune/backends/cuda/current_context.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/runtime/worker/entry.hpp"

namespace fake_driver_tests {

using namespace ttune;
using ttune_test::patient;

namespace {

ttune_test::at_start const as_worker{[](int argc, char** argv) { return is_worker(argc, argv) ? run_worker() : -1; }};

bool uses_fake_driver() {
  auto const* const asked = std::getenv("TTUNE_TEST_CUDA_DRIVER");
  auto const* const used = std::getenv("TTUNE_CUDA_LIBRARY");
  return asked && used && std::string(asked) == used;
}

constexpr std::int64_t threads = 96;

// Faults that the driver simulates for grids of these sizes.
constexpr std::int64_t blocks_of_illegal_access = 7;
constexpr std::int64_t blocks_of_lost_device = 11;
constexpr std::int64_t blocks_without_end = 13;
constexpr std::int64_t blocks_with_wrong_element = 17;
constexpr std::int64_t blocks_that_race = 19;
constexpr std::int64_t blocks_that_damage = 23;

/// Sets a variable of the environment until the end of a scope.
class setting {
 public:
  setting(char const* name, char const* value) : name_(name) { ::setenv(name, value, 1); }
  setting(setting const&) = delete;
  setting& operator=(setting const&) = delete;
  ~setting() { ::unsetenv(name_); }

 private:
  char const* name_;
};

/// C = A + 1 over blocks of threads; the threads of a block share `group_elements` floats.
kernel_image plus_one(std::int64_t blocks, std::int64_t group_elements = 0, cuda_backend backend = cuda_backend()) {
  auto const kernel = ttune_test::plus_kernel(blocks, threads, {.group_elements = group_elements});
  auto result = backend.compile(kernel, ttune_test::plus_signature(blocks * threads));
  REQUIRE_MESSAGE(result.image, result.diagnostics);
  return *result.image;
}

struct counts {
  long launches = 0, graph_launches = 0, flushes = 0, copies_in = 0, copies_out = 0, memory = 0, handles = 0,
       shared_bytes = 0;
};
counts counts_now() {
  std::array<long, 8> all{};
  reinterpret_cast<void (*)(long*)>(cuda::driver().symbol("ttune_fake_counts"))(all.data());
  return {all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]};
}

}  // namespace

TEST_CASE("cuda: kernels use a driver as it wants to be used") {
  auto const* const library = std::getenv("TTUNE_TEST_CUDA_DRIVER");
  TTUNE_SKIP_UNLESS("nvrtc", cuda::nvrtc().failure().empty(), cuda::nvrtc().failure());
  TTUNE_SKIP_UNLESS("cuda", library && !uses_fake_driver(),
                    "TTUNE_TEST_CUDA_DRIVER does not name the library of tests/fake_driver");
  auto const command = "TTUNE_CUDA_LIBRARY=\"$TTUNE_TEST_CUDA_DRIVER\" '" + ttune_test::own_path() + "' -ts=fake";
  CHECK(std::system(command.c_str()) == 0);
}

TEST_SUITE("fake" * doctest::skip(!uses_fake_driver())) {
  TEST_CASE("fake: a newer device loads PTX of an older architecture, and no machine code of it") {
    auto const older = cuda::target_of_architecture(80);
    cuda::device_kernel kernel(plus_one(2, 0, cuda_backend(older, {.portable = true})));
    std::vector<float> in(2 * threads);
    std::vector<float> out(2 * threads);
    void* const operands[] = {in.data(), out.data()};
    CHECK(kernel.run(device_code::entry::main, operands, 1, false) >= 0);
    CHECK_THROWS_WITH_AS(cuda::device_kernel(plus_one(2, 0, cuda_backend(older))),
                         "kernel plus_one is for sm_80, and there is no such device: tune it again", backend_error);
    auto const newer = cuda::target_of_architecture(cuda::architectures().back());
    CHECK_THROWS_AS(cuda::device_kernel(plus_one(2, 0, cuda_backend(newer, {.portable = true}))), backend_error);
  }

  TEST_CASE("fake: host memory is copied to the device and back, and everything is released") {
    {
      auto const code = load(plus_one(4));
      auto* const device = code->device();
      REQUIRE(device);
      std::vector<float> a(384, 2);
      std::vector<float> c(384);
      void* operands[] = {a.data(), c.data()};
      auto const before = counts_now();
      CHECK(device->run(device_code::entry::main, operands, 1, false) == doctest::Approx(0.5e-3));
      CHECK(c == std::vector<float>(384, 3));
      auto const after = counts_now();
      CHECK(after.launches - before.launches == 1);
      CHECK(after.copies_in - before.copies_in == 1);  // the output is not copied in
      CHECK(after.copies_out - before.copies_out == 1);
      CHECK(after.memory == 2);
    }
    auto const end = counts_now();
    CHECK(end.memory == 0);
    CHECK(end.handles == 0);
  }

  TEST_CASE("fake: many runs are one graph, which is timed as a whole") {
    auto const code = load(plus_one(4));
    std::vector<float> a(384, 2);
    std::vector<float> c(384);
    void* operands[] = {a.data(), c.data()};
    auto const before = counts_now();
    CHECK(code->device()->run(device_code::entry::main, operands, 70, false) == doctest::Approx(70 * 0.5e-3));
    auto const after = counts_now();
    CHECK(after.graph_launches - before.graph_launches == 4);
    CHECK(after.launches - before.launches == 16 + 6);  // launches into the graph, and the rest
    CHECK(c == std::vector<float>(384, 3));
  }

  TEST_CASE("fake: a cold run has its cache flushed, outside of its time") {
    auto const code = load(plus_one(4));
    std::vector<float> a(384, 2);
    std::vector<float> c(384);
    void* operands[] = {a.data(), c.data()};
    auto const before = counts_now();
    CHECK(code->device()->run(device_code::entry::main, operands, 5, true) == doctest::Approx(5 * 0.5e-3));
    CHECK(counts_now().flushes - before.flushes == 5);
    CHECK(c == std::vector<float>(384, 3));
  }

  TEST_CASE("fake: an application calls with pointers of the device, on a stream of its own") {
    cuda::context context = nullptr;
    cuda::check(cuda::cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    cuda::current_context const here(context);
    cuda::stream stream = nullptr;
    cuda::check(cuda::cuStreamCreate(&stream, 0), "cuStreamCreate");
    cuda::device_pointer a = 0;
    cuda::device_pointer c = 0;
    cuda::check(cuda::cuMemAlloc(&a, 384 * 4), "cuMemAlloc");
    cuda::check(cuda::cuMemAlloc(&c, 384 * 4), "cuMemAlloc");
    std::vector<float> host(384, 5);
    cuda::check(cuda::cuMemcpyHtoD(a, host.data(), 384 * 4), "cuMemcpyHtoD");
    {
      cuda::resident_kernel kernel(plus_one(4));
      auto const before = counts_now();
      cuda::device_pointer const operands[] = {a, c};
      kernel.enqueue(operands, stream);
      CHECK(counts_now().copies_in == before.copies_in);
      cuda::check(cuda::cuMemcpyDtoH(host.data(), c, 384 * 4), "cuMemcpyDtoH");
      CHECK(host == std::vector<float>(384, 6));
      // captures into a graph of the application
      cuda::check(cuda::cuStreamBeginCapture(stream, cuda::capture_relaxed), "cuStreamBeginCapture");
      kernel.enqueue(operands, stream);
      cuda::graph graph = nullptr;
      cuda::check(cuda::cuStreamEndCapture(stream, &graph), "cuStreamEndCapture");
      cuda::check(cuda::cuGraphDestroy(graph), "cuGraphDestroy");
      CHECK_THROWS_AS(kernel.enqueue(std::span(operands, 1), stream), argument_error);
    }
    cuda::check(cuda::cuMemFree(a), "cuMemFree");
    cuda::check(cuda::cuMemFree(c), "cuMemFree");
    cuda::check(cuda::cuStreamDestroy(stream), "cuStreamDestroy");
    CHECK(counts_now().memory == 0);
  }

  TEST_CASE("fake: trials run in the worker; an error that lasts costs that worker only") {
    auto const good = plus_one(4);
    auto const by = make_runner(worker::self{}, good.signature, {});
    auto const first = by->set_reference(good, patient());
    REQUIRE_MESSAGE(first.ok(), first.message);
    CHECK(first.seconds == doctest::Approx(0.5e-3));
    auto const bad = plus_one(blocks_of_illegal_access);
    auto const other = make_runner(worker::self{}, bad.signature, {});
    auto const illegal = other->measure(bad, patient());
    CHECK(illegal.status == trial_status::crashed);
    CHECK_MESSAGE(illegal.message.find("CUDA_ERROR_ILLEGAL_ADDRESS") != std::string::npos, illegal.message);
    auto const again = other->measure(bad, patient());
    CHECK(again.status == trial_status::crashed);
    CHECK(other->respawns() == 2);  // each fault ended its worker, which could not load anything any more
    CHECK(again.message.find("cuModuleLoadData") == std::string::npos);
    CHECK(by->measure(good, patient()).ok());
  }

  TEST_CASE("fake: a device that disappears is the result of this trial and of those behind it") {
    auto const lost = plus_one(blocks_of_lost_device);
    auto const by = make_runner(worker::self{}, lost.signature, {});
    auto const first = by->measure(lost, patient());
    CHECK(first.status == trial_status::crashed);
    CHECK_MESSAGE(first.message.find("CUDA_ERROR_DEVICE_UNAVAILABLE") != std::string::npos, first.message);
    setting const gone("TTUNE_FAKE_DEVICES", "0");  // affects the next worker and this process
    auto const behind = by->measure(lost, patient());
    CHECK(behind.status == trial_status::unsupported);
    CHECK(behind.message == "kernel plus_one: the NVIDIA driver has no device");
    CHECK(cuda_backend::devices().empty());
    CHECK(cuda_backend().availability().reason == "the NVIDIA driver has no device");
  }

  TEST_CASE("fake: a driver that is older than the toolkit says so, before and after compiling") {
    auto const image = plus_one(4);
    CHECK(cuda_backend().availability());
    setting const old("TTUNE_FAKE_OLD_VERSION", "9020");
    auto const reason = "the NVIDIA driver is of CUDA 9.2 and loads nothing that NVRTC " + cuda::nvrtc_version() +
                        " compiles: install a newer driver, or name an older NVRTC with TTUNE_NVRTC_LIBRARY";
    CHECK(cuda_backend().availability().reason == reason);
    CHECK(cuda_backend(cuda::devices().at(0)).availability().reason == reason);
    CHECK(cuda_backend(cuda::target_of_architecture(90)).availability());  // it still compiles for other machines
    CHECK_THROWS_WITH_AS((void)load(image),
                         "kernel plus_one is nothing that this NVIDIA driver, of CUDA 9.2, can load: it is damaged, or "
                         "a newer toolkit compiled it; install a newer driver, or tune again with an older NVRTC",
                         device_failure);
    auto const by = make_runner(worker::self{}, image.signature, {});
    CHECK(by->measure(image, patient()).status == trial_status::unsupported);
  }

  TEST_CASE("fake: memory that the device does not have is the candidate's result, and the worker goes on") {
    auto const good = plus_one(4);
    auto const by = make_runner(worker::self{}, good.signature, {});
    auto greedy = good;
    auto p = codegen::payload_from_bytes(greedy.code);
    p.program.workspace_bytes = std::int64_t{1} << 40;
    greedy.code = codegen::to_bytes(p);
    auto const none = by->measure(greedy, patient());
    CHECK(none.status == trial_status::out_of_memory);
    CHECK(none.message == "CUDA: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY");
    CHECK(by->measure(good, patient()).ok());
    CHECK(by->respawns() == 0);
  }

  TEST_CASE("fake: a launch asks for the shared memory that a text may not declare, and a driver may refuse it") {
    CHECK(cuda::devices().at(0).block_bytes == 227 << 10);
    auto const image = plus_one(4, (200 << 10) / 4);
    std::vector<float> a(384, 2);
    std::vector<float> c(384);
    void* operands[] = {a.data(), c.data()};
    {
      auto const code = load(image);
      code->device()->run(device_code::entry::main, operands, 1, false);
      CHECK(c == std::vector<float>(384, 3));
      CHECK(counts_now().shared_bytes == 200 << 10);
    }
    auto const small = load(plus_one(4));
    small->device()->run(device_code::entry::main, operands, 1, false);
    CHECK(counts_now().shared_bytes == 0);
    auto greedy = image;
    auto p = codegen::payload_from_bytes(greedy.code);
    p.program.main[0].launch_bytes = 228 << 10;
    greedy.code = codegen::to_bytes(p);
    CHECK_THROWS_WITH_AS((void)load(greedy),
                         "kernel plus_one wants 233472 bytes of shared memory a block, which this driver refuses: tune "
                         "it again on this device",
                         device_failure);
    auto const by = make_runner(worker::self{}, image.signature, {});
    CHECK(by->measure(greedy, patient()).status == trial_status::unsupported);
    CHECK(by->measure(image, patient()).ok());
    CHECK(by->respawns() == 0);
    p.program.main[0].launch_bytes = -1;
    CHECK_THROWS_AS((void)codegen::payload_from_bytes(codegen::to_bytes(p)), record_error);
  }

  TEST_CASE("fake: a kernel that never ends is ended with its worker") {
    auto const endless = plus_one(blocks_without_end);
    auto const by = make_runner(worker::self{}, endless.signature, {});
    trial_limits limits;
    limits.hang_seconds = 0.5;
    auto const over = by->measure(endless, limits);
    CHECK(over.status == trial_status::timed_out);
    CHECK(over.message == "still running when its time was over");
    CHECK(by->respawns() == 1);
  }

  TEST_CASE("fake: one wrong element is found, also one that is wrong in later runs only") {
    for (auto const blocks : {blocks_with_wrong_element, blocks_that_race}) {
      auto const wrong = plus_one(blocks);
      auto const by = make_runner(worker::self{}, wrong.signature, {});
      auto const before = by->operand_bytes(0);
      std::vector<float> right(before.size() / sizeof(float));
      std::memcpy(right.data(), before.data(), before.size());
      for (auto& x : right) x += 1;
      std::vector<std::uint8_t> expected(before.size());
      std::memcpy(expected.data(), right.data(), expected.size());
      by->set_reference({{}, expected});
      auto const found = by->measure(wrong, patient());
      CHECK(found.status == trial_status::wrong_result);
      CHECK_MESSAGE(found.message.find("C[100]") != std::string::npos, found.message);
    }
  }

  TEST_CASE("fake: elements that a kernel leaves out are missed, though the kernel before it wrote them") {
    auto const right = plus_one(4);
    auto const by = make_runner(worker::in_process{}, right.signature, {});
    REQUIRE(by->set_reference(right, patient()).ok());
    REQUIRE(by->measure(right, patient()).ok());
    auto half = plus_one(2);
    half.signature = right.signature;
    auto const found = by->measure(half, patient());
    CHECK(found.status == trial_status::wrong_result);
    CHECK_MESSAGE(found.message.find("C[192] was never written") != std::string::npos, found.message);
  }

  TEST_CASE("fake: a kernel that damages its inputs on the device is not the fault of the next one") {
    auto const damaging = plus_one(blocks_that_damage);
    cuda_backend backend;
    auto const right = *backend
                            .compile(ttune_test::plus_kernel(2 * blocks_that_damage, threads / 2),
                                     ttune_test::plus_signature(blocks_that_damage * threads))
                            .image;
    auto const by = make_runner(worker::in_process{}, damaging.signature, {});
    REQUIRE(by->set_reference(right, patient()).ok());
    REQUIRE(by->measure(right, patient()).ok());
    auto const found = by->measure(damaging, patient());
    CHECK(found.status == trial_status::wrong_result);
    auto const before = counts_now();
    CHECK(by->measure(right, patient()).ok());
    CHECK(counts_now().copies_in - before.copies_in == 1);
  }

  TEST_CASE("fake: candidates find their inputs on the device") {
    auto const right = plus_one(4);
    auto const by = make_runner(worker::in_process{}, right.signature, {});
    REQUIRE(by->set_reference(right, patient()).ok());
    auto const before = counts_now();
    REQUIRE(by->measure(right, patient()).ok());
    CHECK(counts_now().copies_in == before.copies_in);
    CHECK(counts_now().copies_out - before.copies_out == 2);  // of the first run, and of the samples
  }
}

}  // namespace fake_driver_tests
