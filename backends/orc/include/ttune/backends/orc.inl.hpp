// SPDX-License-Identifier: Apache-2.0
// From a lowered program to an image: emits the text and compiles it.
#pragma once

#include <chrono>
#include <exception>
#include <utility>

#include "ttune/backends/orc.hpp"
#include "ttune/backends/orc/checked_backend.hpp"
#include "ttune/codegen/llvm_ir.hpp"
#include "ttune/ir/operands_read.hpp"
#include "ttune/runtime/abi.hpp"

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
  std::string text;
  try {
    text = codegen::llvm_ir(program, compiler().target(), signature);
  } catch (std::exception const& failure) {
    phases_ = {};
    return {std::nullopt, failure.what(), 0};
  }
  auto const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  auto result = compile_text(text, std::move(signature));
  if (result.image) result.image->operands_read = ir::operands_read(program);
  phases_.emit = seconds;
  result.seconds = phases_.total();
  return result;
}

compile_result orc_backend::compile_text(std::string const& text, kernel_signature signature) {
  compile_result result;
  auto code = compiler().compile(text, result.diagnostics);
  phases_ = compiler().last_phases();
  result.seconds = phases_.total();
  if (!code) return result;
  auto& image = result.image.emplace();
  image.signature = std::move(signature);
  image.target = target_.name;
  image.features = compiler().target().features;
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
