// SPDX-License-Identifier: Apache-2.0
// Executes lowered programs statement by statement. Threads run one after the other between two barriers: a statement
// that contains a barrier is executed for all threads of its block before the next statement.
#pragma once

#include <algorithm>
#include <deque>

#include "ttune/ir/instruction.hpp"
#include "ttune/ir/interpret/program_runner.hpp"
#include "ttune/ir/open_extents.hpp"

namespace ttune { inline namespace v0 { namespace ir { namespace detail {

/// A compiled statement; comments name the kinds of statements that use a member.
struct statement_code {
  enum class sort : std::uint8_t { block, loop, let, conditional, allocate, store, barrier };
  sort what = sort::block;
  loop_kind kind = loop_kind::serial;
  bool meets = false;          ///< contains a barrier: run for all threads, statement by statement
  bool together = false;       ///< contains a barrier, or loops over blocks or threads
  unsigned directions = 0;     ///< directions of the loops over threads inside
  bool floats = false;         ///< for store: the value is a float
  std::int32_t variable = -1;  ///< loop, let: the variable; allocate: the array
  std::int32_t value = -1;     ///< loop: begin; let, store; conditional: condition
  std::int32_t end = -1;
  std::vector<std::int32_t> body;  ///< conditional: then, otherwise (-1: none)
  code_access target;              ///< store
  buffer const* storage = nullptr;
  stmt const* text = nullptr;
};

/// Executes a lowered program.
class statement_runner {
 public:
  array_table arrays;

  /// Compiles and executes one statement tree.
  void execute(stmt const& s) {
    if (!s) return;
    constexpr std::int64_t threads = 2;
    auto const of_threads = declare(threads_of_call);
    auto const root = compile(s);
    frame f;
    f.watch = &watch_;
    f.variables.resize(static_cast<std::size_t>(variables_));
    f.variables[static_cast<std::size_t>(of_threads)] = threads;
    f.arrays = arrays.pointers();
    for (auto const slot : scratch_) f.arrays[static_cast<std::size_t>(slot)] = nullptr;
    run(root, f);
  }

 private:
  using sort = statement_code::sort;

  // ------------------------------------------------------------------------------------------------ compiling

  std::int32_t value(expr const& e) {
    return code_.compile(
        e, false, [&](std::string const& name) { return find_variable(name); },
        [&](source const& from, int c) { return array_slot(from, c); });
  }

  [[nodiscard]] std::int32_t find_variable(std::string const& name) const {
    for (std::size_t i = scope_.size(); i-- > 0;)
      if (scope_[i].first == name) return scope_[i].second;
    throw internal_error("variable " + name + " is not bound");
  }

  std::int32_t declare(std::string const& name) {
    scope_.emplace_back(name, variables_);
    return variables_++;
  }

  /// Returns the slot of a buffer, which is known once it is allocated; the content of a table is added at its first
  /// read.
  std::int32_t array_slot(source const& from, int component) {
    auto const* b = std::get_if<handle<buffer>>(&from);
    if (!b) throw internal_error("a lowered program reads " + name_of(from) + ", which is no buffer");
    if (!(*b)->content.empty() && known_.emplace(b->get(), 0).second) {
      storage table{ndarray((*b)->type, (*b)->extents), {}, 0, 0, true};
      for (std::size_t i = 0; i < (*b)->content.size(); ++i) table.values.set_number(i, (*b)->content[i]);
      return arrays.add(b->get(), std::move(table));
    }
    return arrays.slot(from, component);
  }

  std::int32_t compile(stmt const& s) {
    statement_code n;
    n.text = &s;
    auto const mark = scope_.size();
    visit(
        s,
        [&](block const& v) {
          for (auto const& part : v.body) n.body.push_back(compile(part));
        },
        [&](loop const& v) {
          n.what = sort::loop;
          n.kind = v.kind;
          n.value = value(v.begin);
          n.end = value(v.end);
          n.variable = declare(v.variable);
          n.body = {compile(v.body)};
        },
        [&](let const& v) {
          n.what = sort::let;
          n.value = value(v.value);
          n.variable = declare(v.variable);
          n.body = {compile(v.body)};
        },
        [&](conditional const& v) {
          n.what = sort::conditional;
          n.value = value(v.condition);
          n.body = {v.then ? compile(v.then) : -1, v.otherwise ? compile(v.otherwise) : -1};
        },
        [&](allocate const& v) { compile_allocate(v, n); }, [&](store const& v) { compile_store(v, n); },
        [&](barrier const&) {
          n.what = sort::barrier;
          n.meets = n.together = true;
        },
        [&](prefetch const&) { n.what = sort::block; },
        [&](auto const& v) { n.body.push_back(compile(loops_.emplace_back(loops_of(v)))); });
    scope_.resize(mark);
    if (n.what == sort::loop && is_of_kernel(n.kind)) {
      n.together = true;
      n.directions = 1U << thread_place::direction(n.kind);
    }
    for (auto const part : n.body)
      if (part >= 0) {
        n.meets = n.meets || at(part).meets;
        n.together = n.together || at(part).together;
        n.directions |= at(part).directions;
      }
    statements_.push_back(std::move(n));
    return static_cast<std::int32_t>(statements_.size()) - 1;
  }

  void compile_allocate(allocate const& v, statement_code& n) {
    n.what = sort::allocate;
    n.storage = v.storage.get();
    if (known_.emplace(v.storage.get(), 0).second) {
      scratch_.push_back(arrays.add(v.storage.get(), {ndarray(v.storage->type, v.storage->extents),
                                                      {},
                                                      0,
                                                      0,
                                                      false,
                                                      v.storage->where,
                                                      {},
                                                      nullptr,
                                                      v.storage->ahead}));
    }
    n.variable = arrays.slot(v.storage, 0);
    n.body = {compile(v.body)};
  }

  void compile_store(store const& v, statement_code& n) {
    n.what = sort::store;
    n.floats = is_float(v.to->type);
    n.value = value(v.value);
    code_.compile_indices(
        n.target, v.to, 0, v.indices, [&](expr const& e) { return value(e); },
        [&](source const& from, int c) { return array_slot(from, c); });
  }

  [[nodiscard]] statement_code const& at(std::int32_t i) const { return statements_[static_cast<std::size_t>(i)]; }

  // ------------------------------------------------------------------------------------------------ executing

  void run(std::int32_t i, frame& f) {
    auto const& n = at(i);
    watch_.at(*n.text);
    if (n.together) {
      std::vector<frame*> alone{&f};
      return run_together(n, alone);
    }
    switch (n.what) {
      case sort::block:
        for (auto const part : n.body) run(part, f);
        return;
      case sort::loop: return run_loop(n, f);
      case sort::let: set_let(n, f); return run(n.body[0], f);
      case sort::conditional: {
        auto const part = n.body[code_.integer(n.value, f) != 0 ? 0 : 1];
        if (part >= 0) run(part, f);
        return;
      }
      case sort::allocate: return run_allocate(n, f);
      case sort::store: return run_store(n, f);
      case sort::barrier: return;
    }
  }

  template <class Body>
  void iterate(statement_code const& n, std::int64_t begin, std::int64_t end, Body const& body) {
    bool const unordered = is_unordered(n.kind);
    if (unordered) watch_.enter_loop(*n.text);
    for (auto v = begin; v < end; ++v) {
      if (unordered) watch_.next_iteration();
      body(v);
    }
    if (unordered) watch_.leave_loop();
  }

  void run_loop(statement_code const& n, frame& f) {
    iterate(n, code_.integer(n.value, f), code_.integer(n.end, f), [&](std::int64_t v) {
      f.variables[static_cast<std::size_t>(n.variable)] = v;
      run(n.body[0], f);
    });
  }

  void set_let(statement_code const& n, frame& f) {
    auto const v = code_.integer(n.value, f);
    auto const& declared = *as<let>(*n.text);
    if (v < declared.low || v >= declared.high)
      throw internal_error("let " + declared.variable + " is " + std::to_string(v) + ", declared in [" +
                           std::to_string(declared.low) + ", " + std::to_string(declared.high) + ")");
    f.variables[static_cast<std::size_t>(n.variable)] = v;
  }

  void run_allocate(statement_code const& n, frame& f) {
    auto& slot = f.arrays[static_cast<std::size_t>(n.variable)];
    auto& s = arrays[n.variable];
    s.marks.assign(static_cast<std::size_t>(s.values.elements()), 0);
    if (is_own(s.where)) s.touches.clear();
    slot = &s;
    run(n.body[0], f);
    slot = nullptr;
  }

  [[noreturn]] static void fail(statement_code const& n, std::string const& what) {
    auto const text = print(*n.text);
    throw internal_error(text.substr(0, text.find('\n')) + ": " + what);
  }

  void run_store(statement_code const& n, frame& f) {
    auto* to = f.arrays[static_cast<std::size_t>(n.target.array)];
    if (!to) fail(n, "the buffer is used outside of its alloc");
    watch_.ends_in(to->where, to->ahead);
    auto const v = code_.value(n.value, f);
    std::size_t position = 0;
    bool absent = false;
    try {
      (void)code_.locate(n.target, f, position, absent);
    } catch (internal_error const& e) {
      fail(n, e.what());
    }
    if (to->read_only) fail(n, "the buffer is not to be written here");
    if (watch_.active())
      watch_.write(to->touched(position), f.thread, to->where, to->ahead,
                   [&] { return value_code::element_of(n.target, position); });
    if (!to->marks.empty()) to->marks[position] |= 1 | 4;
    ++to->stores;
    if (n.floats) to->values.reals[position] = v.real;
    else to->values.integers[position] = v.integer;
  }

  // ------------------------------------------------------------------------------------------------ barriers

  /// Executes a statement that contains a barrier, for all threads that have arrived here.
  void run_together(statement_code const& n, std::vector<frame*>& threads) {
    watch_.at(*n.text);
    switch (n.what) {
      case sort::block:
        for (auto const part : n.body) run_each(part, threads);
        return;
      case sort::loop: return is_of_kernel(n.kind) ? run_kernel(n, threads) : loop_together(n, threads);
      case sort::let:
        for (auto* f : threads) set_let(n, *f);
        return run_each(n.body[0], threads);
      case sort::conditional: {
        auto const part = n.body[same_for_all(n, n.value, threads) != 0 ? 0 : 1];
        if (part >= 0) run_each(part, threads);
        return;
      }
      case sort::allocate: return allocate_together(n, threads);
      case sort::store: return;
      case sort::barrier: return watch_.meet(as<barrier>(*n.text)->pending);
    }
  }

  /// Executes a loop over blocks or threads; the outermost one is the kernel.
  void run_kernel(statement_code const& n, std::vector<frame*>& threads) {
    bool const outermost = !watch_.in_kernel();
    if (outermost) watch_.enter_kernel(*n.text, n.directions);
    if (is_thread(n.kind)) fork(n, threads);
    else loop_together(n, threads);
    if (outermost) watch_.leave_kernel();
  }

  void run_each(std::int32_t i, std::vector<frame*>& threads) {
    if (at(i).meets) return run_together(at(i), threads);
    for (auto* f : threads) run(i, *f);
  }

  std::int64_t same_for_all(statement_code const& n, std::int32_t value, std::vector<frame*> const& threads) {
    auto const first = code_.integer(value, *threads[0]);
    for (auto* f : threads)
      if (code_.integer(value, *f) != first) fail(n, "threads come to the barrier inside by different ways");
    return first;
  }

  void loop_together(statement_code const& n, std::vector<frame*>& threads) {
    auto const begin = same_for_all(n, n.value, threads);
    auto const end = same_for_all(n, n.end, threads);
    iterate(n, begin, end, [&](std::int64_t v) {
      if (is_block(n.kind)) watch_.next_block();
      for (auto* f : threads) {
        if (is_block(n.kind)) f->thread.at[thread_place::direction(n.kind)] = static_cast<std::int32_t>(v);
        f->variables[static_cast<std::size_t>(n.variable)] = v;
      }
      run_each(n.body[0], threads);
    });
    if (is_block(n.kind))
      for (auto* f : threads) f->thread.at[thread_place::direction(n.kind)] = thread_place::all;
  }

  /// Creates threads: each arrived thread, times the iterations of the loop.
  void fork(statement_code const& n, std::vector<frame*>& threads) {
    std::deque<frame> all;
    for (auto* f : threads)
      iterate(n, code_.integer(n.value, *f), code_.integer(n.end, *f), [&](std::int64_t v) {
        all.push_back(*f);
        auto& place = all.back().thread.at[thread_place::direction(n.kind)];
        if (place != thread_place::all) fail(n, "there is a loop over this direction of threads around it");
        place = static_cast<std::int32_t>(v);
        all.back().variables[static_cast<std::size_t>(n.variable)] = v;
      });
    std::vector<frame*> forked;
    for (auto& f : all) forked.push_back(&f);
    if (!forked.empty()) run_each(n.body[0], forked);
  }

  /// Allocates storage: one copy if it is shared, else one per thread. In a surrounding loop, shared storage keeps its
  /// place, so that its recorded accesses are not lost.
  void allocate_together(statement_code const& n, std::vector<frame*>& threads) {
    auto const elements = static_cast<std::size_t>(n.storage->elements());
    std::deque<storage> copies;
    auto const fresh = [&]() -> storage* {
      copies.push_back({ndarray(n.storage->type, n.storage->extents),
                        std::vector<std::uint8_t>(elements),
                        0,
                        0,
                        false,
                        n.storage->where,
                        {},
                        nullptr,
                        n.storage->ahead});
      return &copies.back();
    };
    bool const own = is_own(n.storage->where);
    auto* shared = own ? nullptr : fresh();
    if (shared) shared->touches.swap(arrays[n.variable].touches);
    for (auto* f : threads) f->arrays[static_cast<std::size_t>(n.variable)] = own ? fresh() : shared;
    run_each(n.body[0], threads);
    for (auto* f : threads) f->arrays[static_cast<std::size_t>(n.variable)] = nullptr;
    if (shared) shared->touches.swap(arrays[n.variable].touches);
  }

  race_watch watch_;
  value_code code_;
  std::vector<statement_code> statements_;
  std::vector<std::pair<std::string, std::int32_t>> scope_;
  std::int32_t variables_ = 0;
  std::unordered_map<buffer const*, int> known_;
  std::vector<std::int32_t> scratch_;
  std::deque<stmt> loops_;  ///< those that statements for instructions stand for
};

}}}}  // namespace ttune::v0::ir::detail
