// SPDX-License-Identifier: Apache-2.0
// Whether threads of a block get in each other's way: between two barriers no thread touches what another one writes.
//
// What stands outside of a loop over threads is done by all of them alike where it ends in memory of their own, and by
// the first one where it does not (ir/README.md, "Lowered programs").
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ttune/ir/stmt.hpp"

namespace ttune::inline v0::ir::detail {

/// Whether each thread has its own.
inline constexpr bool is_own(memory where) { return where == memory::local || where == memory::registers; }
inline constexpr bool is_thread(loop_kind k) { return k >= loop_kind::thread_x; }

/// Position in the three directions of a block, and among virtual threads.
struct thread_place {
  static constexpr std::int64_t all = -1;  ///< outside of the loop over this direction
  std::array<std::int64_t, 4> at{all, all, all, all};

  static std::size_t direction(loop_kind k) {
    return static_cast<std::size_t>(k) - static_cast<std::size_t>(loop_kind::thread_x);
  }
};

/// Who touched an element last.
struct touch {
  std::int64_t written_in = -1;  ///< phase
  std::int64_t read_in = -1;
  thread_place writer;
  thread_place reader;
  bool several = false;    ///< more than one reader in that phase
  std::int64_t batch = 0;  ///< of buffers that are written ahead
};

/// The threads of one kernel at a time; a phase ends at a barrier.
class race_watch {
 public:
  [[nodiscard]] bool active() const noexcept { return active_; }
  /// `directions`: a bit for each direction that the kernel's loops over threads have.
  void enter(unsigned directions) {
    directions_ = directions;
    active_ = true;
    ++phase_;
  }
  void leave() {
    active_ = false;
    ++phase_;
  }
  void next_phase() { ++phase_; }
  /// A barrier.
  void meet(std::int32_t pending) {
    ++phase_;
    if (pending < 0) return;
    ++batches_;
    arrived_ = std::max(arrived_, batches_ - pending);
  }
  /// What is stored ahead arrives with its batch.
  void store_ahead(touch& t) const { t.batch = batches_; }
  [[nodiscard]] bool has_arrived(touch const& t) const { return t.batch < arrived_; }
  /// Whether what is being computed ends in the memory of each thread.
  void ends_in_own(bool own) { own_result_ = own; }

  /// False: another thread wrote it in this phase, or ever, if it is a thread's own.
  [[nodiscard]] bool read(touch& t, thread_place who, bool own) {
    place(who, own_result_);
    bool const fine = t.written_in < 0 || (!own && t.written_in < phase_) || same_thread(t.writer, who, own);
    t.several = t.read_in == phase_ && (t.several || t.reader.at != who.at);
    t.read_in = phase_;
    t.reader = who;
    return fine;
  }
  /// False: another thread read or wrote it in this phase.
  [[nodiscard]] bool write(touch& t, thread_place who, bool own) {
    place(who, own);
    bool const written = t.written_in == phase_ && !same_thread(t.writer, who, own);
    bool const read = t.read_in == phase_ && (t.several || !same_thread(t.reader, who, own));
    t.written_in = phase_;
    t.writer = who;
    return !written && (!read || own);
  }

 private:
  void place(thread_place& who, bool all_alike) const {
    for (std::size_t d = 0; d < who.at.size(); ++d)
      if ((directions_ >> d & 1) == 0 || (who.at[d] == thread_place::all && !all_alike)) who.at[d] = 0;
  }
  /// Whether it is one thread that did both; in memory of their own, all threads alike is each its own.
  static bool same_thread(thread_place const& a, thread_place const& b, bool own) {
    for (std::size_t d = 0; d < a.at.size(); ++d)
      if (a.at[d] != b.at[d] && !(own && (a.at[d] == thread_place::all || b.at[d] == thread_place::all))) return false;
    return true;
  }

  unsigned directions_ = 0;
  bool active_ = false;
  bool own_result_ = false;
  std::int64_t phase_ = 0;
  std::int64_t batches_ = 0;  ///< that were ended
  std::int64_t arrived_ = 0;  ///< of them, so many first ones
};

}  // namespace ttune::inline v0::ir::detail
