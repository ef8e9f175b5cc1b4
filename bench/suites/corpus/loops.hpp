// SPDX-License-Identifier: Apache-2.0
// Plain functions over extents and pointers, with their types erased: the references for operators of the corpus.
#pragma once

#include <ttune/core/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ttune_bench::corpus {

using index = std::int64_t;

/// Like std::max, but by value: a reference needs an address, and g++ keeps such objects in memory inside `omp simd`.
template <class T>
[[nodiscard]] constexpr T larger(T a, std::type_identity_t<T> b) {
  return a < b ? b : a;
}
template <class T>
[[nodiscard]] constexpr T smaller(T a, std::type_identity_t<T> b) {
  return b < a ? b : a;
}
template <class T>
[[nodiscard]] constexpr T clamped_to(T x, std::type_identity_t<T> low, std::type_identity_t<T> high) {
  return smaller(larger(x, low), high);
}

/// A function such as `void gemm(index m, index n, index k, float const* A, float const* B, float* C)`: the extents of
/// the operator, then its operands in their order.
struct plain_function {
  std::string name;  ///< name of the operator
  std::size_t extents = 0;
  std::vector<ttune::dtype> types;  ///< element types behind the pointers
  std::function<void(std::span<index const> extents, std::span<void* const> operands)> run;

  template <class... Parameters>
  plain_function(std::string of, void (*f)(Parameters...)) : name(std::move(of)) {
    (note<Parameters>(), ...);
    run = [f](std::span<index const> sizes, std::span<void* const> operands) {
      call(f, sizes, operands, std::index_sequence_for<Parameters...>());
    };
  }

 private:
  template <class Parameter>
  void note() {
    if constexpr (std::is_pointer_v<Parameter>)
      types.push_back(ttune::dtype_of<std::remove_const_t<std::remove_pointer_t<Parameter>>>());
    else ++extents;
  }
  template <class... Parameters, std::size_t... I>
  static void call(void (*f)(Parameters...), std::span<index const> sizes, std::span<void* const> operands,
                   std::index_sequence<I...>) {
    f(argument<Parameters>(sizes, operands, I)...);
  }
  template <class Parameter>
  static Parameter argument(std::span<index const> sizes, std::span<void* const> operands, std::size_t at) {
    if constexpr (std::is_pointer_v<Parameter>) return static_cast<Parameter>(operands[at - sizes.size()]);
    else return sizes[at];
  }
};

/// Returns the functions by system ("openmp", "eigen"), then by operator.
inline std::map<std::string, std::map<std::string, plain_function>>& plain_functions() {
  static std::map<std::string, std::map<std::string, plain_function>> all;
  return all;
}

[[nodiscard]] inline plain_function const* find_function(std::string const& system, std::string const& name) {
  auto const& of_system = plain_functions()[system];
  auto const found = of_system.find(name);
  return found == of_system.end() ? nullptr : &found->second;
}

/// Adds functions: `static add_functions const all{"openmp", {{"gemm", gemm}, {"atax", atax}}};`
struct add_functions {
  add_functions(std::string const& system, std::vector<plain_function> functions) {
    for (auto& f : functions) {
      auto const name = f.name;
      if (!plain_functions()[system].emplace(name, std::move(f)).second)
        throw std::logic_error(system + " has " + name + " twice");
    }
  }
};

}  // namespace ttune_bench::corpus
