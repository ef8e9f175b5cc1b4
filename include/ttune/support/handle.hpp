// SPDX-License-Identifier: Apache-2.0
// A handle of a shared, immutable node, with an intrusive reference count: the DSL's headers do not include <memory>.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace ttune { inline namespace v0 {

/// Base class of nodes that a `handle` can own.
struct counted {
  mutable std::atomic<long> references{0};
  counted() = default;
  counted(counted const&) noexcept {}
  counted& operator=(counted const&) noexcept { return *this; }
};

namespace detail {
/// Both functions are defined in support/handle_bodies.hpp, which is included with the complete node types: code that
/// only names handles, such as the DSL, works with incomplete node types.
template <class T>
void retain(T const* node) noexcept;
template <class T>
void release(T const* node) noexcept;
}  // namespace detail

/// Shared ownership of an immutable `T`, which derives from `counted`. Comparison is by identity. `T` may be incomplete
/// in code that only names the handle.
template <class T>
class handle {
 public:
  handle() = default;
  handle(std::nullptr_t) noexcept {}
  explicit handle(T const* node) noexcept : node_(node) { acquire(); }
  handle(handle const& other) noexcept : node_(other.node_) { acquire(); }
  handle(handle&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  handle& operator=(handle other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~handle() { release(); }

  [[nodiscard]] T const* get() const noexcept { return node_; }
  T const& operator*() const noexcept { return *node_; }
  T const* operator->() const noexcept { return node_; }
  explicit operator bool() const noexcept { return node_ != nullptr; }

  friend bool operator==(handle const& a, handle const& b) noexcept { return a.node_ == b.node_; }

 private:
  void acquire() const noexcept {
    if (node_) detail::retain(node_);
  }
  void release() noexcept {
    if (node_) detail::release(node_);
  }
  T const* node_ = nullptr;
};

/// Moves a finished node into shared ownership: `auto const t = share(tensor{{}, "A", dtype::f32});`
template <class T>
[[nodiscard]] handle<T> share(T node) {
  return handle<T>(new T(std::move(node)));
}

}}  // namespace ttune::v0
