// SPDX-License-Identifier: Apache-2.0
// Calls a function at the end of a scope, also if an exception leaves it.
#pragma once

#include <utility>

namespace ttune { inline namespace v0 {

template <class Function>
class on_exit {
 public:
  explicit on_exit(Function f) : f_(std::move(f)) {}
  on_exit(on_exit const&) = delete;
  on_exit& operator=(on_exit const&) = delete;
  ~on_exit() { f_(); }

 private:
  Function f_;
};

}}  // namespace ttune::v0
