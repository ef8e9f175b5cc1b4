// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ttune/codegen/lined_llvm_ir.hpp"
#include "ttune/codegen/llvm/debug_locations.hpp"
#include "ttune/codegen/llvm/module_emitter.hpp"
#include "ttune/codegen/llvm/own_statements.hpp"
#include "ttune/codegen/llvm/ready_for_emission.hpp"
#include "ttune/ir/print.hpp"

namespace ttune { inline namespace v0 { namespace codegen {

namespace detail {

/// Returns a line of a text, without its indentation. Lines are counted from 1.
inline std::string_view line_of(std::string_view text, int number) {
  for (; number > 1 && !text.empty(); --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

/// Returns what people call a function: the kernel's name, and what the function is.
inline std::string name_for_people(std::string const& kernel, std::string const& symbol, std::string_view line) {
  if (symbol == "ttune_main") return kernel + ".main";
  if (symbol == "ttune_prepare") return kernel + ".prepare";
  constexpr std::string_view parallel = "parallel ";
  if (!symbol.starts_with("task") || !line.starts_with(parallel)) return kernel + "." + symbol;
  return kernel + ".parallel_" + llvm::first_word(line.substr(parallel.size()));
}

}  // namespace detail

lined_text lined_llvm_ir(ir::lowered const& program, target const& machine, kernel_signature& signature,
                         std::string const& folder, std::string const& file) {
  auto ready = llvm::ready_for_emission(program, machine, signature);
  for (auto* const part : {&ready.prepare, &ready.body}) *part = llvm::own_statements(*part);
  lined_text made;
  ir::statement_lines lines;
  made.loops = ir::print(ready, lines);
  auto const plain = llvm::module_emitter(ready, machine, lines).run();
  made.text = llvm::debug_locations().run(plain, folder, file, [&](std::string const& symbol, int line) {
    auto const name = detail::name_for_people(program.name, symbol, detail::line_of(made.loops, line));
    return made.names.emplace(symbol, name).first->second;
  });
  return made;
}

}}}  // namespace ttune::v0::codegen
