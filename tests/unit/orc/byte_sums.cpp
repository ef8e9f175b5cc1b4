// SPDX-License-Identifier: Apache-2.0
// Filters of bytes by instructions that multiply pairs of bytes: compared with the interpreter, and found in the code.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_runs.hpp"
#include "support/require.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/expr.hpp"
#include "ttune/runtime/machine.hpp"

namespace byte_sums_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

auto const [y, x, r] = axes<"y", "x", "r">;

/// A filter along the columns, then along the rows, with results of 8 bits.
template <class Sum>
auto blur(std::vector<double> const& weights, std::int64_t h, std::int64_t w) {
  auto const taps = static_cast<std::int64_t>(weights.size());
  tensor<"I", std::uint8_t, 2> const I{{h + taps - 1, w + taps - 1}};
  table<"k", Sum, 1> const k({taps}, weights);
  auto const V = compute<"V">(y.in(h), x.in(w + taps - 1)) =
      cast<std::uint8_t>((sum(over(r), cast<Sum>(I(y + r, x)) * k(r)) + 128) / 256);
  auto const O = compute<"O">(y, x.in(w)) =
      cast<std::uint8_t>((sum(over(r), cast<Sum>(V(y, x + r)) * k(r)) + 128) / 256);
  return op(inputs(I), outputs(O), "blur");
}

/// A window whose sum has both signs, and whose factors fit no pair of bytes in places.
template <class Sum>
auto sharpen(std::int64_t h, std::int64_t w, int middle) {
  tensor<"I", std::uint8_t, 2> const I{{h, w}};
  auto const at = [&](auto const& row, auto const& column) { return cast<Sum>(clamp_outside(I)(row, column)); };
  auto const cross = at(y - 1, x) * 5 + at(y + 1, x) * 5 + at(y, x - 1) * 7 + at(y, x + 1) * 120;
  auto const O = compute<"O">(y.in(h), x.in(w)) =
      cast<std::uint8_t>(min(max((at(y, x) * middle - cross - at(y + 1, x + 1) * 90) / 16, 0), 255));
  return op(inputs(I), outputs(O), "sharpen");
}

/// A filter of the first bytes of each row, the same in all columns, which some rows need.
auto added_to_row(std::int64_t h, std::int64_t w) {
  tensor<"I", std::uint8_t, 2> const I{{h, w}};
  tensor<"N", std::int32_t, 1> const N{{h}};
  auto const at = [&](auto const& column) { return cast<std::uint16_t>(I(y, column)); };
  auto const first =
      at(y - y) * 10 + at(y - y + 1) * 50 + at(y - y + 2) * 100 + at(y - y + 3) * 60 + at(y - y + 4) * 30;
  auto const O = compute<"O">(y.in(h), x.in(w)) =
      I(y, x) + select(N(y) > 0, cast<std::uint8_t>(first / 256), cast<std::uint8_t>(0));
  return op(inputs(I, N), outputs(O), "added_to_row");
}

std::vector<target> machines() {
  std::vector<target> all{probe_host()};
  for (char const* name : {"x86-64-v3", "x86-64-v2"}) {
    auto const lesser = named_target(name, probe_host());
    if (is_host_architecture(lesser.name) && missing_features(lesser.features).empty()) all.push_back(lesser);
  }
  return all;
}

template <class Op>
void check(Op const& op) {
  for (auto const& machine : machines()) {
    orc_backend backend(machine);
    check_derived(backend, run_here, op, 4);
  }
}

std::vector<double> const bell{1, 3, 7, 13, 20, 27, 35, 44, 35, 27, 20, 13, 7, 3, 1};

}  // namespace

TEST_CASE("byte sums: filters of odd and even numbers of taps, with tails of all lengths") {
  for (std::int64_t w : {1, 16, 31, 64, 77, 128, 200}) {
    check(blur<std::uint16_t>(bell, 5, w));
    check(blur<std::uint16_t>({10, 50, 100, 60, 30, 6}, 4, w));
    check(blur<std::int32_t>({4, 60, 127, 61, 3}, 3, w));
  }
}

TEST_CASE("byte sums: factors that exceed 16 bits together stay apart, and larger ones are no bytes") {
  check(blur<std::uint16_t>({90, 80, 70, 60, 50}, 3, 150));
  check(blur<std::uint16_t>({3, 4, 200, 5, 6, 7}, 3, 150));
}

TEST_CASE("byte sums: differences, at the edges of an image, too") {
  for (std::int64_t w : {1, 40, 130}) {
    check(sharpen<std::int16_t>(4, w, 100));
    check(sharpen<std::int32_t>(4, w, 127));
    check(sharpen<std::int16_t>(3, w, 128));
  }
}

TEST_CASE("byte sums: a sum that is the same in all lanes is no vector") {
  for (std::int64_t w : {16, 77}) check(added_to_row(7, w));
}

TEST_CASE("byte sums: instructions of pairs are used on AVX-512, AVX2 and SSSE3") {
  for (char const* machine : {"x86-64-v4", "x86-64-v3", "x86-64-v2"}) {
    orc_backend backend(named_target(machine));
    TTUNE_SKIP_UNLESS(machine, backend.availability(), backend.availability().reason);
    workload const work(derive_space(blur<std::uint16_t>(bell, 64, 512).program(), backend.target()), backend.target());
    auto const text = backend.assembly(backend.source(work.lower(work.seed()), work.signature()));
    REQUIRE(text);
    CHECK(text->find("pmaddubsw") != std::string::npos);
  }
}

}  // namespace byte_sums_tests
