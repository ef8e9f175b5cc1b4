// SPDX-License-Identifier: Apache-2.0
// The backend on any device (PoCL in tests): images, binaries, refusals, calls and a tuning.
#include "ttune/backends/opencl.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

#include "support/opencl_device.hpp"
#include "support/plus_kernel.hpp"
#include "support/seed.hpp"
#include "ttune/codegen/device_image.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/kernel_call.hpp"
#include "ttune/ttune.hpp"

namespace opencl_tests {

using namespace ttune;
using ttune_test::opencl_device;
using ttune_test::plus_kernel;
using ttune_test::plus_signature;

namespace {

/// PoCL gets two devices, of which the first is its usual one. Set before its library is opened.
[[maybe_unused]] int const two_devices = ::setenv("POCL_DEVICES", "pthread basic", 0);

}  // namespace

TEST_CASE("opencl_backend: says what it is, or why it is not there") {
  CHECK(opencl_device().name().starts_with("opencl ("));
  CHECK(opencl_device().availability().available == opencl_device().availability().reason.empty());
  CHECK(opencl_device().availability().available == !opencl_backend::devices().empty());
}

TEST_CASE("opencl_backend: an image is loaded and called, also from bytes, also with the driver's binary") {
  TTUNE_SKIP_UNLESS_OPENCL();
  for (bool const ahead : {false, true}) {
    opencl_backend backend({.ahead = ahead});
    auto const made = backend.compile(plus_kernel(4, 16), plus_signature(64));
    REQUIRE_MESSAGE(made.image, made.diagnostics);
    CHECK(made.image->device == "opencl");
    CHECK(made.image->target == backend.target().name);
    auto const again = image_from_bytes(to_bytes(*made.image));
    CHECK(again.device == "opencl");
    kernel_call const call(load(again));
    std::vector<float> a(64, 2);
    std::vector<float> c(64);
    void* operands[] = {a.data(), c.data()};
    call(operands);
    call(operands);
    CHECK(c == std::vector<float>(64, 3));
  }
}

TEST_CASE("opencl_backend: each of several devices gets images of its own, text or binary, and runs them") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const all = opencl_backend::devices();
  if (all[0].platform_name == "Portable Computing Language") CHECK(all.size() >= 2);
  std::vector<kernel_image> images;
  for (auto const& d : all)
    for (bool const ahead : {false, true}) {
      opencl_backend backend(d, {.ahead = ahead});
      CHECK(backend.name() == "opencl (" + d.name + ")");
      auto const added = static_cast<double>(images.size());
      auto const made = backend.compile(plus_kernel(4, 16, {.added = added}), plus_signature(64));
      REQUIRE_MESSAGE(made.image, made.diagnostics);
      CHECK(made.image->target == "opencl " + d.name);
      auto const p = codegen::payload_from_bytes(made.image->code);
      CHECK(p.device == d.identity());
      CHECK(p.binary.empty() == !ahead);
      images.push_back(*made.image);
    }
  std::vector<kernel_call> calls;  // all are loaded at the same time
  for (auto const& image : images) calls.emplace_back(load(image));
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::vector<float> a(64, 2);
    std::vector<float> c(64);
    void* operands[] = {a.data(), c.data()};
    calls[i](operands);
    CHECK(c == std::vector<float>(64, 2 + static_cast<float>(i)));
  }
}

TEST_CASE("opencl_backend: a binary of another driver is not used, the text is") {
  TTUNE_SKIP_UNLESS_OPENCL();
  opencl_backend backend({.ahead = true});
  auto const made = backend.compile(plus_kernel(4, 16), plus_signature(64));
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  auto p = codegen::payload_from_bytes(made.image->code);
  REQUIRE(!p.binary.empty());
  p.binary.assign(100, 0);
  for (bool const other : {false, true}) {  // a damaged image, and one for another driver
    if (other) p.device += " of another version";
    auto image = *made.image;
    image.code = codegen::to_bytes(p);
    kernel_call const call(load(image));
    std::vector<float> a(64, 2);
    std::vector<float> c(64);
    void* operands[] = {a.data(), c.data()};
    call(operands);
    CHECK(c == std::vector<float>(64, 3));
  }
}

TEST_CASE("opencl_backend: programs that the device cannot run are refused before compilation") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto info = opencl_backend::devices()[0];
  info.group_threads = 8;
  opencl_backend small(info);
  CHECK(small.compile(plus_kernel(4, 16), plus_signature(64)).diagnostics ==
        "plus_one_kernel_0 has work-groups of 16 items, the device takes 8");
  info = opencl_backend::devices()[0];
  info.buffer_bytes = 100;
  opencl_backend tiny(info);
  CHECK(tiny.compile(plus_kernel(4, 16), plus_signature(64)).diagnostics ==
        "a buffer of 256 bytes is larger than any that the device gives (100)");
}

TEST_CASE("opencl: an image for a device that is not here, or damaged, is refused with a reason") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const made = opencl_device().compile(plus_kernel(4, 16), plus_signature(64));
  REQUIRE(made.image);
  auto other = *made.image;
  other.target = "opencl something else";
  auto p = codegen::payload_from_bytes(other.code);
  p.device = "nobody";
  other.code = codegen::to_bytes(p);
  CHECK_THROWS_WITH_AS((void)load(other), "kernel plus_one is for \"nobody\", and there is no such device",
                       backend_error);
  p = codegen::payload_from_bytes(made.image->code);
  p.program.source = "this is no OpenCL";
  other = *made.image;
  other.code = codegen::to_bytes(p);
  CHECK_THROWS_AS((void)load(other), backend_error);
  other.code.resize(other.code.size() / 2);
  CHECK_THROWS_AS((void)load(other), record_error);
  other = *made.image;
  other.device = "abacus";
  CHECK_THROWS_WITH_AS(
      (void)load(other),
      "kernel plus_one is for abacus, of which this program has no backend: include <ttune/backends/abacus.hpp>",
      argument_error);
}

TEST_CASE("opencl: calls on the same and on other operands see what the host wrote since") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const made = opencl_device().compile(plus_kernel(4, 16), plus_signature(64));
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  kernel_call const call(load(*made.image));
  std::vector<float> a(64, 2);
  std::vector<float> b(64, 7);
  std::vector<float> c(64);
  void* first[] = {a.data(), c.data()};
  void* second[] = {b.data(), c.data()};
  call(first);
  CHECK(c == std::vector<float>(64, 3));
  a.assign(64, 4);
  call(first);
  CHECK(c == std::vector<float>(64, 5));
  call(second);
  CHECK(c == std::vector<float>(64, 8));
  c.assign(64, 0);
  call(first);
  CHECK(c == std::vector<float>(64, 5));
}

TEST_CASE("opencl: the tuner tunes on it, and records what it measured under the device's name") {
  TTUNE_SKIP_UNLESS_OPENCL();
  auto const product = ops::matmul<float>(32, 48, 16);
  tuner by(opencl_backend{}, {.seed = ttune_test::seed()});
  auto tuned = by.tune(product, {.trials = 4});
  std::vector<float> a(32 * 16, 1);
  std::vector<float> b(16 * 48, 2);
  std::vector<float> c(32 * 48);
  tuned(a, b, c);
  CHECK(c == std::vector<float>(32 * 48, 32));
  CHECK(tuned.report().trials >= 1);
}

}  // namespace opencl_tests
