// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/measure/trial_check.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "ttune/core/float16.hpp"

namespace trial_check_tests {

namespace {

ttune::operand_info operand(ttune::dtype type, std::vector<std::int64_t> shape) {
  ttune::operand_info o;
  o.name = "C";
  o.type = type;
  o.shape = std::move(shape);
  return o;
}

template <class T>
std::vector<std::uint8_t> bytes_of(std::vector<T> const& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> values_of(std::vector<std::uint8_t> const& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string difference(std::vector<float> const& wanted, std::vector<float> const& found, double terms = 1) {
  auto const n = static_cast<std::int64_t>(wanted.size());
  ttune::expected_output const e(operand(ttune::dtype::f32, {n}), bytes_of(wanted), terms, 1);
  return e.difference(bytes_of(found).data());
}

}  // namespace

TEST_CASE("inputs: floats are uniform in [-1, 1), integers small, ranges kept, all by the seed") {
  auto const f = values_of<float>(ttune::make_input(operand(ttune::dtype::f32, {1001}), 3));
  double sum = 0;
  for (auto const v : f) {
    CHECK((v >= -1 && v < 1));
    sum += v;
  }
  CHECK(std::abs(sum / 1001) < 0.1);
  CHECK(ttune::make_input(operand(ttune::dtype::f32, {1001}), 3) == bytes_of(f));
  CHECK(ttune::make_input(operand(ttune::dtype::f32, {1001}), 4) != bytes_of(f));
  for (auto const v : values_of<double>(ttune::make_input(operand(ttune::dtype::f64, {100}), 3)))
    CHECK(std::abs(v) <= 1);
  for (auto const v : values_of<std::int8_t>(ttune::make_input(operand(ttune::dtype::i8, {100}), 3)))
    CHECK((v >= -4 && v <= 3));
  for (auto const v : values_of<std::uint16_t>(ttune::make_input(operand(ttune::dtype::u16, {100}), 3))) CHECK(v <= 7);
  for (auto const v : ttune::make_input(operand(ttune::dtype::boolean, {100}), 3)) CHECK(v <= 1);
  for (auto const v : values_of<ttune::f16>(ttune::make_input(operand(ttune::dtype::f16, {100}), 3)))
    CHECK(std::abs(ttune::to_float(v)) <= 1);
  auto ranged = operand(ttune::dtype::i32, {1000});
  ranged.has_range = true;
  ranged.low = -2;
  ranged.high = 5;
  std::vector<int> seen(7);
  for (auto const v : values_of<std::int32_t>(ttune::make_input(ranged, 1))) {
    REQUIRE((v >= -2 && v < 5));
    ++seen[static_cast<std::size_t>(v + 2)];
  }
  ranged.has_range = false;  // then the bounds are for trials only
  for (auto const v : values_of<std::int32_t>(ttune::make_input(ranged, 1))) CHECK((-2 <= v && v < 5));
  for (auto const count : seen) CHECK(count > 50);
}

TEST_CASE("differences: rounding is tolerated, one wrong element is found and named") {
  std::vector<float> const wanted = {1, -2, 0.5F, 1e-9F};
  CHECK(difference(wanted, wanted).empty());
  CHECK(difference(wanted, {1.0000001F, -2, 0.5F, 0}).empty());  // terms cancel: the result is as exact as they are
  CHECK(difference(wanted, {1, -2, 0.51F, 1e-9F}) == "C[2] is 0.50999999, should be 0.5");
  CHECK(difference(wanted, {0, 0, 0.5F, 1e-9F}) == "C[0] is 0, should be 1 (2 of 4 elements differ)");
}

TEST_CASE("differences: a longer reduction may round more, but not lose a term") {
  std::vector<float> const wanted(100, 10);
  std::vector<float> found(100, 10);
  found[7] = 10.0005F;
  CHECK_FALSE(difference(wanted, found).empty());
  CHECK(difference(wanted, found, 100000).empty());
  found[7] = 10.5F;  // one product of numbers in [-1, 1) among about 1000
  CHECK_FALSE(difference(wanted, found, 1000).empty());
}

TEST_CASE("differences: NaN and infinities agree with themselves only") {
  auto const nan = std::numeric_limits<float>::quiet_NaN();
  auto const inf = std::numeric_limits<float>::infinity();
  CHECK(difference({nan, inf, -inf, 1}, {-nan, inf, -inf, 1}).empty());
  for (auto const& found : {std::vector{1.0F, inf, -inf, 1.0F},
                            {nan, 1.0F, -inf, 1.0F},
                            {nan, inf, inf, 1.0F},
                            {nan, inf, -inf, nan},
                            {nan, inf, -inf, inf}})
    CHECK_FALSE(difference({nan, inf, -inf, 1}, found).empty());
}

TEST_CASE("differences: integers are equal or not") {
  ttune::expected_output const e(operand(ttune::dtype::i64, {2, 3}),
                                 bytes_of(std::vector<std::int64_t>{0, 1, 2, 3, 4, std::int64_t{1} << 60}), 1000, 1);
  CHECK(e.difference(bytes_of(std::vector<std::int64_t>{0, 1, 2, 3, 4, std::int64_t{1} << 60}).data()).empty());
  CHECK(e.difference(bytes_of(std::vector<std::int64_t>{0, 1, 2, 3, 4, (std::int64_t{1} << 60) + 1}).data()) ==
        "C[1, 2] is 1152921504606846977, should be 1152921504606846976");
}

TEST_CASE("differences: 16-bit floats may differ in their last place") {
  auto const half = [](float v) { return ttune::to_f16(v); };
  ttune::expected_output const e(operand(ttune::dtype::f16, {2}), bytes_of(std::vector{half(1), half(100)}), 10, 1);
  CHECK(e.difference(bytes_of(std::vector{half(1.001F), half(100.06F)}).data()).empty());
  CHECK(e.difference(bytes_of(std::vector{half(1), half(101)}).data()) == "C[1] is 101, should be 100");
}

TEST_CASE("poison: unwritten elements are found") {
  auto const c = operand(ttune::dtype::f32, {3, 5});
  std::vector<std::uint8_t> bytes(60);
  ttune::poison(c, bytes, 0);
  CHECK(ttune::unwritten(c, bytes) == "C[0, 0] was never written");
  auto values = std::vector<float>(15, std::numeric_limits<float>::quiet_NaN());
  CHECK(ttune::unwritten(c, bytes_of(values)).empty());
  std::copy(bytes.begin(), bytes.begin() + 4, reinterpret_cast<std::uint8_t*>(&values[13]));
  CHECK(ttune::unwritten(c, bytes_of(values)) == "C[2, 3] was never written");
  auto const i = operand(ttune::dtype::i32, {15});
  ttune::poison(i, bytes, 0);
  auto const first = bytes;
  ttune::poison(i, bytes, 1);
  for (std::size_t k = 0; k < bytes.size(); ++k) CHECK(bytes[k] != first[k]);
}

TEST_CASE("expected output: detects changes of itself") {
  ttune::expected_output const e(operand(ttune::dtype::f32, {4}), bytes_of(std::vector<float>{1, 2, 3, 4}), 1, 1);
  CHECK(e.intact());
  const_cast<std::uint8_t&>(e.bytes()[3]) ^= 1;
  CHECK_FALSE(e.intact());
}

}  // namespace trial_check_tests
