// SPDX-License-Identifier: Apache-2.0
// Whether what may run at once gets in each other's way: shadow memory. Every element knows who wrote it last and who
// has read it since; a touch of it is a race if an earlier one was in another iteration of a loop whose iterations may
// run at once, or in another thread between the same two barriers, or in another block of the same launch, and one of
// both wrote. That is asked of accesses, not of results, so the order in which the interpreter runs them does not
// matter: all pairs are seen.
//
// One writer and two readers an element are enough for all pairs. A touch that is ordered behind another one stands for
// it, since what may run at the same time as the first may do so with the second as well; and of readers that may run
// at once it is the two whose common loop is furthest out that any writer gets in the way of, if it does of a third.
//
// What stands outside of a loop over threads is done by all of them alike where it ends in memory of their own, and by
// the first one where it does not (ir/README.md, "Lowered programs").
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

namespace ttune::inline v0::ir::detail {

/// Whether each thread has its own.
inline constexpr bool is_own(memory where) { return where == memory::local || where == memory::registers; }
inline constexpr bool is_block(loop_kind k) { return k >= loop_kind::block_x && k <= loop_kind::block_z; }
inline constexpr bool is_thread(loop_kind k) { return k >= loop_kind::thread_x; }
inline constexpr bool is_of_kernel(loop_kind k) { return k >= loop_kind::block_x; }
/// Whether its iterations may run at once, without barriers between them.
inline constexpr bool is_unordered(loop_kind k) { return k == loop_kind::parallel || k == loop_kind::vectorized; }

/// Position in the three directions of blocks, the three of threads, and among virtual threads.
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
  /// Likewise, where all threads alike is each of them.
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

/// Who touched an element.
struct touch {
  access_mark writer;                  ///< the last one
  std::array<access_mark, 2> readers;  ///< since then
  std::int64_t batch = -1;             ///< of buffers that are written ahead: the last one
  std::int64_t fetched_in = -1;        ///< the last batch that reads it
};

class race_watch {
 public:
  /// What runs from now on.
  void at(stmt const& s) { statement_ = &s; }
  /// Whether anything runs that could run at the same time as something else.
  [[nodiscard]] bool active() const noexcept { return !levels_.empty(); }

  void enter_loop(stmt const& s) { levels_.push_back({++clock_, clock_, &s}); }
  void next_iteration() { levels_.back().part = ++clock_; }
  void leave_loop() {
    levels_.pop_back();
    if (!active() && !unwritten_.empty()) throw internal_error(unwritten_);
  }

  [[nodiscard]] bool in_kernel() const noexcept { return directions_ != 0; }
  /// `directions`: a bit for each direction that the kernel's loops over blocks and threads have.
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
  /// It begins with nothing under way.
  void next_block() {
    next_phase();
    arrived_ = ++batches_;
  }
  /// A barrier.
  void meet(std::int32_t pending) {
    next_phase();
    if (pending < 0) return;
    ++batches_;
    arrived_ = std::max(arrived_, batches_ - pending);
  }

  /// Something reads what nothing has written yet. If a race is seen before all is done, that is why.
  void unwritten(std::string const& what) {
    if (!active()) throw internal_error(what);
    if (unwritten_.empty()) unwritten_ = what;
  }

  /// What is computed from now on ends in a buffer like this one.
  void ends_in(memory where, bool ahead) {
    own_result_ = where == memory::local;  // a register may be a step towards something shared
    ahead_result_ = ahead;
  }

  /// Of an element of a buffer like this one; `element()` is its name.
  /// Throws: internal_error if that is a race, or what is read is under way.
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

  /// Likewise.
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

  /// A loop whose iterations may run at once, or a kernel.
  struct level {
    std::int64_t begin;  ///< when it came to it
    std::int64_t part;   ///< when this iteration began; a kernel: this part of a block between two barriers
    stmt const* loop;
  };
  static constexpr std::size_t in_order = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool is_under_way(std::int64_t batch) const { return batch >= arrived_; }

  /// Directions that the kernel has no loop over count as 0; where it stands outside of one, see above.
  [[nodiscard]] thread_place placed(thread_place who, bool all_alike) const {
    for (std::size_t d = 0; d < who.at.size(); ++d)
      if ((directions_ >> d & 1) == 0 || (who.at[d] == thread_place::all && !all_alike)) who.at[d] = 0;
    return who;
  }

  /// What lets the two run at once: twice the number of the level, plus one if it is threads; the outermost one.
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
      if (!alike && !before.who.same_block(now.who)) return where == memory::group ? in_order : 2 * i;
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
  std::size_t kernel_ = 0;    ///< among the levels
  unsigned directions_ = 0;   ///< of its blocks and threads; 0: there is none
  std::int64_t clock_ = 0;    ///< counts iterations, blocks and barriers
  std::int64_t batches_ = 0;  ///< that were ended
  std::int64_t arrived_ = 0;  ///< of them, so many first ones
  bool own_result_ = false;
  bool ahead_result_ = false;
  stmt const* statement_ = nullptr;
  std::string unwritten_;
};

}  // namespace ttune::inline v0::ir::detail
