// SPDX-License-Identifier: Apache-2.0
// Detects data races by shadow memory. Every element stores its last writer and its readers since then. An access is a
// race if an earlier one, with at least one of them a write, was in another iteration of a loop whose iterations may
// run concurrently, in another thread between the same two barriers, or in another block of the same launch. The check
// compares accesses, not results, so it does not depend on the order in which the interpreter runs them: it finds all
// pairs.
//
// One writer and two readers per element are enough to find all pairs. An access that is ordered after another one can
// replace it, since everything concurrent with the first is also concurrent with the second. Of several concurrent
// readers, the two whose common loop is outermost are kept: a writer that conflicts with a third reader also conflicts
// with one of them.
//
// A statement outside of a loop over threads is executed by all threads alike if its result is stored in their own
// memory, otherwise by the first thread (ir/README.md, "Lowered programs").
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "ttune/ir/print.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/support/internal_error.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

/// Returns true if each thread has its own copy.
inline constexpr bool is_own(memory where) { return where == memory::local || where == memory::registers; }
inline constexpr bool is_block(loop_kind k) { return k >= loop_kind::block_x && k <= loop_kind::block_z; }
inline constexpr bool is_thread(loop_kind k) { return k >= loop_kind::thread_x; }
inline constexpr bool is_of_kernel(loop_kind k) { return k >= loop_kind::block_x; }
/// Returns true if the iterations of the loop may run concurrently, without barriers between them.
inline constexpr bool is_unordered(loop_kind k) { return k == loop_kind::parallel || k == loop_kind::vectorized; }

/// Position in the three directions of blocks, the three directions of threads, and among virtual threads.
struct thread_place {
  static constexpr std::int32_t all = -1;  ///< outside of the loop over this direction
  static constexpr std::size_t blocks = 3;
  std::array<std::int32_t, 7> at{all, all, all, all, all, all, all};

  static std::size_t direction(loop_kind k) {
    return static_cast<std::size_t>(k) - static_cast<std::size_t>(loop_kind::block_x);
  }
  [[nodiscard]] bool same_block(thread_place const& o) const {
    return std::equal(at.begin(), at.begin() + blocks, o.at.begin());
  }
  [[nodiscard]] bool same_thread(thread_place const& o) const {
    return std::equal(at.begin() + blocks, at.end(), o.at.begin() + blocks);
  }
  /// Likewise, but `all` matches each of the threads.
  [[nodiscard]] bool alike(thread_place const& o) const {
    for (std::size_t d = 0; d < at.size(); ++d)
      if (at[d] != o.at[d] && at[d] != all && o.at[d] != all) return false;
    return true;
  }
};

/// One read or write of an element.
struct access_mark {
  std::int64_t when = 0;  ///< 0: never
  thread_place who;
  stmt const* by = nullptr;
};

/// The last accesses to an element.
struct touch {
  access_mark writer;                  ///< the last write
  std::array<access_mark, 2> readers;  ///< reads since that write
  std::int64_t batch = -1;             ///< for asynchronous buffers: the batch of the last store
  std::int64_t fetched_in = -1;        ///< the last batch of asynchronous copies that reads it
};

/// Tracks the execution of a lowered program and checks each access.
class race_watch {
 public:
  /// Sets the statement that runs now.
  void at(stmt const& s) { statement_ = &s; }
  /// Returns true if the current statement may run concurrently with another one.
  [[nodiscard]] bool active() const noexcept { return !levels_.empty(); }

  void enter_loop(stmt const& s) { levels_.push_back({++clock_, clock_, &s}); }
  void next_iteration() { levels_.back().part = ++clock_; }
  void leave_loop() {
    levels_.pop_back();
    if (!active() && !unwritten_.empty()) throw internal_error(unwritten_);
  }

  [[nodiscard]] bool in_kernel() const noexcept { return directions_ != 0; }
  /// `directions`: a bit for each direction of blocks and threads that the kernel has a loop over.
  void enter_kernel(stmt const& s, unsigned directions) {
    enter_loop(s);
    kernel_ = levels_.size() - 1;
    directions_ = directions;
  }
  void leave_kernel() {
    next_block();
    leave_loop();
    directions_ = 0;
  }
  /// Starts a block, which begins without asynchronous stores in flight.
  void next_block() {
    next_phase();
    arrived_ = ++batches_;
  }
  /// Records a barrier. Outside of kernels there is one thread.
  void meet(std::int32_t pending) {
    if (in_kernel()) next_phase();
    if (pending < 0) return;
    ++batches_;
    arrived_ = std::max(arrived_, batches_ - pending);
  }

  /// Reports a read of an unwritten element. If a race is found before the end, that is the cause and is reported
  /// instead.
  void unwritten(std::string const& what) {
    if (!active()) throw internal_error(what);
    if (unwritten_.empty()) unwritten_ = what;
  }

  /// Sets the buffer in which the following computations are stored.
  void ends_in(memory where, bool ahead) {
    own_result_ = where == memory::local;  // a value in registers may be a step towards a shared result
    ahead_result_ = ahead;
  }

  /// Records a read of an element of a buffer; `element()` returns its name. Throws internal_error if it is a race, or
  /// if the element's asynchronous store is not complete.
  template <class Name>
  void read(touch& t, thread_place const& who, memory where, bool ahead, Name const& element) {
    bool const own = is_own(where);
    access_mark const now{clock_, placed(who, own_result_), statement_};
    if (own && in_kernel() && t.writer.when > 0 && !t.writer.who.alike(now.who))
      fail(element(), now, "read", t.writer, "written", "it is memory of a thread's own");
    if (auto const at = common(t.writer, now, where); at != in_order)
      fail(element(), now, "read", t.writer, "written", remedy(at));
    if (ahead && is_under_way(t.batch))
      fail(element(), now, "read", t.writer, "written ahead", "a barrier that awaits it is missing between them");
    if (ahead_result_) t.fetched_in = batches_;
    auto const first = common(t.readers[0], now, where);
    auto const second = common(t.readers[1], now, where);
    if (first == in_order && second == in_order) t.readers = {now, {}};
    else t.readers = {t.readers[first <= second ? 0 : 1], now};
  }

  /// Records a write of an element of a buffer; parameters and exceptions are those of `read`.
  template <class Name>
  void write(touch& t, thread_place const& who, memory where, bool ahead, Name const& element) {
    bool const own = is_own(where);
    access_mark const now{clock_, placed(who, own), statement_};
    if (auto const at = common(t.writer, now, where); at != in_order)
      fail(element(), now, "written", t.writer, "written", remedy(at));
    for (auto const& reader : t.readers) {
      if (own && !reader.who.alike(now.who)) continue;
      if (auto const at = common(reader, now, where); at != in_order)
        fail(element(), now, "written", reader, "read", remedy(at));
    }
    if (ahead && is_under_way(t.batch))
      fail(element(), now, "written", t.writer, "written ahead", "a barrier that awaits it is missing between them");
    if (is_under_way(t.fetched_in))
      fail(element(), now, "written", t.readers[0], "read ahead", "a barrier that awaits it is missing between them");
    t = {now, {}, ahead ? batches_ : -1, -1};
  }

 private:
  void next_phase() { levels_[kernel_].part = ++clock_; }

  /// A loop whose iterations may run concurrently, or a kernel.
  struct level {
    std::int64_t begin;  ///< clock at the start of the loop
    /// Clock at the start of this iteration; for a kernel: of the part of a block between two barriers.
    std::int64_t part;
    stmt const* loop;
  };
  static constexpr std::size_t in_order = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool is_under_way(std::int64_t batch) const { return batch >= arrived_; }

  /// Returns the position with 0 for directions without a loop in the kernel; see above for statements outside of a
  /// loop.
  [[nodiscard]] thread_place placed(thread_place who, bool all_alike) const {
    for (std::size_t d = 0; d < who.at.size(); ++d)
      if ((directions_ >> d & 1) == 0 || (who.at[d] == thread_place::all && !all_alike)) who.at[d] = 0;
    return who;
  }

  /// Returns what makes two accesses concurrent: twice the number of the outermost such level, plus one if it is
  /// threads.
  [[nodiscard]] std::size_t common(access_mark const& before, access_mark const& now, memory where) const {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      auto const& l = levels_[i];
      if (before.when < l.begin) return in_order;
      bool const same_part = before.when >= l.part;
      if (!in_kernel() || i != kernel_) {
        if (!same_part) return 2 * i;
        continue;
      }
      bool const alike = is_own(where) && before.who.alike(now.who);
      if (!alike && !before.who.same_block(now.who)) return where == memory::shared ? in_order : 2 * i;
      if (!same_part) return in_order;
      if (!alike && !before.who.same_thread(now.who)) return 2 * i + 1;
    }
    return in_order;
  }

  [[nodiscard]] std::string remedy(std::size_t at) const {
    auto const i = at / 2;
    if (!in_kernel() || i != kernel_) return "iterations of `" + first_line(*levels_[i].loop) + "` are not independent";
    return at % 2 != 0 ? "a barrier is missing between them" : "blocks of one launch do not wait for each other";
  }

  [[nodiscard]] static std::string first_line(stmt const& s) {
    auto const text = print(s);
    return text.substr(0, text.find('\n'));
  }

  [[nodiscard]] std::string place(access_mark const& m) const {
    constexpr char const* names[] = {"block.x", "block.y", "block.z", "thread.x", "thread.y", "thread.z", "vthread"};
    std::string text = "`" + first_line(*m.by) + "`";
    char const* separator = " of ";
    for (std::size_t d = 0; d < m.who.at.size(); ++d) {
      if ((directions_ >> d & 1) == 0) continue;
      auto const at = m.who.at[d];
      text += separator + std::string(names[d]) + " " + (at == thread_place::all ? "any" : std::to_string(at));
      separator = ", ";
    }
    return text;
  }

  [[noreturn]] void fail(std::string const& element, access_mark const& now, char const* does,
                         access_mark const& before, char const* did, std::string const& why) const {
    throw internal_error(element + " is " + did + " by " + place(before) + " and " + does + " by " + place(now) + ": " +
                         why);
  }

  std::vector<level> levels_;
  std::size_t kernel_ = 0;    ///< number of its level
  unsigned directions_ = 0;   ///< directions of its blocks and threads; 0: no kernel is running
  std::int64_t clock_ = 0;    ///< counts iterations, blocks and barriers
  std::int64_t batches_ = 0;  ///< number of batches that were ended
  std::int64_t arrived_ = 0;  ///< number of the first batches that are complete
  bool own_result_ = false;
  bool ahead_result_ = false;
  stmt const* statement_ = nullptr;
  std::string unwritten_;
};

}}}}  // namespace ttune::v0::ir::detail
