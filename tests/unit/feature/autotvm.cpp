// SPDX-License-Identifier: Apache-2.0
// AutoTVM's features, compared with values computed by hand: relation features of the slide's product, and the loops of
// its CUDA convolution.
#include "ttune/feature/autotvm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ttune/loop_nest/instantiate.hpp"
#include "ttune/ops/cuda_conv2d_template.hpp"
#include "ttune/records/record.hpp"

namespace autotvm_tests {

using namespace ttune;

namespace {

/// for y < 8, for x < 8, for k < 8: C[y][x] += A[k][y] * B[k][x]
plan slide() {
  auto const [y, x, k] = axes<"y", "x", "k">;
  tensor<"A", float, 2> const A{{8, 8}};
  tensor<"B", float, 2> const B{{8, 8}};
  auto const C = compute<"C">(y, x) = sum(over(k), A(k, y) * B(k, x));
  return make_plan({op(inputs(A, B), outputs(C)).program(), {}, {}, {}, {}});
}

struct example {
  space made = ops::cuda_conv2d_template({1, 256, 28, 28, 128, 3, 2, 1});
  plan p = make_plan(made);
  configuration chosen = find_configuration(made.knobs, {{"tile_f", -1, {4, 2, 8, 2}},
                                                         {"tile_y", -1, {2, 1, 7, 1}},
                                                         {"tile_x", -1, {7, 1, 2, 1}},
                                                         {"tile_rc", -1, {32, 2, 4}},
                                                         {"tile_ry", -1, {3, 1, 1}},
                                                         {"tile_rx", -1, {1, 1, 3}},
                                                         {"auto_unroll_max_step", -1, {512}},
                                                         {"unroll_explicit", -1, {1}}})
                             .value();
  loop_nest n;
  example() { instantiate(p, chosen, n); }
};

}  // namespace

TEST_CASE("curve features of the slide") {
  auto const p = slide();
  loop_nest n;
  instantiate(p, {}, n);
  // A: counts 64 8 8, reuse 8 8 1 -> sorted with a 0 in front: count 0 3 3 6, reuse 0 0 3 3, topdown 0 3 6 9
  std::vector<float> const a = {0, 0, 3, 0, 0, 0, 0, 0};
  std::vector<float> const b = {0, 0, 6, 0, 0, 0, 0, 0};  // count 0 3 6 6, reuse 0 0 0 3
  std::vector<float> const c = {3, 0, 0, 0, 3, 0, 0, 0};  // count 0 0 3 6, reuse 0 3 3 3
  std::vector<float> shipped = a;
  shipped.insert(shipped.end(), b.begin(), b.end());
  shipped.insert(shipped.end(), c.begin(), c.end());
  CHECK(autotvm::curve_features(p, n, {}, autotvm::curve_as_shipped) == shipped);

  auto const row = autotvm::curve_features(p, n, {}, autotvm::curve_fixed);
  REQUIRE(row.size() == 3 * 4 * 20 * 2);
  auto const at = [&](std::size_t access, std::size_t curve, std::size_t threshold) {
    auto const i = ((access * 4 + curve) * 20 + threshold) * 2;
    return std::pair(row[i], row[i + 1]);
  };
  using pair = std::pair<float, float>;
  CHECK(at(0, 0, 2) == pair(0, 2));  // A, count to reuse
  CHECK(at(0, 0, 3) == pair(3, 0));
  CHECK(at(0, 0, 19) == pair(3, 13));
  CHECK(at(0, 1, 2) == pair(3, 2));  // reuse to count
  CHECK(at(0, 1, 3) == pair(6, 0));
  CHECK(at(0, 2, 3) == pair(6, 0));  // count to topdown
  CHECK(at(0, 2, 6) == pair(9, 0));
  CHECK(at(0, 3, 8) == pair(3, 2));  // topdown to count
  CHECK(at(0, 3, 9) == pair(6, 0));
  CHECK(at(2, 1, 5) == pair(6, 2));
}

TEST_CASE("knob features are the entities of a log line") {
  example const e;
  CHECK(autotvm::knob_features(e.p, e.chosen) ==
        std::vector<float>{4, 2, 8, 2, 2, 1, 7, 1, 7, 1, 2, 1, 32, 2, 4, 3, 1, 1, 1, 1, 3, 512, 1});
}

TEST_CASE("itervar features of the CUDA convolution") {
  example const e;
  auto const vars = autotvm::loop_contexts(e.p, e.n);
  std::vector<double> lengths;
  for (auto const& v : vars) lengths.push_back(v.length);
  std::vector<double> const expected = {
      1,  4, 2, 7, 2, 1, 1, 8, 7, 2,  // n, blocks, virtual threads, threads
      32, 1, 3,                       // rco, ryo, rxo
      1,  1, 3, 2,                    // image: 8 channels of 8 threads, 15 rows of 7, 3 columns of 2
      4,  2, 3, 1,                    // weights: 32 filters of 8, 8 channels of 7, 3 rows, 1 column of 2
      2,  1, 1,                       // rcm, rym, rxm
      1,  4, 3, 1,                    // a thread's part of the image
      2,  4, 3, 1,                    // and of the weights
      4,  3, 1, 1, 2, 1, 1,           // rci, ryi, rxi, n, fi, yi, xi
      2,  1, 1};                      // stored: fi, yi, xi
  CHECK(lengths == expected);
  using kind = ir::loop_kind;
  for (std::size_t i = 0; i < vars.size(); ++i) {
    auto const is = i == 1   ? kind::block_z
                    : i == 2 ? kind::block_y
                    : i == 3 ? kind::block_x
                    : i < 4  ? kind::serial
                    : i < 7  ? kind::virtual_thread
                    : i == 7 ? kind::thread_z
                    : i == 8 ? kind::thread_y
                    : i == 9 ? kind::thread_x
                             : kind::serial;
    CHECK_MESSAGE(vars[i].kind == is, i);
  }
  auto const& tz = vars[7];
  CHECK(tz.nest_level == 8);
  CHECK(tz.topdown == 4 * 2 * 7 * 2 * 8);
  // In the weights' tile (32, 8, 3, 1), thread z begins 2 filters later, or fetches every eighth.
  CHECK(tz.touches.at("kernel_shared_0").stride == 8 * 3);
  CHECK(tz.touches.at("kernel_shared_1").stride == 2 * 8 * 3);
  CHECK(tz.touches.at("pad_temp_shared_1").stride == 0);  // all filters read one image
  CHECK(vars[8].touches.at("pad_temp_shared_1").stride == 2 * 3);
  CHECK(vars[1].touches.at("kernel_shared_0").stride == 0);  // each block has a tile of its own
  CHECK(vars[1].touches.at("kernel_0").stride == 32 * 256 * 9);
  CHECK(vars[10].touches.at("kernel_0").stride == 8 * 9);  // rco
  CHECK(vars[10].touches.at("kernel_shared_1").stride == 0);
  CHECK(vars[17].touches.at("kernel_shared_0").stride == 8 * 8 * 3);  // the next turn of a thread
}

}  // namespace autotvm_tests
