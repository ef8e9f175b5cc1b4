// SPDX-License-Identifier: Apache-2.0
// The schedule of a reduction with a vectorisable free axis: matrix products, convolutions, pooling, stencils.
//
//   parallel a0 b0 …                 the tasks
//     for a1 b1 …                    in an order that is a knob
//       [pack the operands here or further out]
//       registers acc[row tile, vector tile]
//       for k: unroll row, vectorize v: acc += …
//       store the tile, with what is fused behind the reduction
//
// Sums of more than 8192 terms without such copies are made in runs of about 1024, which are added in a second tile of
// accumulators: a sum of n terms in f32, one after the other, loses log2(n) / 2 bits and more.
//
// In measurements over tile shapes and packings this structure reached 0.95–1.0 of the FMA peak.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "ttune/autoschedule/blocks.hpp"
#include "ttune/autoschedule/cpu/packing.hpp"
#include "ttune/autoschedule/cpu/register_tile.hpp"
#include "ttune/autoschedule/cpu/term_blocks.hpp"
#include "ttune/autoschedule/dot_pattern.hpp"
#include "ttune/autoschedule/phases.hpp"
#include "ttune/ir/tuple.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

/// The part of an axis that a task of another stage computes at a time; without a name, all of all axes.
struct part_at_once {
  std::string axis;
  std::int64_t elements = 0;
};

class contraction {
 public:
  /// `reader` stores what `reduction` accumulates; both have the same free axes. Only names, because stages may be new.
  contraction(space_builder& out, plan const& p, stage_plan const& reduction, std::string reader_name,
              std::string reduction_name, stage_plan const& reader, block_axis blocks = {}, part_at_once part = {})
      : out_(out),
        p_(p),
        r_(reduction),
        e_(reader),
        reader_(std::move(reader_name)),
        acc_(std::move(reduction_name)),
        blocks_(std::move(blocks)),
        part_(std::move(part)) {
    lanes_ = out_.machine().lanes(r_.definition->type());
    v_ = choose_vector_axis(p_, r_, lanes_).axis;
    w_ = choose_row_axis(p_, r_, v_);
    dot_ = choose_dot();
  }

  void write() {
    choose_tiles();
    order_reduced();
    blocked_ = choose_term_blocks();
    split_reader();
    if (blocked_) sum_blocks_of_terms();
    else if (!operand_packing(out_, p_, r_, tiled()).copies_operands()) sum_in_runs();
    place_accumulators();
    operand_packing(out_, p_, r_, tiled()).write();
  }

 private:
  [[nodiscard]] tiled_reduction tiled() const {
    return {.reader = reader_,
            .accumulators = acc_,
            .panel_stage = blocked_ ? around_[0] : reader_,
            .panel_loop = (blocked_ ? name(v_) : reader_axis(v_)) + "_1",
            .blocked = blocked_ ? name(blocked_.axis) : std::string(),
            .vector_axis = v_,
            .vector_tile = tile_v_,
            .rolled = rolled_,
            .windows = windows_,
            .dot = dot_,
            .lanes = lanes_,
            .tasks = tasks_of_panel_,
            .for_a_block = !blocks_.name.empty() && !blocks_.is_last};
  }

  [[nodiscard]] std::int64_t size(std::int32_t axis) const { return r_.axis_size(static_cast<std::size_t>(axis)); }
  [[nodiscard]] std::int64_t size_at_once(std::int32_t axis) const {
    return name(axis) == part_.axis ? std::min(part_.elements, size(axis)) : size(axis);
  }
  [[nodiscard]] std::string const& name(std::int32_t axis) const {
    return r_.axis_name(static_cast<std::size_t>(axis));
  }
  [[nodiscard]] std::string const& reader_axis(std::int32_t axis) const {
    return e_.axis_name(static_cast<std::size_t>(axis));
  }
  /// Returns the number of phases of an axis, in the reduction and in its reader. A tile has whole periods.
  [[nodiscard]] std::int64_t phases(std::int32_t axis) const {
    if ((axis == w_ && !rows_have_phases_) || (axis == v_ && !vectors_have_phases_)) return 1;
    auto const own = phases_of(r_, name(axis));
    if (axis < 0 || axis >= static_cast<std::int32_t>(r_.definition->axes.size())) return own;
    auto const both = std::lcm(own, phases_of(e_, reader_axis(axis)));
    return both > most_phases ? 1 : both;
  }
  [[nodiscard]] std::string knob_name(std::string const& what) const { return reader_ + "." + what; }

  /// Returns the reduced axis for dot products of the machine, if there is one and the operand in vectors can be laid
  /// out for it.
  [[nodiscard]] dot_terms choose_dot() const {
    auto const found = find_dot_terms(out_.machine(), p_, r_, static_cast<std::size_t>(v_));
    if (!found) return {};
    auto const& a = r_.accesses[found.in_vectors];
    if (is_window(found.axis) || is_guarded(r_, static_cast<std::size_t>(found.axis))) return {};
    if (found.slides()) return found;
    if (!starts_at_zero(r_)) return {};
    if (is_laid_out_ahead(p_, r_, a)) return found;
    if (!is_packable(p_, r_, a, v_) || (!is_constant_operand(p_, a) && !has_reuse(p_, r_, a))) return {};
    return found;
  }

  // ---------------------------------------------------------------------------------------------------- tiles

  /// Chooses tiles of rows x vectors of accumulators; some vector registers remain for loaded values.
  void choose_tiles() {
    leave_out_phases();
    auto const registers = out_.machine().vector_registers;
    auto const v_size = size(v_);
    auto const w_size = w_ < 0 ? 1 : size(w_);
    std::vector<std::int32_t> vector_tiles;
    auto const turns = static_cast<std::int32_t>(phases(v_));
    if (turns > 1) {
      for (std::int32_t n = 1; n <= 4 && (n - 1) * turns * lanes_ < v_size; n *= 2)
        vector_tiles.push_back(n * turns * lanes_);
    } else if (v_size <= lanes_) vector_tiles = {static_cast<std::int32_t>(v_size)};
    else
      for (std::int32_t n = 1; n <= (w_size == 1 ? 28 : 4) && (n - 1) * lanes_ < v_size; n += n < 4 ? 1 : 4)
        vector_tiles.push_back(n * lanes_);
    leaves_tail_ = std::any_of(vector_tiles.begin(), vector_tiles.end(),
                               [&](std::int32_t tile) { return v_size > tile && v_size % tile != 0; });
    auto const row_turns = w_ < 0 ? 1 : static_cast<std::int32_t>(phases(w_));
    std::vector<std::int32_t> row_tiles = {row_turns};
    for (auto t = 2 * row_turns; t <= std::min<std::int64_t>(w_size, 16); t += row_turns) row_tiles.push_back(t);
    auto const model = tiles();
    double best = 0;
    std::int64_t best_v = 1;
    std::int64_t best_w = 1;
    for (auto const tv : vector_tiles)
      for (auto const tw : row_tiles) {
        auto const score = model.score(tv, tw);
        if (score > best) best = score, best_v = tv, best_w = tw;
      }
    tile_v_ = out_.one_of(knob_name("tile_" + reader_axis(v_)), vector_tiles, best_v);
    tile_w_ = w_ < 0 ? literal(1) : out_.one_of(knob_name("tile_" + reader_axis(w_)), row_tiles, best_w);
    seed_tile_v_ = best_v;
    seed_tile_w_ = best_w;
    if (!tile_v_.is_literal() || !tile_w_.is_literal()) {
      auto const vectors = ceil_divide(knob_expression(tile_v_), knob_expression(lanes_));
      // with one row, a loaded value is used once, by the multiply-add that loads it
      auto const columns = vectors * sums();
      out_.require(w_size == 1 ? columns + 2 <= knob_expression(registers)
                               : knob_expression(tile_w_) * columns + vectors * dot_.registers_each() + beside_all() <=
                                     knob_expression(registers),
                   "the register tile fits the vector registers");
    }
  }

  /// Removes phases if the smallest tile, one period of rows and one of vectors, does not fit the registers.
  void leave_out_phases() {
    auto const fit = [&] { return tiles().fits(phases(v_) * lanes_, w_ < 0 ? 1 : phases(w_)); };
    if (!fit()) rows_have_phases_ = false;
    if (!fit()) vectors_have_phases_ = false;
  }

  /// Returns the model by which the seed is chosen.
  [[nodiscard]] register_tiles tiles() const {
    register_tiles made;
    made.vector_extent = size_at_once(v_);
    made.row_extent = w_ < 0 ? 1 : size_at_once(w_);
    made.lanes = lanes_;
    made.registers = out_.machine().vector_registers;
    made.terms = terms();
    made.operands_each = dot_.registers_each();
    made.operands_once = beside_all();
    made.sums = sums();
    made.loads_each = loads_each();
    made.unrolls_taps = has_window();
    made.shares_rows = shares_rows();
    made.stores_across = rows_contiguous();
    return made;
  }

  /// Returns the registers for values common to all vectors of a row, and for products that are no multiply-adds.
  [[nodiscard]] std::int32_t beside_all() const {
    bool const unfused = !dot_ && !out_.machine().has_fma && is_float(r_.definition->type());
    return dot_.registers_once() + (unfused ? 1 : 0);
  }

  /// Returns the number of sums of an element of the result: one for each component.
  [[nodiscard]] std::int64_t sums() const { return static_cast<std::int64_t>(r_.definition->components.size()); }

  /// Returns the most loads that a vector of an operand takes: one for each element of the distance between lanes. With
  /// rows, a tile uses each vector several times.
  [[nodiscard]] std::int64_t loads_each() const {
    std::int64_t most = 1;
    if (w_ >= 0 && size(w_) > 1) return most;
    for (auto const& a : r_.accesses) {
      if (a.write || (is_packable(p_, r_, a, v_) && (is_constant_operand(p_, a) || has_reuse(p_, r_, a)))) continue;
      most = std::max(most, std::min<std::int64_t>(std::abs(stride(p_, r_, a, static_cast<std::size_t>(v_))), lanes_));
    }
    return most;
  }

  /// Returns the number of terms of an element of the result.
  [[nodiscard]] std::int64_t terms() const {
    std::int64_t n = 1;
    for (auto a = r_.definition->axes.size(); a < r_.axis_count(); ++a) n *= r_.axis_size(a);
    return std::max<std::int64_t>(n, 1);
  }
  /// Returns true for a short reduced axis that slides along the row axis; its iterations are unrolled.
  [[nodiscard]] bool is_window(std::int32_t a) const { return size(a) > 1 && size(a) <= 7 && moves_with(a, w_); }
  [[nodiscard]] bool has_window() const {
    for (auto a = static_cast<std::int32_t>(r_.definition->axes.size()); a < static_cast<std::int32_t>(r_.axis_count());
         ++a)
      if (is_window(a)) return true;
    return false;
  }
  /// Returns true if vectors of a row under one tap of a window are under the next tap for another row. They stay in
  /// registers, about as many as accumulators (a blur of 5x5: 0.46 of peak with 20, 1.07 with 16).
  [[nodiscard]] bool shares_rows() const {
    for (auto const& access : r_.accesses)
      for (auto a = static_cast<std::int32_t>(r_.definition->axes.size());
           a < static_cast<std::int32_t>(r_.axis_count()); ++a)
        if (!access.write && is_window(a) && moves_with(access, a, w_) &&
            stride(p_, r_, access, static_cast<std::size_t>(v_)) != 0)
          return true;
    return false;
  }
  /// Returns true if neighbours of the result in memory are along the row axis, not along the vectors.
  [[nodiscard]] bool rows_contiguous() const { return w_ >= 0 && write_stride(v_) != 1 && write_stride(w_) == 1; }

  // --------------------------------------------------------------------------------------------------- reader

  /// Returns the axes in the order of the middle loops: the vector axis is outermost, so that its packed panel stays in
  /// the cache; the row axis is innermost.
  [[nodiscard]] std::vector<std::int32_t> ordered_axes() const {
    std::vector<std::int32_t> axes = {v_};
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(r_.definition->axes.size()); ++a)
      if (a != v_ && a != w_ && size(a) > 1) axes.push_back(a);
    if (w_ >= 0) axes.push_back(w_);
    return axes;
  }

  /// Returns the axis that the seed divides among threads: the first with enough tiles, or the rows if the inputs and
  /// results of other stages pass through memory.
  [[nodiscard]] std::int32_t parallel_axis(std::vector<std::int32_t> const& axes) const {
    if (auto const kept = axis_kept_on_cores(); kept >= 0) return kept;
    for (auto const a : axes)
      if (tiles(a) >= out_.machine().tasks_a_core * out_.machine().cores) return a;
    auto most = axes[0];
    for (auto const a : axes)
      if (tiles(a) > tiles(most)) most = a;
    return most;
  }
  [[nodiscard]] std::int64_t tiles(std::int32_t axis) const {
    return ceil_divide(size(axis), axis == v_ ? seed_tile_v_ : axis == w_ ? seed_tile_w_ : phases(axis));
  }

  /// Returns the axis of which each core computes its share in all stages between transforms, because lines written by
  /// one core and read by another cost several times as much as a shared cache if cores are far apart. It is the
  /// innermost axis that all factors have at the same place. Returns -1 if each core would read constants several times
  /// as large as the data between the stages.
  [[nodiscard]] std::int32_t axis_kept_on_cores() const {
    bool const transforms = std::any_of(p_.stages.begin(), p_.stages.end(),
                                        [](auto const& st) { return !choosing_axes(*st.definition).empty(); });
    if (w_ < 0 || !transforms || !blocks_.name.empty()) return -1;
    double constants = 0;
    double passed = 1;
    for (std::size_t x = 0; x < r_.definition->axes.size(); ++x) passed *= static_cast<double>(r_.axis_size(x));
    for (auto const& a : r_.accesses) {
      if (a.write || a.producer < 0) continue;
      (is_laid_out_ahead(p_, r_, a) ? constants : passed) += elements_of(p_, r_, a);
    }
    if (constants == 0 || constants > most_constants * passed) return -1;
    for (auto x = static_cast<std::int32_t>(r_.definition->axes.size()); x-- > 0;)
      if (x != v_ && tiles(x) >= out_.machine().cores && is_in_place(x)) return x;
    return -1;
  }

  /// Returns true if other non-constant stages are read at the axis itself.
  [[nodiscard]] bool is_in_place(std::int32_t axis) const {
    return std::all_of(r_.accesses.begin(), r_.accesses.end(), [&](access_plan const& a) {
      return a.write || a.producer < 0 || is_laid_out_ahead(p_, r_, a) || dimension_along(r_, a.producer, axis) >= 0;
    });
  }

  /// Returns the largest of `sizes` that keeps all cores busy: as many tasks per core as the machine wants, and less
  /// than a twentieth of the time spent on waiting for the last task. Tasks of a triangle are unequal: threads take
  /// more, smaller ones.
  [[nodiscard]] std::int64_t balanced_chunk(std::int64_t count, std::vector<std::int32_t> const& sizes) const {
    auto const cores = static_cast<std::int64_t>(out_.machine().cores);
    auto const least_rounds = out_.machine().tasks_a_core * (is_triangular(r_) || is_triangular(e_) ? 4 : 1);
    std::int64_t chosen = 1;
    double best = 0;
    for (std::int64_t const chunk : sizes) {
      auto const rounds = ceil_divide(ceil_divide(count, chunk), cores);
      double const busy = static_cast<double>(count) / static_cast<double>(cores * rounds * chunk);
      if (chunk > 1 && rounds < least_rounds) break;
      if (busy > 0.95 || busy > best) chosen = chunk, best = std::max(best, busy);
    }
    return chosen;
  }

  void split_reader() {
    auto const axes = ordered_axes();
    auto const parallel = parallel_axis(axes);
    auto const kept = axis_kept_on_cores();
    std::vector<std::string> tasks;
    std::vector<std::string> middle;
    std::vector<std::string> turns;  // loops over the phases of axes without a tile
    for (auto const a : axes) {
      auto const n = reader_axis(a);
      auto const count = tiles(a);
      auto const whole = ceil_divide(size(a), a == v_ ? lanes_ : 1);
      auto sizes = doublings(whole);
      bool const shares = a == kept;
      auto const share = ceil_divide(count, static_cast<std::int64_t>(out_.machine().cores));
      if (shares) sizes.push_back(static_cast<std::int32_t>(share));
      auto const seed = shares ? share : a == parallel ? balanced_chunk(count, sizes) : whole;
      if (a != v_) tasks_of_panel_ *= ceil_divide(count, std::min(seed, count));
      auto const chunk = n == blocks_.name ? block_of(a, sizes) : out_.one_of(knob_name("chunk_" + n), sizes, seed);
      tasks.insert(shares || (n == blocks_.name && blocks_.is_last) ? tasks.begin() : tasks.end(), n + "_0");
      middle.push_back(n + "_1");
      if (a == v_)
        out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1", n + "_t", n + "_2"},
                  {chunk, literal(1), tile_v_});
      else if (a == w_) out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1", n + "_2"}, {chunk, tile_w_});
      else if (auto const period = phases(a); period > 1) {
        out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1", n + "_p"}, {chunk, literal(period)});
        turns.push_back(n + "_p");
      } else out_.step(primitive::split, reader_, {n}, {n + "_0", n + "_1"}, {chunk});
    }
    auto const vn = reader_axis(v_);
    bool const across = rows_contiguous();
    auto order = unit_axes(e_);
    order.insert(order.end(), tasks.begin(), tasks.end());
    order.insert(order.end(), middle.begin(), middle.end());
    order.insert(order.end(), turns.begin(), turns.end());
    order.push_back(vn + "_t");
    if (w_ >= 0) {
      auto const wn = reader_axis(w_) + "_2";
      order.push_back(across ? vn + "_2" : wn);
      order.push_back(across ? wn : vn + "_2");
    } else {
      order.push_back(vn + "_2");
    }
    out_.step(primitive::reorder, reader_, order);
    if (!blocked_) permute(reader_, middle);
    bool const fuses = tasks.size() > 1 && !blocks_.is_last;
    if (fuses) out_.step(primitive::fuse, reader_, tasks, {"tasks"});
    task_ = fuses ? "tasks" : tasks[0];
    out_.step(primitive::parallel, reader_, {task_});
    out_.step(primitive::vectorize, reader_, {across ? reader_axis(w_) + "_2" : vn + "_2"});
    for (auto const& n : turns) out_.step(primitive::unroll, reader_, {n});
    if (w_ >= 0) out_.step(primitive::unroll, reader_, {across ? vn + "_2" : reader_axis(w_) + "_2"});
  }

  /// Makes the order of a stage's loops over tiles a knob.
  void permute(std::string const& stage, std::vector<std::string> const& middle) {
    if (middle.size() > 1 && middle.size() <= 4)
      out_.step(primitive::reorder, stage, middle, {},
                {out_.permutation(knob_name("order"), static_cast<std::int32_t>(middle.size()))});
  }

  /// Returns the number of tiles in a block of the common axis; a stage before the last is computed for one block.
  [[nodiscard]] knob_value block_of(std::int32_t a, std::vector<std::int32_t> const& sizes) {
    auto const tile = a == v_ ? seed_tile_v_ : a == w_ ? seed_tile_w_ : 1;
    auto const seed = std::max<std::int64_t>(1, blocks_.seed / tile);
    if (!blocks_.is_last) return literal(std::min(seed, tiles(a)));
    return out_.one_of(knob_name("block_" + reader_axis(a)), sizes, seed);
  }

  [[nodiscard]] std::int64_t write_stride(std::int32_t axis) const {
    return stride(p_, r_, r_.accesses.back(), static_cast<std::size_t>(axis));
  }

  // --------------------------------------------------------------------------------------------- accumulators

  /// Orders reduced axes from the outermost: first those that run into a boundary along an axis without a tile (their
  /// loops are shortened there), then the long ones, then small windows along the row axis, which are unrolled.
  void order_reduced() {
    auto const free = r_.definition->axes.size();
    std::vector<std::int32_t> windows;
    std::vector<std::int32_t> guarded;
    std::vector<std::int32_t> longs;
    bool const taps_outside = taps_are_outside();
    for (auto a = static_cast<std::int32_t>(free); a < static_cast<std::int32_t>(r_.axis_count()); ++a) {
      if (size(a) == 1) continue;
      if (is_window(a)) windows.push_back(a);
      else if (is_phased(a)) windows.insert(windows.begin(), a);
      else if (meets_lanes(a)) windows.insert(windows.begin(), a);
      else if (is_guarded(r_, static_cast<std::size_t>(a)) && !(taps_outside && is_slid_over(a))) guarded.push_back(a);
      else longs.push_back(a);
    }
    rolled_ = guarded;
    rolled_.insert(rolled_.end(), longs.begin(), longs.end());
    if (auto const at = std::find(rolled_.begin(), rolled_.end(), dot_.axis); at != rolled_.end())
      std::rotate(at, at + 1, rolled_.end());  // its terms must be innermost
    windows_ = windows;
    auto const& reduction = r_.definition->reduction;
    if (!reduction.associative || !reduction.commutative) keep_order();
  }

  /// Returns true for a reduced axis along which a shorter free axis slides, as the rows of an image in the gradient of
  /// the weights of a convolution.
  [[nodiscard]] bool is_slid_over(std::int32_t a) const {
    for (std::int32_t x = 0; x < static_cast<std::int32_t>(r_.definition->axes.size()); ++x)
      if (size(x) < size(a) && moves_with(a, x)) return true;
    return false;
  }

  /// Returns true if loops over images are in their written order: each begins and ends where the tap of a loop around
  /// them says. If taps are in the tile, or a loop is short, the loops are better outside of all others.
  [[nodiscard]] bool taps_are_outside() const {
    for (auto a = static_cast<std::int32_t>(r_.definition->axes.size()); a < static_cast<std::int32_t>(r_.axis_count());
         ++a)
      if (is_guarded(r_, static_cast<std::size_t>(a)) && is_slid_over(a) &&
          (size(a) < least_long || moves_with(a, v_) || moves_with(a, w_)))
        return false;
    return true;
  }

  /// Returns true if phases use different taps, or if phases of the vector axis share the elements below the taps.
  [[nodiscard]] bool is_phased(std::int32_t a) const {
    return (phases(a) > 1 && size(a) <= 2 * most_phases) || (phases(v_) > 1 && size(a) <= most_phases);
  }

  /// Keeps the written order of all axes; unrolls those after the last axis that is no window.
  void keep_order() {
    std::vector<std::int32_t> all = rolled_;
    all.insert(all.end(), windows_.begin(), windows_.end());
    std::sort(all.begin(), all.end());
    auto const is_rolled = [&](std::int32_t a) {
      return std::find(rolled_.begin(), rolled_.end(), a) != rolled_.end();
    };
    auto const last = std::find_if(all.rbegin(), all.rend(), is_rolled).base();
    rolled_.assign(all.begin(), last);
    windows_.assign(last, all.end());
  }

  /// Returns true if the boundary of a tap of a short window cuts a last, partly filled tile of vectors. If the taps
  /// are unrolled, the remaining lanes are known; otherwise they would be computed one by one.
  [[nodiscard]] bool meets_lanes(std::int32_t a) const {
    return leaves_tail_ && size(a) <= 7 && is_guarded(r_, static_cast<std::size_t>(a)) && reaches_past(a);
  }

  /// Returns true if the last tap of a window is past the end for the last element of the vector axis.
  [[nodiscard]] bool reaches_past(std::int32_t a) const {
    for (auto const& access : r_.accesses) {
      auto const shape = shape_of(p_, r_, access);
      for (std::size_t d = 0; d < access.indices.size(); ++d) {
        auto const& i = access.indices[d];
        if (i.whole) continue;
        auto const of_taps = i.coefficient[static_cast<std::size_t>(a)];
        auto const of_lanes = i.coefficient[static_cast<std::size_t>(v_)];
        auto const last = i.constant + of_taps * (size(a) - 1) + of_lanes * (size(v_) - 1);
        if (of_taps != 0 && of_lanes != 0 && last >= shape[d] * i.divisor) return true;
      }
    }
    return false;
  }

  /// Returns true if both axes index a dimension together, as y * 2 + r.
  [[nodiscard]] static bool moves_with(access_plan const& access, std::int32_t a, std::int32_t b) {
    return std::any_of(access.indices.begin(), access.indices.end(), [&](index_plan const& i) {
      return !i.whole && i.coefficient[static_cast<std::size_t>(a)] != 0 &&
             i.coefficient[static_cast<std::size_t>(b)] != 0;
    });
  }
  [[nodiscard]] bool moves_with(std::int32_t a, std::int32_t b) const {
    return b >= 0 && std::any_of(r_.accesses.begin(), r_.accesses.end(),
                                 [&](access_plan const& access) { return moves_with(access, a, b); });
  }

  /// Returns the longest reduced axis, if sums along it are so long that they lose digits; else -1.
  [[nodiscard]] std::int32_t axis_of_runs() const {
    constexpr std::int64_t most_terms = 8192;
    auto const& made = *r_.definition;
    auto const kind = made.reduction.kind;
    bool const rounds = is_float(made.type()) && made.type() != dtype::f64 &&
                        (kind == ir::reduction_kind::sum || kind == ir::reduction_kind::tuple);
    bool const has_order = !ir::reorders_apart(made.reduction) || phases(v_) > 1 || (w_ >= 0 && phases(w_) > 1);
    if (!rounds || has_order || dot_ || !blocks_.name.empty() || !part_.axis.empty() || rolled_.empty()) return -1;
    auto const longest =
        *std::max_element(rolled_.begin(), rolled_.end(), [&](auto a, auto b) { return size(a) < size(b); });
    return size(longest) > most_terms && !is_guarded(r_, static_cast<std::size_t>(longest)) ? longest : -1;
  }

  /// Divides a long sum into runs, which have the accumulators from here on.
  void sum_in_runs() {
    constexpr std::int64_t terms_of_run = 1024;
    auto const axis = axis_of_runs();
    if (axis < 0) return;
    auto const run = name(axis) + "_run";
    auto const total = std::exchange(acc_, acc_ + ".runs");
    out_.step(primitive::rfactor, total, {name(axis)}, {acc_, run}, {literal(-runs_of(size(axis), terms_of_run))});
    out_.step(primitive::compute_at, total, {reader_, reader_axis(v_) + "_t"});
    std::vector<std::string> order = {run};
    if (w_ >= 0) order.push_back(name(w_)), out_.step(primitive::unroll, total, {name(w_)});
    order.push_back(name(v_));
    out_.step(primitive::reorder, total, order);
    out_.step(primitive::vectorize, total, {name(v_)});
    around_ = {total, run};
  }

  /// Returns the blocks of terms; nothing if the panels of all terms are small enough, or there are none.
  [[nodiscard]] term_blocks choose_term_blocks() const {
    bool const has_phases = phases(v_) > 1 || (w_ >= 0 && phases(w_) > 1);
    if (dot_ || has_phases || !blocks_.name.empty() || !part_.axis.empty() || w_ < 0) return {};
    return blocks_of_terms(out_.machine(), p_, r_, v_, std::min(seed_tile_v_, size(v_)), rolled_);
  }

  /// Adds the sums of blocks of terms in a buffer of the task. The tiles are computed for one block after the other, so
  /// that its panel stays in the cache.
  void sum_blocks_of_terms() {
    auto const run = name(blocked_.axis) + "_run";
    auto const total = std::exchange(acc_, acc_ + ".runs");
    auto const v = name(v_);
    out_.step(primitive::rfactor, total, {name(blocked_.axis)}, {acc_, run}, {literal(-blocked_.count)});
    out_.step(primitive::compute_at, total, {reader_, task_});
    out_.step(primitive::split, total, {v}, {v + "_1", v + "_t", v + "_2"}, {literal(1), tile_v_});
    std::vector<std::string> middle;
    for (auto const a : ordered_axes()) middle.push_back(name(a) + (a == v_ || a == w_ ? "_1" : ""));
    std::vector<std::string> order = unit_axes(r_);
    order.push_back(run);
    order.insert(order.end(), middle.begin(), middle.end());
    order.push_back(v + "_t");
    out_.step(primitive::split, total, {name(w_)}, {name(w_) + "_1", name(w_) + "_2"}, {tile_w_});
    order.push_back(name(w_) + "_2");
    order.push_back(v + "_2");
    out_.step(primitive::reorder, total, order);
    permute(total, middle);
    out_.step(primitive::unroll, total, {name(w_) + "_2"});
    out_.step(primitive::vectorize, total, {v + "_2"});
    out_.step(primitive::pack, total, {});
    around_ = {total, v + "_t"};
  }

  void place_accumulators() {
    out_.step(primitive::compute_at, acc_, around_.empty() ? std::vector{reader_, reader_axis(v_) + "_t"} : around_);
    out_.step(primitive::store_in, acc_, {}, {}, {literal(static_cast<int>(ir::memory::registers))});
    std::vector<std::string> order;
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(r_.definition->axes.size()); ++a)
      if (a != v_ && a != w_) order.push_back(name(a));  // these have one element
    for (std::size_t i = 0; i < rolled_.size(); ++i) {
      auto const n = name(rolled_[i]);
      bool const last = i + 1 == rolled_.size();
      if (rolled_[i] == dot_.axis) {
        auto const factor =
            size(rolled_[i]) >= 16 * dot_.terms ? out_.one_of(knob_name("unroll_" + n), {1, 2, 4}, 1) : literal(1);
        out_.step(primitive::split, acc_, {n}, {n + "_0", n + "_1", n + "_t"}, {factor, literal(dot_.terms)});
        out_.step(primitive::unroll, acc_, {n + "_1"});
        order.push_back(n + "_0");
        order.push_back(n + "_1");
      } else if (last && windows_.empty() && size(rolled_[i]) >= 16) {
        auto const factor = out_.one_of(knob_name("unroll_" + n), {1, 2, 4}, 1);
        out_.step(primitive::split, acc_, {n}, {n + "_0", n + "_1"}, {factor});
        out_.step(primitive::unroll, acc_, {n + "_1"});
        order.push_back(n + "_0");
        order.push_back(n + "_1");
      } else {
        order.push_back(n);
      }
    }
    std::vector<std::string> tile;
    for (auto const a : windows_) tile.push_back(name(a)), out_.step(primitive::unroll, acc_, {name(a)});
    if (w_ >= 0) tile.push_back(name(w_)), out_.step(primitive::unroll, acc_, {name(w_)});
    auto const turns = phases(v_);
    auto const lanes_loop = name(v_) + (turns > 1 ? "_o" : "");
    if (turns > 1) {
      out_.step(primitive::split, acc_, {name(v_)}, {name(v_) + "_o", name(v_) + "_p"}, {literal(turns)});
      out_.step(primitive::unroll, acc_, {name(v_) + "_p"});
      tile.push_back(name(v_) + "_p");
    }
    order.insert(order.end(), tile.begin(), tile.end());
    order.push_back(lanes_loop);
    if (dot_) order.push_back(name(dot_.axis) + "_t");
    out_.step(primitive::reorder, acc_, order);
    auto const& reduction = r_.definition->reduction;
    bool const any_order = windows_.size() < 2 || (reduction.associative && reduction.commutative);
    if (!windows_.empty() && turns == 1 && tile.size() > 1 && any_order)
      out_.step(primitive::reorder, acc_, {tile[tile.size() - 2], tile.back()}, {},
                {out_.permutation(knob_name("tap_order"), 2)});
    out_.step(primitive::vectorize, acc_, {lanes_loop});
    if (dot_) out_.step(primitive::tensorize, acc_, {name(dot_.axis) + "_t"});
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& r_;
  stage_plan const& e_;
  std::string reader_;
  std::string acc_;
  block_axis blocks_;
  part_at_once part_;
  std::int32_t lanes_ = 1;
  std::int32_t v_ = -1;
  std::int32_t w_ = -1;
  bool rows_have_phases_ = true;
  bool vectors_have_phases_ = true;
  dot_terms dot_;
  bool leaves_tail_ = false;  ///< true if a tile of vectors is partly filled
  knob_value tile_v_;
  knob_value tile_w_;
  std::int64_t seed_tile_v_ = 1;
  std::int64_t seed_tile_w_ = 1;
  std::vector<std::int32_t> rolled_;
  std::vector<std::int32_t> windows_;
  term_blocks blocked_;
  std::int64_t tasks_of_panel_ = 1;  ///< tasks of the seed with the same elements of the vector axis
  std::string task_;                 ///< the reader's loop over tasks
  std::vector<std::string> around_;  ///< if there are runs: the sum of them, and its loop around one
};

}}}  // namespace ttune::v0::autoschedule
