// SPDX-License-Identifier: Apache-2.0
// Samples by lines of the loop nest: how they are counted, printed, and found in a file.
#include "ttune/runtime/tools/sampled_kernel.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "ttune/runtime/tools/code_map.hpp"

namespace sampled_kernel_tests {

using namespace ttune;

namespace {

kernel_image image_with_lines() {
  kernel_image image;
  image.signature.name = "sum";
  image.code.resize(64);
  image.main_offset = 0;
  tools::code_map map;
  map.lines = {{0, 2}, {10, 3}, {30, 0}, {32, 2}, {60, 99}};
  map.loops = "sum(A f32 (4))\nfor i < 4\n  Y[i] = A[i]\n";
  image.map = std::make_shared<tools::code_map const>(std::move(map));
  return image;
}

}  // namespace

TEST_CASE("sampled kernel: samples are counted by line, and the loop nest has their shares") {
  tools::sampled_kernel sampled(image_with_lines());
  CHECK(sampled.samples() == 0);
  for (int i = 0; i < 6; ++i) sampled.count(10 + i);  // line 3
  sampled.count(0);
  sampled.count(59);  // line 2, both
  sampled.count(31);  // of no line
  sampled.count(63);  // a line that the loop nest does not have
  CHECK(sampled.samples() == 10);
  auto const text = sampled.text();
  CHECK(text.substr(0, 7) == "kernel ");
  CHECK(text.substr(24) ==
        "sum: 10 samples\n"
        "         sum(A f32 (4))\n"
        " 20.0 %  for i < 4\n"
        " 60.0 %    Y[i] = A[i]\n"
        " 20.0 %  (code of no line)\n");
}

TEST_CASE("sampled kernel: without lines, samples are counted by function") {
  kernel_image image;
  image.signature.name = "sum";
  image.code.resize(64);
  image.main_offset = 32;
  tools::sampled_kernel sampled(image);
  sampled.count(0);
  for (int i = 0; i < 3; ++i) sampled.count(40);
  auto const text = sampled.text();
  CHECK(text.find(" 25.0 %  sum.tasks\n 75.0 %  sum.main\n") != std::string::npos);
}

TEST_CASE("sampled kernel: a file is searched for the same code, then for the name") {
  auto const one = image_with_lines();
  auto other = one;
  other.code[5] = 1;
  auto const text_of = [](kernel_image const& image) { return tools::sampled_kernel(image).text(); };
  auto const code = tools::hash_of_code(one);
  auto const both = "20 samples\n\n" + text_of(other) + "\n" + text_of(one);
  CHECK(tools::find_samples(both, code, "sum") == text_of(one));
  CHECK(tools::find_samples(both, tools::hash_of_code(other), "sum") == text_of(other));
  CHECK(tools::find_samples(both, 1, "sum").empty());  // two have the name
  auto const single = "20 samples\n\n" + text_of(other);
  CHECK(tools::find_samples(single, 1, "sum") == text_of(other));
  CHECK(tools::find_samples(single, 1, "su").empty());
  for (auto const* broken : {"", "\n\n", "kernel ", "kernel 0 sum: ", "kernel 0123456789abcdef sum"})
    CHECK(tools::find_samples(broken, 1, "sum").empty());
}

}  // namespace sampled_kernel_tests
