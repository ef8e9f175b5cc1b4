// SPDX-License-Identifier: Apache-2.0
// Links an object by ORC into one block of memory that can be copied anywhere.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/orc/api.hpp"

namespace ttune::inline v0::llvm {

/// What linking gave: the bytes of all sections and where the entries lie in them.
struct linked_code {
  std::vector<std::uint8_t> bytes;
  std::int64_t main_offset = -1;
  std::int64_t prepare_offset = -1;
};

/// An ORC session whose sections all come from one block. An object is linked twice, at two addresses: if the bytes
/// differ, it holds an absolute address or refers to something outside, and is refused.
class linker {
 public:
  linker() {
    auto* const builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, &linker::create_layer, this);
    failure_ = take(LLVMOrcCreateLLJIT(&jit_, builder));
    if (!failure_.empty()) return;
    session_ = LLVMOrcLLJITGetExecutionSession(jit_);
    LLVMOrcExecutionSessionSetErrorReporter(session_, [](void* self, LLVMErrorRef e) { static_cast<linker*>(self)->reported_ = take(e); }, this);
    // Bare: nothing of this process is visible in it, so that a call to outside fails to link.
    library_ = LLVMOrcExecutionSessionCreateBareJITDylib(session_, "kernels");
  }
  linker(linker const&) = delete;
  linker& operator=(linker const&) = delete;
  ~linker() {
    if (jit_) (void)take(LLVMOrcDisposeLLJIT(jit_));
  }

  /// Nothing, and `diagnostics` says why, if the object cannot be linked to stand alone.
  [[nodiscard]] std::optional<linked_code> link(LLVMMemoryBufferRef object, bool prepares, std::string& diagnostics) {
    if (!failure_.empty()) return diagnostics = failure_, std::nullopt;
    auto first = link_at(0, object, prepares, diagnostics);
    if (!first) return std::nullopt;
    auto const second = link_at(block_bytes / 2 + 4096, object, prepares, diagnostics);
    if (!second) return std::nullopt;
    if (first->bytes != second->bytes)
      return diagnostics = "the code is not position-independent: it holds an absolute address or calls a function outside of itself", std::nullopt;
    return first;
  }

 private:
  static constexpr std::size_t block_bytes = 32U << 20;

  static LLVMOrcObjectLayerRef create_layer(void* self, LLVMOrcExecutionSessionRef session, char const*) {
    return LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks(
        session, self, [](void* s) { return s; }, [](void*) {},
        [](void* s, std::uintptr_t size, unsigned align, unsigned, char const*) { return static_cast<linker*>(s)->place(size, align); },
        [](void* s, std::uintptr_t size, unsigned align, unsigned, char const*, LLVMBool) { return static_cast<linker*>(s)->place(size, align); },
        [](void*, char**) -> LLVMBool { return 0; }, [](void*) {});
  }

  std::uint8_t* place(std::size_t size, std::size_t align) {
    if (block_.empty()) block_.resize(block_bytes + 4096);
    if (align < 64) align = 64;
    end_ = (end_ + align - 1) / align * align;
    auto const base = (reinterpret_cast<std::uintptr_t>(block_.data()) + 4095) / 4096 * 4096;
    if (end_ + size > first_ + block_bytes / 2 - 8192) return nullptr;
    auto* const at = reinterpret_cast<std::uint8_t*>(base) + end_;
    end_ += size;
    std::memset(at, 0, size);
    return at;
  }

  [[nodiscard]] std::optional<linked_code> link_at(std::size_t offset, LLVMMemoryBufferRef object, bool prepares, std::string& diagnostics) {
    first_ = end_ = offset;
    auto* const tracker = LLVMOrcJITDylibCreateResourceTracker(library_);
    auto* const copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(object), LLVMGetBufferSize(object), "kernel");
    linked_code made;
    std::uint64_t main = 0;
    std::uint64_t prepare = 0;
    diagnostics = take(LLVMOrcLLJITAddObjectFileWithRT(jit_, tracker, copy));
    if (diagnostics.empty()) diagnostics = find("ttune_main", main);
    if (diagnostics.empty() && prepares) diagnostics = find("ttune_prepare", prepare);
    if (diagnostics.empty()) {
      auto const base = (reinterpret_cast<std::uintptr_t>(block_.data()) + 4095) / 4096 * 4096 + offset;
      auto const* const begin = reinterpret_cast<std::uint8_t const*>(base);
      made.bytes.assign(begin, begin + (end_ - offset));
      made.main_offset = static_cast<std::int64_t>(main - base);
      if (prepares) made.prepare_offset = static_cast<std::int64_t>(prepare - base);
    }
    (void)take(LLVMOrcResourceTrackerRemove(tracker));
    LLVMOrcReleaseResourceTracker(tracker);
    if (!diagnostics.empty()) return std::nullopt;
    return made;
  }

  /// The address of a symbol; linking happens now. In-process lookups answer before they return.
  [[nodiscard]] std::string find(char const* name, std::uint64_t& address) {
    struct answer {
      std::uint64_t address = 0;
      std::string failure;
    } got;
    LLVMOrcCJITDylibSearchOrderElement order{library_, LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
    LLVMOrcCLookupSetElement symbol{LLVMOrcExecutionSessionIntern(session_, name), LLVMOrcSymbolLookupFlagsRequiredSymbol};
    reported_.clear();
    LLVMOrcExecutionSessionLookup(
        session_, LLVMOrcLookupKindStatic, &order, 1, &symbol, 1,
        [](LLVMErrorRef e, LLVMOrcCSymbolMapPairs found, std::size_t count, void* to) {
          auto& a = *static_cast<answer*>(to);
          a.failure = take(e);
          if (a.failure.empty() && count == 1) a.address = found[0].Sym.Address;
        },
        &got);
    address = got.address;
    return got.failure.empty() ? got.failure : got.failure + (reported_.empty() ? "" : ": " + reported_);
  }

  LLVMOrcLLJITRef jit_ = nullptr;
  LLVMOrcExecutionSessionRef session_ = nullptr;
  LLVMOrcJITDylibRef library_ = nullptr;
  std::string reported_;
  std::string failure_;
  std::vector<std::uint8_t> block_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace ttune::inline v0::llvm
