// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>

#include "ttune/arith/interval.hpp"
#include "ttune/capture/bind.hpp"
#include "ttune/capture/bounds.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/capture/in_order.hpp"
#include "ttune/capture/memory_order.hpp"
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

// ---------------------------------------------------------------------------------------------------- operands

handle<ir::tensor> tensor(char const* name, dtype type, std::vector<extent_value> shape, tensor_kind kind,
                          memory_order order) {
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

namespace detail {

/// First character of the name of an inner reduction whose extents are still open.
inline constexpr char open_mark = '?';
inline bool is_open(ir::stage const& s) { return !s.name.empty() && s.name[0] == open_mark; }
inline ir::stage const* open_stage(ir::expr const& e) {
  auto const* a = ir::as<ir::access>(e);
  auto const* s = a ? std::get_if<handle<ir::stage>>(&a->from) : nullptr;
  return s && is_open(**s) ? s->get() : nullptr;
}

inline char const* name_of(ir::reduction_kind k) {
  static constexpr char const* texts[] = {"value", "sum", "prod", "min", "max", "reduce"};
  return texts[static_cast<int>(k)];
}

inline ir::reduction as_reduction(reduction const& how) {
  ir::reduction made;
  made.kind = static_cast<ir::reduction_kind>(how.kind);
  for (auto const& o : how.over)
    made.axes.push_back(
        {o.name, o.given ? o.begin : 0, o.given ? ir::extent(o.end.value, o.end.symbol) : ir::extent(-1)});
  made.identity = how.identity;
  made.combine = how.combine;
  made.associative = how.associative;
  made.commutative = how.commutative;
  return made;
}

/// Builds the stage of one compute: finds its extents and makes its inner reductions stages.
class assignment {
 public:
  assignment(std::string name, std::vector<axis_range> const& left, memory_order order, handle<ir::tensor> updates)
      : name_(std::move(name)), order_(static_cast<ir::layout>(order)), updates_(std::move(updates)) {
    for (auto const& a : left) {
      left_.push_back(a.name);
      if (a.given) give(a.name, a.begin, {a.end.value, a.end.symbol});
    }
  }

  handle<ir::stage> run(ir::expr const& value, ir::reduction whole) {
    for (auto const& a : whole.axes)
      if (a.end.value >= 0) give(a.name, a.begin, a.end);
    collect_given(value);
    collect_uses(value);
    require_extents(value, whole);
    check_reads(value);
    if (auto const* inner = whole.kind == ir::reduction_kind::none ? open_stage(value) : nullptr;
        inner && is_whole(value, *inner))
      return finish(*inner);
    ir::stage made;
    made.reduction = std::move(whole);
    made.components.push_back({"", value->type, value});
    return finish(std::move(made));
  }

 private:
  struct range {
    std::int64_t begin = 0;
    ir::extent end;
    bool given = false;
    std::string where;  ///< source of the range, such as "A dimension 1"
  };

  [[noreturn]] void refuse(std::string const& sentence) const { throw program_error(name_ + ": " + sentence); }

  void give(std::string const& axis, std::int64_t begin, ir::extent end) {
    if (end.value < begin)
      refuse("axis " + axis + " runs from " + std::to_string(begin) + " to " + std::to_string(end.value) +
             ", which is backwards");
    ranges_[axis] = {begin, end, true, "in(…)"};
  }

  void collect_given(ir::expr const& e) {
    ir::for_each_node(e, [&](ir::expr const& n) {
      auto const* s = open_stage(n);
      if (!s) return;
      for (auto const& a : s->reduction.axes)
        if (a.end.value >= 0) give(a.name, a.begin, a.end);
      for (auto const& c : s->components) collect_given(c.value);
    });
  }

  /// Takes the extents of axes from the dimensions that they index alone; all must agree.
  void collect_uses(ir::expr const& e) {
    ir::for_each_node(e, [&](ir::expr const& n) {
      if (auto const* s = open_stage(n)) {
        for (auto const& c : s->components) collect_uses(c.value);
        return;
      }
      auto const* a = ir::as<ir::access>(n);
      if (!a) return;
      for (std::size_t d = 0; d < a->indices.size(); ++d)
        if (auto const* v = ir::as<ir::variable>(a->indices[d])) use(v->name, *a, d);
    });
  }

  void use(std::string const& axis, ir::access const& a, std::size_t d) {
    ir::extent size;
    if (auto const* t = std::get_if<handle<ir::tensor>>(&a.from)) size = (*t)->shape[d];
    else size = std::get<handle<ir::stage>>(a.from)->axes[d].end;
    auto const where = ir::name_of(a.from) + " dimension " + std::to_string(d);
    auto const [it, added] = ranges_.try_emplace(axis, range{0, size, false, where});
    if (!added && !it->second.given && it->second.end.value != size.value)
      refuse("axis " + axis + " has extent " + std::to_string(it->second.end.value) + " in " + it->second.where +
             " and " + std::to_string(size.value) + " in " + where);
  }

  void require_extent(std::string const& axis) const {
    if (ranges_.count(axis) == 0) refuse("nothing gives the extent of axis " + axis + "; write " + axis + ".in(n)");
  }
  void require_extents(ir::expr const& value, ir::reduction const& whole) const {
    for (auto const& a : left_) require_extent(a);
    for (auto const& a : whole.axes) require_extent(a.name);
    ir::for_each_node(value, [&](ir::expr const& n) {
      if (auto const* v = ir::as<ir::variable>(n)) require_extent(v->name);
      if (auto const* s = open_stage(n)) {
        for (auto const& a : s->reduction.axes) require_extent(a.name);
        for (auto const& c : s->components) require_extents(c.value, {});
      }
    });
  }

  void check_reads(ir::expr const& e) const {
    arith::ranges known;
    for (auto const& [axis, r] : ranges_) known[axis] = {r.begin, r.end.value - 1};
    ir::for_each_node(e, [&](ir::expr const& n) {
      if (auto const* s = open_stage(n)) {
        for (auto const& c : s->components) check_reads(c.value);  // open stages check their own reads
        return;
      }
      auto const* a = ir::as<ir::access>(n);
      if (!a) return;
      check_update(*a);
      check_read(name_, *a, known);
    });
  }

  /// Checks that an update in place reads only the element that it writes.
  void check_update(ir::access const& a) const {
    auto const* t = std::get_if<handle<ir::tensor>>(&a.from);
    if (!updates_ || !t || (*t)->name != updates_->name) return;
    for (std::size_t d = 0; d < a.indices.size(); ++d) {
      auto const* v = ir::as<ir::variable>(a.indices[d]);
      if (!v || d >= left_.size() || v->name != left_[d])
        refuse("update(" + updates_->name + ") reads " + updates_->name +
               " at other indices than it writes; compute into a new tensor. Elements are made in any order, so a "
               "recurrence is no stage: write a running sum as sum(over(k), select(k <= i, e, 0)), others as one "
               "operator a step");
    }
  }

  /// Returns true if the value is one inner reduction, read at the axes of the left side.
  [[nodiscard]] bool is_whole(ir::expr const& value, ir::stage const& inner) const {
    if (inner.name.size() > 1) return false;  // the user named it, so it stays a stage
    if (inner.components.size() != 1) return false;
    auto const& indices = ir::as<ir::access>(value)->indices;
    return std::all_of(indices.begin(), indices.end(), [&](ir::expr const& i) {
      auto const* v = ir::as<ir::variable>(i);
      return v && std::find(left_.begin(), left_.end(), v->name) != left_.end();
    });
  }

  [[nodiscard]] ir::axis settled(std::string const& axis) const {
    auto const& r = ranges_.at(axis);
    return {axis, r.begin, r.end};
  }

  handle<ir::stage> finish(ir::stage made) {
    made.name = name_;
    made.axes.clear();
    for (auto const& a : left_) made.axes.push_back(settled(a));
    for (auto const& a : made.axes)
      if (a.begin != 0)
        refuse("axis " + a.name + " on the left begins at " + std::to_string(a.begin) +
               "; only update(…) writes a part");
    for (auto& a : made.reduction.axes) a = settled(a.name);
    for (auto& c : made.components) c.value = settle(c.value);
    made.order = order_;
    made.updates = updates_;
    return share(std::move(made));
  }

  /// Replaces the open stages inside of an expression by complete ones.
  ir::expr settle(ir::expr const& e) {
    if (auto const* s = open_stage(e)) {
      auto const made = settle_stage(*s);
      std::vector<ir::expr> indices;
      for (auto const& a : made->axes) indices.push_back(ir::make_variable(a.name));
      return ir::make_access(made, std::move(indices), ir::boundary::none, {}, ir::as<ir::access>(e)->component);
    }
    return ir::map_operands(e, [&](ir::expr const& o) { return settle(o); });
  }

  handle<ir::stage> settle_stage(ir::stage made) {
    auto const given = made.name.substr(1);
    auto const place = [&](ir::axis const& a) { return std::find(left_.begin(), left_.end(), a.name) - left_.begin(); };
    for (std::size_t i = 1; i < made.axes.size(); ++i)  // in the order of the left side, so that readers can be fused
      for (std::size_t j = i; j > 0 && place(made.axes[j]) < place(made.axes[j - 1]); --j)
        std::swap(made.axes[j], made.axes[j - 1]);
    for (auto& a : made.axes) a = settled(a.name);
    for (auto& a : made.reduction.axes) a = settled(a.name);
    for (auto& c : made.components) c.value = settle(c.value);
    for (auto const& other : inner_)
      if (given.empty() && ir::equal_but_for_name(*other, made)) return other;
    auto const stem = given.empty() ? name_ + "." + name_of(made.reduction.kind) : name_ + "." + given;
    made.name = stem;
    for (int n = 2; std::any_of(inner_.begin(), inner_.end(), [&](auto const& o) { return o->name == made.name; }); ++n)
      made.name = stem + "_" + std::to_string(n);
    inner_.push_back(share(std::move(made)));
    return inner_.back();
  }

  std::string name_;
  ir::layout order_;
  handle<ir::tensor> updates_;
  std::vector<std::string> left_;
  std::map<std::string, range> ranges_;
  std::vector<handle<ir::stage>> inner_;
};

}  // namespace detail

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
                         memory_order order, handle<ir::tensor> updates) {
  return detail::assignment(std::move(name), left, order, std::move(updates)).run(value, detail::as_reduction(whole));
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
    ir::for_each_node(e, [&](ir::expr const& n) {
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
  made.name = name.empty() ? outputs[0]->name : std::move(name);
  made.inputs = std::move(inputs);
  detail::collector collect(made);
  for (auto const& out : outputs) collect.visit(out);
  made.outputs = std::move(outputs);
  return share(detail::in_memory_order(std::move(made)));
}

std::string signature_text(handle<ir::program> const& p) {
  auto const text = ir::print(*p);
  return text.substr(0, text.find('\n'));
}

}  // namespace capture
}}  // namespace ttune::v0
