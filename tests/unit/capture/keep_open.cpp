// SPDX-License-Identifier: Apache-2.0
#include "ttune/capture/keep_open.hpp"

#include <doctest/doctest.h>

#include "ttune/expr.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/signature.hpp"

namespace keep_open_tests {

using namespace ttune;

namespace {

dim const rows{"M", 1, 512};
dim const columns{"N", 1, 1024};

auto product() {
  auto const [i, j, k] = axes<"i", "j", "k">;
  tensor<"A", float, 2> const A{{rows, 64}};
  tensor<"B", float, 2> const B{{64, columns}};
  auto const C = compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j));
  return op(inputs(A, B), outputs(C));
}

}  // namespace

TEST_CASE("keep_open: extents are the largest, calls give them, and rows that they move have strides") {
  CHECK(ir::print(*capture::keep_open(product().program())) ==
        "C(A f32 (M=512, 64), B f32 (64, N=1024) strided, strides i64 (4) strides, extents i64 (2) extents)"
        " -> C f32 (M=512, N=1024) strided\n"
        "C(i, j) = sum(k < 64) A(i, k) * B(k, j)\n");
  auto const part = capture::keep_open(product().program(), {{"N", 1, 16}});
  CHECK(ir::print(*part).find("B f32 (64, N=16) strided") != std::string::npos);
}

TEST_CASE("keep_open: a signature has the places of the extents, in memory and in files") {
  auto const largest = signature_of(capture::keep_open(product().program()));
  byte_sink out;
  put(out, largest);
  auto const bytes = out.take();
  byte_source in(bytes);
  kernel_signature read;
  get(in, read);
  for (auto const* s : {&largest, static_cast<kernel_signature const*>(&read)}) {
    REQUIRE(s->operands.size() == 5);
    CHECK(s->operands[0].open == std::vector<std::int32_t>{0, -1});
    CHECK(s->operands[1].open == std::vector<std::int32_t>{-1, 1});
    CHECK(s->operands[3].direction == operand_direction::extents);
    CHECK(s->operands[4].open == std::vector<std::int32_t>{0, 1});
    CHECK(s->operands[4].strides == operand_strides::outer);
  }
  auto const called = at_extents(largest, std::vector<std::int64_t>{7, 5});
  CHECK(called.operands[0].shape == std::vector<std::int64_t>{7, 64});
  CHECK(called.operands[4].shape == std::vector<std::int64_t>{7, 5});
  CHECK(extents_of(called) == std::vector<std::int64_t>{7, 5});
}

TEST_CASE("keep_open: what it refuses") {
  CHECK_THROWS_WITH_AS((void)capture::keep_open(product().program(), {{"M", 1, 1024}}),
                       "dim M stays open within [1, 1024], and was declared within [1, 512]", program_error);
  CHECK_THROWS_WITH_AS((void)capture::keep_open(product().at({{rows, 8}, {columns, 8}}).program()),
                       "C: it has no run-time extent that could stay open", program_error);
  auto const [i, r] = axes<"i", "r">;
  tensor<"extents", float, 1> const X{{rows}};
  auto const named = compute<"Y">(i) = X(i) * 2;
  CHECK_THROWS_WITH_AS((void)capture::keep_open(op(inputs(X), outputs(named)).program()),
                       "Y: an operand is called extents, which open extents need: name it apart", program_error);
}

}  // namespace keep_open_tests
