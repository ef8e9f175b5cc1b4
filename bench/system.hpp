// SPDX-License-Identifier: Apache-2.0
// The interface of all measured systems: ttune and its peers. Each file of bench/peers registers its systems.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "options.hpp"
#include "problem.hpp"

namespace ttune_bench {

/// A system prepared for one case.
struct peer_case {
  std::string system;              ///< name such as "onednn"
  std::function<void()> run;       ///< one call; empty if the system does not serve this case
  std::string status = "ok";       ///< otherwise the reason why `run` is empty
  std::function<void()> finish{};  ///< copies the result into `out` if `run` leaves it elsewhere; not timed
  double tuning_seconds = 0;
  std::int64_t trials = 0;
  std::int64_t refused = 0;  ///< trials that the backend did not compile
};

/// Returns a case that is not served, with its reason.
inline peer_case without(std::string system, std::string reason) { return {std::move(system), {}, std::move(reason)}; }

/// A system. `prepare` returns a case; the problem and `out` outlive it. `rank` orders the columns. Names of ttune's
/// systems begin with "ttune".
template <class Problem>
struct system_entry {
  int rank = 0;
  std::string name;
  std::function<peer_case(Problem const& problem, buffer const& out, options const& chosen)> prepare;
  std::function<bool(Problem const& problem)> serves{};  ///< returns true if the system has the operator; empty: always
  std::function<std::string()> version{};                ///< version of the library for the heading; empty if unknown
};

template <class Problem>
std::vector<system_entry<Problem>>& systems() {
  static std::vector<system_entry<Problem>> all;
  return all;
}

/// Adds a system: `static ttune_bench::add_system<gemm_problem> const openblas{{20, "openblas", prepare}};`
template <class Problem>
struct add_system {
  explicit add_system(system_entry<Problem> entry) { systems<Problem>().push_back(std::move(entry)); }
};

}  // namespace ttune_bench
