// SPDX-License-Identifier: Apache-2.0
// The profiler of the process, at work on kernels whose time is known. (The thread sanitizer delivers signals late, so
// that these tests are not among those with threads.)
#include "ttune/runtime/tools/sampler.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/machine_code.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/tools/code_map.hpp"
#include "ttune/support/error.hpp"

namespace sampler_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

/// Returns a kernel that counts down, a thousand times longer on line 3 than on line 2.
kernel_image hot_image(std::string const& name) {
  auto image = image_of(copy_signature(1), code::spin(100).then(code::spin(100'000)).then(code::ret()));
  image.signature.name = name;
  tools::code_map map;
  map.lines = {{0, 2}, {9, 3}, {18, 2}};
  map.loops = name + "()\nfor i < 100000\n  the hot line\n";
  image.map = std::make_shared<tools::code_map const>(std::move(map));
  return image;
}

void run(loaded_image const& kernel, double seconds) {
  auto const start = std::chrono::steady_clock::now();
  do kernel.main()(nullptr, nullptr, nullptr);
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds);
}

/// Returns the share of the samples on a line with this text, in per cent.
double share_of(std::string const& text, std::string const& line) {
  auto const at = text.find(line);
  REQUIRE(at != std::string::npos);
  auto const begin = text.rfind('\n', at) + 1;
  return text.substr(begin, 9).find('%') == std::string::npos ? 0 : std::stod(text.substr(begin));
}

}  // namespace

TEST_CASE("sampler: samples fall on the line where the time goes, in all threads") {
  TTUNE_SKIP_UNLESS_X86();
  auto const first = hot_image("first");
  auto second = hot_image("second");
  second.code.push_back(0x90);  // so that it is another kernel
  auto const a = load(first), b = load(second);
  auto& sampler = tools::sampler::of_process();
  sampler.start();
  sampler.start();
  sampler.add(first, reinterpret_cast<std::uintptr_t>(a->main()));
  sampler.add(second, reinterpret_cast<std::uintptr_t>(b->main()));
  std::thread other([&] { run(*b, 0.5); });
  run(*a, 0.5);
  other.join();
  sampler.stop();
  auto const text = sampler.text();
  INFO(text);
  for (auto const* name : {"first", "second"}) {
    auto const own = tools::find_samples(text, 1, name);
    REQUIRE_FALSE(own.empty());
    CHECK(share_of(own, "the hot line") > 50);
    CHECK(share_of(own, std::string(name) + "()") == 0);
  }
}

TEST_CASE("sampler: the same code at two addresses is one kernel, and without samples it is not printed") {
  auto& sampler = tools::sampler::of_process();
  auto image = hot_image("never called");
  image.code.push_back(0x91);
  sampler.add(image, 0x1000);
  sampler.add(image, 0x2000);
  CHECK(sampler.text().find("never called") == std::string::npos);
}

TEST_CASE("sampler: a program's own handler of SIGPROF is left alone") {
  auto* const before = ::signal(SIGPROF, [](int) {});
  CHECK_THROWS_WITH_AS(tools::sampler::of_process().start(),
                       "TTUNE_TOOLS: samples need the signal SIGPROF, for which this program has a handler",
                       backend_error);
  ::signal(SIGPROF, before == SIG_DFL ? SIG_DFL : SIG_IGN);
}

}  // namespace sampler_tests
