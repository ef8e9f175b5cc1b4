// SPDX-License-Identifier: Apache-2.0
// The demands of a store on the core that runs it: vector instructions of each kind, and the chain of a sum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ttune/core/target.hpp"
#include "ttune/core/tile_product.hpp"
#include "ttune/roof/kernel_work.hpp"
#include "ttune/roof/loop_tree.hpp"

namespace ttune { inline namespace v0 { namespace roof {

/// Vector instructions of an expression. A multiply-add is one.
struct operation_counts {
  double simple = 0;
  double divisions = 0;
  double functions = 0;  ///< as simple operations
  std::string function;  ///< the most expensive one
  double most = 0;
};

/// Returns the simple operations that a function takes; 0: it is a simple operation. The numbers are those of ttune's
/// polynomials, which are rough for unusual operands.
[[nodiscard]] inline std::pair<double, char const*> cost_of(ir::unary_op op) {
  switch (op) {
    case ir::unary_op::exp: return {12, "exp"};
    case ir::unary_op::log: return {16, "log"};
    case ir::unary_op::sin: return {20, "sin"};
    case ir::unary_op::cos: return {20, "cos"};
    case ir::unary_op::tanh: return {20, "tanh"};
    case ir::unary_op::erf: return {24, "erf"};
    default: return {0, ""};
  }
}

inline void add_function(operation_counts& to, double cost, char const* name) {
  to.functions += cost;
  if (cost > to.most) to.most = cost, to.function = name;
}

inline void count_division(operation_counts& to, ir::expr const& of, char const* name) {
  to.divisions += of->type == dtype::f64 ? 1.6 : 1;
  if (to.function.empty()) to.function = name;
}

[[nodiscard]] inline operation_counts count_operations_of(ir::expr const& value) {
  operation_counts made;
  auto const is_product = [](ir::expr const& e) {
    auto const* b = ir::as<ir::binary>(e);
    return b && b->op == ir::binary_op::multiply && is_float(e->type);
  };
  ir::for_each_distinct_node(value, [&](ir::expr const& n) {
    if (ir::as<ir::select>(n) && n->type != dtype::index) ++made.simple;
    if (!ir::is_arithmetic(n)) return;
    auto const* u = ir::as<ir::unary>(n);
    auto const* b = ir::as<ir::binary>(n);
    if (u && u->op == ir::unary_op::sqrt) return count_division(made, n, "sqrt");
    if (u && cost_of(u->op).first > 0) return add_function(made, cost_of(u->op).first, cost_of(u->op).second);
    if (b && b->op == ir::binary_op::power) return add_function(made, 40, "pow");
    if (b && b->op == ir::binary_op::divide && !ir::is_constant(b->right)) return count_division(made, n, "division");
    bool const sum = b && (b->op == ir::binary_op::add || b->op == ir::binary_op::subtract);
    if (!sum || !(is_product(b->left) || is_product(b->right))) ++made.simple;
  });
  return made;
}

/// Counts one store of a kernel.
class statement_counter {
 public:
  statement_counter(loop_tree const& tree, counted_store const& s, target const& machine)
      : tree_(tree),
        s_(s),
        machine_(machine),
        lanes_(lanes_of(s, machine)),
        counts_(count_operations_of(s.what->value)) {
    find_straight_line_code();
  }

  [[nodiscard]] std::vector<work_demand> count() {
    if (is_tile()) return count_tiles();
    add_arithmetic();
    for (auto const& t : s_.touches) add_access(t);
    add_chain();
    return std::move(made_);
  }

  /// Returns the operations on useful lanes, a multiply-add as two.
  [[nodiscard]] double operations() const {
    double each = 0;
    ir::for_each_distinct_node(s_.what->value, [&](ir::expr const& n) { each += ir::is_arithmetic(n) ? 1 : 0; });
    return each * runs_ * unrolled_ * elements_;
  }

 private:
  [[nodiscard]] static double lanes_of(counted_store const& s, target const& machine) {
    auto const type = s.what->value->type;
    return type == dtype::f16 || type == dtype::bf16 ? machine.lanes(dtype::f32) : machine.lanes(type);
  }

  [[nodiscard]] counted_loop const& loop(std::size_t place) const { return tree_.loops[s_.path[place]]; }
  [[nodiscard]] static bool is_straight(ir::loop_kind k) noexcept {
    return k == ir::loop_kind::unrolled || k == ir::loop_kind::vectorized || k == ir::loop_kind::tensorized;
  }
  [[nodiscard]] bool moves_result(std::size_t place) const { return s_.touches.front().moves_with(place); }

  /// Finds the loops whose iterations are written out: from `first_` on, and the vectorised one.
  void find_straight_line_code() {
    first_ = s_.path.size();
    while (first_ > 0 && is_straight(loop(first_ - 1).kind)) --first_;
    for (auto i = s_.path.size(); i-- > 0 && vector_ == none;)
      if (loop(i).kind == ir::loop_kind::vectorized) vector_ = i;
    for (std::size_t i = 0; i < s_.path.size(); ++i) {
      if (i == vector_) continue;
      (i < first_ ? runs_ : unrolled_) *= loop(i).trips;
      if (i >= first_ && !moves_result(i)) terms_ *= loop(i).trips;
    }
    runs_ *= s_.share;
    elements_ = vector_ == none ? 1 : std::max(1.0, loop(vector_).trips * s_.lanes_share);
    vectors_ = vector_ == none ? 1 : std::ceil(elements_ / lanes_);
    use_ = elements_ / (vectors_ * lanes_);
    sums_ = unrolled_ / terms_ * vectors_;
  }

  /// Returns true for a product of matrices in registers for tiles.
  [[nodiscard]] bool is_tile() const {
    auto const depth = s_.path.size();
    if (!machine_.has_tiles || depth < loops_of_tile) return false;
    for (auto i = depth - loops_of_tile; i < depth; ++i)
      if (loop(i).kind != ir::loop_kind::tensorized) return false;
    return true;
  }

  /// Adds what products of tiles need: an instruction keeps its unit busy for 16 cycles, in which others could do 32
  /// multiply-adds, and an operand is loaded row by row. Sums stay in registers.
  [[nodiscard]] std::vector<work_demand> count_tiles() {
    constexpr double adds_of_instruction = 32;
    auto const depth = s_.path.size();
    double const in_tile = loop(depth - 3).trips * loop(depth - 2).trips * loop(depth - 1).trips;
    double const most = tile_product::rows * tile_product::columns * (is_float(s_.what->value->type) ? 2.0 : 4.0) *
                        tile_product::columns;
    auto const amount = runs_ * unrolled_ / in_tile * adds_of_instruction;
    add(resource::arithmetic, demand_cause::work, {}, {}, amount * in_tile / most);
    add(resource::arithmetic, demand_cause::idle_lanes, {}, loop(depth - 2).variable, amount * (1 - in_tile / most),
        loop(depth - 2).trips);
    for (auto const& t : s_.touches)
      if (!is_result(t)) {
        bool const by_columns = t.moves_with(depth - 2);
        auto const row = by_columns ? tile_product::row_bytes / static_cast<double>(size_in_bytes(t.buffer->type))
                                    : loop(depth - 1).trips;
        add(resource::load, demand_cause::work, t.buffer->name, {}, unrolled_of(t) / row);
      }
    return std::move(made_);
  }

  /// Returns the loop to blame for lanes that are idle: the vectorised one, else the innermost.
  [[nodiscard]] std::string lanes_loop() const {
    if (vector_ != none) return loop(vector_).variable;
    return s_.path.empty() ? std::string() : loop(s_.path.size() - 1).variable;
  }

  void add(resource of, demand_cause why, std::string operand, std::string in, double amount, double number = 0) {
    if (amount > 0) made_.push_back({of, why, s_.what->to->name, std::move(operand), std::move(in), amount, number});
  }

  /// Adds vector instructions, of which a share computes something.
  void add_by_lanes(resource of, demand_cause why, std::string const& operand, double amount, double share) {
    add(of, why, operand, {}, amount * share);
    add(of, demand_cause::idle_lanes, operand, lanes_loop(), amount * (1 - share), std::min(elements_, lanes_ * share));
  }

  [[nodiscard]] bool in_terms_of_product() const {
    return !s_.path.empty() && loop(s_.path.size() - 1).kind == ir::loop_kind::tensorized;
  }

  void add_arithmetic() {
    auto executed = runs_ * unrolled_ * vectors_;
    if (in_terms_of_product()) executed /= loop(s_.path.size() - 1).trips;  // one instruction has all terms
    add_by_lanes(resource::arithmetic, demand_cause::work, {}, executed * counts_.simple, use_);
    add_by_lanes(resource::arithmetic, demand_cause::function, counts_.function, executed * counts_.functions, use_);
    add_by_lanes(resource::division, demand_cause::function, counts_.function, executed * counts_.divisions, use_);
  }

  /// Returns the straight-line accesses of a buffer, without those of equal elements.
  [[nodiscard]] double unrolled_of(touch const& t) const {
    double made = runs_;
    for (auto i = first_; i < s_.path.size(); ++i)
      if (i != vector_ && (t.moves_with(i) || t.gathered())) made *= loop(i).trips;
    return made;
  }

  [[nodiscard]] bool is_reduction() const {
    return std::any_of(s_.touches.begin() + 1, s_.touches.end(), [&](touch const& t) { return is_result(t); });
  }
  [[nodiscard]] bool is_result(touch const& t) const {
    auto const& own = s_.touches.front();
    return t.buffer == own.buffer &&
           std::equal(t.indices->begin(), t.indices->end(), own.indices->begin(), own.indices->end(),
                      [](ir::expr const& a, ir::expr const& b) { return ir::equal(a, b); });
  }
  /// Returns the place of the loop around the straight-line code if its iterations add to the same results.
  [[nodiscard]] std::size_t loop_of_terms() const {
    auto at = first_;
    while (at > 0 && at - 1 == vector_) --at;
    return is_reduction() && at > 0 && loop(at - 1).kind == ir::loop_kind::serial && !moves_result(at - 1) ? at - 1
                                                                                                           : none;
  }

  void add_access(touch const& t) {
    auto const of = t.write ? resource::store : resource::load;
    auto const& name = t.buffer->name;
    auto const runs = unrolled_of(t);
    if (t.buffer->where == ir::memory::registers) return add_spills(t, of, runs);
    auto const terms = loop_of_terms();
    if (terms != none && is_result(t))
      return add(of, demand_cause::reloaded, name, loop(terms).variable, runs * vectors_, loop(terms).trips);
    if (vector_ == none) {
      if (t.gathered()) return add(of, demand_cause::gathered, name, lanes_loop(), runs);
      return add_by_lanes(of, demand_cause::work, name, runs, use_);
    }
    auto const stride = t.stride(vector_);
    if (t.gathered()) add(of, demand_cause::gathered, name, lanes_loop(), runs * elements_);
    else if (stride == 0) add(of, demand_cause::work, name, {}, runs);
    else if (stride == 1) add_by_lanes(of, demand_cause::work, name, runs * vectors_, use_);
    else add_strided(t, of, runs, stride);
  }

  /// Lanes a few elements apart are loaded with those between, and shuffled. Rows of a tile that is straight-line code
  /// are loaded as vectors, and transposed in registers. Other lanes are accessed one by one.
  void add_strided(touch const& t, resource of, double runs, double stride) {
    auto each = stride <= 4 ? std::min(elements_, 1.5 * stride * vectors_) : elements_;
    for (auto i = first_; i < s_.path.size(); ++i) {
      if (i == vector_ || t.write || t.stride(i) != 1) continue;
      each = elements_ / std::min(lanes_, loop(i).trips);
      add(resource::arithmetic, demand_cause::strided, t.buffer->name, loop(vector_).variable,
          runs * vectors_ * std::log2(lanes_), stride);
    }
    add(of, demand_cause::strided, t.buffer->name, loop(vector_).variable, runs * each, stride);
  }

  /// Sums that do not fit into registers are stored and loaded again.
  void add_spills(touch const& t, resource of, double runs) {
    constexpr double others = 3;
    auto const room = machine_.vector_registers - others;
    if (loop_of_terms() == none || !is_result(t) || sums_ <= room) return;
    add(of, demand_cause::spilled, t.buffer->name, {}, runs * vectors_ * (1 - room / sums_), sums_);
  }

  /// Adds the steps in which terms of a sum wait for each other. The processor looks some hundred instructions ahead,
  /// so that short sums overlap.
  void add_chain() {
    auto const place = loop_of_terms();
    if (!is_reduction() || (place == none && terms_ == 1)) return;
    constexpr double window = 200, most = 16, through_memory = 2;
    auto const terms = (place == none ? 1 : loop(place).trips) * terms_;
    auto const body =
        unrolled_ * vectors_ * (counts_.simple + counts_.functions + static_cast<double>(s_.touches.size()));
    auto const overlap = std::clamp(window / std::max(1.0, body * terms / terms_), 1.0, most);
    auto step = is_float(s_.what->value->type) ? 1.0 : 0.25;
    if (s_.what->to->where != ir::memory::registers) step *= through_memory;
    auto const outside = vector_ != none && vector_ < first_ ? vectors_ : 1;  // vectors one after the other
    add(resource::latency, demand_cause::one_sum, {}, place == none ? std::string() : loop(place).variable,
        runs_ * terms_ * step * outside / overlap, sums_);
  }

  static constexpr std::size_t loops_of_tile = 3;

  loop_tree const& tree_;
  counted_store const& s_;
  target const& machine_;
  double lanes_;
  operation_counts counts_;
  std::size_t first_ = 0;      ///< place in the path from which on loops are straight-line code
  std::size_t vector_ = none;  ///< place of the vectorised loop
  double runs_ = 1;            ///< of the straight-line code
  double unrolled_ = 1;        ///< iterations in it, without the vectorised loop
  double terms_ = 1;           ///< those of them that add to the same results
  double elements_ = 1;        ///< lanes of the vectorised loop that run
  double vectors_ = 1;         ///< instructions for them
  double use_ = 1;             ///< share of lanes
  double sums_ = 1;            ///< results that are independent of each other
  std::vector<work_demand> made_;
};

}}}  // namespace ttune::v0::roof
