// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ttune/core/feature_list.hpp"
#include "ttune/ir/equal.hpp"
#include "ttune/ir/make.hpp"
#include "ttune/ir/own_instruction.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace ir {

namespace detail {

/// Returns the accesses of an expression, each once. They include accesses with boundaries, and those inside of
/// indices.
inline std::vector<expr> accesses_of(expr const& e) {
  std::vector<expr> found;
  (void)contains(e, [&](expr const& part) {
    bool const known = std::any_of(found.begin(), found.end(), [&](expr const& other) { return equal(other, part); });
    if (as<access>(part) && !known) found.push_back(part);
    return false;
  });
  return found;
}

}  // namespace detail

own_instruction::own_instruction(instruction_statement stated) : stated_(std::move(stated)) {
  if (stated_.name.empty()) refuse("has no name");
  if (stated_.intrinsic.substr(0, 5) != "llvm.") refuse("needs LLVM's name of an intrinsic, which begins with llvm.");
  if (!stated_.semantics) refuse("has no semantics: give the program of an operator");
  read_semantics();
}

void own_instruction::refuse(std::string const& why) const {
  throw argument_error("instruction " + (stated_.name.empty() ? stated_.intrinsic : stated_.name) + ": it " + why);
}

void own_instruction::read_semantics() {
  auto const& p = *stated_.semantics;
  if (p.inputs.size() != 2 || p.stages.size() != 1 || p.outputs.size() != 1)
    refuse("takes two inputs L(lanes, terms) and R(lanes, terms), and makes one output by one stage");
  auto const& s = *p.stages[0];
  bool const adds = s.reduction.kind == reduction_kind::sum && s.reduction.axes.size() == 1 && s.axes.size() == 1 &&
                    s.components.size() == 1 && !s.predicate;
  if (!adds)
    refuse("is no sum over one axis for each lane, as S(i) = sum(over(k), cast<int>(L(i, k)) * cast<int>(R(i, k)))");
  term_ = s.components[0].value;
  auto const read = detail::accesses_of(term_);
  auto const reads = [&](std::size_t input) -> expr {
    for (auto const& e : read) {
      auto const& a = *as<access>(e);
      auto const* from = std::get_if<handle<tensor>>(&a.from);
      auto const is_axis = [](expr const& index, axis const& of) {
        auto const* v = as<variable>(index);
        return v && v->name == of.name;
      };
      if (from && *from == p.inputs[input] && a.indices.size() == 2 && a.outside == boundary::none &&
          is_axis(a.indices[0], s.axes[0]) && is_axis(a.indices[1], s.reduction.axes[0]))
        return e;
    }
    return {};
  };
  left_access_ = reads(0);
  right_access_ = reads(1);
  if (read.size() != 2 || !left_access_ || !right_access_)
    refuse("must read each input at (lane, term): the terms of a lane are neighbours in memory");
  lanes_ = static_cast<std::int32_t>(s.axes[0].size());
  terms_ = static_cast<std::int32_t>(s.reduction.axes[0].size());
  left_ = left_access_->type;
  right_ = right_access_->type;
  sum_ = s.type();
  for (auto const type : {left_, right_})
    if (auto const bytes = static_cast<std::int64_t>(size_in_bytes(type)) * terms_; bytes != 2 && bytes != 4)
      refuse("has " + std::to_string(bytes) + " bytes of terms a lane: 2 or 4 can be loaded at once");
  if (lanes_ < 2) refuse("has " + std::to_string(lanes_) + " lane: it needs at least two");
}

bool own_instruction::is_on(target const& machine) const {
  auto const belongs = [&](std::string_view prefix, std::initializer_list<std::string_view> triples) {
    return stated_.intrinsic.compare(0, prefix.size(), prefix) != 0 ||
           std::any_of(triples.begin(), triples.end(),
                       [&](std::string_view triple) { return machine.triple.compare(0, triple.size(), triple) == 0; });
  };
  return belongs("llvm.x86.", {"x86_64", "i686"}) && belongs("llvm.aarch64.", {"aarch64", "arm64"}) &&
         (stated_.feature.empty() || (machine.cpu == "native" && machine.features.empty()) ||
          lists_feature(machine.features, stated_.feature)) &&
         lanes_ * static_cast<std::int32_t>(size_in_bytes(sum_)) <= machine.vector_bytes;
}

bool own_instruction::has_form(expr const& term, expr const& left, expr const& right) const {
  if (left->type != left_ || right->type != right_) return false;
  auto const named = rewrite(term, [&](expr const& e) {
    if (!as<access>(e)) return e;
    return equal(e, left) ? left_access_ : equal(e, right) ? right_access_ : e;
  });
  return equal(named, term_);
}

std::optional<own_instruction::operands> own_instruction::match(expr const& term, dtype sum) const {
  if (sum != sum_) return std::nullopt;
  auto const read = detail::accesses_of(term);
  if (read.size() != 2) return std::nullopt;
  for (auto const& e : read)
    if (as<access>(e)->outside != boundary::none) return std::nullopt;
  if (has_form(term, read[0], read[1])) return operands{read[0], read[1]};
  if (has_form(term, read[1], read[0])) return operands{read[1], read[0]};
  return std::nullopt;
}

}}}  // namespace ttune::v0::ir
