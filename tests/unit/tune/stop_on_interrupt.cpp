// SPDX-License-Identifier: Apache-2.0
// Uses Ctrl-C as a stop token.
#include "ttune/tune/stop_on_interrupt.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "support/child.hpp"
#include "support/main.hpp"
#include "ttune/support/error.hpp"

namespace stop_on_interrupt_tests {

using namespace ttune;

namespace {

bool stops(std::stop_token const& token) {
  for (int i = 0; i < 2000 && !token.stop_requested(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return token.stop_requested();
}

std::atomic<int> handled{0};

/// PROGRAM --interrupted: interrupts itself twice; the second time ends the process.
ttune_test::at_start const twice{[](int argc, char** argv) {
  if (argc != 2 || std::string(argv[1]) != "--interrupted") return -1;
  stop_on_interrupt const interrupt;
  ::raise(SIGINT);
  if (!stops(interrupt.token())) return 1;
  ::raise(SIGINT);
  return 2;
}};

}  // namespace

TEST_SUITE("threads") {
  TEST_CASE("stop_on_interrupt: the first interrupt requests a stop, the second one has its old effect") {
    struct sigaction mine{}, before{};
    mine.sa_handler = [](int) { ++handled; };
    ::sigaction(SIGINT, &mine, &before);
    {
      stop_on_interrupt const interrupt;
      CHECK(!interrupt.interrupted());
      bool called = false;
      std::stop_callback const callback(interrupt.token(), [&] { called = true; });
      ::raise(SIGINT);
      CHECK(stops(interrupt.token()));
      CHECK(handled == 0);
      ::raise(SIGINT);
      CHECK(handled == 1);
    }
    {
      stop_on_interrupt const again;
      CHECK(!again.interrupted());
    }
    ::raise(SIGINT);  // the destructor has restored the handler
    CHECK(handled == 2);
    ::sigaction(SIGINT, &before, nullptr);
  }

  TEST_CASE("stop_on_interrupt: one at a time; tokens outlive it") {
    std::stop_token token;
    {
      stop_on_interrupt const interrupt;
      token = interrupt.token();
      CHECK_THROWS_AS(stop_on_interrupt{}, argument_error);
      ::raise(SIGINT);
      CHECK(stops(token));
    }
    CHECK(token.stop_requested());
    stop_on_interrupt const next;
    CHECK(!next.interrupted());
  }
}

TEST_CASE("stop_on_interrupt: a second interrupt ends a program that does not listen") {
  ttune_test::child child({"--interrupted"});
  CHECK(child.wait() == -SIGINT);
}

}  // namespace stop_on_interrupt_tests
