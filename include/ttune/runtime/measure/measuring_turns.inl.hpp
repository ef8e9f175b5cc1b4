// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "ttune/runtime/measure/measuring_turns.hpp"

namespace ttune { inline namespace v0 { namespace detail {

enum class turn_byte : off_t { turn, next };

/// Locks a byte of a file, or unlocks it; returns false if another one has it.
inline bool set_lock(int file, turn_byte byte, short type) noexcept {
  struct flock what{};
  what.l_type = type;
  what.l_whence = SEEK_SET;
  what.l_start = static_cast<off_t>(byte);
  what.l_len = 1;
  return ::fcntl(file, F_OFD_SETLK, &what) == 0;
}

measuring_turns::turn::~turn() {
  if (file_ >= 0) (void)set_lock(file_, turn_byte::turn, F_UNLCK);
}

std::string measuring_turns::path_of_user() {
  char const* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (folder && *folder == '/') return std::string(folder) + "/ttune-measuring.lock";
  return "/tmp/ttune-measuring-" + std::to_string(::geteuid()) + ".lock";
}

measuring_turns::measuring_turns(std::string const& path)
    : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  struct stat about{};
  if (file_ < 0 || (::fstat(file_, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == ::geteuid())) return;
  ::close(std::exchange(file_, -1));
}

measuring_turns::~measuring_turns() {
  if (file_ >= 0) ::close(file_);
}

measuring_turns::turn measuring_turns::take(std::stop_token const& stop, steady::duration most) {
  constexpr auto between_tries = std::chrono::microseconds(100);
  auto const until = steady::now() + (waited_in_vain_ ? steady::duration(0) : most);
  auto const wait_for = [&](turn_byte byte) {
    while (!set_lock(file_, byte, F_WRLCK)) {
      if (stop.stop_requested() || steady::now() >= until) return false;
      std::this_thread::sleep_for(between_tries);
    }
    return true;
  };
  if (file_ < 0) return turn();
  bool const is_next = wait_for(turn_byte::next);
  bool const got = is_next && wait_for(turn_byte::turn);
  if (is_next) (void)set_lock(file_, turn_byte::next, F_UNLCK);
  waited_in_vain_ = !got;
  return got ? turn(file_) : turn();
}

}}}  // namespace ttune::v0::detail
