// SPDX-License-Identifier: Apache-2.0
// Removes CPU and feature names that LLVM does not know: LLVM ignores them, but prints a warning to standard error each
// time.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>

#include "ttune/backends/orc/api.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// Names of a CPU and its features.
struct processor_names {
  std::string cpu;  ///< empty: LLVM's generic code for the architecture
  std::string features;
};

namespace detail {

/// Returns what is written to standard error while `f` runs, up to the capacity of a pipe. It redirects the whole
/// process and may catch another thread's output; therefore `f` must be short, and this is used only for names of other
/// machines.
template <class F>
[[nodiscard]] std::string caught_errors(F const& f) {
  static std::mutex one_at_a_time;
  std::lock_guard const guard(one_at_a_time);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    f();
    return {};
  }
  int const kept = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  ::dup2(ends[1], STDERR_FILENO);
  f();
  if (kept >= 0) ::dup2(kept, STDERR_FILENO), ::close(kept);
  else ::close(STDERR_FILENO);
  ::close(ends[1]);
  std::string text;
  char part[1024];
  for (ssize_t n = 0; (n = ::read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  ::close(ends[0]);
  return text;
}

[[nodiscard]] inline bool is_complained_of(std::string const& complaints, std::string const& name, char const* what) {
  return complaints.find("'" + name + "' is not a recognized " + what) != std::string::npos;
}

}  // namespace detail

/// Returns the names without those that LLVM does not know.
[[nodiscard]] inline processor_names known_names(LLVMTargetRef description, std::string const& triple,
                                                 processor_names wanted) {
  if (wanted.cpu == take(LLVMGetHostCPUName()) && wanted.features.starts_with(take(LLVMGetHostCPUFeatures())))
    return wanted;
  auto const complaints = detail::caught_errors([&] {
    machine_owner const probe(LLVMCreateTargetMachine(description, triple.c_str(), wanted.cpu.c_str(),
                                                      wanted.features.c_str(), LLVMCodeGenLevelNone, LLVMRelocPIC,
                                                      LLVMCodeModelSmall));
  });
  if (detail::is_complained_of(complaints, wanted.cpu, "processor")) wanted.cpu.clear();
  std::string kept;
  for (std::size_t at = 0; at < wanted.features.size();) {
    auto const end = std::min(wanted.features.find(',', at), wanted.features.size());
    auto const one = wanted.features.substr(at, end - at);
    if (!one.empty() && !detail::is_complained_of(complaints, one, "feature")) kept += (kept.empty() ? "" : ",") + one;
    at = end + 1;
  }
  wanted.features = kept;
  return wanted;
}

}}}  // namespace ttune::v0::orc
