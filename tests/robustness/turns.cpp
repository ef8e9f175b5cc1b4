// SPDX-License-Identifier: Apache-2.0
// Turns of tuners in measuring, also when one of them ends in its turn.
#include "ttune/runtime/measure/measuring_turns.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/temporary_folder.hpp"

namespace turns_tests {

using namespace std::chrono_literals;
using ttune::detail::measuring_turns;

namespace {

/// A process that takes a turn and keeps it.
class owner {
 public:
  explicit owner(std::string const& path) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      measuring_turns turns(path);
      auto const turn = turns.take();
      char const told = turn.is_held() ? 'y' : 'n';
      if (::write(ends[1], &told, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    has_turn_ = ::read(ends[0], &told_, 1) == 1 && told_ == 'y';
    ::close(ends[0]);
  }
  ~owner() { ends(); }
  [[nodiscard]] bool has_turn() const { return has_turn_; }
  void ends() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  pid_t process_ = -1;
  char told_ = 'n';
  bool has_turn_ = false;
};

/// A turn that another process has, and a tuner that wants it.
struct taken_turn {
  taken_turn() { REQUIRE(other.has_turn()); }

  ttune_test::temporary_folder folder;
  std::string path = folder / "lock";
  owner other{path};
  measuring_turns turns{path};
};

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("turns: two tuners measure one after the other, and each gets its share") {
    ttune_test::temporary_folder const folder;
    auto const path = folder / "lock";
    std::atomic<int> inside{0};
    std::atomic<int> together{0};
    std::atomic<bool> over{false};
    std::atomic<int> begun{0};
    std::atomic<int> counts[2] = {0, 0};
    std::vector<std::thread> tuners;
    for (auto& count : counts)
      tuners.emplace_back([&] {
        measuring_turns turns(path);
        ++begun;
        while (begun < 2) std::this_thread::yield();
        while (!over) {
          auto const turn = turns.take();
          if (!turn.is_held()) continue;
          if (inside.fetch_add(1) != 0) ++together;
          std::this_thread::sleep_for(1ms);
          inside.fetch_sub(1);
          if (++count == 50) over = true;
        }
      });
    for (auto& t : tuners) t.join();
    CHECK(together == 0);
    CHECK(counts[0] >= 10);  // strictly in turn, but for a thread that does not run meanwhile
    CHECK(counts[1] >= 10);
  }
}

TEST_CASE("turns: that of a process that ends goes on to the next one") {
  taken_turn one;
  CHECK_FALSE(one.turns.take({}, 5ms).is_held());
  one.other.ends();
  CHECK(one.turns.take().is_held());
}

TEST_CASE("turns: one that takes too long, or a stop request, ends the waiting") {
  taken_turn one;
  std::stop_source stop;
  stop.request_stop();
  CHECK_FALSE(one.turns.take(stop.get_token(), std::chrono::hours(1)).is_held());
  CHECK_FALSE(measuring_turns(one.path).take({}, 1ms).is_held());
}

TEST_CASE("turns: nobody waits twice for an owner that has been stopped") {
  taken_turn one;
  CHECK_FALSE(one.turns.take({}, 1ms).is_held());
  for (int i = 0; i < 100; ++i) CHECK_FALSE(one.turns.take({}, std::chrono::hours(1)).is_held());
  one.other.ends();
  CHECK(one.turns.take().is_held());
}

TEST_CASE("turns: a link, a folder and a place without files are not used") {
  ttune_test::temporary_folder const folder;
  std::filesystem::create_symlink("somewhere", folder / "link");
  for (auto const* name : {"link", "", "missing/lock"}) CHECK_FALSE(measuring_turns(folder / name).take().is_held());
  CHECK_FALSE(std::filesystem::exists(folder / "somewhere"));
}

TEST_CASE("turns: a turn is given back at the end of its scope") {
  ttune_test::temporary_folder const folder;
  auto const path = folder / "lock";
  measuring_turns first(path);
  measuring_turns second(path);
  {
    auto const turn = first.take();
    CHECK(turn.is_held());
    CHECK_FALSE(second.take({}, 1ms).is_held());
  }
  CHECK(second.take().is_held());
}

}  // namespace turns_tests
