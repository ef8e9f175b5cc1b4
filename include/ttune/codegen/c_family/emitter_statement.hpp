// SPDX-License-Identifier: Apache-2.0
// Loops, conditions and scopes.
#pragma once

#include "ttune/codegen/c_family/emitter.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

inline void c_emitter::line(std::string const& text) {
  text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
}

inline void c_emitter::open(std::string const& head) {
  auto const before = text_.size();
  line(head.empty() ? "{" : head + " {");
  scopes_.emplace_back(before, text_.size());
  ++depth_;
}

/// Closes a scope; an empty one is removed from the text.
inline void c_emitter::close() {
  auto const [before, behind] = scopes_.back();
  forget_tiles_of_scope();
  scopes_.pop_back();
  --depth_;
  if (text_.size() == behind) text_.resize(before);
  else line("}");
}

/// Ends the first scope of a condition and opens its else branch.
inline void c_emitter::turn_to_else() {
  forget_tiles_of_scope();
  --depth_;
  line("} else {");
  ++depth_;
}

/// Declares a constant of the kernel; returns its name.
inline std::string c_emitter::declare(std::string const& variable, std::string const& text, bool not_negative) {
  auto const name = names_.fresh(variable);
  line("const " + type_name(dtype::index) + " " + name + " = " + text + ";");
  if (not_negative) naturals_.insert(name);
  return name;
}

/// Emits a statement. If it is outside of a loop over threads and stores to memory that other threads see, only the
/// first thread executes it.
inline void c_emitter::emit(ir::stmt const& s) {
  unsigned missing = 0;
  for (int d = 0; d < directions; ++d)
    if (grid_[static_cast<std::size_t>(d)].size() > 1 && (entered_ >> d & 1) == 0) missing |= 1U << d;
  if (missing == 0 || !is_for_first_thread(s)) return emit_plain(s);
  open("if (" + is_first(missing) + ")");
  entered_ |= missing;
  ++apart_;
  emit_plain(s);
  --apart_;
  entered_ &= ~missing;
  close();
}

/// Returns true if only the first thread needs to execute a statement: it has no loop over threads, no barrier, and
/// stores nothing of a thread's own.
inline bool c_emitter::is_for_first_thread(ir::stmt const& s) const {
  if (ir::as<ir::allocate>(s) || detail::needs_all_threads(s)) return false;
  bool stores = false;
  bool const own = detail::any_statement(s, [&](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    if (l && is_kernel_loop(*l)) return true;
    auto const* w = ir::as<ir::store>(part);
    if (!w) return false;
    stores = true;
    return w->to->where == ir::memory::local || w->to->where == ir::memory::registers;
  });
  return stores && !own;
}

inline std::string c_emitter::is_first(unsigned missing) const {
  std::string made;
  for (int d = 0; d < directions; ++d)
    if ((missing >> d & 1) != 0)
      made += (made.empty() ? "" : " && ") + (d < 3 ? block_id(d) : dialect_.thread_id(d - 3)) + " == 0";
  return made;
}

inline void c_emitter::emit_plain(ir::stmt const& s) {
  if (auto const* several = ir::as<ir::block>(s))
    for (auto const& part : several->body) emit(part);
  if (auto const* l = ir::as<ir::loop>(s)) emit_loop(*l);
  if (auto const* l = ir::as<ir::let>(s)) emit_let(*l);
  if (auto const* c = ir::as<ir::conditional>(s)) emit_conditional(*c);
  if (auto const* a = ir::as<ir::allocate>(s)) emit_allocate(*a);
  if (auto const* w = ir::as<ir::store>(s); w && !emit_copy(*w))
    store(*w->to, flat_index(*w->to, w->indices), evaluate(w->value));
  if (auto const* b = ir::as<ir::barrier>(s)) {
    if (!dialect_.has_threads())
      throw backend_error(std::string(dialect_.name()) + ": there are no threads that could meet at a barrier");
    if (b->pending >= 0 && dialect_.has_async_copies(machine_)) {
      auto const awaited = "ttune_await_copies_" + std::to_string(b->pending);
      helpers_["ttune_close_copies"] = dialect_.commit_copies_function("ttune_close_copies");
      helpers_[awaited] = dialect_.wait_copies_function(awaited, b->pending);
      line("ttune_close_copies();");
      line(awaited + "();");
    }
    if (publishes_) call_function("ttune_publish", dialect_.publish_function("ttune_publish"));
    line(dialect_.barrier());
  }
}

inline std::string c_emitter::declaration(ir::buffer const& b, ir::memory where, std::string const& name) const {
  return dialect_.array_prefix(where) + dialect_.storage(b.type) + " " + name +
         (is_scalar(b) ? "" : "[" + std::to_string(b.room()) + "]") + ";";
}

inline void c_emitter::emit_allocate(ir::allocate const& a) {
  auto const& b = *a.storage;
  auto const where = place_of(b);
  if (where == ir::memory::workspace) return emit(a.body);  // in the workspace, see array()
  auto const name = names_.fresh(b.name);
  arrays_[&b] = name;
  if (where == ir::memory::shared) {
    in_shared_.emplace_back(&b, name);
    emit(a.body);
  } else {
    open("");
    if (shapes_.is_split(b) && !is_scalar(b))
      for (auto const& [first, width] : shapes_.variables(b))
        line(dialect_.storage(b.type) + (width > 1 ? std::to_string(width) : "") + " " + name + "_" +
             std::to_string(first) + ";");
    else line(declaration(b, where, name));
    emit(a.body);
    close();
  }
  arrays_.erase(&b);
}

inline void c_emitter::emit_let(ir::let const& l) {
  auto at = index(l.value);
  auto const saved =
      variables_.find(l.variable) == variables_.end() ? std::optional<lane_linear>() : variables_.at(l.variable);
  auto const range = ranges_[l.variable] = {l.low, l.high - 1};
  auto const is_name = [](lane_linear::term const& t) { return t.value.find(' ') == std::string::npos; };
  if (asks_to_unroll()) {  // keep the sum: in unrolled iterations, most of it is common
    for (auto& t : at.terms)
      if (!is_name(t)) t.value = declare(l.variable, t.value, naturals_.contains(t.value));
  } else if (!at.terms.empty() && (at.terms.size() > 1 || !is_name(at.terms[0]))) {
    auto const lane = at.lane;
    at.lane = 0;
    at = atom(declare(l.variable, written(at).text, range.low >= 0 && lane >= 0));
    at.lane = lane;
  }
  variables_[l.variable] = at;
  enter_let(l);
  emit(l.body);
  leave_let(l);
  if (saved) variables_[l.variable] = *saved;
  else variables_.erase(l.variable);
}

// ------------------------------------------------------------------------------------------------------- loops

inline void c_emitter::emit_loop(ir::loop const& l) {
  if (is_kernel_loop(l)) return emit_bound(l);
  auto const begin = index(l.begin);
  auto const end = index(l.end);
  if (begin.lane != 0 || end.lane != 0) throw needs_scalar{};
  bool const known = begin.is_constant() && end.is_constant();
  if (known && end.constant <= begin.constant) return;
  if (dialect_.has_matrix_products()) {
    if (l.kind == ir::loop_kind::tensorized && is_matrix_tile(l.body)) return emit_tile(l);
    if (known && l.kind == ir::loop_kind::unrolled && is_matrix_tiles(l.body))
      return emit_tiles(l, begin.constant, end.constant);
    if (known && l.kind == ir::loop_kind::unrolled && is_warpgroup_tile(l.body)) return emit_warpgroup_tiles(l);
  }
  if (known && l.kind == ir::loop_kind::unrolled && emit_by_warp(l, begin.constant, end.constant)) return;
  bool const vectorized = l.kind == ir::loop_kind::vectorized;
  if (known && vectorized && lanes_ == 1 && dialect_.vectors() == vector_style::types)
    return emit_vectorized(l, begin.constant, end.constant);
  if (known && vectorized && lanes_ == 1 && dialect_.vectors() == vector_style::moves)
    return emit_moves(l, begin.constant, end.constant);
  bool const unroll = l.kind == ir::loop_kind::unrolled || l.kind == ir::loop_kind::tensorized || vectorized;
  if (known && ((unroll && dialect_.unrolls()) || end.constant - begin.constant == 1))
    return emit_unrolled(l, begin.constant, end.constant);
  auto const hint = unroll ? dialect_.unroll_hint() : known ? how_unrolled(l, end.constant - begin.constant) : "";
  if (!hint.empty()) line(hint);
  emit_rolled(l);
}

/// Returns true if the compiler is asked to unroll loops.
inline bool c_emitter::asks_to_unroll() const { return !dialect_.unrolls() && !dialect_.unroll_hint().empty(); }

inline bool c_emitter::is_own(ir::buffer const& b) {
  return b.where == ir::memory::local || b.where == ir::memory::registers;
}

/// Estimates the compiler's work for a statement, in additions. Stores outside of the thread's own memory need
/// addresses and cost more.
inline std::int64_t c_emitter::steps_of(ir::stmt const& s) {
  constexpr std::int64_t steps_of_address = 32;
  if (!s) return 0;
  std::int64_t all = 0;
  if (auto const* n = ir::as<ir::block>(s))
    for (auto const& part : n->body) all += steps_of(part);
  if (auto const* n = ir::as<ir::allocate>(s)) all = steps_of(n->body);
  if (auto const* n = ir::as<ir::let>(s)) all = steps_of(n->body);
  if (auto const* n = ir::as<ir::conditional>(s)) all = 2 * (steps_of(n->then) + steps_of(n->otherwise));
  if (auto const* n = ir::as<ir::store>(s)) all = is_own(*n->to) ? 1 : steps_of_address;
  if (auto const* n = ir::as<ir::loop>(s)) {
    bool const repeats = n->kind != ir::loop_kind::tensorized && ir::is_constant(n->begin) && ir::is_constant(n->end);
    all = steps_of(n->body) * (repeats ? ir::constant_integer(n->end) - ir::constant_integer(n->begin) : 1);
  }
  return all;
}

/// Returns true if the loop's variable selects elements of an array of the thread.
inline bool c_emitter::chooses_own(ir::loop const& l) {
  auto const chosen = [&](ir::buffer const& b, std::vector<ir::expr> const& indices) {
    return is_own(b) && std::any_of(indices.begin(), indices.end(),
                                    [&](ir::expr const& i) { return detail::speaks_of(i, {l.variable}); });
  };
  return detail::any_statement(l.body, [&](ir::stmt const& part) {
    auto const* w = ir::as<ir::store>(part);
    return w && (chosen(*w->to, w->indices) || ir::contains(w->value, [&](ir::expr const& e) {
                   auto const* a = ir::as<ir::access>(e);
                   return a && chosen(*std::get<handle<ir::buffer>>(a->from), a->indices);
                 }));
  });
}

/// Returns the unroll hint of a loop. Loops that select a thread's own elements are unrolled completely, as registers
/// have no addresses. Others are unrolled while the text stays short: compile time grows with it, and the loop overhead
/// is small beside that many sums.
inline std::string c_emitter::how_unrolled(ir::loop const& l, std::int64_t trips) const {
  constexpr std::int64_t most_steps = 256;
  if (!asks_to_unroll() || detail::has_barrier(l.body)) return "";
  auto const steps = std::max<std::int64_t>(1, steps_of(l.body));
  if (chooses_own(l) || trips * steps <= most_steps) return dialect_.unroll_hint();
  auto factor = std::max<std::int64_t>(1, most_steps / steps);
  while (trips % factor != 0) --factor;
  return dialect_.unroll_hint() + " " + std::to_string(factor);
}

inline void c_emitter::emit_unrolled(ir::loop const& l, std::int64_t begin, std::int64_t end) {
  for (auto i = begin; i < end; ++i) {
    lane_linear at;
    at.constant = i;
    variables_[l.variable] = at;
    ranges_[l.variable] = {i, i};
    emit(l.body);
  }
  variables_.erase(l.variable);
}

inline void c_emitter::emit_rolled(ir::loop const& l) {
  auto const begin = index(l.begin);
  auto const end = written(index(l.end));
  bool const natural = not_negative(begin);
  auto const low = arith::bounds(l.begin, ranges_);
  auto const high = arith::bounds(l.end, ranges_);
  auto const name = names_.fresh(l.variable);
  variables_[l.variable] = atom(name, natural || low.low >= 0);
  ranges_[l.variable] = {low.low, high.high - 1};
  transposed_.clear();  // an iteration may change values that the next one reads
  open("for (" + type_name(dtype::index) + " " + name + " = " + written(begin).text + "; " + name + " < " +
       in(end, sum) + "; ++" + name + ")");
  bool const apart = differs_in_warp(l.begin) || differs_in_warp(l.end);
  apart_ += apart ? 1 : 0;
  emit(l.body);
  apart_ -= apart ? 1 : 0;
  close();
  variables_.erase(l.variable);
}

/// Emits a loop over blocks or threads: each one has its own number. If the loop is shorter than the grid, some are
/// excluded.
inline void c_emitter::emit_bound(ir::loop const& l) {
  int const d = direction_of(l.kind);
  auto const& g = grid_[static_cast<std::size_t>(d)];
  if (!g.used) return;
  auto const begin = index(l.begin);
  auto const end = index(l.end);
  lane_linear at;
  if (g.size() == 1) at.constant = g.begin;
  else {
    auto& identity = identities_[d];
    if (identity.empty()) {
      auto const id = d < 3 ? block_id(d) : dialect_.thread_id(d - 3);
      // Declared at the start of the kernel, since several loops over the direction may use it.
      identity = names_.fresh(l.variable);
      shared_arrays_ += "  const " + type_name(dtype::index) + " " + identity + " = (" + type_name(dtype::index) + ")" +
                        id + (g.begin != 0 ? (g.begin < 0 ? " - " : " + ") + std::to_string(std::abs(g.begin)) : "") +
                        ";\n";
      if (g.begin >= 0) naturals_.insert(identity);
    }
    at = atom(identity);
  }
  std::string guard;
  if (!(begin.is_constant() && begin.constant <= g.begin))
    guard = in(written(at), sum) + " >= " + in(written(begin), sum);
  if (!(end.is_constant() && end.constant >= g.end))
    guard += (guard.empty() ? "" : " && ") + in(written(at), sum) + " < " + in(written(end), sum);
  if (!guard.empty() && d >= 3 && detail::has_barrier(l.body))
    throw backend_error(std::string(dialect_.name()) + ": a barrier inside of loop " + l.variable +
                        ", which not all threads of the block run");
  auto const low = arith::bounds(l.begin, ranges_);
  auto const high = arith::bounds(l.end, ranges_);
  ranges_[l.variable] = {std::max(low.low, g.begin), std::min(high.high, g.end) - 1};
  variables_[l.variable] = at;
  auto const saved = entered_;
  entered_ |= 1U << d;
  if (l.kind == ir::loop_kind::parallel) entered_ |= 0b111111U;  // no other loop is bound
  if (d >= 3) enter_threads(l, d);
  if (!guard.empty()) open("if (" + guard + ")");
  apart_ += guard.empty() || d < 3 ? 0 : 1;
  emit(l.body);
  apart_ -= guard.empty() || d < 3 ? 0 : 1;
  if (!guard.empty()) close();
  if (d >= 3) leave_threads(l);
  entered_ = saved;
  variables_.erase(l.variable);
}

// ------------------------------------------------------------------------------------------------------ conditions

/// Emits an addition to a thread's own element under a condition without a branch. Compilers that unroll turn it into a
/// predicate; hundreds of branches take them seconds. Returns false if `c` is another kind of statement.
inline bool c_emitter::emit_chosen(ir::conditional const& c, value const& condition) {
  auto const* w = ir::as<ir::store>(c.then);
  if (!w || c.otherwise || !asks_to_unroll() || !is_own(*w->to)) return false;
  bool const adds = ir::contains(w->value, [&](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    auto const* b = a ? std::get_if<handle<ir::buffer>>(&a->from) : nullptr;
    return b && *b == w->to &&
           std::equal(a->indices.begin(), a->indices.end(), w->indices.begin(),
                      [](ir::expr const& x, ir::expr const& y) { return ir::equal(x, y); });
  });
  if (!adds) return false;
  auto const to = element(*w->to, flat_index(*w->to, w->indices));
  auto const added = to_storage(evaluate(w->value), w->to->type);
  line(to + " = " + in(condition, either) + " ? " + added + " : " + to + ";");
  return true;
}

inline void c_emitter::emit_conditional(ir::conditional const& c) {
  if (auto const known = decide(c.condition)) {
    bool const some = std::find(known->begin(), known->end(), true) != known->end();
    bool const all = std::find(known->begin(), known->end(), false) == known->end();
    if (some && !all) throw needs_scalar{};
    auto const& taken = some ? c.then : c.otherwise;
    if (taken) emit(taken);
    return;
  }
  auto const condition = evaluate(c.condition);
  if (condition.lanes != 1) throw needs_scalar{};
  if (emit_chosen(c, condition)) return;
  bool const apart = differs_in_warp(c.condition);
  apart_ += apart ? 1 : 0;
  open("if (" + condition.text + ")");
  if (c.then) emit(c.then);
  if (c.otherwise) {
    turn_to_else();
    emit(c.otherwise);
  }
  close();
  apart_ -= apart ? 1 : 0;
}

}}}  // namespace ttune::v0::codegen
