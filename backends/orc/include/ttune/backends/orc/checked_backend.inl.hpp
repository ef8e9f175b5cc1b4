// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "ttune/backends/orc/checked_backend.hpp"
#include "ttune/codegen/checked_llvm_ir.hpp"
#include "ttune/runtime/aligned_memory.hpp"
#include "ttune/runtime/call_extents.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/strided_operand.hpp"

namespace ttune { inline namespace v0 { namespace orc {

/// The code of a checked kernel: gives it the memory that it needs, and looks at what it found.
class checked_code final : public device_code {
 public:
  checked_code(kernel_image const& image, codegen::checked_text text)
      : code_(image), text_(std::move(text)), executor_(default_executor()) {}

  double run(entry what, void* const* operands, std::int64_t calls, bool) override {
    auto const memory = memory_of(operands);
    bool const looks_at_scratch = !text_.scratch.empty() && !seen_[what == entry::main ? 1 : 0].exchange(true);
    for (; calls > 0; --calls) run_once(what, operands, memory);
    if (looks_at_scratch) look_at_scratch(what, operands, memory);
    return 0;
  }

 private:
  using bytes = std::vector<std::uint8_t>;
  /// The operands of one call.
  struct call_memory {
    std::vector<operand_info> operands;
    std::vector<std::int64_t> sizes;  ///< bytes of the operands in memory, then those of the prepared buffers
  };
  /// Bytes in scratch memory before a call. As floats they are not numbers.
  static constexpr std::uint8_t fill_of_calls = 0xFF;
  static constexpr std::uint8_t other_fill = 0x5A;

  [[nodiscard]] kernel_signature const& signature() const noexcept { return code_.signature(); }

  /// Returns the first number of the operand that gives extents or strides; null if there is none.
  [[nodiscard]] std::int64_t const* given_by(operand_direction direction, void* const* operands) const {
    auto const& all = signature().operands;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].direction == direction) return static_cast<std::int64_t const*>(operands[i]);
    return nullptr;
  }

  [[nodiscard]] call_memory memory_of(void* const* operands) const {
    auto const* strides = given_by(operand_direction::strides, operands);
    auto const* extents = given_by(operand_direction::extents, operands);
    auto const open = extents ? extents_of(signature()).size() : 0;
    call_memory made{at_extents(signature(), {extents, open}).operands, {}};
    for (auto const& o : made.operands) {
      made.sizes.push_back(o.bytes());
      if (o.strides == operand_strides::dense) continue;
      made.sizes.back() = strided_operand(o, {strides, strides + o.shape.size()}).bytes();
      strides += o.shape.size();
    }
    made.sizes.insert(made.sizes.end(), signature().prepared_bytes.begin(), signature().prepared_bytes.end());
    return made;
  }

  /// Runs an entry with scratch memory full of the same bytes; one buffer may hold others.
  TTUNE_CALLS_MACHINE_CODE void run_once(entry what, void* const* operands, call_memory const& memory,
                                         codegen::scratch_buffer const* other = nullptr) const {
    codegen::checked_runtime runtime;
    codegen::access_fault fault;
    auto const spare = ttune::detail::allocate_lines(codegen::checked_runtime::spare_bytes);
    std::memset(spare.get(), 0, codegen::checked_runtime::spare_bytes);
    runtime.table = make_runtime_table(*executor_);
    runtime.sizes = memory.sizes.data();
    runtime.fault = &fault;
    runtime.spare = spare.get();
    auto const workspace_bytes = code_.workspace_bytes(runtime.table.threads);
    auto const workspace = ttune::detail::allocate_lines(std::max<std::size_t>(workspace_bytes, 64));
    std::memset(workspace.get(), fill_of_calls, workspace_bytes);
    if (other) fill_buffer(static_cast<std::uint8_t*>(workspace.get()), *other, runtime.table.threads);
    ttune::detail::executor_failures const failures;
    (what == entry::main ? code_.main() : code_.prepare())(operands, &runtime.table, workspace.get());
    failures.rethrow();
    if (!fault) return;
    throw access_error("kernel " + signature().name + " " + text_of(fault, memory));
  }

  void fill_buffer(std::uint8_t* workspace, codegen::scratch_buffer const& b, std::int32_t threads) const {
    for (std::int64_t t = 0; t < (b.per_thread ? threads : 1); ++t) {
      auto const start = b.per_thread ? signature().shared_bytes + t * signature().local_bytes : 0;
      std::memset(workspace + start + b.offset, other_fill, static_cast<std::size_t>(b.bytes));
    }
  }

  [[nodiscard]] std::string text_of(codegen::access_fault const& fault, call_memory const& memory) const {
    auto site = text_.sites[fault.site()];
    for (std::size_t i = 0; i < memory.operands.size(); ++i) {
      if (memory.operands[i].name != site.buffer) continue;
      if (!memory.operands[i].open.empty()) site.extents = memory.operands[i].shape;
      return site.fault(fault.offset(), memory.sizes[i]);
    }
    std::int64_t elements = 1;
    for (auto const e : site.extents) elements *= e;
    return site.fault(fault.offset(), elements * static_cast<std::int64_t>(size_in_bytes(site.type)));
  }

  /// Runs an entry again for each scratch buffer, with other bytes in it: results that differ were computed from it.
  void look_at_scratch(entry what, void* const* operands, call_memory const& memory) const {
    auto const copies = copies_of(operands, memory.sizes, what);
    std::vector<void*> own(operands, operands + memory.sizes.size());
    auto const results = [&](codegen::scratch_buffer const* other) {
      auto written = copies;
      for (std::size_t i = 0; i < written.size(); ++i)
        if (!written[i].empty()) own[i] = written[i].data();
      run_once(what, own.data(), memory, other);
      return written;
    };
    auto const right = results(nullptr);
    for (auto const& b : text_.scratch)
      if (results(&b) != right)
        throw access_error("kernel " + signature().name + " reads elements of its scratch buffer " + b.name +
                           " that it did not write");
  }

  /// Returns copies of what an entry writes. Other operands have none.
  [[nodiscard]] std::vector<bytes> copies_of(void* const* operands, std::vector<std::int64_t> const& sizes,
                                             entry what) const {
    std::vector<bytes> made(sizes.size());
    auto const& all = signature().operands;
    for (std::size_t i = 0; i < made.size(); ++i) {
      bool const is_operand = i < all.size();
      bool const written = what == entry::prepare ? !is_operand
                                                  : is_operand && (all[i].direction == operand_direction::out ||
                                                                   all[i].direction == operand_direction::inout);
      auto const* const from = static_cast<std::uint8_t const*>(operands[i]);
      if (written) made[i].assign(from, from + sizes[i]);
    }
    return made;
  }

  loaded_image code_;
  codegen::checked_text text_;
  std::shared_ptr<executor> executor_;
  std::atomic<bool> seen_[2] = {false, false};  ///< true once `prepare`, `main` were run on other scratch contents
};

compile_result checked_backend::compile(ir::lowered const& program, kernel_signature signature) {
  codegen::checked_text text;
  try {
    text = codegen::checked_llvm_ir(program, target(), signature);
  } catch (std::exception const& failure) {
    return {std::nullopt, failure.what(), 0};
  }
  auto made = compiler_.compile_text(text.text, signature);
  if (!made.image) return made;
  made.image->in_process_code = std::make_shared<checked_code>(*made.image, std::move(text));
  made.image->signature.shared_bytes = made.image->signature.local_bytes = 0;  // the code has memory of its own
  return made;
}

std::string checked_backend::source(ir::lowered const& program, kernel_signature const& signature) const {
  auto copy = signature;
  return codegen::checked_llvm_ir(program, target(), copy).text;
}

}}}  // namespace ttune::v0::orc
