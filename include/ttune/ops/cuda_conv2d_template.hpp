// SPDX-License-Identifier: Apache-2.0
// A space written by hand: the direct convolution (NCHW) of TVM's CUDA tutorial, which AutoTVM was published with and
// which its recorded runs name. Knobs, choices and their order are AutoTVM's, so its records are configurations here:
//
//   for f, y, x over blocks, virtual threads, threads:                      tile_f, tile_y, tile_x: 4 parts
//     for rc, ry, rx outermost:                                             tile_rc, tile_ry, tile_rx: 3 parts
//       pad_temp_shared, kernel_shared = …                                  fetched by all threads of the block
//       for rc, ry, rx in the middle:
//         pad_temp_local, kernel_local = …
//         for rc, ry, rx, f, y, x innermost: compute_local += …
//     compute = compute_local
//
// As there, knob tile_rx cuts the rows of the filter and tile_ry its columns. Elsewhere TVM fuses the four axes of a
// fetch before it deals them out to the threads; here each direction of threads takes one axis of it.
#pragma once

#include <optional>
#include <span>

#include "ttune/ops/conv2d.hpp"
#include "ttune/schedule.hpp"

namespace ttune::inline v0::ops {

/// What a thread block may use.
struct gpu_block_limits {
  std::int64_t threads = 1024;
  std::int64_t bytes = 49152;  ///< of group memory
};

namespace detail {

inline knob_expression column(std::int32_t knob, std::int32_t part) { return knob_value{knob, part, 0}; }
/// Iterations of a block along an axis: all parts but the blocks.
inline knob_expression block_tile(std::int32_t knob) { return column(knob, 1) * column(knob, 2) * column(knob, 3); }
/// Iterations of a reduced axis between two fetches.
inline knob_expression fetched(std::int32_t knob) { return column(knob, 1) * column(knob, 2); }

}  // namespace detail

/// All configurations, those beyond the limits of a device among them, as AutoTVM had it.
/// Shape: data (N, C, H, W), kernel (F, C, R, S) -> compute (N, F, OH, OW), row-major
/// Throws schedule_error if the shape leaves no output.
[[nodiscard]] inline space cuda_conv2d_template(conv2d_shape const& s) {
  using ir::loop_kind;
  const auto [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  const auto [h, w] = axes<"h", "w">;
  const tensor<"data", float, 4> data{{s.batch, s.channels, s.height, s.width}};
  const tensor<"kernel", float, 4> kernel{{s.filters, s.channels, s.kernel, s.kernel}};
  const auto pad = compute<"pad_temp_shared">(n.in(s.batch), c.in(s.channels), h.in(s.height + 2 * s.padding),
                                              w.in(s.width + 2 * s.padding)) =
      zero_outside(data)(n, c, h - s.padding, w - s.padding);
  const auto O = compute<"compute">(n, f, y.in(s.out_height()), x.in(s.out_width())) =
      sum(over(c, r, t), pad(n, c, y * s.stride + r, x * s.stride + t) * kernel(f, c, r, t));

  const auto [bf, vf, tf, fi] = axes<"bf", "vf", "tf", "fi">;
  const auto [by, vy, ty, yi] = axes<"by", "vy", "ty", "yi">;
  const auto [bx, vx, tx, xi] = axes<"bx", "vx", "tx", "xi">;
  const auto [rco, rcm, rci, ryo, rym, ryi] = axes<"rco", "rcm", "rci", "ryo", "rym", "ryi">;
  const auto [rxo, rxm, rxi, v] = axes<"rxo", "rxm", "rxi", "v">;
  const auto tiled = schedule(op(inputs(data, kernel), outputs(O), "conv2d"), O)
                         .cache_write("compute_local")
                         .split(f, factors<4>("tile_f"), bf, vf, tf, fi)
                         .split(y, factors<4>("tile_y"), by, vy, ty, yi)
                         .split(x, factors<4>("tile_x"), bx, vx, tx, xi)
                         .reorder(n, bf, by, bx, vf, vy, vx, tf, ty, tx, fi, yi, xi)
                         .bind(bf, loop_kind::block_z)
                         .bind(by, loop_kind::block_y)
                         .bind(bx, loop_kind::block_x)
                         .fuse(vf, vy, vx, v)
                         .bind(v, loop_kind::virtual_thread)
                         .bind(tf, loop_kind::thread_z)
                         .bind(ty, loop_kind::thread_y)
                         .bind(tx, loop_kind::thread_x);
  const auto local = tiled.in("compute_local")
                         .cache_read(kernel, "kernel_shared")
                         .cache_read(std::string("pad_temp_shared"), "pad_temp_local")
                         .cache_read(std::string("kernel_shared"), "kernel_local")
                         .split(c, factors<3>("tile_rc"), rco, rcm, rci)
                         .split(t, factors<3>("tile_ry"), rxo, rxm, rxi)
                         .split(r, factors<3>("tile_rx"), ryo, rym, ryi)
                         .reorder(rco, ryo, rxo, rcm, rym, rxm, rci, ryi, rxi, n, f, y, x)
                         .compute_at(O, tx);
  space made = local.in("pad_temp_local")
                   .compute_at(std::string("compute_local"), rxm)
                   .in("kernel_local")
                   .compute_at(std::string("compute_local"), rxm)
                   .in("pad_temp_shared")
                   .compute_at(std::string("compute_local"), rxo)
                   .store_in(ir::memory::group)
                   .bind(c, loop_kind::thread_z)
                   .bind(h, loop_kind::thread_y)
                   .bind(w, loop_kind::thread_x)
                   .in("kernel_shared")
                   .compute_at(std::string("compute_local"), rxo)
                   .store_in(ir::memory::group)
                   .bind(f, loop_kind::thread_z)
                   .bind(c, loop_kind::thread_y)
                   .bind(t, loop_kind::thread_x);
  for (auto& k : {one_of_knob("auto_unroll_max_step", {0, 512, 1500}), one_of_knob("unroll_explicit", {0, 1})}) {
    made.steps.push_back({primitive::annotate, "compute", {"n"}, {k.name}, {{static_cast<std::int32_t>(made.knobs.size()), 0, 0}}});
    made.knobs.push_back(k);
    made.seed.choices.push_back(0);
  }
  return made;
}

/// Leaves only what a device can run: threads of a block, and bytes of the two fetched tiles. `of` is the space of
/// cuda_conv2d_template for `s`.
[[nodiscard]] inline space within_limits(space of, conv2d_shape const& s, gpu_block_limits const& limits = {}) {
  enum : std::int32_t { tile_f, tile_y, tile_x, tile_rc, tile_ry, tile_rx };
  auto const threads = detail::column(tile_f, 2) * detail::column(tile_y, 2) * detail::column(tile_x, 2);
  auto const rows = (detail::block_tile(tile_y) - 1) * s.stride + detail::fetched(tile_rx);
  auto const columns = (detail::block_tile(tile_x) - 1) * s.stride + detail::fetched(tile_ry);
  auto const weights = detail::block_tile(tile_f) * detail::fetched(tile_rc) * detail::fetched(tile_rx) * detail::fetched(tile_ry);
  of.constraints.push_back({threads <= limits.threads, "threads of a block"});
  of.constraints.push_back({(detail::fetched(tile_rc) * rows * columns + weights) * 4 <= limits.bytes, "group memory of a block"});
  return of;
}

/// The shape of a task of AutoTVM: N, H, W, CO, CI, KH, KW, strides, paddings, as read_autotvm_log gives them.
/// Nothing unless filters, strides and paddings are the same in both directions.
[[nodiscard]] inline std::optional<conv2d_shape> conv2d_shape_of_autotvm(std::span<std::int64_t const> e) {
  if (e.size() != 11 || e[5] != e[6] || e[7] != e[8] || e[9] != e[10]) return std::nullopt;
  return conv2d_shape{e[0], e[4], e[1], e[2], e[3], e[5], e[7], e[9]};
}

}  // namespace ttune::inline v0::ops
