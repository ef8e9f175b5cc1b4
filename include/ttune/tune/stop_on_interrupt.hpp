// SPDX-License-Identifier: Apache-2.0
// Turns Ctrl-C into a stop token while the object lives: the tuning ends with the best kernel so far, and the program
// continues.
#pragma once

#include <memory>
#include <stop_token>

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 {

/// `ttune::stop_on_interrupt const interrupt;  tuner.tune(op, {.stop = interrupt.token()});`
///
/// The first SIGINT requests a stop and restores the previous handler, so that a second one ends the program. The
/// destructor restores it, too. Only one object may exist; a second one throws argument_error. The library never
/// creates one by itself. Costs a sleeping thread.
class stop_on_interrupt {
 public:
  stop_on_interrupt();
  stop_on_interrupt(stop_on_interrupt const&) = delete;
  stop_on_interrupt& operator=(stop_on_interrupt const&) = delete;
  ~stop_on_interrupt();

  [[nodiscard]] std::stop_token token() const noexcept;
  [[nodiscard]] bool interrupted() const noexcept { return token().stop_requested(); }

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/tune/stop_on_interrupt.inl.hpp"
#endif
