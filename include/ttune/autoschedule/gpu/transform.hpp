// SPDX-License-Identifier: Apache-2.0
// A stage that chooses its expression by short axes (chosen.hpp), on devices with blocks of threads. A thread computes
// it for all values of these axes, together with the stages that only it reads, in its own memory.
//
//   block_x, thread_x: tiles and channels
//     unroll: P[i, j] = elements of the image
//     unroll: D[a, j] = forms of P
//     unroll: V[a, b, tile, channel] = forms of D
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ttune/autoschedule/gpu/threads.hpp"
#include "ttune/autoschedule/select_axis.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class gpu_transform {
 public:
  /// `first` has the stages without a reduction that only `st` reads, directly or through others; the last one first.
  gpu_transform(space_builder& out, plan const& p, stage_plan const& st, std::vector<std::size_t> first)
      : out_(out), p_(p), st_(st), first_(std::move(first)), name_(st.definition->name) {}

  void write() {
    auto const chosen = chosen_axes();
    std::vector<std::size_t> dealt;
    std::vector<std::string> unrolled;
    for (std::size_t x = 0; x < st_.definition->axes.size(); ++x) {
      if (st_.axis_size(x) == 1) continue;
      auto const& n = st_.axis_name(x);
      if (std::find(chosen.begin(), chosen.end(), n) != chosen.end()) unrolled.push_back(n);
      else dealt.push_back(x);
    }
    if (dealt.empty()) return;  // keep the plain loops
    auto const loops = deal_to_threads(out_, st_, std::move(dealt));
    auto order = unit_axes(st_);
    for (auto const* part : {&loops.blocks, &loops.threads, &std::as_const(unrolled)})
      order.insert(order.end(), part->begin(), part->end());
    out_.step(primitive::reorder, name_, order);
    auto const threads = bind_dealt(out_, name_, loops);
    for (auto const& n : unrolled) out_.step(primitive::unroll, name_, {n});
    for (auto const s : first_) compute_beside(p_.stages[s], threads);
  }

 private:
  /// Returns the choosing axes by this stage's names: its own, and those of the stages that it reads.
  [[nodiscard]] std::vector<std::string> chosen_axes() const {
    auto names = choosing_axes(*st_.definition);
    for (auto const& a : st_.accesses) {
      if (a.write || a.producer < 0) continue;
      auto const& from = *p_.stages[static_cast<std::size_t>(a.producer)].definition;
      auto const theirs = choosing_axes(from);
      for (std::size_t d = 0; d < from.axes.size(); ++d)
        for (std::size_t x = 0; x < a.indices[d].coefficient.size(); ++x)
          if (a.indices[d].coefficient[x] != 0 &&
              std::find(theirs.begin(), theirs.end(), from.axes[d].name) != theirs.end())
            names.push_back(st_.axis_name(x));
    }
    return names;
  }

  void compute_beside(stage_plan const& st, std::string const& threads) {
    auto const& name = st.definition->name;
    for (std::size_t x = 0; x < st.definition->axes.size(); ++x) out_.step(primitive::unroll, name, {st.axis_name(x)});
    out_.step(primitive::compute_at, name, {name_, threads});
    out_.step(primitive::store_in, name, {}, {}, {literal(static_cast<std::int64_t>(ir::memory::local))});
  }

  space_builder& out_;
  plan const& p_;
  stage_plan const& st_;
  std::vector<std::size_t> first_;
  std::string name_;
};

}}}  // namespace ttune::v0::autoschedule
