// SPDX-License-Identifier: Apache-2.0
// The components of tuple reductions that anything needs: an output, another stage, or the combination of a component
// that is needed. The others are neither computed nor stored.
#pragma once

#include <cstddef>
#include <vector>

#include "ttune/ir/rebuild.hpp"
#include "ttune/ir/visit.hpp"
#include "ttune/lowering/statements/accumulators.hpp"
#include "ttune/schedule/plan.hpp"

namespace ttune { inline namespace v0 { namespace lowering {

class live_components {
 public:
  live_components(plan const& p, accumulators const& last) : last_(last) {
    bool any = false;
    for (auto const& st : p.stages) {
      bool const chooses = st.definition->reduction.kind == ir::reduction_kind::tuple && !st.output;
      read_.emplace_back(st.definition->components.size(), !chooses);
      any = any || chooses;
    }
    for (std::size_t st = 0; st < p.stages.size() && any; ++st) {
      for (auto const& c : p.stages[st].definition->components) note_reads(p, c.value);
      if (p.stages[st].definition->predicate) note_reads(p, p.stages[st].definition->predicate);
    }
    needed_ = read_;
    for (std::size_t st = 0; st < p.stages.size(); ++st)
      note_combinations(p.stages[st].definition->reduction, needed_[st]);
  }

  /// Returns true if a component is computed.
  [[nodiscard]] bool is_needed(std::size_t st, std::size_t component) const { return needed_[st][component]; }
  /// Returns true if the buffer of a component is used.
  [[nodiscard]] bool is_stored(std::size_t st, std::size_t component) const {
    if (last_.are_results(st)) return false;
    return last_.keeps(st) ? read_[st][component] : needed_[st][component];
  }

 private:
  void note_reads(plan const& p, ir::expr const& e) {
    ir::for_each_node(e, [&](ir::expr const& n) {
      auto const* a = ir::as<ir::access>(n);
      if (!a) return;
      for (std::size_t st = 0; st < p.stages.size(); ++st)
        if (p.stages[st].definition.get() == ir::identity(a->from))
          read_[st][static_cast<std::size_t>(a->component)] = true;
    });
  }

  /// Notes the components whose old values others need.
  static void note_combinations(ir::reduction const& r, std::vector<bool>& live) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t c = 0; c < r.combine.size(); ++c)
        ir::for_each_node(r.combine[c], [&](ir::expr const& n) {
          auto const* a = ir::as<ir::argument>(n);
          if (!live[c] || !a || a->right || live[static_cast<std::size_t>(a->component)]) return;
          live[static_cast<std::size_t>(a->component)] = changed = true;
        });
    }
  }

  accumulators const& last_;
  std::vector<std::vector<bool>> read_;  ///< by stage and component
  std::vector<std::vector<bool>> needed_;
};

}}}  // namespace ttune::v0::lowering
