// SPDX-License-Identifier: Apache-2.0
// Registers for tiles of matrices (AMX) are large, so Linux gives them only to processes that ask for them.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "ttune/support/config.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr long tile_data = 18;  ///< Linux' number of this part of a processor's state

/// Returns true if this system gives the registers to processes that ask.
[[nodiscard]] inline bool system_has_tiles() noexcept {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long supported = 0x1021;  // ARCH_GET_XCOMP_SUPP
  unsigned long parts = 0;
  return syscall(SYS_arch_prctl, supported, &parts) == 0 && (parts >> tile_data & 1) != 0;
#else
  return false;
#endif
}

/// Asks for the registers, once for the process. Returns false if there are none, or if the system refuses: it does if
/// a thread has a stack for signals (sigaltstack) that is too small to save them. Once it agrees, it refuses such
/// stacks.
[[nodiscard]] inline bool may_use_tiles() noexcept {
#if defined(__x86_64__) && defined(__linux__)
  constexpr long ask = 0x1023;  // ARCH_REQ_XCOMP_PERM
  static bool const granted = syscall(SYS_arch_prctl, ask, tile_data) == 0;
  return granted;
#else
  return false;
#endif
}

}}}  // namespace ttune::v0::detail
