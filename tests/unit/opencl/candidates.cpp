// SPDX-License-Identifier: Apache-2.0
// Candidates that a worker measures on a device: their faults are results, and harm the worker only.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "support/opencl_device.hpp"
#include "support/patient.hpp"
#include "support/plus_kernel.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/runtime/measure/make_runner.hpp"

namespace candidates_tests {

using namespace ttune;
using ttune_test::opencl_device;
using ttune_test::patient;
using ttune_test::plus_kernel;
using ttune_test::plus_signature;

TEST_CASE("opencl: candidates are measured, wrong ones are found, those that write over an end harm the worker only") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const image = [](ir::lowered const& of) { return *opencl_device().compile(of, plus_signature(4096)).image; };
  auto const by = make_runner({}, plus_signature(4096), {});
  auto const good = by->set_reference(image(plus_kernel(256, 16)), patient());
  REQUIRE_MESSAGE(good.ok(), good.message);
  CHECK(good.seconds > 0);
  auto const wrong = by->measure(image(plus_kernel(256, 16, {.added = 2})), patient());
  CHECK(wrong.status == trial_status::wrong_result);
  auto const outside = by->measure(image(plus_kernel(256, 16, {.shift = 1})), patient());
  CHECK_MESSAGE(outside.status == trial_status::wrote_outside, name_of(outside.status), ": ", outside.message);
  auto const after = by->measure(image(plus_kernel(256, 16)), patient());
  CHECK_MESSAGE(after.ok(), name_of(after.status), ": ", after.message);
}

TEST_CASE("opencl: what a candidate does wrong on the device is its result, and the next one is measured") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const good = *opencl_device().compile(plus_kernel(256, 16), plus_signature(4096)).image;
  auto const payload = codegen::payload_from_bytes(good.code);
  auto const with = [&](codegen::device_payload const& p) {
    auto made = good;
    made.code = codegen::to_bytes(p);
    return made;
  };
  auto const with_body = [&](std::string const& body) {
    auto p = payload;
    p.program.source =
        "__kernel void plus_one_kernel_0(__global float const* A, __global float* C, __global uchar* w) {\n"
        "  size_t const i = get_global_id(0);\n  " +
        body + "\n}\n";
    return with(p);
  };
  auto const by = make_runner({}, plus_signature(4096), {});
  REQUIRE(by->set_reference(good, patient()).ok());
  auto const expect = [&](kernel_image const& image, trial_limits const& limits, std::string const& text) {
    auto const m = by->measure(image, limits);
    auto const said = std::string(name_of(m.status)) + ": " + m.message;
    CHECK_MESSAGE(said.starts_with(text), said);
  };
  expect(with_body("C[i] = A[i] + 1;"), patient(), "ok: ");
  expect(with_body("C[i] = A[i] + (i == 137 ? 2 : 1);"), patient(), "wrong_result: C[137] is ");
  // right only while no right result is there: like threads that sometimes overtake each other
  expect(with_body("C[i] = C[i] == A[i] + 1 || C[i] == A[i] + 2 ? A[i] + 2 : A[i] + 1;"), patient(),
         "wrong_result: C[0] is ");
  expect(with_body("((__global float*)64)[i] = A[i];"), patient(), "crashed: SIGSEGV");
  trial_limits hasty;
  hasty.hang_seconds = 1;
  expect(with_body("for (volatile int go = 1; go;) C[i] = A[i];"), hasty,
         "timed_out: still running when its time was over");
  auto greedy = payload;
  greedy.program.workspace_bytes = std::int64_t{1} << 40;
  expect(with(greedy), patient(), "out_of_memory: OpenCL: clCreateBuffer failed with ");
  expect(with_body("this is no OpenCL"), patient(), "unsupported: kernel plus_one: ");
  expect(good, patient(), "ok: ");
}

}  // namespace candidates_tests
