// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/image_io.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/machine_code.hpp"
#include "support/seed.hpp"
#include "ttune/support/rng.hpp"

namespace image_io_tests {

using namespace ttune_test;

namespace {

ttune::kernel_image sample() {
  auto image = prepared_image(10);
  image.signature.operands[0].has_range = true;
  image.signature.operands[0].low = -3;
  image.signature.operands[0].high = 17;
  image.signature.shared_bytes = 640;
  image.signature.local_bytes = 64;
  image.signature.flops = 1e9;
  image.signature.terms = 1152;
  image.features = "+avx2,+fma";
  image.operand_uses = {0, 1, 1};
  return image;
}

}  // namespace

TEST_CASE("image bytes: what was written is read") {
  auto const image = sample();
  auto const read = ttune::image_from_bytes(ttune::to_bytes(image));
  CHECK(ttune::to_bytes(read) == ttune::to_bytes(image));
  CHECK(read.signature.name == "copy");
  CHECK(read.signature.operands.size() == 2);
  CHECK(read.signature.operands[0].name == "A");
  CHECK(read.signature.operands[0].direction == ttune::operand_direction::constant);
  CHECK(read.signature.operands[0].has_range);
  CHECK(read.signature.operands[0].low == -3);
  CHECK(read.signature.operands[0].high == 17);
  CHECK(read.signature.prepared_bytes == image.signature.prepared_bytes);
  CHECK(read.signature.terms == 1152);
  CHECK(read.code == image.code);
  CHECK(read.target == image.target);
  CHECK(read.features == "+avx2,+fma");
  CHECK(read.prepare_offset == image.prepare_offset);
  CHECK(read.operand_uses == image.operand_uses);
}

TEST_CASE("image bytes: damage of one byte is found") {
  auto const bytes = ttune::to_bytes(sample());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] ^= 0x10;
    CHECK_THROWS_AS((void)ttune::image_from_bytes(damaged), ttune::record_error);
  }
}

TEST_CASE("image bytes: short, long and foreign ones are refused") {
  auto const bytes = ttune::to_bytes(sample());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    CHECK_THROWS_AS((void)ttune::image_from_bytes(std::span(bytes).first(n)), ttune::record_error);
  auto longer = bytes;
  longer.push_back(0);
  CHECK_THROWS_AS((void)ttune::image_from_bytes(longer), ttune::record_error);
  auto newer = bytes;
  newer[8] = 9;
  try {
    (void)ttune::image_from_bytes(newer);
    FAIL("a newer version was read");
  } catch (ttune::record_error const& e) {
    CHECK(std::string(e.what()).find("version 9") != std::string::npos);
  }
}

TEST_CASE("image bytes: an image with impossible values is refused even with the right checksum") {
  auto const refused = [](auto const& change) {
    auto image = sample();
    change(image);
    CHECK_THROWS_AS((void)ttune::image_from_bytes(ttune::to_bytes(image)), ttune::record_error);
  };
  refused([](auto& i) { i.main_offset = static_cast<std::int64_t>(i.code.size()); });
  refused([](auto& i) { i.prepare_offset = -5; });
  refused([](auto& i) { i.operand_uses = {1, 1, 1, 1}; });  // two operands and a prepared buffer
  refused([](auto& i) { i.signature.operands[0].shape = {std::int64_t{1} << 40, std::int64_t{1} << 40}; });
  refused([](auto& i) { i.signature.operands[0].shape = {-1}; });
  refused([](auto& i) { i.signature.operands[0].type = static_cast<ttune::dtype>(77); });
  refused([](auto& i) { i.signature.operands[0].direction = static_cast<ttune::operand_direction>(9); });
  refused([](auto& i) { i.signature.shared_bytes = -1; });
  refused([](auto& i) { i.signature.prepared_bytes = {std::int64_t{1} << 60}; });
}

TEST_CASE("image bytes: random bytes of a signature are read or refused, nothing else") {
  ttune::rng random(seed());
  ttune::byte_sink out;
  ttune::put(out, sample().signature);
  auto const bytes = out.take();
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    auto damaged = bytes;
    for (std::uint64_t k = random.below(4) + 1; k > 0; --k)
      damaged[random.below(damaged.size())] = static_cast<std::uint8_t>(random());
    damaged.resize(random.below(damaged.size()) + 1);
    try {
      ttune::kernel_signature s;
      ttune::byte_source in(damaged);
      ttune::get(in, s);
    } catch (ttune::record_error const&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("measurement bytes: what was written is read; an unknown status is refused") {
  ttune::measurement const m{ttune::trial_status::wrong_result, 1.5, 0.25, 7, 0.5, 0.125, "C[3] is 1"};
  ttune::byte_sink out;
  ttune::put(out, m);
  auto bytes = out.take();
  ttune::measurement read;
  ttune::byte_source in(bytes);
  ttune::get(in, read);
  CHECK(read.status == m.status);
  CHECK(read.seconds == m.seconds);
  CHECK(read.samples == 7);
  CHECK(read.message == m.message);
  bytes[0] = 200;
  ttune::byte_source bad(bytes);
  CHECK_THROWS_AS(ttune::get(bad, read), ttune::record_error);
}

}  // namespace image_io_tests
