// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>

#include "ttune/ir/rounding_bounds.hpp"
#include "ttune/ir/sampled_evaluation.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/runtime/measure/oracle_check.hpp"
#include "ttune/runtime/measure/trial_check.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace ttune { inline namespace v0 {

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
  for (std::size_t i = 0; i < signature.operands.size() && signature.operands[i].direction != operand_direction::out;
       ++i)
    made.push_back(ir::load_ndarray(signature.operands[i].type, signature.operands[i].shape, bytes(i).data()));
  return made;
}

/// Bounds the errors of single elements. Nothing is made before the first call.
class element_bounds {
 public:
  element_bounds(ir::program const& p, std::span<ir::ndarray const> inputs, double seconds)
      : program_(p), inputs_(inputs), seconds_(std::chrono::duration<double>(seconds)) {}

  /// Returns true if the time for further bounds is over. The first bound takes as long as it needs.
  [[nodiscard]] bool out_of_time() const { return until_ && clock::now() > *until_; }

  /// Returns the bound of an element of a result; nothing if it takes too much time or memory.
  std::optional<double> bound(std::size_t result, std::int64_t element) {
    if (!bounds_) begin();
    if (!values_) return std::nullopt;
    if (out_of_time()) return std::nullopt;
    auto const output = bounds_->output_for(result);
    if (output < 0) return 0.0;
    auto found = ir::rounding_bounds::unbounded;
    try {
      values_->compute(static_cast<std::size_t>(output), element);
      found = values_->real(static_cast<std::size_t>(output), 0, element);
    } catch (program_error const&) {  // of the arm that the interpreter does not choose: the other one may be chosen
    }
    // The first element takes the time of all stages that the others share.
    if (!until_) until_ = clock::now() + std::chrono::duration_cast<clock::duration>(seconds_);
    return found;
  }

 private:
  using clock = std::chrono::steady_clock;

  void begin() {
    bounds_.emplace(program_, ir::sum_errors::likely);
    double elements = 0;
    for (auto const& s : bounds_->bounds().stages) {
      double of_stage = static_cast<double>(s->components.size());
      for (auto const& a : s->axes) of_stage *= static_cast<double>(a.size());
      elements += of_stage;
    }
    if (elements <= 0x1p26) values_.emplace(bounds_->bounds(), inputs_);
  }

  ir::program const& program_;
  std::span<ir::ndarray const> inputs_;
  std::chrono::duration<double> seconds_;
  std::optional<clock::time_point> until_;
  std::optional<ir::rounding_bounds> bounds_;
  std::optional<ir::sampled_evaluation> values_;
};

/// The compared elements of a result: what the kernel and the interpreter have.
struct compared_result {
  std::size_t position = 0;
  std::int64_t elements = 0;
  ir::ndarray found;
  ir::ndarray wanted;
};

/// Judges elements that differ beyond the tolerance, as long as there is time, and at least one. Returns those that are
/// wrong; if there is none, those about which nothing can be said, if they are too many.
inline std::vector<std::int64_t> wrong_elements(std::vector<std::int64_t> const& differing, compared_result const& r,
                                                element_bounds& bounds, bool rounding_decides) {
  std::vector<std::int64_t> wrong;
  std::vector<std::int64_t> unsure;
  for (auto const e : differing) {
    if (bounds.out_of_time()) break;
    auto const at = static_cast<std::size_t>(e);
    auto const bound = bounds.bound(r.position, e);
    if (bound ? !ir::rounding_bounds::is_bounded(*bound) : rounding_decides) {
      unsure.push_back(e);
      continue;
    }
    auto const rounding =
        is_float(r.wanted.type) ? ir::rounding_unit(r.wanted.type) * std::abs(r.wanted.number(at)) : 0;
    auto const allowed = bound ? 2 * (*bound + rounding) : 0;
    if (!(std::abs(r.found.number(at) - r.wanted.number(at)) <= allowed)) wrong.push_back(e);
  }
  if (!wrong.empty() || std::ssize(unsure) <= r.elements / 2) return wrong;
  return unsure;
}

}  // namespace detail

oracle_verdict check_against_oracle(ir::program const& p, kernel_signature const& signature,
                                    std::function<std::vector<std::uint8_t>(std::size_t)> const& bytes,
                                    oracle_check_options const& options) {
  using clock = std::chrono::steady_clock;
  oracle_verdict verdict;
  if (std::any_of(p.outputs.begin(), p.outputs.end(), [](auto const& out) { return out->updates != nullptr; }))
    return verdict;
  auto const inputs = detail::inputs_of(signature, bytes);
  ir::sampled_evaluation oracle(p, inputs);
  bool const lenient = detail::rounding_decides(p);
  detail::element_bounds bounds(p, inputs, options.bound_seconds);
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
      expected_output const wanted(info, std::move(right), signature.terms, 1);
      auto const differing = wanted.differing(found.data());
      if (differing.empty()) continue;
      detail::compared_result const result{operand - inputs.size(), std::ssize(elements),
                                           ir::load_ndarray(info.type, info.shape, found.data()), std::move(expected)};
      auto const wrong = detail::wrong_elements(differing, result, bounds, lenient);
      if (wrong.empty()) continue;
      verdict.difference = wanted.described(found.data(), wrong.front(), std::ssize(wrong));
      return verdict;
    }
  }
  return verdict;
}

}}  // namespace ttune::v0
