// SPDX-License-Identifier: Apache-2.0
// ELF's number of this machine's processor.
#pragma once

#include <elf.h>

#include <cstdint>

namespace ttune { inline namespace v0 { namespace tools {

#if defined(__aarch64__)
inline constexpr std::uint16_t elf_machine = EM_AARCH64;
#elif defined(__x86_64__)
inline constexpr std::uint16_t elf_machine = EM_X86_64;
#else
inline constexpr std::uint16_t elf_machine = EM_NONE;  // tools show addresses without names
#endif

}}}  // namespace ttune::v0::tools
