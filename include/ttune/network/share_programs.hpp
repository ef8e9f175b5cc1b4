// SPDX-License-Identifier: Apache-2.0
// A pass over networks: operators with equal computes get the same programs. Later passes and keys of records then work
// once for each kind of operator, not for each operator: ResNet-18 has 16 convolutions of 3x3, seven of them different.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "ttune/ir/stmt.hpp"
#include "ttune/network/graph.hpp"

namespace ttune { inline namespace v0 {

/// Hashes of programs (ir/equal.hpp), each computed once. It keeps the programs.
class program_hashes {
 public:
  [[nodiscard]] std::uint64_t of(handle<ir::program> const& program);

 private:
  std::map<ir::program const*, std::pair<handle<ir::program>, std::uint64_t>> known_;
};

/// Returns the same network, in which equal programs are one value.
[[nodiscard]] network_graph share_programs(network_graph const& net);

}}  // namespace ttune::v0

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/network/share_programs.inl.hpp"
#endif
