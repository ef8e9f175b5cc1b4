// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/shape_images.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/shape_images.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/support/error.hpp"

namespace shape_images_tests {

using namespace ttune;
using namespace ttune_test;
using detail::shape_images;
using detail::shape_images_from_bytes;
using detail::shape_tree;

namespace {

std::string refusal(std::vector<std::uint8_t> const& bytes) {
  try {
    (void)shape_images_from_bytes(bytes);
  } catch (record_error const& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("shape images: what was written is read") {
  auto const all = two_copies();
  auto const bytes = to_bytes(all);
  CHECK(detail::are_shape_images(bytes));
  auto const read = shape_images_from_bytes(bytes);
  CHECK(to_bytes(read) == bytes);
  CHECK(read.range.name == "copy");
  CHECK(read.range.extents == std::vector<std::string>{"N"});
  CHECK(read.range.smallest == all.range.smallest);
  CHECK(read.range.largest == all.range.largest);
  CHECK(read.tree.text(read.range.extents) == "N <= 16 ? 1 : 0");
  REQUIRE(read.kernels.size() == 2);
  CHECK(read.kernels[1].workload == "copy of 16");
  CHECK(read.kernels[1].schedule == "serial");
  CHECK(read.kernels[1].seconds == 2e-6);
  CHECK(read.kernels[1].image.code == all.kernels[1].image.code);
  CHECK(read.signature().operands[0].shape == std::vector<std::int64_t>{100});
}

TEST_CASE("shape images: they are no image, and an image is none of them") {
  CHECK(!detail::are_shape_images(to_bytes(two_copies().kernels[0].image)));
  CHECK(!detail::are_shape_images({}));
  CHECK_THROWS_AS((void)image_from_bytes(to_bytes(two_copies())), record_error);
  CHECK(refusal(to_bytes(two_copies().kernels[0].image)).find("no kernels for many shapes") != std::string::npos);
}

TEST_CASE("shape images: damage of one byte is found, and so is an early end") {
  auto const bytes = to_bytes(two_copies());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    auto damaged = bytes;
    damaged[i] ^= 0x10;
    CHECK_THROWS_AS((void)shape_images_from_bytes(damaged), record_error);
    CHECK_THROWS_AS((void)shape_images_from_bytes(std::span(bytes).first(i)), record_error);
  }
  auto newer = bytes;
  newer[8] = 9;
  CHECK(refusal(newer).find("version 9") != std::string::npos);
}

TEST_CASE("shape images: a choice that does not end at a kernel is refused") {
  auto const refused = [](std::vector<shape_tree::node> nodes) {
    auto all = two_copies();
    all.tree = shape_tree(std::move(nodes));
    return refusal(to_bytes(all)).find("choice") != std::string::npos;
  };
  detail::extent_product const first{{0, 8, 8}}, second{{1, 8, 8}}, both{{0, 1, 8}};
  CHECK(!refused({{{}, 0, 1, 0}}));
  CHECK(refused({}));
  CHECK(refused({{{}, 0, 2, 0}}));
  CHECK(refused({{{}, 0, -1, 0}}));
  CHECK(refused({{first, 16, 1, 0}, {{}, 0, 1, 0}}));                  // its own parent
  CHECK(refused({{first, 16, 1, 3}, {{}, 0, 1, 0}, {{}, 0, 0, 0}}));   // a node that is not there
  CHECK(refused({{second, 16, 1, 2}, {{}, 0, 1, 0}, {{}, 0, 0, 0}}));  // an extent that is not there
  CHECK(refused({{both, 16, 1, 2}, {{}, 0, 1, 0}, {{}, 0, 0, 0}}));
}

TEST_CASE("shape images: kernels that do not belong together, or to the extents, are refused") {
  auto const refused = [](auto const& change) {
    auto all = two_copies();
    change(all);
    return !refusal(to_bytes(all)).empty();
  };
  CHECK(!refused([](auto&) {}));
  CHECK(refused([](auto& all) { all.kernels.clear(); }));
  CHECK(refused([](auto& all) { all.range.extents.clear(); }));
  CHECK(refused([](auto& all) { all.range.smallest = {200}; }));
  CHECK(refused([](auto& all) { all.range.smallest = {0}; }));
  CHECK(refused([](auto& all) { all.range.largest = {100, 100}; }));
  CHECK(refused([](auto& all) { all.kernels[1].image.target = "x86_64 other"; }));
  CHECK(refused([](auto& all) { all.kernels[1].image.signature.operands[0].type = dtype::f64; }));
  CHECK(refused([](auto& all) { all.kernels[1].image.signature.operands[0].open = {}; }));
  CHECK(refused([](auto& all) { all.kernels[1].image.signature.operands.pop_back(); }));
  CHECK(refused([](auto& all) {
    for (auto& k : all.kernels) k.image.signature.operands[0].open = {1};
  }));
  CHECK(refused([](auto& all) {
    for (auto& k : all.kernels) k.image.signature.operands[1].direction = operand_direction::in;
  }));
}

}  // namespace shape_images_tests
