// SPDX-License-Identifier: Apache-2.0
// A reduction in tiles of blocks and threads, and the element-wise stage that takes its results. Ansor calls this
// structure SSSRRSRS:
//
//   block_x  all blocks, fused                              S
//     vthread  all virtual threads, fused                   S
//       thread_x  all threads, fused                        S
//         local acc[the rest of the axes]
//         for the outer parts of the reduced axes           R
//           group copies of the operands, fetched by all threads
//           barrier
//           for their inner parts                           R
//             for the rest of the axes: acc += …            S
//           barrier
//         store the results of the accumulators             S
//
// If warps multiply matrices (warp_matrices.hpp), a thread's part of rows and columns is its elements of some 16 x 8
// matrices, and there are no virtual threads. warpgroups.hpp has the products of four warps.
//
// Devices whose blocks have no memory of their own (Mali) fetch nothing: each thread loads vectors along the last axis,
// and its accumulators are vectors in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/gpu/matrices.hpp"
#include "ttune/autoschedule/gpu/seed_factors.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class gpu_tiles {
 public:
  /// `writer` reads the reduction element by element, in the order of its axes; or it is the reduction itself, which is
  /// then copied from its accumulators. Each block has one element of an axis in `shares`, since elements of such an
  /// axis are far apart.
  gpu_tiles(space_builder& out, plan const& p, stage_plan const& reduction, stage_plan const& writer,
            std::vector<std::string> const& shares)
      : out_(out),
        p_(p),
        r_(reduction),
        writer_(writer),
        name_(writer.definition->name),
        acc_(r_.definition->name),
        shares_(shares) {
    if (&reduction != &writer) return;
    acc_ += ".acc";
    out_.step(primitive::cache_write, name_, {}, {acc_});
  }

  void write() {
    cuts_.assign(r_.axis_count(), {});
    if (auto const matrices = warpgroup_axes()) return multiplied_by_warpgroups(*matrices);
    if (auto const matrices = find_matrix_axes(out_.machine(), r_)) return multiplied_by_warps(*matrices);
    cut_free_axes();
    cut_reduced_axes();
    auto const fetched = fetches();
    buffers_ = choose_buffers(fetched, has_many_results() ? 3 : 1);
    order_writer();
    if (!has_group_memory()) accumulate_vectors();
    for (auto const* a : fetched) fetch(*a);
    limit_block(fetched);
  }

 private:
  static constexpr int block = 0, vthread = 1, thread = 2, inner = 3;

  /// The knob with the parts of an axis.
  struct cut {
    std::int32_t knob = -1;
    [[nodiscard]] knob_value part(int p) const { return {knob, p, 0}; }
    /// Elements that a block works on, per element of its parts; without a knob, between two fetches.
    std::int64_t together = 1;
    int of_block = 1;  ///< matrices: the first of the two parts that a block works on; those before are blocks
    [[nodiscard]] bool is_cut() const { return knob >= 0 || together > 1; }
  };
  [[nodiscard]] std::size_t free_axes() const { return r_.definition->axes.size(); }
  [[nodiscard]] bool has_group_memory() const { return out_.machine().block_bytes > 0; }
  [[nodiscard]] bool numbers_shares(std::size_t x) const {
    return std::find(shares_.begin(), shares_.end(), r_.axis_name(x)) != shares_.end();
  }

  /// Returns true if all processors have blocks of 256 threads with 8 x 8 results each.
  [[nodiscard]] bool has_many_results() const {
    std::int64_t results = 1;
    for (std::size_t x = 0; x < free_axes(); ++x) results *= r_.axis_size(x);
    return results >= std::int64_t{out_.machine().cores} * 256 * 64;
  }

  /// Splits free axes. The seed has 16 threads along the last axis, 8 along the last one before it that is long enough.
  /// Each has 4 x 4 results, or, if there are many, 8 x 8, as two virtual threads along either axis: so 16 threads
  /// still read adjacent vectors of four elements.
  void cut_free_axes() {
    std::int64_t threads_left = std::min(out_.machine().block_threads, 256);
    std::int64_t tile_left = 16;
    std::int64_t virtuals_left = has_group_memory() && has_many_results() ? 4 : 1;
    for (auto x = free_axes(); x-- > 0;) {
      auto const extent = r_.axis_size(x);
      if (extent == 1 || numbers_shares(x)) continue;
      auto const& axis = r_.axis_name(x);
      factor_limits limits;
      limits.max_inner = 1024;
      limits.max_innermost = 16;
      limits.max_waste = 0.25;
      auto k = factors_knob(r_.definition->name + ".tile_" + axis, extent, 4, policy_of(extent), limits);
      auto const t = std::min<std::int64_t>({threads_left, 16, extent});
      auto const virtuals = extent >= 8 * t ? std::min<std::int64_t>(virtuals_left, 2) : 1;
      auto const seed = nearest_factors(k, {0, virtuals, t, std::min<std::int64_t>(tile_left, 4)});
      virtuals_left = std::max<std::int64_t>(1, virtuals_left / k.choice(seed)[vthread]);
      threads_left = std::max<std::int64_t>(1, threads_left / k.choice(seed)[thread]);
      seed_threads_ *= k.choice(seed)[thread];
      tile_left = std::max<std::int64_t>(1, tile_left / k.choice(seed)[inner]);
      auto const number = out_.add(std::move(k), seed).knob;
      cuts_[x] = {number};
      auto const& own = writer_.axis_name(x);
      out_.step(primitive::split, name_, {own}, {own + "_b", own + "_v", own + "_t", own + "_i"},
                {knob_value{number, 1, 0}, knob_value{number, 2, 0}, knob_value{number, 3, 0}});
    }
  }

  void cut_reduced_axes() {
    std::int64_t left = 8;
    for (auto x = r_.axis_count(); x-- > free_axes();) {
      auto const extent = r_.axis_size(x);
      if (extent == 1) continue;
      auto const& axis = r_.axis_name(x);
      factor_limits limits;
      limits.max_innermost = 64;
      limits.max_waste = 0.25;
      auto k = factors_knob(r_.definition->name + ".tile_" + axis, extent, 2, policy_of(extent), limits);
      auto const seed = nearest_factors(k, {0, std::min(left, extent)});
      left = std::max<std::int64_t>(1, left / k.choice(seed)[1]);
      auto const number = out_.add(std::move(k), seed).knob;
      cuts_[x] = {number};
      out_.step(primitive::split, acc_, {axis}, {axis + "_o", axis + "_n"}, {knob_value{number, 1, 0}});
    }
  }

  void order_writer() {
    std::vector<std::string> order;
    std::vector<std::string> parts[3];
    for (std::size_t x = 0; x < free_axes(); ++x)
      if (cuts_[x].knob < 0) {
        bool const share = numbers_shares(x);  // other axes of a block have one iteration
        order.insert(share ? order.end() : order.begin(), writer_.axis_name(x));
        if (share) parts[block].push_back(writer_.axis_name(x));
      }
    static constexpr char const* suffix[] = {"_b", "_v", "_t", "_i"};
    for (int p = block; p <= inner; ++p)
      for (std::size_t x = 0; x < free_axes(); ++x)
        if (cuts_[x].knob >= 0) {
          order.push_back(writer_.axis_name(x) + suffix[p]);
          if (p != inner) parts[p].push_back(order.back());
        }
    if (parts[block].empty())  // one element: one thread has all
      return out_.step(primitive::compute_at, acc_, {name_, order.back()});
    out_.step(primitive::reorder, name_, order);
    static constexpr char const* fused[] = {"blocks", "virtuals", "threads"};
    static constexpr ir::loop_kind kinds[] = {ir::loop_kind::block_x, ir::loop_kind::virtual_thread,
                                              ir::loop_kind::thread_x};
    for (int p = block; p <= thread; ++p) {
      auto const whole = out_.fused(name_, parts[p], fused[p]);
      out_.bind(name_, whole, kinds[p]);
      if (p == thread) out_.step(primitive::compute_at, acc_, {name_, whole});
    }
    auto const where = has_group_memory() ? ir::memory::local : ir::memory::registers;
    out_.step(primitive::store_in, acc_, {}, {}, {literal(static_cast<std::int64_t>(where))});
    std::vector<std::string> inside;
    for (auto const* s : {"_o", "_n"})
      for (auto x = free_axes(); x < r_.axis_count(); ++x)
        if (cuts_[x].knob >= 0) inside.push_back(r_.axis_name(x) + s);
    for (auto const& a : r_.definition->axes) inside.push_back(a.name);
    if (inside.size() > 1) out_.step(primitive::reorder, acc_, inside);
  }

  /// Accumulates in vectors: a thread's part of the last axis is lanes, its parts of the others are rows of lanes.
  void accumulate_vectors() {
    bool lanes = true;
    for (auto x = free_axes(); x-- > 0;) {
      if (cuts_[x].knob < 0) continue;
      auto const how = lanes ? primitive::vectorize : primitive::unroll;
      out_.step(how, name_, {writer_.axis_name(x) + "_i"});
      out_.step(how, acc_, {r_.axis_name(x)});
      lanes = false;
    }
  }

  // ------------------------------------------------------------------------------------------------- shared memory

  [[nodiscard]] std::string outer_reduced() const {
    std::string last;
    for (auto x = free_axes(); x < r_.axis_count(); ++x)
      if (cuts_[x].is_cut()) last = r_.axis_name(x) + "_o";
    return last;
  }

  /// Returns operands and earlier results that are read at one affine place, by several threads each.
  [[nodiscard]] std::vector<access_plan const*> fetches() {
    std::vector<access_plan const*> found;
    bool any_free = false;
    for (std::size_t x = 0; x < free_axes(); ++x) any_free = any_free || cuts_[x].knob >= 0;
    if (outer_reduced().empty() || !any_free || !has_group_memory()) return found;
    for (auto const& a : r_.accesses) {
      if (!is_fetched(a)) continue;
      found.push_back(&a);
      out_.step(primitive::cache_read, acc_, {name_of(a)}, {acc_ + "." + name_of(a)});
    }
    return found;
  }

  [[nodiscard]] bool is_fetched(access_plan const& a) const {
    auto const same = [&](access_plan const& b) {
      return !b.write && b.operand == a.operand && b.producer == a.producer;
    };
    bool const affine = std::none_of(a.indices.begin(), a.indices.end(), [](index_plan const& i) { return i.whole; });
    return !a.write && !a.indices.empty() && affine && is_plain_source(a) &&
           std::count_if(r_.accesses.begin(), r_.accesses.end(), same) == 1;
  }
  [[nodiscard]] bool is_plain_source(access_plan const& a) const {
    if (a.operand < 0) return producer(a).components.size() == 1;
    auto const role = operand(a).role;
    return role != ir::tensor_role::table && role != ir::tensor_role::inout;
  }
  [[nodiscard]] ir::tensor const& operand(access_plan const& a) const {
    return *p_.program->inputs[static_cast<std::size_t>(a.operand)];
  }
  [[nodiscard]] ir::stage const& producer(access_plan const& a) const {
    return *p_.stages[static_cast<std::size_t>(a.producer)].definition;
  }
  [[nodiscard]] std::string const& name_of(access_plan const& a) const {
    return a.operand >= 0 ? operand(a).name : producer(a).name;
  }
  [[nodiscard]] std::int32_t element_bytes(access_plan const& a) const {
    return static_cast<std::int32_t>(size_in_bytes(a.operand >= 0 ? operand(a).type : producer(a).type()));
  }

  /// Returns the number of parts of the operands in shared memory at once, usually a knob. More than two pay only on
  /// devices that copy while threads compute; the seed has more than one if waiting would take most of the time.
  [[nodiscard]] knob_value choose_buffers(std::vector<access_plan const*> const& fetched, std::size_t seed) {
    if (fetched.empty() || nvidia_architecture(out_.machine()) == 0) return literal(1);
    bool const copies = nvidia_architecture(out_.machine()) >= 80;
    auto const values = copies ? std::vector<std::int32_t>{1, 2, 3, 4} : std::vector<std::int32_t>{1, 2};
    return out_.add(one_of_knob(r_.definition->name + ".buffers", values),
                    static_cast<std::int32_t>(std::min(seed, values.size())) - 1);
  }

  [[nodiscard]] knob_value padding_of(access_plan const& a) const {
    for (auto const& [of, knob] : paddings_)
      if (of == &a) return knob;
    return literal(0);
  }

  /// Stores a copy of an operand in shared memory; returns its name.
  std::string store_copy(access_plan const& a) {
    auto const copy = acc_ + "." + name_of(a);
    out_.step(primitive::compute_at, copy, {acc_, outer_reduced()});
    auto const in_group = literal(static_cast<std::int64_t>(ir::memory::shared));
    std::vector<knob_value> stored{in_group};
    if (auto const padding = padding_of(a); padding.knob >= 0) stored.push_back(padding);
    out_.step(primitive::store_in, copy, {}, {}, stored);
    if (auto const apart = swizzles_.find(&a); apart != swizzles_.end())
      out_.step(primitive::swizzle, copy, {}, {}, apart->second);
    if (buffers_.knob >= 0) {
      std::vector<knob_value> values{buffers_};
      if (held_ > 0) values.push_back(literal(held_));
      out_.step(primitive::double_buffer, copy, {}, {}, values);
    }
    return copy;
  }

  void fetch(access_plan const& a) {
    auto const copy = store_copy(a);
    auto axes = copy_axis_names(r_, a);
    auto const vector = 16 / element_bytes(a);
    bool const wide = cuts_[last_moved(a)].together > 1 && shape_of(p_, r_, a).back() % vector == 0;
    if (wide) {  // whole vectors of neighbouring elements
      auto const last = axes.back();
      out_.step(primitive::split, copy, {last}, {last + "_a", last + "_s"}, {literal(vector)});
      out_.step(primitive::vectorize, copy, {last + "_s"});
      axes.back() = last + "_a";
    }
    out_.bind(copy, out_.fused(copy, axes, "all"), ir::loop_kind::thread_x);
  }

  /// Returns an axis that moves the last index of an access, if possible by one element.
  [[nodiscard]] static std::size_t last_moved(access_plan const& a) {
    auto const& c = a.indices.back().coefficient;
    auto found = std::find(c.begin(), c.end(), 1);
    if (found == c.end()) found = std::find_if(c.begin(), c.end(), [](std::int64_t v) { return v != 0; });
    return found == c.end() ? 0 : static_cast<std::size_t>(found - c.begin());
  }

  // ---------------------------------------------------------------------------- matrices of warps (warp_matrices.hpp)

  void choose_banks(std::vector<access_plan const*> const& fetched, matrix_axes const& m);
  void multiplied_by_warps(matrix_axes const& m);
  [[nodiscard]] std::vector<std::string> matrix_blocks(matrix_axes const& m) const;
  void keep_matrix_sums(std::string const& columns);
  [[nodiscard]] std::vector<std::string> loops_around_products(matrix_axes const& m) const;
  void accumulate_matrices(matrix_axes const& m);
  void cut_matrices(std::size_t x, std::int64_t size, std::vector<std::int64_t> const& wanted,
                    std::int32_t most_inner = 8);

  // --------------------------------------------------------------------- matrices of four warps (warpgroups.hpp)

  [[nodiscard]] std::optional<matrix_axes> warpgroup_axes() const;
  void multiplied_by_warpgroups(matrix_axes const& m);
  void accumulate_by_warpgroups(matrix_axes const& m);
  [[nodiscard]] bool has_many_warpgroup_tiles(matrix_axes const& m) const;
  void fetch_lines(access_plan const& a, matrix_axes const& m);

  // ------------------------------------------------------------------------------------------------------- limits

  /// Returns the number of elements along an axis that a block works on between two fetches.
  [[nodiscard]] knob_expression tile(std::size_t x) const {
    auto const& c = cuts_[x];
    if (c.knob < 0) return c.together;
    if (x >= free_axes()) return c.part(1) * c.together;
    if (c.together > 1)
      return knob_expression(c.part(c.of_block)) * knob_expression(c.part(c.of_block + 1)) *
             knob_expression(c.together);
    return knob_expression(c.part(vthread)) * knob_expression(c.part(thread)) * knob_expression(c.part(inner));
  }

  void limit_block(std::vector<access_plan const*> const& fetched);
  [[nodiscard]] static bool is_window(access_plan const& a);
  void limit_registers(knob_expression const& threads, knob_expression const& own, std::int64_t beside);
  void limit_group_memory(std::vector<access_plan const*> const& fetched);

  space_builder& out_;
  plan const& p_;
  stage_plan const& r_;
  stage_plan const& writer_;
  std::string name_;  ///< name of the writer
  std::string acc_;   ///< name of the accumulating stage
  std::vector<std::string> const& shares_;
  std::vector<cut> cuts_;            ///< [axis of the reduction]
  std::int64_t seed_threads_ = 1;    ///< threads of a block
  knob_value buffers_ = literal(1);  ///< buffers of each copy in shared memory
  std::int64_t held_ = 0;            ///< iterations for which their parts stay unchanged after their own
  std::vector<std::pair<access_plan const*, knob_value>> paddings_;
  std::map<access_plan const*, std::vector<knob_value>> swizzles_;  ///< distances of rows, as factors
};

}}}  // namespace ttune::v0::autoschedule
