// SPDX-License-Identifier: Apache-2.0
// Links an object by ORC into one block of memory that can be copied to any address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/orc/api.hpp"
#include "ttune/backends/orc/elf_linker.hpp"

namespace ttune { inline namespace v0 { namespace orc {

#if TTUNE_ORC_PLACES_SECTIONS

/// An ORC session whose sections are all in one block. An object is linked twice, at two addresses: if the bytes
/// differ, it contains an absolute address and is refused, as is an object with external references or writable data.
/// No fault of an object ends the process.
class linker {
 public:
  /// Takes ownership of the target machine whose objects are linked; it may differ from this machine.
  explicit linker(machine_owner of);
  linker(linker const&) = delete;
  linker& operator=(linker const&) = delete;
  ~linker();

  /// Returns why the linker cannot be used; empty if it can.
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }
  /// Links an object. Returns nothing, with the reason in `diagnostics`, if it is not self-contained. Takes 0.2 ms.
  [[nodiscard]] std::optional<linked_code> link(LLVMMemoryBufferRef object, bool prepares, std::string& diagnostics);

 private:
  static constexpr std::size_t most_bytes = most_image_bytes;
  static constexpr std::size_t page_bytes = 4096;

  static LLVMOrcObjectLayerRef create_layer(void* self, LLVMOrcExecutionSessionRef session, char const* triple);
  [[nodiscard]] std::uint8_t* place(std::size_t size, std::size_t align, char const* name, bool writable);
  [[nodiscard]] std::uint8_t* place_elsewhere(std::size_t size);
  [[nodiscard]] std::optional<linked_code> link_at(std::size_t offset, LLVMMemoryBufferRef object, bool prepares,
                                                   std::string& diagnostics);
  [[nodiscard]] std::optional<linked_code> collect(bool prepares, std::string& diagnostics);
  [[nodiscard]] std::uint64_t find(char const* name, std::string& diagnostics);
  [[nodiscard]] std::string difference(linked_code const& a, linked_code const& b) const;

  LLVMOrcLLJITRef jit_ = nullptr;
  LLVMOrcExecutionSessionRef session_ = nullptr;
  LLVMOrcJITDylibRef library_ = nullptr;
  std::string reported_;  ///< errors that ORC reported while linking; its result contains only the last one
  std::string failure_;

  /// Address space for both addresses; the system backs only pages that are used.
  std::unique_ptr<std::uint8_t[]> memory_;
  std::uint8_t* block_ = nullptr;  ///< the first page of memory_
  // State of the current object.
  std::size_t begin_ = 0;  ///< start of its image in the block
  std::size_t end_ = 0;
  std::vector<placed_section> sections_;
  std::vector<std::unique_ptr<std::uint8_t[]>> elsewhere_;
  std::string fault_;
};

#else

class linker {
 public:
  explicit linker(machine_owner of) {
    if (!take(LLVMGetTargetMachineTriple(of.get())).starts_with("x86_64"))
      failure_ = "with LLVM 15 kernels are linked for x86-64 only: install llvm-19-dev";
  }
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }
  [[nodiscard]] std::optional<linked_code> link(LLVMMemoryBufferRef object, bool, std::string& diagnostics) {
    auto const* const begin = reinterpret_cast<std::uint8_t const*>(LLVMGetBufferStart(object));
    return elf_linker({begin, LLVMGetBufferSize(object)}).link(diagnostics);
  }

 private:
  std::string failure_;
};

#endif

}}}  // namespace ttune::v0::orc

#if TTUNE_ORC_PLACES_SECTIONS && TTUNE_PART_BODIES
#include "ttune/backends/orc/linker.inl.hpp"
#endif
