// SPDX-License-Identifier: Apache-2.0
// Turns in measuring: tuners on one machine, also those of other processes of the user, time candidates one after the
// other. Times that two of them measure at once are those of half a machine.
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "ttune/support/clock.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Locks on two bytes of a file: that of the turn, and that of the place next to it, so that nobody takes two turns
/// while others wait. The system gives back the locks of a process that ends. Without the file, and behind a turn that
/// takes too long (its owner may have been stopped), measuring goes on without a turn. Used by one thread.
class measuring_turns {
 public:
  /// Holds a turn until it is destroyed.
  class turn {
   public:
    turn() = default;
    turn(turn&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
    turn& operator=(turn&&) = delete;
    ~turn();
    [[nodiscard]] bool is_held() const noexcept { return file_ >= 0; }

   private:
    friend class measuring_turns;
    explicit turn(int file) noexcept : file_(file) {}
    int file_ = -1;
  };

  /// Uses the file of this user: ttune-measuring.lock in XDG_RUNTIME_DIR, else /tmp/ttune-measuring-<user>.lock.
  measuring_turns() : measuring_turns(path_of_user()) {}
  /// Uses a file, which is made if it is missing. One of another user, and a link, are not used.
  explicit measuring_turns(std::string const& path);
  measuring_turns(measuring_turns const&) = delete;
  measuring_turns& operator=(measuring_turns const&) = delete;
  ~measuring_turns();

  /// Waits for a turn, at most so long; not again before a turn was free, once that was in vain. Returns none after
  /// that time, after a stop request, and without a file. Costs some microseconds if nobody else measures.
  [[nodiscard]] turn take(std::stop_token const& stop = {}, steady::duration most = std::chrono::seconds(5));

  [[nodiscard]] static std::string path_of_user();

 private:
  int file_ = -1;
  bool waited_in_vain_ = false;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/measuring_turns.inl.hpp"
#endif
