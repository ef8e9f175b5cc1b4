// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/arith/interval.hpp"
#include "ttune/capture/assignment.hpp"
#include "ttune/capture/bind.hpp"
#include "ttune/capture/bounds.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/capture/complex_parts.hpp"
#include "ttune/capture/complex_sums.hpp"
#include "ttune/capture/in_order.hpp"
#include "ttune/capture/memory_order.hpp"
#include "ttune/capture/open_stage.hpp"
#include "ttune/capture/shared_reductions.hpp"
#include "ttune/capture/shared_values.hpp"
#include "ttune/capture/strides.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/support/error.hpp"

/// Defined beside the bodies of operators, which every program needs.
char const ttune::define_TTUNE_IMPLEMENTATION_in_one_file_of_the_program = 0;

namespace ttune { inline namespace v0 {

namespace detail {
// Translation units that include only the notation count references without the nodes' types; they link these.
template void retain(ir::expr_node const*) noexcept;
template void retain(ir::tensor const*) noexcept;
template void retain(ir::dimension const*) noexcept;
template void retain(ir::stage const*) noexcept;
template void retain(ir::program const*) noexcept;
template void release(ir::expr_node const*) noexcept;
template void release(ir::tensor const*) noexcept;
template void release(ir::dimension const*) noexcept;
template void release(ir::stage const*) noexcept;
template void release(ir::program const*) noexcept;
}  // namespace detail

extent_value::extent_value(dim const& d) : value(d.high), symbol(share(ir::dimension{{}, d.name, d.low, d.high})) {}

namespace capture {

// ------------------------------------------------------------------------------------------------------- nodes

node number(dtype type, double value) { return ir::make_real(type, value); }

node integer(dtype type, std::int64_t value) {
  int const bits = static_cast<int>(size_in_bytes(type)) * 8;
  bool fits = true;
  if (type == dtype::boolean) fits = value == 0 || value == 1;
  else if (is_unsigned(type)) fits = value >= 0 && (bits == 64 || value < (std::int64_t{1} << bits));
  else if (bits < 64) fits = value >= -(std::int64_t{1} << (bits - 1)) && value < (std::int64_t{1} << (bits - 1));
  if (!fits)
    throw program_error("the constant " + std::to_string(value) + " does not fit into " + name_of(type) +
                        ": convert the other operand with cast<T>(…)");
  return ir::make_integer(type, value);
}

node axis(char const* name) { return ir::make_variable(name); }

node apply(operation op, node a, node b) {
  static_assert(static_cast<int>(operation::less_equal) == static_cast<int>(ir::binary_op::less_equal));
  if ((op == operation::floor_divide || op == operation::floor_modulo) && ir::is_constant(b) &&
      ir::constant_integer(b) <= 0)
    throw program_error("an index is divided by " + std::to_string(ir::constant_integer(b)) +
                        ": divide by a positive constant");
  return ir::make_binary(static_cast<ir::binary_op>(op), std::move(a), std::move(b));
}
node apply(function f, node a) {
  static_assert(static_cast<int>(function::round_to_tf32) == static_cast<int>(ir::unary_op::round_to_tf32));
  return ir::make_unary(static_cast<ir::unary_op>(f), std::move(a));
}
node choose(node condition, node a, node b) {
  return ir::make_select(std::move(condition), std::move(a), std::move(b));
}
node convert(dtype type, node a) { return ir::make_cast(type, std::move(a)); }
node combine_argument(dtype type, bool right, int component) { return ir::make_argument(type, right, component); }

node of_parts(node real, node imaginary) {
  if (ir::is_constant(real) && ir::equal(real, imaginary)) return real;
  auto is_real = ir::make_binary(ir::binary_op::equal, ir::make_variable(parts_axis), detail::index_of_part(0));
  return ir::make_select(std::move(is_real), std::move(real), std::move(imaginary));
}
node part_of(node const& a, int which) { return detail::part_taker(which).of(a); }

// ---------------------------------------------------------------------------------------------------- operands

handle<ir::tensor> tensor(char const* name, dtype type, std::vector<extent_value> shape, tensor_kind kind,
                          memory_order order, operand_strides strides) {
  ir::tensor made;
  made.name = name;
  made.type = type;
  for (auto& e : shape) {
    if (e.value < 0)
      throw program_error(std::string(name) + ": an extent is " + std::to_string(e.value) +
                          "; extents are not negative");
    made.shape.push_back({e.value, e.symbol});
  }
  made.role = static_cast<ir::tensor_role>(kind);
  made.order = static_cast<ir::layout>(order);
  made.strides = strides_of_rank(strides, made.shape.size());
  return share(std::move(made));
}

handle<ir::tensor> ranged(handle<ir::tensor> t, std::int64_t low, std::int64_t high) {
  if (!is_integer(t->type)) throw program_error(t->name + ": values(low, high) is for integers");
  auto made = *t;
  made.has_range = true;
  made.low = low;
  made.high = high;
  return share(std::move(made));
}

handle<ir::tensor> table(char const* name, dtype type, std::vector<std::int64_t> shape, std::vector<double> content) {
  ir::tensor made;
  made.name = name;
  made.type = type;
  std::int64_t elements = 1;
  for (auto const e : shape) {
    made.shape.push_back(e);
    elements *= e;
  }
  if (static_cast<std::size_t>(elements) != content.size())
    throw program_error(std::string(name) + ": a table of " + std::to_string(elements) + " elements is given " +
                        std::to_string(content.size()));
  made.role = ir::tensor_role::table;
  made.content = std::move(content);
  return share(std::move(made));
}

node read(handle<ir::tensor> const& from, std::vector<node> indices, outside how, node fill) {
  return ir::make_access(from, std::move(indices), static_cast<ir::boundary>(how), std::move(fill));
}
node read(handle<ir::stage> const& from, int component, std::vector<node> indices, outside how, node fill) {
  return ir::make_access(from, std::move(indices), static_cast<ir::boundary>(how), std::move(fill), component);
}

// -------------------------------------------------------------------------------------------------- reductions

std::vector<node> reduce(reduction how, std::vector<std::string> free, std::vector<node> values, std::string name) {
  ir::stage open;
  open.name = detail::open_mark + name;
  for (auto const& f : free) open.axes.push_back({f, 0, ir::extent(0)});
  open.reduction = detail::as_reduction(how);
  for (std::size_t c = 0; c < values.size(); ++c)
    open.components.push_back(
        {c < how.component_names.size() ? how.component_names[c] : "", values[c]->type, values[c]});
  auto const made = share(std::move(open));
  std::vector<node> indices;
  for (auto const& f : free) indices.push_back(ir::make_variable(f));
  std::vector<node> results;
  for (std::size_t c = 0; c < values.size(); ++c)
    results.push_back(ir::make_access(made, indices, ir::boundary::none, {}, static_cast<int>(c)));
  return results;
}

handle<ir::stage> assign(std::string name, std::vector<axis_range> left, node value, reduction whole,
                         memory_order order, operand_strides strides, handle<ir::tensor> updates) {
  return detail::assignment(std::move(name), left, order, strides, std::move(updates))
      .run(value, detail::as_reduction(whole));
}

// ---------------------------------------------------------------------------------------------------- programs

namespace detail {

/// Visits stages producers first.
class collector {
 public:
  explicit collector(ir::program& to) : made_(to) {}

  void visit(handle<ir::stage> const& s) {
    for (auto const& known : made_.stages) {
      if (known == s) return;
      if (known->name == s->name)
        throw program_error("two stages of one operator are called " + s->name + ": name them apart");
    }
    for (auto const& c : s->components) visit(c.value, s->name);
    made_.stages.push_back(s);
  }

 private:
  void visit(ir::expr const& e, std::string const& reader) {
    ir::for_each_distinct_node(e, [&](ir::expr const& n) {
      auto const* a = ir::as<ir::access>(n);
      if (!a) return;
      if (auto const* s = std::get_if<handle<ir::stage>>(&a->from)) visit(*s);
      if (auto const* t = std::get_if<handle<ir::tensor>>(&a->from)) require_input(*t, reader);
    });
  }
  void require_input(handle<ir::tensor> const& t, std::string const& reader) {
    for (auto const& known : made_.inputs) {
      if (known == t) return;
      if (known->name == t->name)
        throw program_error("two operands of one operator are called " + t->name + ": name them apart");
    }
    if (t->role != ir::tensor_role::table)
      throw program_error(reader + " reads " + t->name + ", which is not among the inputs: write op(inputs(…, " +
                          t->name + "), …)");
    made_.inputs.push_back(t);
  }
  ir::program& made_;
};

}  // namespace detail

handle<ir::program> program(std::string name, std::vector<handle<ir::tensor>> inputs,
                            std::vector<handle<ir::stage>> outputs) {
  if (outputs.empty()) throw program_error("an operator has at least one output");
  ir::program made;
  made.name = name.empty() ? outputs[0]->name : name;
  made.inputs = std::move(inputs);
  detail::collector collect(made);
  for (auto const& out : outputs) collect.visit(out);
  made.outputs = std::move(outputs);
  auto const in_order_of_memory = share(detail::in_memory_order(std::move(made)));
  made = *share_values(share_reductions(split_complex_sums(in_order_of_memory)));
  add_strides(made);
  return share(std::move(made));
}

std::string signature_text(handle<ir::program> const& p) {
  auto const text = ir::print(*p);
  return text.substr(0, text.find('\n'));
}

}  // namespace capture
}}  // namespace ttune::v0
