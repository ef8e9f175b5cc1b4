// SPDX-License-Identifier: Apache-2.0
// Operands of an operator of the corpus, and its result by plain loops or the interpreter.
#include "problem.hpp"

#include <ttune/arith/needed_flops.hpp>
#include <ttune/ir/interpret.hpp>
#include <ttune/runtime/signature.hpp>
#include <ttune/support/rng.hpp>
#include <ttune/tune/workload.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ttune_bench {

namespace {

using ttune::dtype;
using ttune::operand_info;

bool is_output(operand_info const& o) { return o.direction == ttune::operand_direction::out; }

std::int64_t floats_for(operand_info const& o) { return (o.bytes() + 63) / 64 * 16; }

corpus::distribution settled(operand_info const& o, corpus::distribution wanted) {
  if (wanted.low != 0 || wanted.high != 0) return wanted;
  if (ttune::is_float(o.type)) return {-1, 1};
  if (o.has_range) return {static_cast<double>(o.low), static_cast<double>(o.high)};
  if (o.type == dtype::u8) return {0, 256};
  if (o.type == dtype::i8) return {-128, 128};
  return {ttune::is_unsigned(o.type) ? 0.0 : -100.0, 100};
}

void fill(operand_info const& o, corpus::distribution how, std::uint64_t seed, void* to) {
  ttune::ir::ndarray values(o.type, o.shape);
  ttune::rng random(seed);
  auto const side = o.shape.empty() ? 1 : static_cast<std::size_t>(o.shape.back());
  for (std::size_t i = 0; i < static_cast<std::size_t>(o.elements()); ++i) {
    auto const more = i % side == i / side % side ? how.diagonal : 0;
    auto const value = how.low + (how.high - how.low) * random.uniform() + more;
    values.set_number(i, ttune::is_float(o.type) ? value : std::floor(value));
  }
  ttune::ir::store_ndarray(values, to);
}

/// Returns the largest difference, divided by the root mean square of the right result.
double difference(ttune::ir::ndarray const& right, ttune::ir::ndarray const& got) {
  double square = 0, largest = 0;
  auto const count = static_cast<std::size_t>(right.elements());
  for (std::size_t i = 0; i < count; ++i) {
    auto const wanted = right.number(i), found = got.number(i);
    if (std::isnan(wanted) && std::isnan(found)) continue;
    if (wanted == found) continue;  // equal infinities, too
    auto const apart = std::abs(found - wanted);
    if (std::isnan(apart)) return apart;
    largest = std::max(largest, apart);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (auto const wanted = right.number(i); std::isfinite(wanted)) square += wanted * wanted;
  return largest / std::sqrt(std::max(square / static_cast<double>(count), 1e-30));
}

}  // namespace

double corpus_shape::attainable(double fma_peak, double copy) const {
  return std::min(fma_peak, copy * operations / operand_bytes);
}

corpus_problem::corpus_problem(corpus_shape s) : shape(std::move(s)) {
  if (shape.extents.size() != shape.what->make.extents())
    throw std::logic_error(shape.what->name + " has another number of extents");
  program = shape.what->make(shape.extents);
  signature = ttune::signature_of(program);
  shape.operations = ttune::arith::needed_flops(program);
  for (auto const& o : signature.operands) shape.operand_bytes += static_cast<double>(o.bytes());
  shape.operations = std::max(shape.operations, shape.operand_bytes / 8);  // moves count as operations
  make_inputs();
  make_expected();
}

void corpus_problem::make_inputs() {
  std::uint64_t seed = 11;
  for (auto const& o : signature.operands) {
    if (is_output(o)) {
      output_at_.push_back(output_floats_);
      output_floats_ += floats_for(o);
      continue;
    }
    auto const& given = shape.what->inputs;
    in.emplace_back(floats_for(o));
    fill(o, settled(o, in.size() <= given.size() ? given[in.size() - 1] : corpus::distribution{}), seed++,
         in.back().data());
  }
}

void corpus_problem::make_expected() {
  auto const* const loops = corpus::find_function("openmp", shape.what->name);
  if (!loops) throw std::logic_error(shape.what->name + " has no plain loops");
  if (shape.right == reference::interpreter) {
    std::vector<ttune::ir::ndarray> arrays;
    for (std::size_t i = 0; i < in.size(); ++i)
      arrays.push_back(ttune::ir::load_ndarray(signature.operands[i].type, signature.operands[i].shape, in[i].data()));
    expected_ = ttune::ir::evaluate(*program, arrays);
    return;
  }
  buffer const out(output_floats_);
  run(*loops, out);
  auto const pointers = operands(out);
  for (auto i = in.size(); i < pointers.size(); ++i)
    expected_.push_back(ttune::ir::load_ndarray(signature.operands[i].type, signature.operands[i].shape, pointers[i]));
}

std::vector<void*> corpus_problem::operands(buffer const& out) const {
  std::vector<void*> all;
  for (auto const& b : in) all.push_back(b.data());
  for (auto const at : output_at_) all.push_back(out.data() + at);
  return all;
}

void corpus_problem::run(corpus::plain_function const& f, buffer const& out) const {
  bool same = f.extents == shape.extents.size() && f.types.size() == signature.operands.size();
  for (std::size_t i = 0; same && i < f.types.size(); ++i) same = f.types[i] == signature.operands[i].type;
  if (!same) throw std::logic_error("the loops of " + f.name + " are of other operands: " + signature.name);
  f.run(shape.extents, operands(out));
}

double corpus_problem::error_of(buffer const& out) const {
  auto const pointers = operands(out);
  double largest = 0;
  for (auto i = in.size(); i < pointers.size(); ++i) {
    auto const& o = signature.operands[i];
    auto const apart = difference(expected_[i - in.size()], ttune::ir::load_ndarray(o.type, o.shape, pointers[i]));
    if (std::isnan(apart)) return apart;
    largest = std::max(largest, apart);
  }
  return largest;
}

}  // namespace ttune_bench
