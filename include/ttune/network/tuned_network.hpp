// SPDX-License-Identifier: Apache-2.0
// A network that can be called: kernels with their weights laid out, and memory for activations.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ttune/core/dtype.hpp"
#include "ttune/network/network_report.hpp"
#include "ttune/network/network_steps.hpp"
#include "ttune/runtime/argument.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/kernel_call.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

/// An argument of a call, as the network checks it.
struct network_argument {
  void* data;
  dtype type;
  std::int64_t elements;
  bool writable;
};

template <class X>
[[nodiscard]] network_argument network_argument_of(X& x) {
  using traits = argument_traits<std::remove_cvref_t<X>>;
  static_assert(traits::known, "ttune: this type cannot be passed to a network: pass a view, a std::span or a vector");
  static_assert(traits::rank < 2 || !traits::column_major, "ttune: arguments of networks are row-major");
  auto* const data = traits::data(x);
  std::int64_t elements = 1;
  if constexpr (traits::rank < 0) elements = traits::elements(x);
  else
    for (int d = 0; d < traits::rank; ++d) elements *= traits::extent(x, d);
  using element_type = std::remove_pointer_t<decltype(data)>;
  return {const_cast<void*>(static_cast<void const*>(data)), dtype_of<std::remove_const_t<element_type>>(), elements,
          !std::is_const_v<element_type>};
}

}  // namespace detail

/// A callable network. Copies share kernels and weights. Thread-safe: concurrent calls use activations of their own.
class tuned_network {
 public:
  /// Lays out the weights. The network keeps only those weights as they were given that some kernel reads so; it copies
  /// them if the graph does not own them. It lets go of all others as soon as they are laid out: a graph that is moved
  /// here, and owns them alone, frees them one after the other. `search` is for the report.
  tuned_network(network_graph net, network_steps steps, std::shared_ptr<executor> on, search_cost search = {});

  /// Calls the network: inputs, then outputs, each in the order of their declaration. Throws argument_error, naming the
  /// tensor, for another number of arguments, other element types or numbers of elements, null and misaligned pointers,
  /// and outputs that overlap other arguments.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    run(std::array<detail::network_argument, sizeof...(Arguments)>{detail::network_argument_of(arguments)...});
  }

  /// Calls the network with the memory of its inputs, then of its outputs, whose sizes are not checked.
  void call(std::span<void* const> memory) const;

  [[nodiscard]] std::size_t steps() const noexcept;
  [[nodiscard]] std::string const& step_name(std::size_t step) const;
  [[nodiscard]] std::int64_t arena_bytes() const noexcept;  ///< activations of one call
  /// Returns the bytes of the weights that the network holds: as kernels laid them out, and as given where calls read
  /// them so.
  [[nodiscard]] std::int64_t weights_bytes() const noexcept;
  [[nodiscard]] network_report report() const;
  /// Returns the seconds of each step, the median of some calls with inputs of zeros.
  [[nodiscard]] std::vector<double> step_seconds(int calls = 20) const;

 private:
  struct shared_parts;
  class context;
  void run(std::span<detail::network_argument const> arguments) const;

  std::shared_ptr<shared_parts> parts_;
};

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/tuned_network.inl.hpp"
#endif
