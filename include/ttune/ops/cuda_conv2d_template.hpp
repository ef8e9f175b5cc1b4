// SPDX-License-Identifier: Apache-2.0
// A hand-written space: the direct convolution (NCHW) of TVM's CUDA tutorial, which AutoTVM was published with and
// which its recorded runs name. Knobs, choices and their order are AutoTVM's, so that its records are configurations of
// this space:
//
//   for f, y, x over blocks, virtual threads, threads:                      tile_f, tile_y, tile_x: 4 parts
//     for rc, ry, rx outermost:                                             tile_rc, tile_ry, tile_rx: 3 parts
//       pad_temp_shared, kernel_shared = …                                  fetched by all threads of the block
//       for rc, ry, rx in the middle:
//         pad_temp_local, kernel_local = …
//         for rc, ry, rx, f, y, x innermost: compute_local += …
//     compute = compute_local
//
// Knob tile_rx splits the rows of the filter and tile_ry its columns, as in TVM.
// One difference: TVM fuses the four axes of a fetch and divides the result among the threads; here each direction of
// threads takes one axis of the fetch.
#pragma once

#include <optional>
#include <span>

#include "ttune/ops/conv2d.hpp"
#include "ttune/schedule/schedule_builder.hpp"

namespace ttune { inline namespace v0 { namespace ops {

/// Limits of a thread block.
struct gpu_block_limits {
  std::int64_t threads = 1024;
  std::int64_t bytes = 49152;  ///< bytes of shared memory
};

namespace detail {

inline knob_expression column(std::int32_t knob, std::int32_t part) { return knob_value{knob, part, 0}; }
/// Returns the iterations of a block along an axis: the product of all parts except the blocks.
inline knob_expression block_tile(std::int32_t knob) { return column(knob, 1) * column(knob, 2) * column(knob, 3); }
/// Returns the iterations of a reduced axis between two fetches.
inline knob_expression fetched(std::int32_t knob) { return column(knob, 1) * column(knob, 2); }

}  // namespace detail

/// Returns the space of all configurations, including those beyond the limits of a device, as in AutoTVM. Throws
/// schedule_error if the shape leaves no output.
/// Shape: data (N, C, H, W), kernel (F, C, R, S) -> compute (N, F, OH, OW), row-major
[[nodiscard]] inline space cuda_conv2d_template(conv2d_shape const& s) {
  using ir::loop_kind;
  auto const [n, f, y, x, c, r, t] = axes<"n", "f", "y", "x", "c", "r", "s">;
  auto const [row, column] = axes<"h", "w">;
  tensor<"data", float, 4> const data{{s.batch, s.channels, s.height, s.width}};
  tensor<"kernel", float, 4> const kernel{{s.filters, s.channels, s.kernel, s.kernel}};
  auto const pad = compute<"pad_temp_shared">(n.in(s.batch), c.in(s.channels), row.in(s.height + 2 * s.padding),
                                              column.in(s.width + 2 * s.padding)) =
      zero_outside(data)(n, c, row - s.padding, column - s.padding);
  auto const O = compute<"compute">(n, f, y.in(s.out_height()), x.in(s.out_width())) =
      sum(over(c, r, t), pad(n, c, y * s.stride + r, x * s.stride + t) * kernel(f, c, r, t));

  schedule_builder w(op(inputs(data, kernel), outputs(O), "conv2d").program(), "compute");
  auto const tile = [&w](char const* knob, std::string const& loop, std::vector<std::string> parts) {
    split_choice const choice{{}, knob, static_cast<std::int32_t>(parts.size())};
    w.split(loop, choice, std::move(parts));
  };
  auto const bind = [&w](char const* loop, loop_kind kind) {
    w.add(primitive::bind, {loop}, {}, {literal(static_cast<std::int64_t>(kind))});
  };
  auto const cache_read = [&w](char const* source, char const* copy) {
    w.add(primitive::cache_read, {source}, {copy});
  };
  w.add(primitive::cache_write, {}, {"compute_local"});
  tile("tile_f", "f", {"bf", "vf", "tf", "fi"});
  tile("tile_y", "y", {"by", "vy", "ty", "yi"});
  tile("tile_x", "x", {"bx", "vx", "tx", "xi"});
  w.add(primitive::reorder, {"n", "bf", "by", "bx", "vf", "vy", "vx", "tf", "ty", "tx", "fi", "yi", "xi"});
  bind("bf", loop_kind::block_z);
  bind("by", loop_kind::block_y);
  bind("bx", loop_kind::block_x);
  w.fuse({"vf", "vy", "vx"}, "v");
  bind("v", loop_kind::virtual_thread);
  bind("tf", loop_kind::thread_z);
  bind("ty", loop_kind::thread_y);
  bind("tx", loop_kind::thread_x);

  w.enter("compute_local");
  cache_read("kernel", "kernel_shared");
  cache_read("pad_temp_shared", "pad_temp_local");
  cache_read("kernel_shared", "kernel_local");
  tile("tile_rc", "c", {"rco", "rcm", "rci"});
  tile("tile_ry", "s", {"rxo", "rxm", "rxi"});
  tile("tile_rx", "r", {"ryo", "rym", "ryi"});
  w.add(primitive::reorder, {"rco", "ryo", "rxo", "rcm", "rym", "rxm", "rci", "ryi", "rxi", "n", "f", "y", "x"});
  w.add(primitive::compute_at, {"compute", "tx"});
  for (char const* const copy : {"pad_temp_local", "kernel_local"}) {
    w.enter(copy);
    w.add(primitive::compute_at, {"compute_local", "rxm"});
  }
  auto const fetch = [&](char const* stage, char const* z, char const* y_loop, char const* x_loop) {
    w.enter(stage);
    w.add(primitive::compute_at, {"compute_local", "rxo"});
    w.add(primitive::store_in, {}, {}, {literal(static_cast<std::int64_t>(ir::memory::shared))});
    bind(z, loop_kind::thread_z);
    bind(y_loop, loop_kind::thread_y);
    bind(x_loop, loop_kind::thread_x);
  };
  fetch("pad_temp_shared", "c", "h", "w");
  fetch("kernel_shared", "f", "c", "s");
  auto made = w.space();
  for (auto& k : {one_of_knob("auto_unroll_max_step", {0, 512, 1500}), one_of_knob("unroll_explicit", {0, 1})}) {
    made.steps.push_back(
        {primitive::annotate, "compute", {"n"}, {k.name}, {{static_cast<std::int32_t>(made.knobs.size()), 0, 0}}});
    made.knobs.push_back(k);
    made.seed.choices.push_back(0);
  }
  return made;
}

/// Adds constraints for the limits of a device: threads of a block, and bytes of the two fetched tiles. `of` is the
/// space of cuda_conv2d_template for `s`.
[[nodiscard]] inline space within_limits(space of, conv2d_shape const& s, gpu_block_limits const& limits = {}) {
  enum : std::int32_t { tile_f, tile_y, tile_x, tile_rc, tile_ry, tile_rx };
  auto const threads = detail::column(tile_f, 2) * detail::column(tile_y, 2) * detail::column(tile_x, 2);
  auto const rows = (detail::block_tile(tile_y) - 1) * s.stride + detail::fetched(tile_rx);
  auto const columns = (detail::block_tile(tile_x) - 1) * s.stride + detail::fetched(tile_ry);
  auto const weights =
      detail::block_tile(tile_f) * detail::fetched(tile_rc) * detail::fetched(tile_rx) * detail::fetched(tile_ry);
  of.constraints.push_back({threads <= limits.threads, "threads of a block"});
  of.constraints.push_back(
      {(detail::fetched(tile_rc) * rows * columns + weights) * 4 <= limits.bytes, "shared memory of a block"});
  return of;
}

/// Converts the extents of an AutoTVM task, as read_autotvm_log returns them: N, H, W, CO, CI, KH, KW, strides,
/// paddings. Returns nothing unless filters, strides and paddings are equal in both directions.
[[nodiscard]] inline std::optional<conv2d_shape> conv2d_shape_of_autotvm(std::span<std::int64_t const> e) {
  if (e.size() != 11 || e[5] != e[6] || e[7] != e[8] || e[9] != e[10]) return std::nullopt;
  return conv2d_shape{e[0], e[4], e[1], e[2], e[3], e[5], e[7], e[9]};
}

}}}  // namespace ttune::v0::ops
