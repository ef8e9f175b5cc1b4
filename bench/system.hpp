// SPDX-License-Identifier: Apache-2.0
// The one interface of whatever is measured: ttune and its peers. Each file of bench/peers registers its systems.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options.hpp"
#include "problem.hpp"

namespace ttune_bench {

/// A system made ready for one case: all that may be done ahead is done.
struct peer_case {
  std::string system;              ///< as "onednn"
  std::function<void()> run;       ///< one call; empty: not to be had for this case
  std::string status = "ok";       ///< else why `run` is empty
  std::function<void()> finish{};  ///< brings the result into `out` where `run` leaves it elsewhere; not timed
  double tuning_seconds = 0;
  std::int64_t trials = 0;
  std::int64_t refused = 0;  ///< trials that the backend did not compile
};

/// A case not served, with its reason.
inline peer_case without(std::string system, std::string reason) { return {std::move(system), {}, std::move(reason)}; }

/// Makes a system ready; problem and `out` outlive what it returns. `rank` orders the columns; those of ttune have
/// names that begin with "ttune".
template <class Problem>
struct system_entry {
  int rank = 0;
  std::string name;
  std::function<peer_case(Problem const& problem, buffer const& out, options const& chosen)> prepare;
  std::function<bool(Problem const& problem)> serves{};  ///< whether it has the operator; empty: always
  std::function<std::string()> version{};                ///< of the library, for the heading; empty: not told
};

template <class Problem>
std::vector<system_entry<Problem>>& systems() {
  static std::vector<system_entry<Problem>> all;
  return all;
}

/// `static ttune_bench::add_system<gemm_problem> const openblas{{20, "openblas", prepare}};`
template <class Problem>
struct add_system {
  explicit add_system(system_entry<Problem> entry) { systems<Problem>().push_back(std::move(entry)); }
};

}  // namespace ttune_bench
