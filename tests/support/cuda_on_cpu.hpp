// SPDX-License-Identifier: Apache-2.0
// Runs CUDA text without a GPU: g++ compiles it as C++ and runs one block of threads at a time, which take turns at
// barriers. PTX in the text (matrices of warps, asynchronous copies, conversions) is replaced by a second
// implementation after PTX's manual. Copies arrive as late as they may.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "support/cuda_prelude.hpp"
#include "support/require.hpp"
#include "support/temporary_folder.hpp"
#include "support/worker_command.hpp"
#include "ttune/codegen/device_program.hpp"
#include "ttune/ir/ndarray.hpp"
#include "ttune/ir/stmt.hpp"
#include "ttune/support/shared_library.hpp"

namespace ttune_test {

/// Removes the functions that are written in PTX, and declares the memory of a block that launches request as C++ needs
/// it.
inline std::string without_ptx(std::string text) {
  std::string const shared = "extern __shared__ ";
  for (auto at = text.find(shared); at != std::string::npos; at = text.find(shared))
    text.replace(at, shared.size(), "extern ");
  std::string const head = "static __device__ inline ";
  for (auto at = text.find("asm"); at != std::string::npos; at = text.find("asm")) {
    auto const begin = text.rfind(head, at);
    auto const end = text.find("}\n", at);
    if (begin == std::string::npos || end == std::string::npos) break;
    text.erase(begin, end + 2 - begin);
  }
  return text;
}

/// Returns true if kernels can be compiled for this machine; if not, counts the rest of the test case as skipped.
[[nodiscard]] inline bool can_run_cuda_on_cpu() {
  static bool const there = has_program("g++");
  if (!there) note_skip("g++, which compiles kernels of CUDA for this processor, is not installed");
  return there;
}

inline constexpr char const* gxx_on_cpu = "g++ -std=c++20 -O1 -w -fPIC";

/// Returns the file of the prelude, which g++ has compiled ahead for all kernels: it takes half the time of one.
inline std::string compiled_prelude() {
  static temporary_folder const folder;
  static std::string const file = [] {
    auto made = folder / "prelude.hpp";
    std::ofstream(made) << cuda_on_cpu_prelude;
    auto const command = gxx_on_cpu + (" -x c++-header " + made) + " -o " + made + ".gch";
    if (std::system(command.c_str()) != 0)
      throw ttune::backend_error("g++ does not compile the prelude of CUDA on CPUs");
    return made;
  }();
  return file;
}

/// Returns the results of a program without prepared buffers in the form of ir::run. `names` defines the names in the
/// text that CUDA does not have. Throws backend_error if the text does not compile.
inline std::vector<ttune::ir::ndarray> run_on_cpu(ttune::codegen::device_program const& p,
                                                  ttune::ir::lowered const& lowered,
                                                  std::vector<ttune::ir::ndarray> const& inputs,
                                                  std::string const& names = {}) {
  using namespace ttune;
  std::string text = names + without_ptx(p.source) + "extern \"C\" void run_all(void** operands, void* workspace) {\n";
  auto const list = [](auto const& numbers) {
    std::string made;
    for (auto const n : numbers) made += (made.empty() ? "" : ", ") + std::to_string(n);
    return "{" + made + "}";
  };
  for (auto const& l : p.main) {
    text += "  launch(" + list(l.groups) + ", " + list(l.threads) + ", " + std::to_string(l.launch_bytes) + ", [&] { " +
            l.kernel + "(";
    for (std::size_t i = 0; i < lowered.operands.size(); ++i) text += "any{operands[" + std::to_string(i) + "]}, ";
    text += "any{workspace}";
    for (auto const v : l.values) text += ", " + std::to_string(v);
    text += "); });\n";
  }
  temporary_folder const folder;
  std::ofstream(folder / "kernel.cpp") << text << "}\n";
  auto const command = gxx_on_cpu + (" -shared -nodefaultlibs -include " + compiled_prelude()) + " -o " +
                       (folder / "kernel.so") + " " + (folder / "kernel.cpp") + " 2> " + (folder / "said");
  if (std::system(command.c_str()) != 0) {
    std::ifstream in(folder / "said");
    throw backend_error(std::string(std::istreambuf_iterator<char>(in), {}) + "\n" + p.source);
  }
  shared_library const library({folder / "kernel.so"});
  std::vector<std::vector<std::uint8_t>> memory;
  std::vector<void*> operands;
  for (std::size_t i = 0; i < lowered.operands.size(); ++i) {
    auto const& b = *lowered.operands[i];
    memory.emplace_back(static_cast<std::size_t>(b.elements()) * size_in_bytes(b.type));
    if (i < inputs.size()) ir::store_ndarray(inputs[i], memory.back().data());
  }
  for (auto& m : memory) operands.push_back(m.data());
  std::vector<std::uint8_t> workspace(static_cast<std::size_t>(p.workspace_bytes));
  reinterpret_cast<void (*)(void**, void*)>(library.symbol("run_all"))(operands.data(), workspace.data());
  std::vector<ir::ndarray> made;
  for (std::size_t i = inputs.size(); i < lowered.operands.size(); ++i)
    made.push_back(ir::load_ndarray(lowered.operands[i]->type, lowered.operands[i]->extents, memory[i].data()));
  return made;
}

}  // namespace ttune_test
