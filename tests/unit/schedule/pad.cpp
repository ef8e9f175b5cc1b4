// SPDX-License-Identifier: Apache-2.0
// pad: zeros around an operand, its errors and its page.
#include "ttune/schedule/primitive/pad.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "refusals.hpp"
#include "support/derived_programs.hpp"
#include "support/primitive_page.hpp"
#include "ttune/schedule.hpp"

namespace pad_tests {

using namespace ttune;
using ttune_test::check_space;
using ttune_test::refusal;
using ttune_test::says;

namespace {

constexpr auto y = axis<"y">{};
constexpr auto x = axis<"x">{};
constexpr auto r = axis<"r">{};
constexpr auto s = axis<"s">{};
constexpr auto c = axis<"c">{};

/// A filter of `width` elements, `step` apart, whose results are `stride` elements apart.
template <class T, class Sum = std::int32_t>
auto filter(std::int64_t width, std::int64_t stride = 1, std::int64_t step = 1) {
  tensor<"I", T, 1> const I{{11}};
  tensor<"W", T, 1> const W{{width}};
  return compute<"S">(y.in(11 / stride)) =
             sum(over(r), cast<Sum>(zero_outside(I)(y * stride + r * step - 2)) * cast<Sum>(W(r)));
}

}  // namespace

TEST_CASE("pad: edges, strides and steps") {
  for (auto const width : {3, 5})
    for (auto const stride : {1, 2})
      for (auto const step : {1, 3}) {
        check_space(schedule(filter<std::int8_t>(width, stride, step)).pad("I", "P").space(), 0);
        check_space(
            schedule(filter<std::uint8_t>(width, stride, step)).pad("I", "P").in("P").vectorize(axis<"d0">{}).space(),
            0);
      }
}

TEST_CASE("pad: an image with channels, of which only rows and columns have edges") {
  tensor<"I", std::int8_t, 3> const I{{5, 6, 4}};
  tensor<"W", std::int8_t, 3> const W{{3, 3, 4}};
  auto const O = compute<"O">(y.in(5), x.in(6)) =
      sum(over(r, s, c), cast<std::int32_t>(zero_outside(I)(y + r - 1, x + s - 1, c)) * cast<std::int32_t>(W(r, s, c)));
  check_space(schedule(O).pad(I, "P").space(), 0);
  auto const text = ttune_test::program_text(schedule(O).pad(I, "P").space());
  CHECK(says(text, "P(d0 < 7, d1 < 8, d2 < 4)"));
  CHECK(!says(text, "where"));
}

TEST_CASE("pad: refuses what zeros could change, or what has no edges") {
  CHECK(says(refusal([] { return schedule(filter<bf16, float>(3)).pad("I", "P").space(); }), "is no sum of integers"));
  CHECK(says(refusal([] { return schedule(filter<std::int8_t>(3)).pad("W", "P").space(); }), "no term reads outside"));
  CHECK(says(refusal([] { return schedule(filter<std::int8_t>(3)).pad("X", "P").space(); }), "is no factor"));
  tensor<"I", std::int8_t, 1> const I{{8}};
  auto const squares = compute<"S">(y.in(8)) = sum(
      over(r.in(3)), cast<std::int32_t>(zero_outside(I)(y + r - 1)) * cast<std::int32_t>(zero_outside(I)(y + r - 1)));
  CHECK(says(refusal([&] { return schedule(squares).pad(I, "P").space(); }), "is read twice"));
  tensor<"V", std::int8_t, 1> const V{{8}};
  auto const together = compute<"S">(y.in(8)) = sum(
      over(r.in(3)), cast<std::int32_t>(zero_outside(I)(y + r - 1)) * cast<std::int32_t>(zero_outside(V)(y + r - 1)));
  CHECK(says(refusal([&] { return schedule(together).pad(I, "P").space(); }), "is read under the same condition"));
}

TEST_CASE("pad: its page") {
  tensor<"I", std::int8_t, 1> const I{{8}};
  tensor<"W", std::int8_t, 1> const W{{3}};
  auto const S = compute<"S">(y.in(8)) =
      sum(over(r), cast<std::int32_t>(zero_outside(I)(y + r - 1)) * cast<std::int32_t>(W(r)));
  auto const plain = schedule(S);
  ttune_test::check_page("pad", ttune_test::program_text(plain.space()),
                         ttune_test::program_text(plain.pad(I, "P").space()));
}

}  // namespace pad_tests
