// SPDX-License-Identifier: Apache-2.0
// Images of other machines on processors that lack some features: each is refused, or runs. An emulator has the
// features of a processor, and ends a program that uses others as the processor would.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/autoschedule/derive_space.hpp"
#include "ttune/backends/orc.hpp"
#include "ttune/core/named_target.hpp"
#include "ttune/ops/matmul.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/space/sampler.hpp"
#include "ttune/support/rng.hpp"
#include "ttune/ttune.hpp"
#include "ttune/tune/workload.hpp"

namespace feature_masks_tests {

using namespace ttune;

namespace {

/// A feature that a processor may lack.
struct feature {
  char const* name;
  char const* emulated;  ///< name in the emulator
  int needs = -1;        ///< place of another feature without which there is none
};
constexpr std::array<feature, 9> features{{{"sse4.1", "sse4.1", -1},
                                           {"sse4.2", "sse4.2", 0},
                                           {"avx", "avx", 1},
                                           {"avx2", "avx2", 2},
                                           {"fma", "fma", 2},
                                           {"f16c", "f16c", 2},
                                           {"bmi", "bmi1", -1},
                                           {"bmi2", "bmi2", -1},
                                           {"lzcnt", "abm", -1}}};
constexpr std::int64_t rows = 9, columns = 13, depth = 7;

using feature_set = std::array<bool, features.size()>;

/// Draws features, with what they need.
feature_set draw(rng& random) {
  feature_set made{};
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = random.below(4) != 0 && (features[i].needs < 0 || made[static_cast<std::size_t>(features[i].needs)]);
  return made;
}

/// Draws a processor. The C library of the emulated program believes that AVX2 comes with what Haswell has, too.
feature_set draw_processor(rng& random) {
  auto made = draw(random);
  auto& [sse41, sse42, avx, avx2, fma, f16c, bmi, bmi2, lzcnt] = made;
  bmi2 = bmi2 && bmi;
  avx2 = avx2 && bmi2 && lzcnt;
  return made;
}

target machine_with(feature_set const& has) {
  auto made = named_target("x86-64-v2");
  made.cpu = "x86-64";
  made.features = "+cx16,+popcnt,+sse3,+ssse3";
  for (std::size_t i = 0; i < has.size(); ++i)
    if (has[i]) made.features += std::string(",+") + features[i].name;
  made.vector_bytes = has[3] ? 32 : 16;
  made.has_fma = has[4];
  made.cores = 1;
  return made;
}

std::string emulated_cpu(feature_set const& has) {
  std::string made = "qemu64,-svm,+xsave,+cx16,+popcnt,+sse3,+ssse3";
  for (std::size_t i = 0; i < has.size(); ++i)
    made += (has[i] ? std::string(",+") : std::string(",-")) + features[i].emulated;
  return made;
}

/// Returns the features of an image that a machine lacks, as the refusal names them.
std::string lacks(feature_set const& image, feature_set const& machine) {
  std::string made;
  for (std::size_t i = 0; i < image.size(); ++i)
    if (image[i] && !machine[i]) made += (made.empty() ? "" : ", ") + std::string(features[i].name);
  return made;
}

/// Small integers: sums are exact in any order, with and without rounding of products.
std::vector<float> numbers(std::int64_t count, int period) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<float>(i % period - 2));
  return made;
}

std::string expected_line() {
  auto const a = numbers(rows * depth, 5);
  auto const b = numbers(depth * columns, 7);
  std::string made;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        sum += a[static_cast<std::size_t>(i * depth + k)] * b[static_cast<std::size_t>(k * columns + j)];
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%g ", static_cast<double>(sum));
      made += text.data();
    }
  return made;
}

void write_part(std::ofstream& out, void const* bytes, std::size_t count) {
  for (int i = 0; i < 8; ++i) out.put(static_cast<char>(count >> (8 * i) & 255));
  out.write(static_cast<char const*>(bytes), static_cast<std::streamsize>(count));
}
void write_part(std::ofstream& out, std::vector<float> const& of) {
  write_part(out, of.data(), of.size() * sizeof(float));
}

kernel_image image_for(feature_set const& has, rng& random) {
  orc_backend by(machine_with(has));
  auto const space = derive_space(ops::matmul(rows, columns, depth).program(), by.target());
  workload const work(space, by.target());
  auto const chosen = sampler(space.knobs, space.constraints).draw(random);
  auto const made = by.compile(work.lower(chosen), work.signature());
  REQUIRE_MESSAGE(made.image, made.diagnostics);
  return *made.image;
}

}  // namespace

TEST_CASE("feature masks: 20 images on 30 processors are refused for what is missing, or run") {
  char const* const emulator = std::getenv("TTUNE_X86_EMULATOR");
  char const* const program = std::getenv("TTUNE_X86_IMAGES");
  TTUNE_SKIP_UNLESS("x86", emulator && program && std::filesystem::exists(program),
                    "qemu-user is not installed, or TTUNE_X86_EMULATOR and TTUNE_X86_IMAGES do not name it");
  rng random(1);
  ttune_test::temporary_folder const folder;
  std::vector<feature_set> images(20);
  {
    std::ofstream out(folder / "images", std::ios::binary);
    for (auto& has : images) {
      has = draw(random);
      auto const bytes = to_bytes(image_for(has, random));
      write_part(out, bytes.data(), bytes.size());
      write_part(out, numbers(rows * depth, 5));
      write_part(out, numbers(depth * columns, 7));
      write_part(out, std::vector<float>(rows * columns));
    }
  }
  auto const wanted = expected_line();
  int ran = 0;
  int refused = 0;
  for (int m = 0; m < 30; ++m) {
    auto const machine = draw_processor(random);
    auto const command = std::string(emulator) + " -cpu " + emulated_cpu(machine) + " " + program + " < " +
                         (folder / "images") + " > " + (folder / "out") + " 2> " + (folder / "err");
    INFO(command);
    CHECK(std::system(command.c_str()) == 0);
    std::ifstream lines(folder / "out");
    for (auto const& has : images) {
      std::string line;
      CHECK(std::getline(lines, line));
      auto const missing = lacks(has, machine);
      ++(missing.empty() ? ran : refused);
      CHECK(line == (missing.empty() ? wanted : "kernel matmul needs " + missing + ", which this processor lacks"));
    }
  }
  CHECK(ran > 60);
  CHECK(refused > 60);
}

}  // namespace feature_masks_tests
