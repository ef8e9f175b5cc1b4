// SPDX-License-Identifier: Apache-2.0
// Random programs that take the largest or smallest elements of an axis: few or many, with their places or without,
// along rows or columns, with ties.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/random_stage.hpp"
#include "ttune/capture/capture.hpp"
#include "ttune/capture/largest.hpp"

namespace ttune_test {

class ranked_generator : stage_generator {
 public:
  ranked_generator(ttune::rng& random, random_program_options const& options) : stage_generator(random, options) {}

  handle<ir::program> make() {
    constexpr std::int64_t lengths[] = {1, 2, 7, 16, 40, 100, 257};
    constexpr std::int64_t others[] = {1, 2, 3, 17, 40};
    auto const beside = pick(3);
    for (std::int64_t i = 0; i < beside; ++i) free_.push_back({"x" + std::to_string(i), 0, others[pick(5)]});
    bool const is_long = options_.long_sums && beside == 0 && random_.chance(0.2);
    auto const length = is_long ? 65'000 + 1'000 * pick(3) : lengths[pick(beside > 1 ? 5 : 7)];
    count_ = 1 + static_cast<int>(pick(random_.chance(0.2) ? 12 : 4));
    auto const order =
        random_.chance(0.5) ? ttune::capture::rank_order::largest_first : ttune::capture::rank_order::smallest_first;
    type_ = one_of(options_.types);
    axes_ = free_;
    axes_.push_back({"k", 0, length});
    auto const nodes =
        ttune::capture::ranked({"top", {{"k", true, 0, length}}, names_of_free(), value(), place()}, count_, order);
    auto const shown = pick(3);
    std::vector<handle<ir::stage>> outputs;
    if (shown != 0) outputs.push_back(list("V", {nodes.begin(), nodes.begin() + count_}));
    if (shown != 1) outputs.push_back(list("P", {nodes.begin() + count_, nodes.end()}));
    return ttune::capture::program("ranked", made_.inputs, outputs);
  }

 private:
  [[nodiscard]] std::vector<std::string> names_of_free() const {
    std::vector<std::string> made;
    for (auto const& a : free_) made.push_back(a.name);
    return made;
  }
  static ir::expr place() { return ir::make_cast(dtype::i32, ir::make_variable("k")); }

  /// Makes an element of an operand, or a function of one or two.
  ir::expr value() {
    auto made = element();
    if (random_.chance(0.3)) made = made - element();
    if (random_.chance(0.2)) made = ir::make_binary(ir::binary_op::maximum, made, literal(type_));
    return made;
  }

  ir::expr element() {
    std::vector<ir::extent> shape;
    std::vector<ir::expr> at;
    auto order = axes_;
    if (order.size() > 1 && random_.chance(0.4)) std::swap(order.front(), order.back());
    for (auto const& a : order) {
      if (a.name != "k" && random_.chance(0.15)) continue;
      shape.push_back(a.end);
      at.push_back(ir::make_variable(a.name));
    }
    return ir::make_access(input(type_, shape, ir::tensor_role::input), at);
  }

  /// Makes S(x, r) = element r of a list. The ranks may lie outside of the points.
  handle<ir::stage> list(std::string const& name, std::vector<ir::expr> const& nodes) {
    std::vector<ttune::axis_range> left;
    for (auto const& a : free_) left.push_back({a.name, true, 0, a.end.value});
    left.insert(left.begin() + (random_.chance(0.3) ? 0 : std::ssize(left)), {"r", true, 0, count_});
    auto chosen = nodes.back();
    for (auto i = count_ - 1; i-- > 0;)
      chosen = ir::make_select(ir::make_binary(ir::binary_op::equal, ir::make_variable("r"), ir::make_index(i)),
                               nodes[static_cast<std::size_t>(i)], chosen);
    return ttune::capture::assign(name, left, chosen, {}, ttune::memory_order::row_major, ttune::operand_strides::dense,
                                  {});
  }

  std::vector<ir::axis> free_;
  int count_ = 1;
};

}  // namespace ttune_test
