// SPDX-License-Identifier: Apache-2.0
// A reference to a callable, for parameters: the function that takes it is compiled once, not once for each lambda.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace ttune { inline namespace v0 {

template <class Signature>
class function_ref;

/// Refers to a callable, which must live until the last call: a parameter's type, as std::function_ref of C++26. A call
/// costs a jump through a pointer; nothing is allocated.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, function_ref> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
  function_ref(Callable&& f) noexcept {
    using callee = std::remove_reference_t<Callable>;
    if constexpr (std::is_function_v<callee>) {
      callable_.function = reinterpret_cast<void (*)()>(std::addressof(f));
      call_ = [](storage to, Arguments... arguments) -> Result {
        return invoke(*reinterpret_cast<callee*>(to.function), std::forward<Arguments>(arguments)...);
      };
    } else {
      callable_.object = const_cast<void*>(static_cast<void const*>(std::addressof(f)));
      call_ = [](storage to, Arguments... arguments) -> Result {
        return invoke(*static_cast<callee*>(to.object), std::forward<Arguments>(arguments)...);
      };
    }
  }

  Result operator()(Arguments... arguments) const { return call_(callable_, std::forward<Arguments>(arguments)...); }

 private:
  template <class Callee>
  static Result invoke(Callee& f, Arguments... arguments) {
    if constexpr (std::is_void_v<Result>) static_cast<void>(f(std::forward<Arguments>(arguments)...));
    else return f(std::forward<Arguments>(arguments)...);
  }

  union storage {
    void* object;
    void (*function)();
  };
  storage callable_{};
  Result (*call_)(storage, Arguments...) = nullptr;
};

}}  // namespace ttune::v0
