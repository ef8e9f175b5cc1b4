// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <set>

#include "ttune/ir/sampled_evaluation.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/runtime/oracle_check.hpp"
#include "ttune/runtime/trial_check.hpp"
#include "ttune/support/rng.hpp"

namespace ttune::inline v0 {

namespace detail {

/// Returns the linear index of a corner of a box. Bit d of `bits` selects the first (0) or the last (1) element of
/// dimension d.
inline std::int64_t corner(std::vector<std::int64_t> const& shape, std::uint64_t bits) {
  std::int64_t element = 0;
  for (std::size_t d = 0; d < shape.size(); ++d)
    element = element * shape[d] + ((bits >> d & 1) != 0 ? shape[d] - 1 : 0);
  return element;
}

/// Draws a point whose coordinates are the first, the last, or any: peeled tails and boundaries lie at the ends.
inline std::int64_t point_near_edges(std::vector<std::int64_t> const& shape, rng& random) {
  std::int64_t element = 0;
  for (auto const n : shape) {
    auto const where = random.below(6);
    auto const any = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n)));
    element = element * n + (where == 0 ? 0 : where == 1 ? n - 1 : any);
  }
  return element;
}

/// Returns the linear indices of the elements to compare, in order.
inline std::vector<std::int64_t> sampled_elements(std::vector<std::int64_t> const& shape, std::int64_t elements,
                                                  oracle_check_options const& options) {
  std::vector<std::int64_t> made;
  if (elements <= options.samples) {
    for (std::int64_t i = 0; i < elements; ++i) made.push_back(i);
    return made;
  }
  rng random(options.seed);
  std::set<std::int64_t> seen;
  auto const take = [&](std::int64_t element) {
    if (seen.insert(element).second) made.push_back(element);
  };
  for (std::uint64_t bits = 0; bits < (1ULL << std::min<std::size_t>(shape.size(), 5)); ++bits)
    take(corner(shape, bits));
  for (auto tries = 2 * options.samples; tries > 0 && std::ssize(made) < options.samples; --tries)
    take(point_near_edges(shape, random));
  return made;
}

/// Returns true if a small error can change the value of an element: `select(x > 0, …)`, `floor(x)`, an argmax.
inline bool rounding_decides(ir::program const& p) {
  auto const is_operand = [](ir::expr const& e) {
    auto const* a = ir::as<ir::access>(e);
    return a && std::holds_alternative<handle<ir::tensor>>(a->from);
  };
  auto const decides = [&](ir::expr const& e) {
    if (auto const* c = ir::as<ir::cast>(e)) return !is_float(e->type) && is_float(c->operand->type);
    if (auto const* u = ir::as<ir::unary>(e)) {
      if (u->op == ir::unary_op::round_to_tf32) return !is_operand(u->operand);
      return u->op == ir::unary_op::floor || u->op == ir::unary_op::ceil || u->op == ir::unary_op::round;
    }
    auto const* b = ir::as<ir::binary>(e);
    return b && is_float(b->left->type) && (b->op == ir::binary_op::modulo || e->type == dtype::boolean);
  };
  return std::any_of(p.stages.begin(), p.stages.end(), [&](auto const& s) {
    auto const any = [&](auto const& list, auto const& expr_of) {
      return std::any_of(list.begin(), list.end(),
                         [&](auto const& item) { return ir::contains(expr_of(item), decides); });
    };
    return any(s->components, [](auto const& c) { return c.value; }) ||
           any(s->reduction.combine, [](auto const& e) { return e; });
  });
}

/// Converts the input operands to the interpreter's arrays, in the order of the signature.
inline std::vector<ir::ndarray> inputs_of(kernel_signature const& signature,
                                          std::function<std::vector<std::uint8_t>(std::size_t)> const& bytes) {
  std::vector<ir::ndarray> made;
  for (std::size_t i = 0; i < signature.operands.size() && signature.operands[i].way != operand_info::direction::out;
       ++i)
    made.push_back(ir::load_ndarray(signature.operands[i].type, signature.operands[i].shape, bytes(i).data()));
  return made;
}

}  // namespace detail

TTUNE_INLINE oracle_verdict check_against_oracle(ir::program const& p, kernel_signature const& signature,
                                                 std::function<std::vector<std::uint8_t>(std::size_t)> const& bytes,
                                                 oracle_check_options const& options) {
  using clock = std::chrono::steady_clock;
  oracle_verdict verdict;
  if (std::any_of(p.outputs.begin(), p.outputs.end(), [](auto const& out) { return out->updates != nullptr; }))
    return verdict;
  auto const inputs = detail::inputs_of(signature, bytes);
  ir::sampled_evaluation oracle(p, inputs);
  bool const lenient = detail::rounding_decides(p);
  auto operand = inputs.size();
  auto const until = clock::now() + std::chrono::duration<double>(options.seconds);
  for (std::size_t out = 0; out < p.outputs.size(); ++out) {
    auto const& shape = signature.operands[operand].shape;
    auto elements = detail::sampled_elements(shape, signature.operands[operand].elements(), options);
    std::size_t done = 0;
    while (done < elements.size() && (done == 0 || clock::now() < until)) oracle.compute(out, elements[done++]);
    elements.resize(done);
    for (std::size_t c = 0; c < p.outputs[out]->components.size(); ++c, ++operand) {
      auto const& info = signature.operands[operand];
      auto const found = bytes(operand);
      auto expected = ir::load_ndarray(info.type, info.shape, found.data());
      for (auto const e : elements) oracle.copy(out, c, e, expected);
      std::vector<std::uint8_t> right(found.size());
      ir::store_ndarray(expected, right.data());
      verdict.elements += std::ssize(elements);
      verdict.difference = expected_output(info, std::move(right), signature.terms, 1)
                               .difference(found.data(), lenient ? std::ssize(elements) / 20 : 0);
      if (!verdict.difference.empty()) return verdict;
    }
  }
  return verdict;
}

}  // namespace ttune::inline v0
