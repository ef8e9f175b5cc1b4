// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "ttune/records/export/library_code.hpp"
#include "ttune/records/export/library_words.hpp"
#include "ttune/support/fill_template.hpp"

namespace ttune { inline namespace v0 { namespace detail {

inline constexpr char const* code_text =
    R"(/* Written by `ttune export`: the machine code of lib$NAME.a. It is independent of its address, but begins on a page,
 * has its constants between its functions, and may only be read and executed.
 *
 * Unwind data: a kernel was compiled without any, and what it does to the stack is not known here. Only the first byte
 * of each entry is described, where it is certain: the caller's frame is as a call leaves it. Debuggers and profilers
 * that stop later inside of a kernel have to guess, and no exception may leave a task of `parallel`. */
$CODE
.section .note.GNU-stack,"",%progbits
)";

/// Writes bytes as lines of an assembler.
inline void put_bytes(std::string& out, std::span<std::uint8_t const> bytes) {
  constexpr std::size_t per_line = 32;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += i % per_line == 0 ? (i ? "\n  .byte " : "  .byte ") : ",";
    out += std::to_string(bytes[i]);
  }
  if (!bytes.empty()) out += "\n";
}

/// An entry of a kernel: a function that other files call.
struct code_entry {
  std::string symbol;
  std::int64_t offset = 0;
};

inline std::vector<code_entry> entries_of(kernel_image const& image, std::string const& symbol) {
  std::vector<code_entry> made{{symbol, image.main_offset}};
  if (image.prepare_offset >= 0) made.push_back({symbol + "_prepare", image.prepare_offset});
  std::ranges::sort(made, {}, &code_entry::offset);
  return made;
}

/// Writes the code of an image. A function's size reaches to the next entry: it includes the bodies of parallel loops
/// and constants that lie there, since the image does not tell where they begin.
inline std::string code_of(kernel_image const& image, std::string const& symbol) {
  auto const bytes = std::span(image.code);
  auto const entries = entries_of(image, symbol);
  std::string made = ".p2align 12\n";
  put_bytes(made, bytes.first(static_cast<std::size_t>(entries.front().offset)));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto const& [name, offset] = entries[i];
    auto const begin = static_cast<std::size_t>(offset);
    auto const end = i + 1 < entries.size() ? static_cast<std::size_t>(entries[i + 1].offset) : bytes.size();
    made += ".globl " + name + "\n.hidden " + name + "\n.type " + name + ", %function\n" + name + ":\n.cfi_startproc\n";
    put_bytes(made, bytes.subspan(begin, 1));
    made += ".cfi_endproc\n";
    put_bytes(made, bytes.subspan(begin + 1, end - begin - 1));
    made += ".size " + name + ", . - " + name + "\n";
  }
  return made;
}

std::string library_code(std::string const& library, std::vector<exported_kernel> const& kernels) {
  auto const code = by_architecture([&](std::string_view architecture) {
    std::string made = ".section .text.ttune_" + library + ",\"ax\",%progbits\n";
    for (auto const& k : kernels)
      for (std::size_t v = 0; v < k.variants.size(); ++v) {
        if (architecture_of(k.variants[v].image().target) != architecture) continue;
        auto const& images = k.variants[v].code.kernels;
        for (std::size_t i = 0; i < images.size(); ++i) made += code_of(images[i].image, code_symbol(library, k, v, i));
      }
    return made;
  });
  return fill_template(code_text, {{"$NAME", library}, {"$CODE", code}});
}

}}}  // namespace ttune::v0::detail
