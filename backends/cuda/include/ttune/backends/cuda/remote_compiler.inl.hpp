// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/backends/cuda/remote_compiler.hpp"

namespace ttune { inline namespace v0 { namespace cuda {

std::optional<compiled_code> compile_in(worker::compile_process& by, std::string const& source, int architecture,
                                        std::string& diagnostics, compile_options const& options) {
  byte_sink request;
  request.put(source);
  request.put(static_cast<std::int32_t>(architecture));
  request.put(options.fast);
  request.put(options.portable);
  std::vector<std::uint8_t> answer;
  try {
    answer = by.compile("cuda", request.take());
  } catch (backend_error const& failure) {
    diagnostics = failure.what();
    return std::nullopt;
  }
  byte_source in(answer);
  in.get(diagnostics);
  if (!in.get<bool>()) return std::nullopt;
  compiled_code made;
  auto const code = in.get_bytes();
  made.code.assign(code.begin(), code.end());
  made.kernels.resize(in.get<std::uint32_t>());
  for (auto& k : made.kernels) {
    in.get(k.kernel);
    for (auto* const number : {&k.registers, &k.spill_bytes, &k.stack_bytes, &k.block_bytes}) in.get(*number);
  }
  return made;
}

void compile_for_parent(byte_source& request, byte_sink& answer) {
  auto const source = request.get<std::string>();
  auto const architecture = request.get<std::int32_t>();
  compile_options options;
  request.get(options.fast);
  request.get(options.portable);
  std::string diagnostics;
  auto const made = compile(source, architecture, diagnostics, options);
  answer.put(diagnostics);
  answer.put(made.has_value());
  if (!made) return;
  answer.put(made->code);
  answer.put(static_cast<std::uint32_t>(made->kernels.size()));
  for (auto const& k : made->kernels) {
    answer.put(k.kernel);
    for (auto const number : {k.registers, k.spill_bytes, k.stack_bytes, k.block_bytes}) answer.put(number);
  }
}

}}}  // namespace ttune::v0::cuda
