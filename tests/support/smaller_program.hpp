// SPDX-License-Identifier: Apache-2.0
// Makes a failing program smaller while it still fails: fewer outputs and stages, simpler expressions, shorter axes.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/operands.hpp"
#include "ttune/ir/visit.hpp"

namespace ttune_test {

class program_shrinker {
 public:
  using program = ttune::handle<ttune::ir::program>;
  using still_fails = std::function<bool(program const&)>;

  /// Calls `fails` at most `most` times.
  program_shrinker(still_fails fails, int most) : fails_(std::move(fails)), left_(most) {}

  program operator()(program p) {
    for (bool changed = true; changed && left_ > 0;) {
      changed = false;
      for (std::size_t i = 0; i < all(p).size() && left_ > 0;) {
        auto const smaller = all(p)[i]();
        if (smaller && --left_ >= 0 && fails_(smaller)) p = smaller, changed = true;
        else ++i;
      }
    }
    return p;
  }

 private:
  using expr = ttune::ir::expr;
  using stage = ttune::handle<ttune::ir::stage>;
  using attempt = std::function<program()>;

  static std::vector<attempt> all(program const& p) {
    std::vector<attempt> made;
    for (std::size_t o = 0; p->outputs.size() > 1 && o < p->outputs.size(); ++o)
      made.push_back([=] {
        auto q = *p;
        q.outputs.erase(q.outputs.begin() + static_cast<std::ptrdiff_t>(o));
        return used_part(std::move(q));
      });
    for (auto const& s : p->stages)
      if (std::find(p->outputs.begin(), p->outputs.end(), s) == p->outputs.end())
        made.push_back([=] {  // this output alone
          auto q = *p;
          q.outputs = {s};
          return used_part(std::move(q));
        });
    for (std::size_t s = 0; s < p->stages.size(); ++s) add_of_stage(p, s, made);
    return made;
  }

  static void add_of_stage(program const& p, std::size_t s, std::vector<attempt>& made) {
    auto const& st = *p->stages[s];
    auto const with = [=](auto const& change) {
      return [=] {
        auto changed = *p->stages[s];
        change(changed);
        return with_stage(p, s, ttune::share(std::move(changed)));
      };
    };
    if (st.predicate) made.push_back(with([](ttune::ir::stage& c) { c.predicate = {}; }));
    auto const axes = st.axes.size();
    for (std::size_t a = 0; a < axes + st.reduction.axes.size(); ++a)
      for (int const how : {0, 1, 2})
        made.push_back(with([=](ttune::ir::stage& c) {
          auto& axis = a < axes ? c.axes[a] : c.reduction.axes[a - axes];
          auto const size = axis.size();
          auto const less = how == 0 ? 1 : how == 1 ? (size + 1) / 2 : size - 1;
          if (less > 0) axis.end = axis.begin + less;
        }));
    if (st.components.size() > 1) return;
    int nodes = 0;
    ttune::ir::for_each_node(st.components[0].value, [&](expr const&) { ++nodes; });
    for (int n = 0; n < nodes; ++n)
      for (int const child : {0, 1})
        made.push_back(with([=](ttune::ir::stage& c) {
          int at = 0;
          c.components[0].value = replaced(c.components[0].value, at, n, child);
        }));
  }

  /// Replaces the n-th node in order by its child of the same type, or a read by 1.
  static expr replaced(expr const& e, int& at, int n, int child) {
    using namespace ttune;
    bool const here = at++ == n;
    auto const same = [&](expr const& x) { return x->type == e->type ? x : e; };
    if (auto const* b = ir::as<ir::binary>(e)) {
      if (here) return same(child == 0 ? b->left : b->right);
      auto const left = replaced(b->left, at, n, child);
      return ir::make_binary(b->op, left, replaced(b->right, at, n, child));
    }
    if (auto const* u = ir::as<ir::unary>(e))
      return here ? same(u->operand) : ir::make_unary(u->op, replaced(u->operand, at, n, child));
    if (auto const* c = ir::as<ir::cast>(e))
      return here ? (c->operand->type == e->type ? c->operand : ir::make_number(e->type, 1))
                  : ir::make_cast(e->type, replaced(c->operand, at, n, child));
    if (auto const* s = ir::as<ir::select>(e)) {
      if (here) return child == 0 ? s->when_true : s->when_false;
      auto const condition = replaced(s->condition, at, n, child);
      auto const yes = replaced(s->when_true, at, n, child);
      return ir::make_select(condition, yes, replaced(s->when_false, at, n, child));
    }
    if (ir::as<ir::access>(e) && here && e->type != dtype::index) return ir::make_number(e->type, 1);
    if (auto const* a = ir::as<ir::access>(e)) {
      std::vector<expr> indices;
      for (auto const& i : a->indices) indices.push_back(replaced(i, at, n, child));
      return ir::make_access(a->from, indices, a->outside, a->fill, a->component);
    }
    return e;
  }

  /// Returns the program with another stage, which its readers read.
  static program with_stage(program const& p, std::size_t which, stage const& instead) {
    auto q = *p;
    std::map<ttune::ir::stage const*, stage> now{{q.stages[which].get(), instead}};
    q.stages[which] = instead;
    for (std::size_t s = which + 1; s < q.stages.size(); ++s) {
      auto reader = *q.stages[s];
      for (auto& c : reader.components) c.value = reading(c.value, now);
      if (reader.predicate) reader.predicate = reading(reader.predicate, now);
      auto const made = ttune::share(std::move(reader));
      now[q.stages[s].get()] = made;
      q.stages[s] = made;
    }
    for (auto& o : q.outputs)
      if (auto const it = now.find(o.get()); it != now.end()) o = it->second;
    return used_part(std::move(q));
  }
  static expr reading(expr const& e, std::map<ttune::ir::stage const*, stage> const& now) {
    using namespace ttune;
    return ir::rewrite(e, [&](expr const& n) -> expr {
      auto const* a = ir::as<ir::access>(n);
      auto const* s = a ? std::get_if<stage>(&a->from) : nullptr;
      auto const it = s ? now.find(s->get()) : now.end();
      return it == now.end() ? n : ir::make_access(it->second, a->indices, a->outside, a->fill, a->component);
    });
  }

  /// Removes stages and operands that no output needs.
  static program used_part(ttune::ir::program p) {
    using namespace ttune;
    std::vector<void const*> used;
    auto const note = [&](expr const& e) {
      ir::for_each_node(e, [&](expr const& n) {
        if (auto const* a = ir::as<ir::access>(n))
          std::visit([&](auto const& from) { used.push_back(from.get()); }, a->from);
      });
    };
    auto const is_used = [&](void const* x) { return std::find(used.begin(), used.end(), x) != used.end(); };
    for (auto const& o : p.outputs) used.push_back(o.get());
    for (auto s = p.stages.rbegin(); s != p.stages.rend(); ++s) {
      if (!is_used(s->get())) continue;
      for (auto const& c : (*s)->components) note(c.value);
      if ((*s)->predicate) note((*s)->predicate);
      if ((*s)->updates) used.push_back((*s)->updates.get());
    }
    std::erase_if(p.stages, [&](auto const& s) { return !is_used(s.get()); });
    std::erase_if(p.inputs, [&](auto const& t) { return !is_used(t.get()); });
    return share(std::move(p));
  }

  still_fails fails_;
  int left_;
};

}  // namespace ttune_test
