// SPDX-License-Identifier: Apache-2.0
// Networks in the notation of operators. The compiler checks the number, the element types and the ranks of operands,
// shapes are checked when an operator is added:
//
//   ttune::network net("classifier");
//   auto const image = net.input<float>("image", {1, 3, 32, 32});
//   auto const filters = net.weights("filters", {16, 3, 3, 3}, std::move(numbers));
//   auto const features = net.add(ops::conv2d_bias_relu({1, 3, 32, 32, 16, 3, 1, 1}), image, filters, bias);
//   net.output("features", features);
//   auto const run = tune_network(net, tuner, {.time = 30s});   // <ttune/network.hpp>
//   run(pixels, result);
#pragma once

#include <atomic>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "ttune/expr/op.hpp"
#include "ttune/network/graph.hpp"
#include "ttune/network/join_tensors.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

/// A tensor of a network with its element type and rank: what `network::input`, `weights` and `add` return.
template <class T, int Rank>
class network_value {
  static_assert(!is_complex_v<T>, "ttune: networks have real values: give the parts as values of their own");

 public:
  using element_type = T;
  static constexpr int rank = Rank;

  [[nodiscard]] std::size_t index() const noexcept { return index_; }  ///< position in `network_graph::tensors`

 private:
  friend class network;
  network_value(std::size_t index, std::uint64_t owner) : index_(index), owner_(owner) {}
  std::size_t index_;
  std::uint64_t owner_;
};

namespace detail {

template <class Operand>
using value_of_operand = network_value<typename Operand::element_type, Operand::rank>;

/// The culprit in a message of the compiler: an operand, and the value that it was given.
template <fixed_string Name, class Wanted, class Given>
struct operand_of_network {};
/// void if the value suits the operand.
template <class Operand, class Given>
using misfit = std::conditional_t<std::is_same_v<value_of_operand<Operand>, Given>, void,
                                  operand_of_network<Operand::name, value_of_operand<Operand>, Given>>;

/// The culprit in a message of the compiler: the numbers of inputs and of values.
template <std::size_t Inputs, std::size_t Given>
struct number_of_values {};
template <std::size_t Inputs, std::size_t Given>
using wrong_number = std::conditional_t<Inputs == Given, void, number_of_values<Inputs, Given>>;

template <bool Wanted, class Operand>
using listed_if = std::conditional_t<Wanted, type_list<Operand>, type_list<>>;
template <class... First, class... Second, class... Rest>
constexpr auto concatenated(type_list<First...>, type_list<Second...>, Rest... rest) {
  return concatenated(type_list<First..., Second...>{}, rest...);
}
template <class... All>
constexpr auto concatenated(type_list<All...> all) {
  return all;
}
template <class... Operands>
using network_inputs = decltype(concatenated(type_list<>{}, listed_if<!Operands::written, Operands>{}...));
template <class... Operands>
using network_outputs = decltype(concatenated(type_list<>{}, listed_if<Operands::written, Operands>{}...));

}  // namespace detail

/// Builds a network: inputs, weights, operators, outputs, in this or any order in which operands come first.
class network {
 public:
  explicit network(std::string name) : graph_(std::move(name)), id_(next_id()) {}

  /// Adds an input. Calls pass inputs first, in the order of declaration, then outputs.
  template <class T, int Rank>
  [[nodiscard]] network_value<T, Rank> input(std::string name, std::int64_t const (&shape)[Rank]) {
    return {graph_.add_input(std::move(name), dtype_of<T>(), {shape, shape + Rank}), id_};
  }
  /// Adds weights, which the network owns until it is tuned; kernels own them then in the layouts that they like.
  /// Throws program_error unless the number of elements fits the shape.
  template <class T, int Rank>
  [[nodiscard]] network_value<T, Rank> weights(std::string name, std::int64_t const (&shape)[Rank],
                                               std::vector<T> content) {
    auto const kept = std::make_shared<std::vector<T> const>(std::move(content));
    check_elements(name, {shape, shape + Rank}, kept->size());
    return {graph_.add_weights(std::move(name), dtype_of<T>(), {shape, shape + Rank}, {kept, kept->data()}), id_};
  }
  /// Adds weights of which the network is one owner, such as those of a file that is mapped into memory. They have as
  /// many elements as the shape.
  template <class T, int Rank>
  [[nodiscard]] network_value<T, Rank> weights(std::string name, std::int64_t const (&shape)[Rank],
                                               std::shared_ptr<T const> content) {
    return {graph_.add_weights(std::move(name), dtype_of<T>(), {shape, shape + Rank}, std::move(content)), id_};
  }
  /// Adds weights that the caller owns; the memory must stay until the network is tuned.
  template <class T, int Rank>
  [[nodiscard]] network_value<T, Rank> weights(std::string name, std::int64_t const (&shape)[Rank],
                                               std::span<T const> content) {
    check_elements(name, {shape, shape + Rank}, content.size());
    std::shared_ptr<void const> const shared(std::shared_ptr<void const>(), content.data());
    return {graph_.add_weights(std::move(name), dtype_of<T>(), {shape, shape + Rank}, shared), id_};
  }

  /// Adds an operator. Returns its result, or a tuple of its results.
  template <class... Operands, class... Values>
  [[nodiscard]] auto add(op_type<Operands...> const& op, Values const&... operands) {
    return add_computes<Operands...>({{op.program(), op.error()}}, operands...);
  }
  /// Adds an operator with several computes: tuning chooses among those that the wanted numerics allow.
  template <class... Operands, class... Values>
  [[nodiscard]] auto add(alternatives_type<op_type<Operands...>> const& all, Values const&... operands) {
    std::vector<network_compute> computes;
    for (auto const& op : all.all()) computes.push_back({op.program(), op.error()});
    return add_computes<Operands...>(std::move(computes), operands...);
  }
  /// Returns a value with the same elements in row-major order, and another shape.
  template <class T, int Rank, int NewRank>
  [[nodiscard]] network_value<T, NewRank> reshape(network_value<T, Rank> const& of,
                                                  std::int64_t const (&shape)[NewRank]) {
    check_owner(of.owner_, "reshape");
    auto const name = graph_.tensors()[of.index_].name + ".view";
    return {graph_.add_view(name, of.index_, {shape, shape + NewRank}), id_};
  }
  /// Returns tensors one after the other along a dimension, which counts from 0, the outermost. There may be any number
  /// of them. Throws program_error unless all other extents are equal.
  template <class T, int Rank>
  [[nodiscard]] network_value<T, Rank> join(std::vector<network_value<T, Rank>> const& parts, std::size_t along) {
    std::vector<std::size_t> indices;
    for (auto const& part : parts) {
      check_owner(part.owner_, "join");
      indices.push_back(part.index_);
    }
    return {join_tensors(graph_, indices, along), id_};
  }
  /// Makes a result an output of the network.
  template <class T, int Rank>
  void output(std::string name, network_value<T, Rank> const& value) {
    check_owner(value.owner_, name);
    graph_.add_output(std::move(name), value.index_);
  }

  [[nodiscard]] network_graph const& graph() const& noexcept { return graph_; }
  [[nodiscard]] network_graph graph() && { return std::move(graph_); }

 private:
  [[nodiscard]] static std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  void check_elements(std::string const& name, std::vector<std::int64_t> const& shape, std::size_t given) const {
    std::int64_t wanted = 1;
    for (auto const extent : shape) wanted *= extent;
    if (wanted != static_cast<std::int64_t>(given))
      throw program_error("network " + graph_.name() + ": weights " + name + " have " + std::to_string(given) +
                          " elements, their shape has " + std::to_string(wanted));
  }
  void check_owner(std::uint64_t owner, std::string const& what) const {
    if (owner != id_)
      throw program_error("network " + graph_.name() + ": " + what + " was given a value of another network");
  }

  template <class... Outputs>
  [[nodiscard]] auto results(detail::type_list<Outputs...>, std::vector<std::size_t> const& made) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      std::tuple<detail::value_of_operand<Outputs>...> all{detail::value_of_operand<Outputs>(made[I], id_)...};
      if constexpr (sizeof...(Outputs) == 1) return std::get<0>(all);
      else return all;
    }(std::index_sequence_for<Outputs...>());
  }
  template <class... Inputs, class... Values>
  [[nodiscard]] std::vector<std::size_t> indices_of(detail::type_list<Inputs...>, std::string const& what,
                                                    Values const&... values) const {
    static_assert(detail::none_v<detail::wrong_number<sizeof...(Inputs), sizeof...(Values)>>,
                  "ttune: an operator of a network is given another number of values than it has inputs");
    if constexpr (sizeof...(Inputs) == sizeof...(Values)) (check_fits<detail::misfit<Inputs, Values>>(), ...);
    (check_owner(values.owner_, what), ...);
    return {values.index_...};
  }
  template <class Misfit>
  static void check_fits() {
    static_assert(detail::none_v<Misfit>,
                  "ttune: a value of a network has another element type or rank than the operand that gets it");
  }
  template <class... Operands, class... Values>
  [[nodiscard]] auto add_computes(std::vector<network_compute> computes, Values const&... values) {
    constexpr bool updates = ((Operands::kind == tensor_kind::inout) || ...);
    static_assert(!updates, "ttune: a network has no operators that update operands in place: return an output");
    auto const inputs = indices_of(detail::network_inputs<Operands...>(), computes.front().name(), values...);
    return results(detail::network_outputs<Operands...>(), graph_.add_operator({}, std::move(computes), inputs));
  }

  network_graph graph_;
  std::uint64_t id_;
};

}}  // namespace ttune::v0
