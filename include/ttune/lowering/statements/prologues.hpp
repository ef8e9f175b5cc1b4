// SPDX-License-Identifier: Apache-2.0
// Makes the statements before a loop, which are the first iterations of stages that are computed ahead
// (primitive/double_buffer.hpp), and the buffers that live as long as a loop, or as long as the threads of a block.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ttune/arith/substitute.hpp"
#include "ttune/lowering/statements/live_components.hpp"
#include "ttune/lowering/statements/storage.hpp"
#include "ttune/lowering/statements/threads.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

class prologues {
 public:
  prologues(scope const& s, storage const& buffers, live_components const& live)
      : scope_(s), buffers_(buffers), live_(live) {}

  /// Returns the part of a stage for a later iteration; the first ones are left to be run before the loop.
  [[nodiscard]] ir::stmt computed_ahead(std::size_t q, ir::stmt const& made, bool group) {
    auto const& s = scope_.n.stages[q];
    auto const of = static_cast<std::size_t>(s.attached_to);
    auto const name = scope_.variable(of, s.depth);
    auto const ahead = iterations_ahead(scope_, q);
    auto const next = ir::make_variable(name) + ahead;
    auto& first = by_loop_[name];
    first.parts.resize(std::max(first.parts.size(), static_cast<std::size_t>(ahead)));
    for (std::int32_t part = 0; part < ahead; ++part)
      first.parts[static_cast<std::size_t>(ahead - 1 - part)].push_back(
          arith::substitute(made, {{name, ir::make_index(part)}}));
    first.meets = first.meets || group;
    if (buffers_[q].front()->ahead) first.pending = first.pending < 0 ? ahead - 1 : std::min(first.pending, ahead - 1);
    auto& buffers = buffers_.is_hoisted(q) ? hoisted_ : first.buffers;
    buffers.insert(buffers.end(), buffers_[q].begin(), buffers_[q].end());
    auto const more = ir::make_binary(ir::binary_op::less, next, ir::make_index(scope_.loop(of, s.depth).extent));
    return ir::make_conditional(more, arith::substitute(made, {{name, next}}));
  }

  /// Has a statement run before a loop, with buffers that live as long as the loop.
  void begins_before(std::string const& loop, std::vector<handle<ir::buffer>> const& buffers, ir::stmt const& made) {
    auto& first = by_loop_[loop];
    first.parts.resize(std::max<std::size_t>(first.parts.size(), 1));
    first.parts[0].push_back(made);
    first.buffers.insert(first.buffers.end(), buffers.begin(), buffers.end());
  }

  /// Returns how many groups of copies may be under way when threads meet in a loop; -1: nothing is copied ahead.
  [[nodiscard]] std::int32_t pending(std::string const& loop) { return by_loop_[loop].pending; }

  /// Has the buffers of a stage that is computed inside a loop allocated: around `made`, around the loop if it keeps
  /// rows from one iteration to the next, or around the threads of the block. Returns `made`.
  [[nodiscard]] ir::stmt allocated(std::size_t q, std::string const& loop, ir::stmt made) {
    if (is_doubled(scope_, q) || buffers_.is_operand(q)) return made;  // computed_ahead has seen to it, or the caller
    for (std::size_t c = 0; c < buffers_[q].size(); ++c) {
      if (!live_.is_stored(q, c)) continue;
      auto const& b = buffers_[q][c];
      if (scope_.n.stages[q].slid_axis >= 0) by_loop_[loop].buffers.push_back(b);
      else if (buffers_.is_hoisted(q)) hoisted_.push_back(b);
      else made = ir::make_allocate(b, made);
    }
    return made;
  }

  /// Returns a loop with what runs before it, and the buffers that live as long as it.
  [[nodiscard]] ir::stmt finished(std::string const& name, ir::loop_kind kind, ir::stmt made) {
    auto const allocate = [&](std::vector<handle<ir::buffer>>& buffers) {
      for (auto const& b : buffers) made = ir::make_allocate(b, made);
      buffers.clear();
    };
    if (auto first = by_loop_.extract(name)) {
      auto& before = first.mapped();
      std::vector<ir::stmt> all;
      for (auto n = before.parts.size(); n-- > 0;) {
        all.insert(all.end(), before.parts[n].begin(), before.parts[n].end());
        if (before.meets && (n == 0 || before.pending >= 0)) all.push_back(barrier(before.pending));
      }
      all.push_back(made);
      made = ir::make_block(std::move(all));
      allocate(before.buffers);
    }
    if (primitives::is_thread(kind) && !scope_.any_around(primitives::is_thread)) allocate(hoisted_);
    return made;
  }

 private:
  struct prologue {
    std::vector<std::vector<ir::stmt>> parts;  ///< by how many iterations before the loop; [0] is the last one
    std::vector<handle<ir::buffer>> buffers;   ///< they live as long as the prologue and the loop
    bool meets = false;                        ///< threads wait for each other behind it
    std::int32_t pending = -1;
  };

  scope const& scope_;
  storage const& buffers_;
  live_components const& live_;
  std::vector<handle<ir::buffer>> hoisted_;  ///< to be allocated around the loops over threads
  std::unordered_map<std::string, prologue> by_loop_;
};

}}}  // namespace ttune::v0::lowering
