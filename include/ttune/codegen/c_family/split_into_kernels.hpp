// SPDX-License-Identifier: Apache-2.0
// Division of a statement into kernels: the outermost loop over blocks or threads, a parallel loop outside of one (its
// iterations become blocks of one thread), and the statements between such loops, run by one thread. Serial loops
// around kernels become repeated calls; conditions and lets around kernels move into them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ttune/arith/interval.hpp"
#include "ttune/codegen/c_family/dialect.hpp"
#include "ttune/codegen/c_family/statement_queries.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace c_family {

/// The statement of one kernel.
struct split_kernel {
  ir::stmt body;
  std::vector<std::string> host_variables;  ///< variables of loops around its calls: parameters of the kernel
  arith::ranges known;                      ///< ranges of the variables around the kernel
};

/// One call of a kernel, with the values of its host variables.
struct kernel_call {
  std::size_t kernel = 0;
  std::vector<std::int64_t> values;
};

/// Kernels, and their calls in order.
struct kernel_sequence {
  std::vector<split_kernel> kernels;
  std::vector<kernel_call> calls;
};

/// Divides one statement. In: a statement of a lowered program. Out: kernels that do the same when they are called in
/// sequence. It writes no text.
class kernel_splitter {
 public:
  explicit kernel_splitter(c_dialect const& dialect) : dialect_(dialect) {}

  /// Throws backend_error for loops around kernels with unknown bounds or with too many iterations.
  [[nodiscard]] kernel_sequence split(ir::stmt const& s);

 private:
  using calls = std::vector<kernel_call>;

  void visit(ir::stmt const& s, calls& to);
  void visit_let(ir::let const& l, ir::stmt const& s, calls& to);
  void visit_conditional(ir::conditional const& c, calls& to);
  void visit_loop(ir::loop const& l, calls& to);
  void add_statements_outside_kernels(calls& to);
  void add_kernel(ir::stmt body, calls& to);
  void repeat(ir::loop const& l, arith::interval iterations, std::size_t place, calls const& once, calls& to) const;
  [[nodiscard]] static bool is_kernel(ir::loop const& l) {
    return l.kind == ir::loop_kind::parallel || l.kind >= ir::loop_kind::block_x;
  }

  c_dialect const& dialect_;
  std::vector<split_kernel> kernels_;
  std::vector<ir::stmt> statements_outside_kernels_;  ///< they become a kernel of one thread
  std::vector<ir::stmt> host_scopes_;                 ///< lets and conditionals around kernels; their bodies are unused
  std::vector<std::string> host_variables_;
  arith::ranges host_ranges_;
};

inline kernel_sequence kernel_splitter::split(ir::stmt const& s) {
  kernel_sequence made;
  visit(s, made.calls);
  add_statements_outside_kernels(made.calls);
  made.kernels = std::move(kernels_);
  return made;
}

inline void kernel_splitter::visit(ir::stmt const& s, calls& to) {
  if (!s) return;
  if (auto const* a = ir::as<ir::allocate>(s); a && a->storage->where == ir::memory::workspace)
    return visit(a->body, to);
  bool const has_kernel = any_statement(s, [](ir::stmt const& part) {
    auto const* l = ir::as<ir::loop>(part);
    return l && is_kernel(*l);
  });
  if (!dialect_.has_threads() || !has_kernel) return statements_outside_kernels_.push_back(s);
  if (auto const* n = ir::as<ir::block>(s)) {
    for (auto const& part : n->body) visit(part, to);
    return;
  }
  add_statements_outside_kernels(to);
  if (auto const* n = ir::as<ir::let>(s)) return visit_let(*n, s, to);
  if (auto const* n = ir::as<ir::conditional>(s)) return visit_conditional(*n, to);
  auto const* l = ir::as<ir::loop>(s);
  if (!l || is_kernel(*l)) return add_kernel(s, to);  // not a loop: a buffer of its threads or of its only block
  visit_loop(*l, to);
}

inline void kernel_splitter::visit_let(ir::let const& l, ir::stmt const& s, calls& to) {
  host_scopes_.push_back(s);
  host_ranges_[l.variable] = {l.low, l.high - 1};
  visit(l.body, to);
  add_statements_outside_kernels(to);
  host_ranges_.erase(l.variable);
  host_scopes_.pop_back();
}

inline void kernel_splitter::visit_conditional(ir::conditional const& c, calls& to) {
  for (bool const taken : {true, false}) {
    auto const& arm = taken ? c.then : c.otherwise;
    if (!arm) continue;
    auto const condition = taken ? c.condition : ir::make_unary(ir::unary_op::logical_not, c.condition);
    host_scopes_.push_back(ir::make_conditional(condition, arm));
    visit(arm, to);
    add_statements_outside_kernels(to);
    host_scopes_.pop_back();
  }
}

inline void kernel_splitter::visit_loop(ir::loop const& l, calls& to) {
  auto const low = arith::bounds(l.begin, host_ranges_);
  auto const high = arith::bounds(l.end, host_ranges_);
  if (!arith::is_bounded(low) || !arith::is_bounded(high))
    throw backend_error(std::string(dialect_.name()) + ": the loop " + l.variable +
                        " around kernels has no known bounds");
  arith::interval const iterations{low.low, high.high - 1};
  if (iterations.low > iterations.high) return;
  auto const place = host_variables_.size();
  host_variables_.push_back(l.variable);
  host_ranges_[l.variable] = iterations;
  auto const scopes = host_scopes_.size();
  auto const at = ir::make_variable(l.variable);
  if (low.low != low.high)
    host_scopes_.push_back(ir::make_conditional(ir::make_binary(ir::binary_op::less_equal, l.begin, at), l.body));
  if (high.low != high.high)
    host_scopes_.push_back(ir::make_conditional(ir::make_binary(ir::binary_op::less, at, l.end), l.body));
  calls once;
  visit(l.body, once);
  add_statements_outside_kernels(once);
  host_scopes_.resize(scopes);
  host_variables_.pop_back();
  host_ranges_.erase(l.variable);
  repeat(l, iterations, place, once, to);
}

inline void kernel_splitter::repeat(ir::loop const& l, arith::interval iterations, std::size_t place, calls const& once,
                                    calls& to) const {
  constexpr std::int64_t most_calls = 4096;
  auto const count = iterations.high - iterations.low + 1;
  if (static_cast<std::int64_t>(once.size()) * count + static_cast<std::int64_t>(to.size()) > most_calls)
    throw backend_error(std::string(dialect_.name()) + ": the loop " + l.variable + " would launch more than " +
                        std::to_string(most_calls) + " kernels: bind a loop further out");
  for (auto i = iterations.low; i <= iterations.high; ++i)
    for (auto call : once) {
      call.values[place] = i;
      to.push_back(std::move(call));
    }
}

inline void kernel_splitter::add_statements_outside_kernels(calls& to) {
  if (statements_outside_kernels_.empty()) return;
  auto body = ir::make_block(std::exchange(statements_outside_kernels_, {}));
  add_kernel(std::move(body), to);
}

/// Adds a kernel and a call of it; the lets and conditions around it become part of it.
inline void kernel_splitter::add_kernel(ir::stmt body, calls& to) {
  for (auto outer = host_scopes_.rbegin(); outer != host_scopes_.rend(); ++outer) {
    if (auto const* n = ir::as<ir::let>(*outer)) body = ir::make_let(n->variable, n->value, n->low, n->high, body);
    else body = ir::make_conditional(ir::as<ir::conditional>(*outer)->condition, body);
  }
  to.push_back({kernels_.size(), std::vector<std::int64_t>(host_variables_.size())});
  kernels_.push_back({std::move(body), host_variables_, host_ranges_});
}

[[nodiscard]] inline kernel_sequence split_into_kernels(ir::stmt const& s, c_dialect const& dialect) {
  return kernel_splitter(dialect).split(s);
}

}}}}  // namespace ttune::v0::codegen::c_family
