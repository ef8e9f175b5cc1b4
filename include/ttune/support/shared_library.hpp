// SPDX-License-Identifier: Apache-2.0
// A shared library that is opened at its first use, and its functions.
#pragma once

#include <string>
#include <vector>

#include "ttune/support/config.hpp"
#include "ttune/support/fixed_string.hpp"

namespace ttune { inline namespace v0 {

/// An opened shared library; it stays open until the process ends.
class shared_library {
 public:
  /// Opens the first of these names that can be opened.
  explicit shared_library(std::vector<std::string> const& names);
  shared_library(shared_library const&) = delete;
  shared_library& operator=(shared_library const&) = delete;

  /// Returns the address of a symbol; null if it does not exist.
  [[nodiscard]] void* find(char const* name) const noexcept;
  /// Returns the address of a symbol; throws backend_error if it does not exist.
  [[nodiscard]] void* symbol(char const* name) const;
  /// Returns what was tried and why it failed; empty if the library is open.
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }

 private:
  void* handle_ = nullptr;
  std::string failure_;
};

namespace detail {

/// A C function of the library that `Open()` returns. The first call looks it up, and throws backend_error if the
/// library cannot be opened.
template <shared_library const& (*Open)(), fixed_string Name, class Signature>
struct lazy_function;
template <shared_library const& (*Open)(), fixed_string Name, class Result, class... Arguments>
struct lazy_function<Open, Name, Result(Arguments...)> {
  Result operator()(Arguments... arguments) const { return call(arguments...); }
  static Result call(Arguments... arguments) {
    static auto const function = reinterpret_cast<Result (*)(Arguments...)>(Open().symbol(Name.text));
    return function(arguments...);
  }
};

}  // namespace detail
}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/support/shared_library.inl.hpp"
#endif
