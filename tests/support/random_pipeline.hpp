// SPDX-License-Identifier: Apache-2.0
// Random pipelines of stencils for property tests: stages of two axes that read each other through windows, at other
// scales and across boundaries. Images of bytes may be filtered by weights. Some have siblings: sums of the same
// windows, all of which one stage reads. In some, images have a third axis, the colours of interleaved pixels.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ttune/ir/make.hpp"
#include "ttune/ir/rebuild.hpp"
#include "ttune/support/rng.hpp"

namespace ttune_test {

class pipeline_generator {
 public:
  explicit pipeline_generator(ttune::rng& random) : random_(random) {}

  ttune::handle<ttune::ir::program> make() {
    constexpr ttune::dtype types[] = {ttune::dtype::f32, ttune::dtype::i32, ttune::dtype::u8, ttune::dtype::i16};
    type_ = types[pick(4)];
    ttune::ir::program made{{}, "pipeline", {}, {}, {}};
    ttune::ir::tensor image;
    image.name = "I";
    image.type = type_;
    image.shape = {extent(), extent()};
    made.inputs.push_back(ttune::share(std::move(image)));
    sources_.push_back(made.inputs[0]);
    bool const has_siblings = random_.chance(0.3);
    auto const count = (has_siblings ? 1 : 2) + pick(3);
    auto const with_siblings = has_siblings ? pick(count) : -1;
    for (std::int64_t n = 0; n < count; ++n) {
      auto const name = "S" + std::to_string(n);
      if (n == with_siblings) {
        for (auto& sum : siblings(name)) made.stages.push_back(std::move(sum));
        made.stages.push_back(reader_of_siblings(name, made.stages));
      } else {
        bool const filters = type_ == ttune::dtype::u8 && random_.chance(0.5);
        made.stages.push_back(filters ? filter_of_bytes(name) : stage(name));
      }
      sources_.push_back(made.stages.back());
    }
    made.outputs = {made.stages.back()};
    if (!made.stages.back()->reduces() && random_.chance(0.3)) {
      made.stages.push_back(second_result(*made.stages.back()));
      made.outputs.push_back(made.stages.back());
    }
    return ttune::share(std::move(made));
  }

 private:
  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(below)));
  }
  std::int64_t extent() { return random_.chance(0.1) ? 1 + pick(3) : 8 + pick(12); }

  ttune::handle<ttune::ir::stage> stage(std::string const& name) {
    ttune::ir::stage made;
    made.name = name;
    made.axes = {{"y", 0, extent()}, {"x", 0, extent()}};
    if (random_.chance(0.4)) {
      made.reduction.kind = random_.chance(0.5) ? ttune::ir::reduction_kind::sum : ttune::ir::reduction_kind::maximum;
      made.reduction.axes.push_back({"r", -pick(2), 1 + pick(3)});
      if (random_.chance(0.5)) made.reduction.axes.push_back({"s", 0, 1 + pick(3)});
    }
    auto value = read(made, sources_.back());  // the next stage reads each one at least
    for (auto n = pick(4); n > 0; --n) {
      auto const other = random_.chance(0.6) ? sources_.back() : sources_[random_.below(sources_.size())];
      value = value + read(made, other);
    }
    if (random_.chance(0.2)) value = value * value;
    made.components.push_back({"", type_, value});
    return ttune::share(std::move(made));
  }

  /// Makes a result that reads what another one reads.
  static ttune::handle<ttune::ir::stage> second_result(ttune::ir::stage const& first) {
    auto made = first;
    made.name = "T";
    auto& value = made.components.front().value;
    ttune::ir::expr read;
    ttune::ir::for_each_node(value, [&](ttune::ir::expr const& e) {
      if (!read && ttune::ir::as<ttune::ir::access>(e) && e->type == first.type()) read = e;
    });
    value = ttune::ir::make_binary(ttune::ir::binary_op::maximum, value, read ? read + read : value);
    return ttune::share(std::move(made));
  }

  /// Makes a weighted sum of neighbours along one axis, in 16 or 32 bits, which becomes bytes again: a blur or an edge.
  ttune::handle<ttune::ir::stage> filter_of_bytes(std::string const& name) {
    using ttune::ir::binary_op;
    constexpr ttune::dtype types[] = {ttune::dtype::u16, ttune::dtype::i16, ttune::dtype::i32};
    auto const type = types[pick(3)];
    ttune::ir::stage made;
    made.name = name;
    made.axes = {{"y", 0, extent()}, {"x", 0, random_.chance(0.6) ? 16 + pick(140) : extent()}};
    auto const first = read(made, sources_.back());
    auto const& a = *ttune::ir::as<ttune::ir::access>(first);
    auto const along = static_cast<std::size_t>(pick(2));
    bool const small = random_.chance(0.7);
    ttune::ir::expr sum;
    for (std::int64_t taps = 4 + pick(8), t = 0; t < taps; ++t) {
      auto indices = a.indices;
      indices[along] = indices[along] + (random_.chance(0.9) ? t : pick(5));
      auto const tap = ttune::ir::make_access(sources_.back(), indices, a.outside, a.fill, a.component);
      auto const weight = small ? pick(28) : pick(300) - (type == ttune::dtype::u16 ? 0 : 150);
      auto const term = ttune::ir::make_cast(type, tap) * ttune::ir::make_number(type, static_cast<double>(weight));
      sum = sum ? (random_.chance(0.9) ? sum + term : sum - term) : term;
    }
    auto const number = [&](std::int64_t v) { return ttune::ir::make_number(type, static_cast<double>(v)); };
    if (random_.chance(0.5)) sum = sum + number(pick(200));
    if (random_.chance(0.7))
      sum = ttune::ir::make_binary(binary_op::divide, sum, number(random_.chance(0.7) ? 256 : 9));
    if (random_.chance(0.4)) sum = ttune::ir::make_binary(binary_op::minimum, sum, number(255));
    if (random_.chance(0.3)) sum = ttune::ir::make_binary(binary_op::maximum, sum, number(pick(9)));
    made.components.push_back({"", type_, ttune::ir::make_cast(type_, sum)});
    return ttune::share(std::move(made));
  }

  // ---------------------------------------------------------------------------------------------------- siblings

  /// Makes two or three reductions of the same windows: sums of x, of x * x and of x * y, as structural similarity and
  /// filters by variance have them. Windows are reduced axes, or a few taps in one expression.
  std::vector<ttune::handle<ttune::ir::stage>> siblings(std::string const& name) {
    ttune::ir::stage like;
    like.axes = {{"y", 0, extent()}, {"x", 0, extent()}};
    bool const reduces = random_.chance(0.7);
    if (reduces) {
      like.reduction.kind = random_.chance(0.85) ? ttune::ir::reduction_kind::sum : ttune::ir::reduction_kind::maximum;
      like.reduction.axes.push_back({"r", 0, 2 + pick(4)});
      if (random_.chance(0.8)) like.reduction.axes.push_back({"s", 0, 2 + pick(4)});
    }
    std::vector<ttune::ir::expr> of_one, of_other;  // the taps
    auto const first = sources_.back();
    auto const second = random_.chance(0.4) ? first : sources_[random_.below(sources_.size())];
    for (auto taps = reduces ? 1 : 2 + pick(3); taps > 0; --taps) {
      of_one.push_back(read(like, first));
      auto const& a = *ttune::ir::as<ttune::ir::access>(of_one.back());
      bool const beside = random_.chance(0.3);
      of_other.push_back(beside ? read(like, second)
                                : ttune::ir::make_access(second, a.indices, a.outside, a.fill, a.component));
    }
    std::vector<ttune::handle<ttune::ir::stage>> made;
    auto const add = [&](auto const& term) {
      auto one = like;
      one.name = name + "_" + std::to_string(made.size());
      ttune::ir::expr sum;
      for (std::size_t t = 0; t < of_one.size(); ++t) sum = sum ? sum + term(t) : term(t);
      one.components.push_back({"", type_, sum});
      made.push_back(ttune::share(std::move(one)));
    };
    bool const has_squares = random_.chance(0.8), has_products = !has_squares || random_.chance(0.5);
    add([&](std::size_t t) { return of_one[t]; });
    if (has_squares) add([&](std::size_t t) { return of_one[t] * of_one[t]; });
    if (has_products) add([&](std::size_t t) { return of_one[t] * of_other[t]; });
    return made;
  }

  /// Makes a stage that reads all siblings at its own place, or at two places near it.
  ttune::handle<ttune::ir::stage> reader_of_siblings(std::string const& name,
                                                     std::vector<ttune::handle<ttune::ir::stage>> const& all) {
    ttune::ir::stage made;
    made.name = name;
    made.axes = all.back()->axes;
    bool const moves = random_.chance(0.4);
    std::vector<ttune::ir::expr> sums;
    for (auto const& s : all)
      if (s->name.starts_with(name + "_"))
        sums.push_back(moves
                           ? read(made, s) + read(made, s)
                           : ttune::ir::make_access(s, {ttune::ir::make_variable("y"), ttune::ir::make_variable("x")}));
    auto value = sums[1] - sums[0] * sums[0];
    if (sums.size() > 2) value = random_.chance(0.5) ? value * sums[2] : value + sums[2];
    if (random_.chance(0.3)) value = ttune::ir::make_binary(ttune::ir::binary_op::maximum, value, sums[0]);
    if (random_.chance(0.3)) value = value + read(made, sources_[random_.below(sources_.size())]);
    made.components.push_back({"", type_, value});
    return ttune::share(std::move(made));
  }

  /// Returns an index near one axis, which may have another scale, or be in a window of a reduced axis.
  ttune::ir::expr index(ttune::ir::stage const& reader, std::size_t axis) {
    auto made = ttune::ir::make_variable(reader.axes[random_.chance(0.95) ? axis : 1 - axis].name);
    if (random_.chance(0.06)) made = made * 2;
    auto const& reduced = reader.reduction.axes;
    if (!reduced.empty() && random_.chance(0.7))
      made = made + ttune::ir::make_variable(reduced[axis % reduced.size()].name);
    if (random_.chance(0.6)) made = made + (pick(7) - 3);
    if (random_.chance(0.06))
      made = ttune::ir::make_binary(ttune::ir::binary_op::floor_divide, made, ttune::ir::make_index(2));
    return made;
  }

  ttune::ir::expr read(ttune::ir::stage const& reader, ttune::ir::source const& from) {
    using ttune::ir::boundary;
    constexpr boundary ways[] = {boundary::clamp, boundary::clamp, boundary::clamp,  boundary::value,
                                 boundary::value, boundary::value, boundary::mirror, boundary::wrap};
    auto const how = ways[random_.chance(0.85) ? pick(6) : 6 + pick(2)];
    auto const fill = how == boundary::value ? ttune::ir::make_number(type_, 0) : ttune::ir::expr{};
    return ttune::ir::make_access(from, {index(reader, 0), index(reader, 1)}, how, fill, 0);
  }

  ttune::rng& random_;
  ttune::dtype type_ = ttune::dtype::f32;
  std::vector<ttune::ir::source> sources_;
};

/// Gives all images of a pipeline a last axis of colours, each of which is computed alone.
[[nodiscard]] inline ttune::handle<ttune::ir::program> interleaved(ttune::ir::program const& pipeline,
                                                                   std::int64_t colours) {
  std::map<void const*, ttune::ir::source> moved;
  ttune::ir::program made{{}, pipeline.name, {}, {}, {}};
  for (auto const& t : pipeline.inputs) {
    auto image = *t;
    image.shape.push_back(colours);
    made.inputs.push_back(ttune::share(std::move(image)));
    moved.emplace(t.get(), made.inputs.back());
  }
  auto const read = [&](ttune::ir::expr const&, ttune::ir::access const& a) {
    auto indices = a.indices;
    indices.push_back(ttune::ir::make_variable("c"));
    return ttune::ir::make_access(moved.at(ttune::ir::identity(a.from)), indices, a.outside, a.fill, a.component);
  };
  for (auto const& st : pipeline.stages) {
    auto stage = ttune::ir::map_stage(*st, [&](ttune::ir::expr const& e) { return ttune::ir::map_accesses(e, read); });
    stage.axes.push_back({"c", 0, colours});
    made.stages.push_back(ttune::share(std::move(stage)));
    moved.emplace(st.get(), made.stages.back());
  }
  for (auto const& out : pipeline.outputs)
    made.outputs.push_back(std::get<ttune::handle<ttune::ir::stage>>(moved.at(out.get())));
  return ttune::share(std::move(made));
}

[[nodiscard]] inline ttune::handle<ttune::ir::program> random_pipeline(ttune::rng& random) {
  auto made = pipeline_generator(random).make();
  if (!random.chance(0.25)) return made;
  auto const colours = 2 + static_cast<std::int64_t>(random.below(4));
  return interleaved(*made, colours);
}

}  // namespace ttune_test
