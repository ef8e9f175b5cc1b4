// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>

#include "ttune/ir/instruction.hpp"
#include "ttune/ir/open_extents.hpp"
#include "ttune/ir/print.hpp"
#include "ttune/ir/statement_queries.hpp"
#include "ttune/ir/verify.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/internal_error.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

/// Checks expressions; the caller sets what is in scope.
struct expr_verifier {
  std::string where;
  std::set<std::string> variables;
  std::set<void const*> sources;
  std::vector<dtype> arguments;  ///< types of the tuple; used in combine functions
  bool is_lowered = false;
  stmt const* statement = nullptr;  ///< the current statement of a lowered program; printed only with a fault

  [[nodiscard]] std::string place() const {
    if (!statement) return "in " + where + ": ";
    auto const text = print(*statement);
    return "in `" + text.substr(0, text.find('\n')) + "`: ";
  }
  [[noreturn]] void fail(expr const& e, std::string const& what) const {
    throw internal_error(place() + print(e) + ": " + what);
  }
  void require(bool holds, expr const& e, char const* what) const {
    if (!holds) fail(e, what);
  }

  void check(expr const& e, dtype expected) const {
    if (!e) throw internal_error(place() + "an expression is missing");
    require(e->type == expected, e, "has another type than its place");
    check(e);
  }

  void check(expr const& e) const {
    visit(
        e, [](constant const&) {},
        [&](variable const& n) { require(variables.count(n.name) != 0, e, "the variable is not bound"); },
        [&](access const& n) { check_access(e, n); }, [&](unary const& n) { check_unary(e, n); },
        [&](binary const& n) { check_binary(e, n); },
        [&](select const& n) {
          check(n.condition, dtype::boolean);
          check(n.when_true, e->type);
          check(n.when_false, e->type);
        },
        [&](cast const& n) {
          check(n.operand);
          require(e->type != dtype::index || !is_float(n.operand->type), e, "a float is no index");
        },
        [&](argument const& n) {
          auto const c = static_cast<std::size_t>(n.component);
          require(c < arguments.size() && arguments[c] == e->type, e, "is no argument of a combine function here");
        });
  }

 private:
  void check_access(expr const& e, access const& n) const {
    auto const* owner = std::visit([](auto const& h) -> void const* { return h.get(); }, n.from);
    bool const is_buffer = std::holds_alternative<handle<buffer>>(n.from);
    require(is_buffer == is_lowered, e,
            is_lowered ? "a lowered program reads buffers only" : "a program reads no buffers");
    bool const is_table = is_buffer && !std::get<handle<buffer>>(n.from)->content.empty();
    require(is_table || sources.count(owner) != 0, e, "the source is not there (yet)");
    require(
        n.component >= 0 && (!std::holds_alternative<handle<stage>>(n.from)
                                 ? n.component == 0
                                 : n.component < static_cast<int>(std::get<handle<stage>>(n.from)->components.size())),
        e, "there is no such component");
    require(n.indices.size() == rank_of(n.from), e, "the number of indices is not the rank");
    require(e->type == type_of(n.from, n.component), e, "has another element type than its source");
    require(!is_lowered || n.outside == boundary::none, e, "a boundary is left in a lowered program");
    require((n.outside == boundary::value) == static_cast<bool>(n.fill), e, "boundary::value and a fill go together");
    for (auto const& i : n.indices) check(i, dtype::index);
    if (n.fill) check(n.fill, e->type);
  }

  void check_unary(expr const& e, unary const& n) const {
    check(n.operand, e->type);
    auto const t = e->type;
    if (n.op == unary_op::logical_not) return require(t == dtype::boolean, e, "is not a condition");
    if (n.op == unary_op::round_to_tf32) return require(t == dtype::f32, e, "is not of f32");
    bool const any_number = n.op == unary_op::negate || n.op == unary_op::abs || n.op >= unary_op::floor;
    require(is_float(t) || (any_number && is_integer(t)), e, "the type has no such function");
  }

  void check_binary(expr const& e, binary const& n) const {
    check(n.left);
    check(n.right, n.left->type);
    auto const t = n.left->type;
    bool const compares = n.op >= binary_op::equal;
    require(e->type == (compares ? dtype::boolean : t), e, "has the wrong type of result");
    switch (n.op) {
      case binary_op::logical_and:
      case binary_op::logical_or: return require(t == dtype::boolean, e, "is not of conditions");
      case binary_op::floor_divide:
      case binary_op::floor_modulo: return require(t == dtype::index, e, "floor division is for indices");
      case binary_op::divide:
      case binary_op::modulo: return require(is_float(t) || (is_integer(t) && t != dtype::index), e, "is not of data");
      case binary_op::power: return require(is_float(t), e, "is not of floats");
      case binary_op::add:
      case binary_op::subtract:
      case binary_op::multiply: return require(t != dtype::boolean, e, "conditions have no arithmetic");
      default: return;
    }
  }
};

class program_verifier {
 public:
  void run(program const& p) {
    for (auto const& t : p.inputs) v_.sources.insert(t.get());
    std::set<std::string> names;
    for (auto const& s : p.stages) {
      v_.where = "stage " + s->name;
      require(names.insert(s->name).second, "two stages have this name");
      check(*s);
      v_.sources.insert(s.get());
    }
    for (auto const& out : p.outputs) {
      v_.where = "output " + out->name;
      require(std::find(p.stages.begin(), p.stages.end(), out) != p.stages.end(), "is no stage of the program");
    }
  }

 private:
  void require(bool holds, char const* what) const {
    if (!holds) throw internal_error(v_.place() + what);
  }

  void check(stage const& s) {
    v_.variables.clear();
    for (auto const& a : s.axes) require(a.begin == 0, "an axis on the left does not begin at 0");
    for (auto const* axes : {&s.axes, &s.reduction.axes})
      for (auto const& a : *axes) {
        require(a.size() >= 0, "an axis has a negative extent");
        require(v_.variables.insert(a.name).second, "two axes have one name");
      }
    bool const is_tuple = s.reduction.kind == reduction_kind::tuple;
    require(!s.components.empty(), "has no components");
    require(is_tuple || s.components.size() == 1 || !s.reduces(), "has components but no tuple reduction");
    require(s.reduces() || s.reduction.axes.empty(), "has reduced axes but no reduction");
    for (auto const& c : s.components) v_.check(c.value, c.type);
    if (s.predicate) {
      require(s.reduces(), "has a predicate but no reduction");
      v_.check(s.predicate, dtype::boolean);
    }
    if (is_tuple) check_tuple(s);
    if (s.updates) check_update(s);
  }

  void check_tuple(stage const& s) {
    auto const& r = s.reduction;
    require(r.identity.size() == s.components.size() && r.combine.size() == s.components.size(),
            "the tuple reduction is not complete");
    for (auto const& c : s.components) v_.arguments.push_back(c.type);
    for (std::size_t c = 0; c < s.components.size(); ++c) {
      v_.check(r.identity[c], s.components[c].type);
      require(is_constant(r.identity[c]), "an identity is no constant");
      v_.check(r.combine[c], s.components[c].type);
    }
    v_.arguments.clear();
  }

  void check_update(stage const& s) {
    require(s.updates->role == tensor_role::inout, "updates an operand that is no inout");
    auto const look = [&](expr const& e) {
      auto const* a = as<access>(e);
      if (!a || a->from != source(s.updates)) return;
      for (std::size_t d = 0; d < a->indices.size(); ++d) {
        auto const* v = as<variable>(a->indices[d]);
        v_.require(v && d < s.axes.size() && v->name == s.axes[d].name, e,
                   "an update reads its operand elsewhere than it writes");
      }
    };
    for (auto const& c : s.components) for_each_node(c.value, look);
  }

  expr_verifier v_;
};

class statement_verifier {
 public:
  void run(lowered const& l) {
    v_.is_lowered = true;
    for (auto const* buffers : {&l.operands, &l.prepared})
      for (auto const& b : *buffers) v_.sources.insert(b.get());
    if (l.keeps_extents_open) v_.variables.insert(threads_of_call);
    check(l.prepare);
    check(l.body);
  }

 private:
  void check(stmt const& s) {
    if (!s) return;
    v_.statement = &s;
    visit(
        s,
        [&](block const& n) {
          for (auto const& part : n.body) check(part);
        },
        [&](loop const& n) {
          v_.check(n.begin, dtype::index);
          v_.check(n.end, dtype::index);
          bool const bound = n.kind >= loop_kind::block_x;
          require(!bound || bound_.insert(n.kind).second, "a loop around it runs over the same blocks or threads");
          bind(n.variable, n.body);
          if (bound) bound_.erase(n.kind);
        },
        [&](let const& n) {
          v_.check(n.value, dtype::index);
          require(n.low < n.high, "the range is empty");
          bind(n.variable, n.body);
        },
        [&](conditional const& n) {
          v_.check(n.condition, dtype::boolean);
          check(n.then);
          check(n.otherwise);
        },
        [&](allocate const& n) {
          require(v_.sources.insert(n.storage.get()).second, "is allocated already");
          require(n.storage->swizzle == 0 || (n.storage->where == memory::shared && n.storage->swizzle > 0 &&
                                              n.storage->swizzle % buffer::chunks_of_banks == 0),
                  "is swizzled, but no shared memory, or by no multiple of what holds all banks");
          check(n.body);
          v_.sources.erase(n.storage.get());
        },
        [&](store const& n) {
          require(v_.sources.count(n.to.get()) != 0, "stores into a buffer that is not there");
          require(n.indices.size() == n.to->extents.size(), "the number of indices is not the rank");
          for (auto const& i : n.indices) v_.check(i, dtype::index);
          v_.check(n.value, n.to->type);
          require(!n.is_async || (n.to->ahead && as<access>(n.value)), "is no copy into a buffer that is filled ahead");
        },
        [](barrier const&) {},
        [&](prefetch const& n) {
          require(v_.sources.count(n.from.get()) != 0, "prefetches from a buffer that is not there");
          require(n.indices.size() == n.from->extents.size(), "the number of indices is not the rank");
          for (auto const& i : n.indices) v_.check(i, dtype::index);
        },
        [&](warp_reduction const& n) {
          require(is_thread_memory(*n.to), "the result of a warp's reduction is not each thread's own");
          check_loops(loops_of(n), s);
        },
        [&](matrix_multiply const& n) {
          for (auto const& l : n.loops)
            require(n.unit == matrix_unit::tiles || (is_constant(l.begin) && is_constant(l.end)),
                    "has loops of unknown bounds");
          auto const* left = as<access>(n.left);
          auto const* right = as<access>(n.right);
          bool const has_lanes =
              n.unit == matrix_unit::tiles || (left && right && left->indices.size() == n.left_by_lanes.size() &&
                                               right->indices.size() == n.right_by_lanes.size());
          require(n.loops.size() >= 3 && left && right && has_lanes,
                  "is no sum of products over rows, columns and terms");
          check_loops(loops_of(n), s);
        });
  }

  /// Checks the loops that a statement for an instruction stands for.
  void check_loops(stmt const& loops, stmt const& s) {
    check(loops);
    v_.statement = &s;
  }

  void require(bool holds, char const* what) const {
    if (!holds) throw internal_error(v_.place() + what);
  }

  void bind(std::string const& name, stmt const& body) {
    require(v_.variables.insert(name).second, "the variable is bound already");
    check(body);
    v_.variables.erase(name);
  }

  expr_verifier v_;
  std::set<loop_kind> bound_;
};

}  // namespace detail

void verify(program const& p) { detail::program_verifier().run(p); }

void verify(lowered const& l) { detail::statement_verifier().run(l); }

}}}  // namespace ttune::v0::ir
