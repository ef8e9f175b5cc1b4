// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/ir/interpret.hpp"
#include "ttune/ir/interpret/program_runner.hpp"
#include "ttune/ir/interpret/statement_runner.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

/// Binds the operands to their buffers and collects the results.
class lowered_runner {
 public:
  lowered_runner(lowered const& l, program const& p, run_options const& options) : l_(l), p_(p), options_(options) {}

  std::vector<ndarray> run(std::span<ndarray const> operands) {
    bind_inputs(operands);
    bind_outputs();
    for (auto const& b : l_.prepared) bind(b, ndarray(b->type, b->extents), true, false);
    runner_.execute(l_.prepare);
    for (auto const& b : l_.prepared) runner_.arrays[runner_.arrays.slot(b, 0)].read_only = true;
    runner_.execute(l_.body);
    if (options_.traffic) collect_traffic();
    return results();
  }

 private:
  /// `unwritten`: the elements have no values yet.
  void bind(handle<buffer> const& b, ndarray values, bool unwritten, bool read_only) {
    std::vector<std::uint8_t> marks(static_cast<std::size_t>(values.elements()), unwritten ? 0 : 1);
    runner_.arrays.add(b.get(), {std::move(values), std::move(marks), 0, 0, read_only});
  }

  void bind_inputs(std::span<ndarray const> operands) {
    for_each_operand(p_, operands, [&](handle<tensor> const& t, ndarray values) {
      if (t->role == tensor_role::table) return;
      auto const& b = l_.operands.at(bound_);
      if (b->type != t->type || b->elements() != values.elements())
        throw internal_error("buffer " + b->name + " is not operand " + t->name);
      values.shape = b->extents;
      bind(b, std::move(values), false, t->role != tensor_role::inout);
      ++bound_;
    });
  }

  void bind_outputs() {
    for (auto i = bound_; i < l_.operands.size(); ++i) {
      auto const& b = l_.operands[i];
      bind(b, ndarray(b->type, b->extents), true, false);
    }
  }

  /// Returns the position among the inputs of the operand that an update stage writes.
  [[nodiscard]] std::size_t position_of(handle<tensor> const& updated) const {
    std::size_t i = 0;
    for (auto const& t : p_.inputs) {
      if (t == updated) return i;
      i += t->role != tensor_role::table ? 1 : 0;
    }
    throw internal_error("operand " + updated->name + " is updated but no input");
  }

  std::vector<ndarray> results() {
    std::vector<ndarray> made;
    auto next = bound_;
    for (auto const& out : p_.outputs)
      for (std::size_t c = 0; c < out->components.size(); ++c)
        made.push_back(result(l_.operands.at(out->updates ? position_of(out->updates) : next++), *out));
    return made;
  }

  ndarray result(handle<buffer> const& b, stage const& out) {
    auto& s = runner_.arrays[runner_.arrays.slot(b, 0)];
    for (std::size_t i = 0; i < s.marks.size(); ++i)
      if ((s.marks[i] & 1) == 0)
        throw internal_error("element " + std::to_string(i) + " of output " + b->name + " is never written");
    auto values = s.values;
    values.shape.clear();
    for (auto const& a : out.axes) values.shape.push_back(a.size());
    return rounded(std::move(values));
  }

  void collect_traffic() {
    options_.traffic->clear();
    for (auto const* buffers : {&l_.operands, &l_.prepared})
      for (auto const& b : *buffers) {
        auto const& s = runner_.arrays[runner_.arrays.slot(b, 0)];
        buffer_traffic t{b->name, s.loads, s.stores, 0, 0};
        for (auto const m : s.marks) {
          t.elements_loaded += (m & 2) != 0 ? 1 : 0;
          t.elements_stored += (m & 4) != 0 ? 1 : 0;
        }
        options_.traffic->push_back(std::move(t));
      }
  }

  lowered const& l_;
  program const& p_;
  run_options const& options_;
  statement_runner runner_;
  std::size_t bound_ = 0;
};

}  // namespace detail

std::vector<ndarray> evaluate(program const& p, std::span<ndarray const> operands) {
  detail::array_table arrays;
  detail::for_each_operand(p, operands, [&](handle<tensor> const& t, ndarray values) {
    arrays.add(t.get(), {std::move(values), {}, 0, 0, true});
  });
  std::vector<ndarray> results;
  for (auto const& s : p.stages) {
    auto made = detail::stage_runner(*s, arrays).run();
    if (s->updates) arrays[arrays.slot(s->updates, 0)].values = made[0];
    bool first = true;
    for (auto& values : made) {
      if (first) arrays.add(s.get(), {std::move(values), {}, 0, 0, true});
      else arrays.add_component({std::move(values), {}, 0, 0, true});
      first = false;
    }
  }
  for (auto const& out : p.outputs)
    for (std::size_t c = 0; c < out->components.size(); ++c)
      results.push_back(detail::rounded(arrays[arrays.slot(out, static_cast<int>(c))].values));
  return results;
}

std::vector<ndarray> run(lowered const& l, program const& p, std::span<ndarray const> operands,
                         run_options const& options) {
  return detail::lowered_runner(l, p, options).run(operands);
}

}}}  // namespace ttune::v0::ir
