// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/interpreter_backend.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/expr.hpp"
#include "ttune/kernel.hpp"
#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/lowering/lower.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/measure/make_runner.hpp"
#include "ttune/runtime/signature.hpp"
#include "ttune/schedule/plan.hpp"

namespace interpreter_backend_tests {

using namespace ttune;

namespace {

/// Returns the seed of the derived space.
template <class Op>
kernel_image compiled(Op const& op) {
  interpreter_backend by;
  auto const in = derive_space(op.program(), by.target());
  auto made = by.compile(lower(in, in.seed), signature_of(in.program));
  REQUIRE(made.image);
  return std::move(*made.image);
}

template <class Op>
kernel_of_t<Op> kernel_for(Op const& op) {
  return kernel_of_t<Op>(kernel_call(load(compiled(op))));
}

auto product() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{5, 7}};
  tensor<"B", float, 2> const B{{7, 3}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C));
}

}  // namespace

TEST_CASE("interpreter_backend: a kernel computes what the operator says") {
  auto const kernel = kernel_for(product());
  CHECK(kernel.workspace_bytes() == 0);
  std::vector<float> a(35), b(21), c(15, -1), expected(15);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 5) - 2;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 7; ++k) expected[i * 3 + j] += a[i * 7 + k] * b[k * 3 + j];
  kernel(a, b, c);
  CHECK(c == expected);

  SUBCASE("from many threads at once") {
    std::vector<std::vector<float>> results(4, std::vector<float>(15));
    {
      std::vector<std::jthread> threads;
      for (auto& r : results) threads.emplace_back([&] { kernel(a, b, r); });
    }
    for (auto const& r : results) CHECK(r == expected);
  }
  SUBCASE("prepared, with nothing to prepare") {
    std::vector<float> again(15);
    kernel.prepare(a, b, again)(a, b, again);
    CHECK(again == expected);
  }
  SUBCASE("misuse is refused as for machine code") {
    std::vector<float> few(14);
    CHECK_THROWS_WITH_AS(kernel(a, b, few), "kernel C, operand C: has 14 elements, the operand 15", argument_error);
  }
}

TEST_CASE("interpreter_backend: constants, integers, several outputs") {
  auto const [i] = axes<"i">;
  tensor<"A", std::int32_t, 1> const A{{6}};
  tensor<"W", std::int32_t, 1, row_major, tensor_kind::constant> const W{{6}};
  auto const S = compute<"S">(i) = A(i) + W(i);
  auto const P = compute<"P">(i) = A(i) * W(i);
  auto const kernel = kernel_for(op(inputs(A, W), outputs(S, P), "both"));
  std::vector<std::int32_t> const a{1, 2, 3, 4, 5, 6}, w{6, 5, 4, 3, 2, 1};
  std::vector<std::int32_t> s(6), p(6);
  kernel(a, w, s, p);
  CHECK(s == std::vector<std::int32_t>(6, 7));
  CHECK(p == std::vector<std::int32_t>{6, 10, 12, 12, 10, 6});
}

TEST_CASE("interpreter_backend: its images are of this process: not written, not timed") {
  auto const image = compiled(product());
  CHECK(image.target == "interpreter");
  CHECK(can_load(image));
  CHECK_THROWS_WITH_AS((void)to_bytes(image), "kernel C exists in this process only: it is no machine code",
                       argument_error);
  auto const timing = make_runner(worker::in_process{}, image.signature, {});
  auto const m = timing->measure(image, {});
  CHECK(m.status == trial_status::unsupported);
  CHECK(m.message == "kernel C is no machine code: there is nothing to time");
}

TEST_CASE("interpreter_backend: the same machine everywhere, and a caller's own") {
  CHECK(interpreter_backend().target().cores == 4);
  CHECK(interpreter_backend().availability());
  target own;
  own.name = "mine";
  own.cores = 64;
  CHECK(interpreter_backend(own).target().name == "interpreter");
  CHECK(interpreter_backend(own).target().cores == 64);
}

}  // namespace interpreter_backend_tests
