// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/kernel_call.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/machine_code.hpp"
#include "support/sanitized.hpp"
#include "ttune/support/error.hpp"

namespace kernel_call_tests {

using namespace ttune_test;

namespace {

struct pair_of_vectors {
  explicit pair_of_vectors(std::size_t n, float first = 1) : in(n), out(n, -1) {
    std::iota(in.begin(), in.end(), first);
  }
  std::vector<float> in;
  std::vector<float> out;
  [[nodiscard]] std::vector<void*> operands() { return {in.data(), out.data()}; }
};

}  // namespace

TEST_CASE("kernel: computes, and its copies do after it has gone") {
  TTUNE_SKIP_UNLESS_X86();
  ttune::kernel_call kernel;
  CHECK(!kernel);
  {
    ttune::kernel_call const first(ttune::load(copy_image(100)), std::make_shared<ttune::serial_executor>());
    kernel = first;
  }
  REQUIRE(kernel);
  pair_of_vectors v(100);
  kernel(v.operands());
  CHECK(v.out == v.in);
  CHECK(kernel.workspace_bytes() == 0);
  CHECK(kernel.signature().name == "copy");
}

TEST_CASE("kernel: a wrong number of operands is an error that says so") {
  TTUNE_SKIP_UNLESS_X86();
  ttune::kernel_call const kernel(ttune::load(copy_image(100)));
  pair_of_vectors v(100);
  auto operands = v.operands();
  operands.pop_back();
  CHECK_THROWS_WITH_AS(kernel(operands), "kernel copy takes 2 operands, 1 given", ttune::argument_error);
}

TEST_CASE("kernel: constants are prepared at each call, or once and for all") {
  TTUNE_SKIP_UNLESS_X86();
  ttune::kernel_call const kernel(ttune::load(prepared_image(100)));
  CHECK(!kernel.is_prepared());
  CHECK(kernel.prepared_bytes() == 448);
  CHECK(kernel.workspace_bytes() == 448);
  pair_of_vectors a(100);
  pair_of_vectors b(100, 1000);
  kernel(a.operands());
  CHECK(a.out == a.in);
  auto const wanted = a.in;
  void* const constants[] = {a.in.data(), nullptr};
  auto const prepared = kernel.prepare(constants);
  CHECK(prepared.is_prepared());
  CHECK(prepared.workspace_bytes() == 0);
  std::fill(a.in.begin(), a.in.end(), 0.0F);  // the kernel has a copy
  auto const copy = prepared;
  copy(b.operands());
  CHECK(b.out == wanted);
  kernel(b.operands());
  CHECK(b.out == b.in);
}

TEST_CASE("kernel: prepared buffers that only preparation reads are not kept") {
  TTUNE_SKIP_UNLESS_X86();
  auto image = prepared_image(100);
  // Preparation lays out A in a second buffer, and that in the first one.
  image.signature.prepared_bytes = {400, 400};
  image.code.resize(static_cast<std::size_t>(image.prepare_offset));
  auto const prepare = code::copy(0, 3, 400).then(code::copy(3, 2, 400)).then(code::ret());
  image.code.insert(image.code.end(), prepare.get().begin(), prepare.get().end());
  CHECK(ttune::kernel_call(ttune::load(image)).prepared_bytes() == 896);  // unknown what calls read
  image.operand_uses = {0, 0, 1, 0};
  ttune::kernel_call const kernel(ttune::load(image));
  CHECK(kernel.prepared_bytes() == 448);
  CHECK(kernel.workspace_bytes() == 896);  // a call without preparation needs both
  pair_of_vectors a(100);
  kernel(a.operands());
  CHECK(a.out == a.in);
  auto const prepared = kernel.prepare(a.operands());
  CHECK(prepared.workspace_bytes() == 0);
  a.out.assign(100, 0);
  prepared(a.operands());
  CHECK(a.out == a.in);
  // Several kernels lay out constants with the same memory.
  ttune::layout_memory meanwhile;
  pair_of_vectors b(100, 1000);
  auto const first = kernel.prepare(a.operands(), meanwhile);
  auto* const used = meanwhile.take(448);
  auto const second = kernel.prepare(b.operands(), meanwhile);
  CHECK(meanwhile.take(1) == used);
  first(a.operands());
  second(b.operands());
  CHECK(a.out == a.in);
  CHECK(b.out == b.in);
  CHECK(meanwhile.take(10'000) != nullptr);
}

TEST_CASE("kernel: the caller's workspace is used where it is given") {
  TTUNE_SKIP_UNLESS_X86();
  auto image = copy_image(16);  // operand 0 -> workspace -> operand 1
  image.signature.shared_bytes = 64;
  image.code = code()
                   .bytes({0x48, 0x8B, 0x37, 0x57, 0x48, 0x89, 0xD7, 0xB9, 64, 0, 0, 0, 0xF3, 0xA4, 0x5F})
                   .bytes({0x48, 0x89, 0xD6, 0x48, 0x8B, 0x7F, 0x08, 0xB9, 64, 0, 0, 0, 0xF3, 0xA4, 0xC3})
                   .get();
  ttune::kernel_call const kernel(ttune::load(image));
  CHECK(kernel.workspace_bytes() == 64);
  pair_of_vectors v(16);
  alignas(64) float workspace[16] = {};
  kernel(v.operands(), workspace);
  CHECK(v.out == v.in);
  CHECK(std::equal(v.in.begin(), v.in.end(), workspace));
  pair_of_vectors w(16, 7);
  kernel(w.operands());
  CHECK(w.out == w.in);
}

TEST_CASE("workspace: aligned, kept by the thread, and a lease within a lease has its own") {
  void* first = nullptr;
  {
    ttune::workspace_lease const outer(1000);
    first = outer.data();
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    ttune::workspace_lease const inner(1000);
    CHECK(inner.data() != first);
    CHECK(reinterpret_cast<std::uintptr_t>(inner.data()) % 64 == 0);
  }
  ttune::workspace_lease const again(500);
  CHECK(again.data() == first);
}

#if !TTUNE_TEST_SANITIZED  // their allocators end the program instead
TEST_CASE("workspace: one that cannot be had is an error that says how large it is") {
  CHECK_THROWS_WITH_AS(ttune::workspace_lease(std::size_t{1} << 60),
                       "a kernel needs 1152921504606846976 bytes of scratch memory, which cannot be had",
                       ttune::memory_error);
  ttune::workspace_lease const after(64);  // the thread's memory can still be used
  CHECK(after.data() != nullptr);
}
#endif

namespace {

/// An executor that claims several threads, computes on one, and can be told to fail.
struct own_executor final : ttune::executor {
  explicit own_executor(std::int32_t says) : said(says) {}
  [[nodiscard]] std::int32_t threads() const noexcept override { return said; }
  void parallel(ttune::parallel_body body, void* closure, std::int64_t tasks) override {
    if (fails) throw std::runtime_error("no threads today");
    for (auto t = tasks; t-- > 0;) body(closure, t, 0);
  }
  std::int32_t said;
  bool fails = false;
};

ttune::kernel_call parallel_copy_on(std::shared_ptr<ttune::executor> on) {
  auto image = copy_image(1024);
  image.code = code::parallel_copy(4096, 16).get();
  image.signature.shared_bytes = 256;
  return ttune::kernel_call(ttune::load(image), std::move(on));
}

}  // namespace

TEST_CASE("kernel: what its executor throws comes out of the call, and the next call works") {
  TTUNE_SKIP_UNLESS_X86();
  auto const on = std::make_shared<own_executor>(4);
  auto const kernel = parallel_copy_on(on);
  pair_of_vectors v(1024);
  on->fails = true;
  CHECK_THROWS_WITH_AS(kernel(v.operands()), "no threads today", std::runtime_error);
  CHECK(v.out != v.in);
  on->fails = false;
  kernel(v.operands());
  CHECK(v.out == v.in);
}

TEST_CASE("kernel: an executor may have fewer threads than the code has tasks, or than it says") {
  TTUNE_SKIP_UNLESS_X86();
  for (std::int32_t const says : {1, 3, 64}) {
    pair_of_vectors v(1024, static_cast<float>(says));
    parallel_copy_on(std::make_shared<own_executor>(says))(v.operands());
    CHECK(v.out == v.in);
  }
}

TEST_SUITE("threads") {
  TEST_CASE("kernel: many threads may call one at once") {
    TTUNE_SKIP_UNLESS_X86();
    auto image = copy_image(1024);
    image.code = code::parallel_copy(4096, 16).get();
    image.signature.shared_bytes = 256;
    ttune::kernel_call const kernel(ttune::load(image), std::make_shared<ttune::thread_pool>(2));
    std::vector<std::thread> callers;
    std::vector<int> wrong(4);
    for (int c = 0; c < 4; ++c)
      callers.emplace_back([&, c] {
        for (int i = 0; i < 100; ++i) {
          pair_of_vectors v(1024, static_cast<float>(c * 100 + i));
          kernel(v.operands());
          wrong[static_cast<std::size_t>(c)] += v.out != v.in ? 1 : 0;
        }
      });
    for (auto& c : callers) c.join();
    CHECK(wrong == std::vector<int>(4));
  }
}

}  // namespace kernel_call_tests
