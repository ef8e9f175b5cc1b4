// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <ostream>
#include <utility>
#include <vector>

#include "ttune/capture/program_text.hpp"
#include "ttune/capture/program_text/expression_reader.hpp"
#include "ttune/capture/program_text/writer.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/network/network_text.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

inline constexpr std::string_view text_divider = "---\n";
inline constexpr std::int64_t weights_alignment = 64;

/// Returns the place of the weights behind others that end at `end`.
[[nodiscard]] constexpr std::int64_t next_weights(std::int64_t end) noexcept {
  return (end + weights_alignment - 1) / weights_alignment * weights_alignment;
}

class network_writer {
 public:
  explicit network_writer(network_graph const& net) : net_(net), producers_(net.tensors().size()) {
    for (std::size_t op = 0; op < net.operators().size(); ++op)
      for (auto const tensor : net.operators()[op].outputs) producers_[tensor] = &net.operators()[op];
  }

  [[nodiscard]] std::string run() {
    auto made = "network " + name(net_.name()) + "\n";
    for (std::size_t tensor = 0; tensor < producers_.size(); ++tensor) made += definition(tensor);
    for (auto const out : net_.outputs()) made += "output " + name(net_.tensors()[out].name) + " " + number(out) + "\n";
    for (auto const& text : programs_) made += std::string(text_divider) + text;
    return made;
  }

 private:
  using text_list = std::vector<std::string>;

  [[nodiscard]] static std::string name(std::string const& of) { return capture::detail::name_text(of); }
  [[nodiscard]] static std::string number(std::size_t tensor) { return "%" + std::to_string(tensor); }
  [[nodiscard]] static std::string list(std::vector<std::size_t> const& tensors) {
    return capture::detail::joined(tensors, ", ", number);
  }
  [[nodiscard]] static std::string type_text(network_tensor const& t) {
    return name(t.name) + " " + name_of(t.type) + " " + ir::shape_text(t.shape);
  }

  /// Returns the line that defines a tensor; that of an operator stands at its first result.
  [[nodiscard]] std::string definition(std::size_t tensor) {
    auto const& t = net_.tensors()[tensor];
    if (t.origin == tensor_origin::input) return number(tensor) + " = input " + type_text(t) + "\n";
    if (t.origin == tensor_origin::weights) return number(tensor) + " = " + weights_text(t);
    auto const* const op = producers_[tensor];
    if (!op) throw program_error("network " + net_.name() + ": no operator computes " + t.text());
    if (op->outputs.front() != tensor) return {};
    auto const left = list(op->outputs) + " = ";
    if (op->is_view())
      return left + "view " + name(op->name) + "(" + list(op->inputs) + ") " + ir::shape_text(t.shape) + "\n";
    return left + "operator " + name(op->name) + "(" + list(op->inputs) + ") by " + computes_text(*op) + "\n";
  }
  [[nodiscard]] std::string weights_text(network_tensor const& t) {
    auto const at = next_weights(weights_end_);
    weights_end_ = at + t.bytes();
    return "weights " + type_text(t) + " at " + std::to_string(at) + "\n";
  }
  [[nodiscard]] std::string computes_text(network_operator const& op) {
    return capture::detail::joined(op.computes, ", ", [&](network_compute const& c) {
      auto const program = std::to_string(number_of(*c.program));
      return c.error == 0 ? program : program + " error " + capture::detail::real_text(c.error);
    });
  }
  [[nodiscard]] std::size_t number_of(ir::program const& p) {
    auto text = to_text(p);
    auto const [at, is_new] = numbers_.try_emplace(text, programs_.size());
    if (is_new) programs_.push_back(std::move(text));
    return at->second;
  }

  network_graph const& net_;
  std::vector<network_operator const*> producers_;  ///< by tensor
  std::map<std::string, std::size_t> numbers_;      ///< of programs, by their texts
  text_list programs_;
  std::int64_t weights_end_ = 0;
};

class network_reader {
 public:
  network_reader(std::string_view text, std::shared_ptr<void const> const& weights, std::int64_t bytes)
      : programs_(programs_of(text)),
        from_(text.substr(0, text.find(text_divider))),
        weights_(weights),
        bytes_(bytes) {}

  [[nodiscard]] network_graph run() {
    from_.expect("network");
    network_graph made(from_.name());
    while (from_.now().what != capture::detail::text_token::kind::end) {
      from_.begin_definition();
      if (from_.take_if("output")) read_output(made);
      else read_definition(made);
    }
    return made;
  }

 private:
  [[nodiscard]] static std::vector<handle<ir::program>> programs_of(std::string_view text) {
    std::vector<handle<ir::program>> made;
    for (auto at = text.find(text_divider); at != std::string_view::npos;) {
      auto const begin = at + text_divider.size();
      at = text.find(text_divider, begin);
      made.push_back(program_from_text(text.substr(begin, at == std::string_view::npos ? at : at - begin)));
    }
    return made;
  }

  [[nodiscard]] std::size_t read_tensor() {
    from_.expect("%");
    return static_cast<std::size_t>(from_.integer());
  }
  [[nodiscard]] std::vector<std::size_t> read_tensors() {
    std::vector<std::size_t> made;
    from_.list([&] { made.push_back(read_tensor()); });
    return made;
  }
  void read_output(network_graph& to) {
    auto name = from_.name();
    to.add_output(std::move(name), read_tensor());
  }
  void read_definition(network_graph& to) {
    std::vector<std::size_t> wanted;
    do wanted.push_back(read_tensor());
    while (from_.take_if(","));
    from_.expect("=");
    if (read_right_side(to) != wanted) from_.refuse("the tensors are not numbered in their order");
  }
  /// Adds an input, weights, a view or an operator; returns its tensors.
  [[nodiscard]] std::vector<std::size_t> read_right_side(network_graph& to) {
    if (from_.take_if("input")) {
      auto name = from_.name();
      auto const type = from_.element_type();
      return {to.add_input(std::move(name), type, from_.integers())};
    }
    if (from_.take_if("weights")) return {read_weights(to)};
    if (from_.take_if("view")) {
      auto name = from_.name();
      auto const of = read_tensors();
      if (of.size() != 1) from_.refuse("a view is of one tensor");
      return {to.add_view(std::move(name), of.front(), from_.integers())};
    }
    from_.expect("operator");
    auto name = from_.name();
    auto inputs = read_tensors();
    return to.add_operator(std::move(name), read_computes(), std::move(inputs));
  }
  [[nodiscard]] std::size_t read_weights(network_graph& to) {
    network_tensor made{from_.name()};
    made.type = from_.element_type();
    made.shape = from_.integers();
    from_.expect("at");
    auto const at = from_.integer();
    if (at < 0 || at % weights_alignment != 0 || !is_inside(made, at))
      from_.refuse("the weights " + made.name + " lie outside of the " + std::to_string(bytes_) + " bytes of weights");
    std::shared_ptr<void const> content(weights_, static_cast<char const*>(weights_.get()) + at);
    return to.add_weights(std::move(made.name), made.type, std::move(made.shape), std::move(content));
  }
  [[nodiscard]] bool is_inside(network_tensor const& tensor, std::int64_t at) const {
    auto left = (bytes_ - at) / static_cast<std::int64_t>(size_in_bytes(tensor.type));
    for (auto const extent : tensor.shape) {
      if (extent < 1) return false;
      left /= extent;
    }
    return left >= 1;
  }
  [[nodiscard]] std::vector<network_compute> read_computes() {
    std::vector<network_compute> made;
    from_.expect("by");
    do {
      auto const program = from_.integer();
      if (program < 0 || program >= static_cast<std::int64_t>(programs_.size()))
        from_.refuse("there is no program " + std::to_string(program));
      made.push_back({programs_[static_cast<std::size_t>(program)]});
      if (from_.take_if("error")) made.back().error = read_error();
    } while (from_.take_if(","));
    return made;
  }
  [[nodiscard]] double read_error() {
    auto const value = capture::detail::real_of(from_.now().text);
    if (!value || !(*value > 0)) from_.refuse("a positive number is expected" + from_.found());
    (void)from_.take();
    return *value;
  }

  std::vector<handle<ir::program>> programs_;
  capture::detail::text_scanner from_;
  std::shared_ptr<void const> const& weights_;
  std::int64_t bytes_;
};

}  // namespace detail

std::string to_text(network_graph const& net) { return detail::network_writer(net).run(); }

void write_weights(network_graph const& net, std::ostream& out) {
  std::int64_t end = 0;
  for (auto const& t : net.tensors()) {
    if (t.origin != tensor_origin::weights) continue;
    if (!t.content) throw argument_error("network " + net.name() + ": weights " + t.text() + " have no content");
    auto const at = detail::next_weights(end);
    out << std::string(static_cast<std::size_t>(at - end), '\0');
    out.write(static_cast<char const*>(t.content.get()), t.bytes());
    end = at + t.bytes();
  }
}

network_graph network_from_text(std::string_view text, std::shared_ptr<void const> const& weights, std::int64_t bytes) {
  return detail::network_reader(text, weights, bytes).run();
}

}}  // namespace ttune::v0
