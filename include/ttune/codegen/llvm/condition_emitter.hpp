// SPDX-License-Identifier: Apache-2.0
// Conditions of selects, taken apart by what is known of their parts during emission.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ttune/codegen/llvm/index_emitter.hpp"
#include "ttune/ir/make.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// Conjunctions come in. Their parts, nested selects, or the name of an i1 value go out.
class condition_emitter {
 public:
  condition_emitter(ir_writer& writer, index_arithmetic& arithmetic, index_emitter& indices)
      : writer_(writer), arithmetic_(arithmetic), indices_(indices) {}

  struct condition_parts {
    std::vector<ir::expr> shared;    ///< the same in all lanes
    std::vector<ir::expr> of_lanes;  ///< known for each lane while code is written
    std::vector<ir::expr> varying;   ///< known at run time, lane by lane
  };

  /// Splits a conjunction by what is known of its parts while code is written.
  [[nodiscard]] condition_parts parts_of(ir::expr const& condition) {
    condition_parts made;
    std::function<void(ir::expr const&)> const take = [&](ir::expr const& part) {
      auto const* both = ir::as<ir::binary>(part);
      if (both && both->op == ir::binary_op::logical_and) return take(both->left), take(both->right);
      (indices_.decide(part) ? made.of_lanes : indices_.varies(part) ? made.varying : made.shared).push_back(part);
    };
    take(condition);
    return made;
  }

  [[nodiscard]] static ir::expr all_of(std::vector<ir::expr> const& parts) {
    auto made = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) made = ir::make_binary(ir::binary_op::logical_and, made, parts[i]);
    return made;
  }

  /// Nests a choice whose condition has parts of several kinds, as where a row may lie outside, its first element does,
  /// and data decide the rest: what all lanes share comes first, then what is known of each lane, then data. Returns
  /// null if there is only one kind.
  [[nodiscard]] ir::expr nested_by_kind(ir::select const& s) {
    auto const found = parts_of(s.condition);
    auto made = s.when_true;
    int kinds = 0;
    for (auto const* kind : {&found.varying, &found.of_lanes, &found.shared}) {
      if (kind->empty()) continue;
      made = ir::make_select(all_of(*kind), made, s.when_false);
      if (s.speculatable) made = ir::make_speculatable(made);
      ++kinds;
    }
    return kinds > 1 ? made : nullptr;
  }

  /// Emits a conjunction of comparisons of indices that are equal in all lanes, in the outermost loop that knows them.
  /// Returns nothing if it has other parts.
  [[nodiscard]] std::optional<std::string> shared_condition(std::vector<ir::expr> const& parts) {
    if (parts.empty()) return std::nullopt;
    std::string all;
    int depth = 0;
    for (auto const& part : parts) {
      auto const* b = ir::as<ir::binary>(part);
      bool const by_index = b && b->left->type == dtype::index &&
                            (b->op == ir::binary_op::less || b->op == ir::binary_op::less_equal) &&
                            !ir::contains(part, [](ir::expr const& n) { return ir::as<ir::access>(n) != nullptr; });
      if (!by_index || indices_.varies(part)) return std::nullopt;
      auto const apart = indices_.index(b->right) + indices_.index(b->left).scaled(-1);  // true if at least 0 or 1
      auto const least = b->op == ir::binary_op::less ? ", 1" : ", 0";
      auto const one = writer_.define_at(depth_of(apart), "icmp sge i64 " + arithmetic_.materialise(apart) + least);
      depth = std::max(depth, depth_of(apart));
      all = all.empty() ? one : writer_.define_at(depth, "and i1 " + all + ", " + one);
    }
    return all;
  }

 private:
  ir_writer& writer_;
  index_arithmetic& arithmetic_;
  index_emitter& indices_;
};

}}}}  // namespace ttune::v0::codegen::llvm
