// SPDX-License-Identifier: Apache-2.0
// A small image library for programs in C, 1: tunes its operators for two instruction sets, and leaves the kernels in a
// database. `ttune export` makes the library of it (examples/meson.build), and 18_image_library.c uses that.
#include <ttune/backends/orc.hpp>
#include <ttune/core/named_target.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/shape_kernel.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace ttune::literals;

// [operators]
constexpr std::int64_t height = 240, width = 320;
ttune::dim const any_height{"height", 1, 2160}, any_width{"width", 1, 3840};

/// Brightness of an image of bytes. Shape: I (240, 320, 3) -> L (240, 320)
auto luminance() {
  auto const [y, x] = ttune::axes<"y", "x">;
  ttune::tensor<"I", std::uint8_t, 3> const I{{height, width, 3}};
  auto const of = [&](int colour) { return ttune::cast<float>(I(y, x, colour)); };
  auto const L = ttune::compute<"L">(y, x) = of(0) * 0.299F + of(1) * 0.587F + of(2) * 0.114F;
  return ttune::op(inputs(I), outputs(L), "luminance");
}

/// A window of 5 x 5 on an image of any size, whose weights are laid out once.
/// Shape: A (height, width), W (5, 5) -> B (height, width)
auto filter() {
  auto const [y, x, s, t] = ttune::axes<"y", "x", "s", "t">;
  ttune::tensor<"A", float, 2> const A{{any_height, any_width}};
  ttune::constant<"W", float, 2> const W{{5, 5}};
  auto const a = ttune::clamp_outside(A);
  auto const B = ttune::compute<"B">(y.in(any_height), x.in(any_width)) =
      ttune::sum(over(s, t), a(y + s - 2, x + t - 2) * W(s, t));
  return ttune::op(inputs(A, W), outputs(B), "filter");
}

/// A curve of tones, 255 / (1 + exp(-(a - 128) / 32)). Shape: A (240, 320) -> B (240, 320)
auto tones() {
  auto const [y, x] = ttune::axes<"y", "x">;
  ttune::tensor<"A", float, 2> const A{{height, width}};
  auto const B = ttune::compute<"B">(y, x) = 255.0F / (1.0F + ttune::exp((128.0F - A(y, x)) / 32.0F));
  return ttune::op(inputs(A), outputs(B), "tones");
}
// [/operators]

// [tune]
/// Returns the instruction sets that the library supports, as far as this machine can time them.
std::vector<ttune::target> machines() {
  std::vector<ttune::target> made;
  for (auto const* name : {"x86-64-v2", "x86-64-v3", "aarch64"}) {
    auto const one = ttune::named_target(name, ttune::probe_host());
    if (ttune::is_host_architecture(one.name) && ttune::missing_features(one.features).empty()) made.push_back(one);
  }
  return made;
}

void tune_into(std::string const& database) {
  for (auto const& machine : machines()) {
    ttune::tuner tuner{ttune::orc_backend{machine},
                       {.records = ttune::sqlite{database}, .worker = ttune::worker::self{}}};
    ttune::tuning_budget const few{.trials = 6, .time = 5s};
    std::cout << tuner.tune(luminance(), few).report() << tuner.tune(tones(), few).report();
    ttune::shape_options const sizes{
        .likely = {{{{any_height, 240}, {any_width, 320}}, 0.5}, {{{any_height, 1080}, {any_width, 1920}}, 0.5}},
        .most_kernels = 2};
    std::cout << ttune::tune_shapes(tuner, filter(), sizes, few).choice() << '\n';
  }
}
// [/tune]

}  // namespace

int main(int argc, char** argv) {
  if (ttune::is_worker(argc, argv)) return ttune::run_worker();
  try {
    std::string const database = argc > 1 ? argv[1] : "18_image_library.db";
    for (auto const* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(database + suffix);
    tune_into(database);
    return EXIT_SUCCESS;
  } catch (std::exception const& failure) {
    std::cerr << failure.what() << "\n";
    return EXIT_FAILURE;
  }
}
