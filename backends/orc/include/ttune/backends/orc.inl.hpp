// SPDX-License-Identifier: Apache-2.0
// From a lowered program to an image: emits the text and compiles it.
#pragma once

#include <chrono>
#include <exception>
#include <utility>

#include "ttune/backends/orc.hpp"
#include "ttune/backends/orc/checked_backend.hpp"
#include "ttune/backends/orc/map_of_object.hpp"
#include "ttune/backends/orc/needed_features.hpp"
#include "ttune/codegen/lined_llvm_ir.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/ir/operand_uses.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/tools/asked_tools.hpp"
#include "ttune/runtime/tools/code_map.hpp"

namespace ttune { inline namespace v0 {

orc_backend::orc_backend(ttune::target machine, orc::compiler_options options)
    : target_(std::move(machine)), options_(std::move(options)) {}

orc::compiler& orc_backend::compiler() const {
  if (!compiler_) compiler_ = std::make_unique<orc::compiler>(target_, options_);
  return *compiler_;
}

std::string orc_backend::name() const { return "orc (LLVM " LLVM_VERSION_STRING ")"; }

ttune::availability orc_backend::availability() const { return {compiler().failure().empty(), compiler().failure()}; }

std::string orc_backend::source(ir::lowered const& program, kernel_signature const&) const {
  return codegen::llvm_ir(program, compiler().target());
}

compile_result orc_backend::compile(ir::lowered const& program, kernel_signature signature) {
  auto const start = std::chrono::steady_clock::now();
  codegen::lined_text lined;  // without lines, only the text
  tools::code_map map;
  bool keeps_lines = false;
  try {
    keeps_lines = options_.lines || tools::tools_of_environment().any();
    if (keeps_lines) {
      map.folder = tools::tools_folder();
      map.file = tools::new_loops_file(program.name);
      lined = codegen::lined_llvm_ir(program, compiler().target(), signature, map.folder, map.file);
    } else {
      lined.text = codegen::llvm_ir(program, compiler().target(), signature);
    }
  } catch (std::exception const& failure) {
    phases_ = {};
    return {std::nullopt, failure.what(), 0};
  }
  auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string diagnostics;
  auto code = compiler().compile(lined.text, diagnostics, keeps_lines);
  if (code && keeps_lines) orc::read_object(std::exchange(code->object, {}), code->sections, lined.names, map);
  auto result = finish(std::move(code), lined.text, std::move(signature), std::move(diagnostics));
  if (result.image) result.image->operand_uses = ir::operand_uses(program);
  if (result.image && keeps_lines) {
    map.loops = std::move(lined.loops);
    result.image->map = std::make_shared<tools::code_map const>(std::move(map));
  }
  phases_.emit = seconds;
  result.seconds = phases_.total();
  return result;
}

compile_result orc_backend::compile_text(std::string const& text, kernel_signature signature) {
  std::string diagnostics;
  auto code = compiler().compile(text, diagnostics);
  return finish(std::move(code), text, std::move(signature), std::move(diagnostics));
}

compile_result orc_backend::finish(std::optional<orc::linked_code> code, std::string const& text,
                                   kernel_signature signature, std::string diagnostics) {
  phases_ = compiler().last_phases();
  compile_result result{std::nullopt, std::move(diagnostics), phases_.total()};
  if (!code) return result;
  auto& image = result.image.emplace();
  image.signature = std::move(signature);
  image.target = target_.name;
  image.features = orc::needed_features(compiler().target().features, text);
  image.abi = abi_version;
  image.code = std::move(code->bytes);
  image.main_offset = code->main_offset;
  image.prepare_offset = code->prepare_offset;
  return result;
}

std::unique_ptr<backend> orc_backend::checked() const {
  return std::make_unique<orc::checked_backend>(target_, options_);
}

std::optional<std::string> orc_backend::assembly(std::string const& text) {
  std::string diagnostics;
  return compiler().assembly(text, diagnostics);
}

}}  // namespace ttune::v0
