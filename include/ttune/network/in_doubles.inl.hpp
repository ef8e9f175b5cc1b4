// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/network/in_doubles.hpp"

namespace ttune { inline namespace v0 {

namespace detail {

[[nodiscard]] inline dtype widened(dtype type) noexcept { return type == dtype::f32 ? dtype::f64 : type; }

/// Rebuilds a program with f64 in the place of f32.
class program_in_doubles {
 public:
  explicit program_in_doubles(ir::program const& of) : of_(of) {}

  [[nodiscard]] handle<ir::program> make() {
    ir::program made;
    made.name = of_.name;
    for (auto const& t : of_.inputs) {
      auto copy = *t;
      copy.type = widened(t->type);
      made.inputs.push_back(share(std::move(copy)));
      moved_.insert_or_assign(t.get(), ir::source(made.inputs.back()));
    }
    for (auto const& s : of_.stages) {
      made.stages.push_back(share(widened_stage(*s)));
      moved_.insert_or_assign(s.get(), ir::source(made.stages.back()));
    }
    for (auto const& out : of_.outputs) made.outputs.push_back(std::get<handle<ir::stage>>(moved_.at(out.get())));
    return share(std::move(made));
  }

 private:
  [[nodiscard]] ir::stage widened_stage(ir::stage const& of) {
    auto made = ir::map_stage(of, [this](ir::expr const& e) { return widened_expression(e); });
    for (auto& c : made.components) c.type = widened(c.type);
    for (auto* const all : {&made.reduction.identity, &made.reduction.combine})
      for (auto& e : *all) e = widened_expression(e);
    return made;
  }
  [[nodiscard]] ir::expr widened_expression(ir::expr const& e) {
    auto const rebuilt = [&] {
      return ir::map_operands(e, [this](ir::expr const& o) { return widened_expression(o); });
    };
    if (auto const* const read = ir::as<ir::access>(e)) return widened_access(*read);
    if (e->type != dtype::f32) return rebuilt();
    if (auto const* const number = ir::as<ir::constant>(e)) return ir::make_real(dtype::f64, number->real);
    if (auto const* const given = ir::as<ir::argument>(e))
      return ir::make_argument(dtype::f64, given->right, given->component);
    if (auto const* const converted = ir::as<ir::cast>(e))
      return ir::make_cast(dtype::f64, widened_expression(converted->operand));
    return rebuilt();
  }
  [[nodiscard]] ir::expr widened_access(ir::access const& read) {
    std::vector<ir::expr> indices;
    for (auto const& i : read.indices) indices.push_back(widened_expression(i));
    auto const fill = read.fill ? widened_expression(read.fill) : read.fill;
    return ir::make_access(moved_.at(ir::identity(read.from)), std::move(indices), read.outside, fill, read.component);
  }

  ir::program const& of_;
  std::map<void const*, ir::source> moved_;
};

inline std::shared_ptr<void const> content_in_doubles(network_tensor const& of) {
  if (of.type != dtype::f32) return of.content;
  auto const* const from = static_cast<float const*>(of.content.get());
  auto const made = std::make_shared<std::vector<double> const>(from, from + of.elements());
  return {made, made->data()};
}

}  // namespace detail

network_graph in_doubles(network_graph const& net) {
  network_graph made(net.name());
  std::vector<std::size_t> moved(net.tensors().size());
  for (auto const tensor : net.inputs()) {
    auto const& t = net.tensors()[tensor];
    moved[tensor] = made.add_input(t.name, detail::widened(t.type), t.shape);
  }
  for (std::size_t i = 0; i < moved.size(); ++i)
    if (auto const& t = net.tensors()[i]; t.origin == tensor_origin::weights)
      moved[i] = made.add_weights(t.name, detail::widened(t.type), t.shape, detail::content_in_doubles(t));
  for (auto const& op : net.operators()) {
    std::vector<std::size_t> results;
    if (op.is_view()) {
      results = {made.add_view(op.name, moved[op.inputs.front()], net.tensors()[op.outputs.front()].shape)};
    } else {
      std::vector<std::size_t> inputs;
      for (auto const tensor : op.inputs) inputs.push_back(moved[tensor]);
      auto const& first = op.computes.front();
      results = made.add_operator(op.name, {{detail::program_in_doubles(*first.program).make(), first.error}}, inputs);
    }
    for (std::size_t i = 0; i < results.size(); ++i) moved[op.outputs[i]] = results[i];
  }
  for (auto const tensor : net.outputs()) made.add_output(net.tensors()[tensor].name, moved[tensor]);
  return made;
}

}}  // namespace ttune::v0
