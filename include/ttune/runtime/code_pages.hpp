// SPDX-License-Identifier: Apache-2.0
// Memory for code, which is never writable and executable at the same time. Systems with hardened rules forbid pages
// that were written to become code (SELinux without execmem, PR_SET_MDWE); there the code is a file in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ttune { inline namespace v0 { namespace detail {

/// Returns executable memory with `lead` zero bytes and the code behind them; munmap frees it. Returns null, with
/// errno, if the system gives none in either way.
[[nodiscard]] void* map_code(std::span<std::uint8_t const> code, std::size_t lead) noexcept;

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/code_pages.inl.hpp"
#endif
