// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>

#include "ttune/ir/interpret/program_runner.hpp"
#include "ttune/ir/sampled_evaluation.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

/// A stage whose elements are computed on demand.
class lazy_stage final : public element_source {
 public:
  lazy_stage(handle<stage> const& s, array_table& arrays)
      : arrays_(arrays), first_(add(s, arrays)), components_(s->components.size()), runner_(*s, arrays) {
    for (std::size_t c = 0; c < components_; ++c) content(c).on_demand = this;
  }

  void compute(std::size_t element) override {
    if ((content(0).marks[element] & 1) != 0) return;
    runner_.compute(element, [&](std::size_t c) -> ndarray& { return content(c).values; });
    for (std::size_t c = 0; c < components_; ++c) content(c).marks[element] |= 1;
  }

  [[nodiscard]] storage& content(std::size_t component) const {
    return arrays_[first_ + static_cast<std::int32_t>(component)];
  }

 private:
  static std::int32_t add(handle<stage> const& s, array_table& arrays) {
    std::vector<std::int64_t> shape;
    for (auto const& a : s->axes) shape.push_back(a.size());
    std::int32_t first = -1;
    for (auto const& c : s->components) {
      ndarray values(c.type, shape);
      std::vector<std::uint8_t> marks(static_cast<std::size_t>(values.elements()), 0);
      storage made{std::move(values), std::move(marks), 0, 0, true};
      if (first < 0) first = arrays.add(s.get(), std::move(made));
      else arrays.add_component(std::move(made));
    }
    return first;
  }

  array_table& arrays_;
  std::int32_t first_;
  std::size_t components_;
  stage_runner runner_;
};

}  // namespace detail

struct sampled_evaluation::state {
  detail::array_table arrays;
  std::deque<detail::lazy_stage> stages;  // stable addresses
  std::vector<detail::lazy_stage*> outputs;
};

sampled_evaluation::sampled_evaluation(program const& p, std::span<ndarray const> operands)
    : state_(std::make_unique<state>()) {
  detail::for_each_operand(p, operands, [&](handle<tensor> const& t, ndarray values) {
    state_->arrays.add(t.get(), {std::move(values), {}, 0, 0, true});
  });
  for (auto const& s : p.stages) {
    if (s->updates)
      throw argument_error("program " + p.name + " updates " + s->updates->name +
                           ": its elements cannot be computed one by one");
    state_->stages.emplace_back(s, state_->arrays);
  }
  for (auto const& out : p.outputs) {
    auto const at = std::find(p.stages.begin(), p.stages.end(), out) - p.stages.begin();
    state_->outputs.push_back(&state_->stages[static_cast<std::size_t>(at)]);
  }
}

sampled_evaluation::sampled_evaluation(sampled_evaluation&&) noexcept = default;
sampled_evaluation& sampled_evaluation::operator=(sampled_evaluation&&) noexcept = default;
sampled_evaluation::~sampled_evaluation() = default;

void sampled_evaluation::compute(std::size_t output, std::int64_t element) {
  state_->outputs.at(output)->compute(static_cast<std::size_t>(element));
}

void sampled_evaluation::copy(std::size_t output, std::size_t component, std::int64_t element, ndarray& to) const {
  auto const& from = state_->outputs.at(output)->content(component).values;
  auto const at = static_cast<std::size_t>(element);
  if (is_float(from.type)) to.reals[at] = rounded_to(from.type, from.reals[at]);
  else to.integers[at] = from.integers[at];
}

double sampled_evaluation::real(std::size_t output, std::size_t component, std::int64_t element) const {
  return state_->outputs.at(output)->content(component).values.reals.at(static_cast<std::size_t>(element));
}

}}}  // namespace ttune::v0::ir
