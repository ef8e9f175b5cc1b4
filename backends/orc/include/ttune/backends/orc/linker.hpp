// SPDX-License-Identifier: Apache-2.0
// Links an object by ORC into one block of memory that can be copied anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ttune/backends/orc/api.hpp"
#include "ttune/backends/orc/elf_linker.hpp"

namespace ttune::inline v0::orc {

#if TTUNE_ORC_PLACES_SECTIONS

/// An ORC session whose sections all come from one block. An object is linked twice, at two addresses: if the bytes
/// differ, it holds an absolute address and is refused, as is one that refers to something outside of itself or has
/// data to write. Nothing that the object does wrong ends the process.
class linker {
 public:
  /// Consumes the description of the machine whose objects are linked; it may be another than this one.
  explicit linker(machine_owner of);
  linker(linker const&) = delete;
  linker& operator=(linker const&) = delete;
  ~linker();

  /// Why it cannot be used; empty if it can.
  [[nodiscard]] std::string const& failure() const noexcept { return failure_; }
  /// Nothing, and `diagnostics` says why, if the object cannot be linked to stand alone. 0.2 ms.
  [[nodiscard]] std::optional<linked_code> link(LLVMMemoryBufferRef object, bool prepares, std::string& diagnostics);

 private:
  static constexpr std::size_t most_bytes = most_image_bytes;
  static constexpr std::size_t page_bytes = 4096;

  struct section {
    std::string name;
    std::size_t begin;  ///< from the start of the image
  };

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
  std::string reported_;  ///< what ORC told on the way, of which its result holds only the end
  std::string failure_;

  std::unique_ptr<std::uint8_t[]> memory_;  ///< room for both addresses; the system backs only what is touched
  std::uint8_t* block_ = nullptr;           ///< the first page in it
  // of the object being linked
  std::size_t begin_ = 0;  ///< of its image in the block
  std::size_t end_ = 0;
  std::vector<section> sections_;
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

}  // namespace ttune::inline v0::orc

#if TTUNE_ORC_PLACES_SECTIONS && TTUNE_PART_BODIES
#include "ttune/backends/orc/linker.inl.hpp"
#endif
