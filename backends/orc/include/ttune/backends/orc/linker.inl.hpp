// SPDX-License-Identifier: Apache-2.0
// The ORC session, its memory, and the comparison of the two images.
#pragma once

#include <algorithm>
#include <cstring>

#include "ttune/backends/orc/linker.hpp"

#if TTUNE_ORC_PLACES_SECTIONS

namespace ttune { inline namespace v0 { namespace orc {

linker::linker(machine_owner of) : memory_(new std::uint8_t[2 * most_bytes + 2 * page_bytes]) {
  auto const start = reinterpret_cast<std::uintptr_t>(memory_.get());
  block_ = memory_.get() + (page_bytes - start % page_bytes) % page_bytes;

  auto* const builder = LLVMOrcCreateLLJITBuilder();
  LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(of.release()));
  LLVMOrcLLJITBuilderSetObjectLinkingLayerCreator(builder, &linker::create_layer, this);
  failure_ = take(LLVMOrcCreateLLJIT(&jit_, builder));
  if (!failure_.empty()) return;
  session_ = LLVMOrcLLJITGetExecutionSession(jit_);
  auto const report = [](void* self, LLVMErrorRef e) { static_cast<linker*>(self)->reported_ += take(e) + "\n"; };
  LLVMOrcExecutionSessionSetErrorReporter(session_, report, this);
  // A bare library: it sees no symbols of this process, so a call to an external function fails to link.
  library_ = LLVMOrcExecutionSessionCreateBareJITDylib(session_, "kernels");
}

linker::~linker() {
  if (jit_) (void)take(LLVMOrcDisposeLLJIT(jit_));
}

LLVMOrcObjectLayerRef linker::create_layer(void* self, LLVMOrcExecutionSessionRef session, char const*) {
  auto const code = [](void* l, std::uintptr_t size, unsigned align, unsigned, char const* name) {
    return static_cast<linker*>(l)->place(size, align, name, false);
  };
  auto const data = [](void* l, std::uintptr_t size, unsigned align, unsigned, char const* name, LLVMBool read_only) {
    return static_cast<linker*>(l)->place(size, align, name, read_only == 0);
  };
  return LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks(
      session, self, [](void* l) { return l; }, [](void*) {}, code, data, [](void*, char**) -> LLVMBool { return 0; },
      [](void*) {});
}

/// Allocates a section. LLVM ends the process if an allocation fails, so a failure is recorded and reported after
/// linking.
std::uint8_t* linker::place(std::size_t size, std::size_t align, char const* name, bool writable) {
  align = std::max<std::size_t>(align, 64);  // a cache line, and the widest vector
  auto const begin = (end_ + align - 1) / align * align;
  if (writable && size > 0) fault_ = std::string("it needs the writable section ") + name;
  if (align > page_bytes) fault_ = std::string("section ") + name + " asks for more alignment than a page";
  if (size > most_bytes || begin + size > begin_ + most_bytes) {
    fault_ = "it has more than 16 MiB";
    return place_elsewhere(size);
  }
  std::memset(block_ + end_, 0, begin + size - end_);
  end_ = begin + size;
  sections_.push_back({name, begin - begin_});
  return block_ + begin;
}

std::uint8_t* linker::place_elsewhere(std::size_t size) {
  return elsewhere_.emplace_back(new std::uint8_t[size]).get();
}

std::optional<linked_code> linker::link(LLVMMemoryBufferRef object, bool prepares, std::string& diagnostics) {
  if (!failure_.empty()) return diagnostics = failure_, std::nullopt;
  auto first = link_at(0, object, prepares, diagnostics);
  if (!first) return std::nullopt;
  auto const second = link_at(most_bytes + page_bytes, object, prepares, diagnostics);
  if (!second) return std::nullopt;
  diagnostics = difference(*first, *second);
  return diagnostics.empty() ? std::move(first) : std::nullopt;
}

std::optional<linked_code> linker::link_at(std::size_t offset, LLVMMemoryBufferRef object, bool prepares,
                                           std::string& diagnostics) {
  begin_ = end_ = offset;
  sections_.clear();
  elsewhere_.clear();
  fault_.clear();
  reported_.clear();
  auto* const tracker = LLVMOrcJITDylibCreateResourceTracker(library_);
  auto* const copy =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(object), LLVMGetBufferSize(object), "kernel");
  diagnostics = take(LLVMOrcLLJITAddObjectFileWithRT(jit_, tracker, copy));
  auto made = diagnostics.empty() ? collect(prepares, diagnostics) : std::nullopt;
  (void)take(LLVMOrcResourceTrackerRemove(tracker));
  LLVMOrcReleaseResourceTracker(tracker);
  return made;
}

/// Returns the image after looking up its entries; the look-up makes ORC link.
std::optional<linked_code> linker::collect(bool prepares, std::string& diagnostics) {
  auto const main = find("ttune_main", diagnostics);
  auto const prepare = prepares && diagnostics.empty() ? find("ttune_prepare", diagnostics) : 0;
  if (diagnostics.empty() && !fault_.empty()) diagnostics = "the code cannot stand alone: " + fault_;
  if (!diagnostics.empty()) return std::nullopt;
  auto const* const image = block_ + begin_;
  auto const offset = [&](std::uint64_t address) {
    return static_cast<std::int64_t>(address - reinterpret_cast<std::uintptr_t>(image));
  };
  linked_code made;
  made.bytes.assign(image, image + (end_ - begin_));
  made.sections = sections_;
  made.main_offset = offset(main);
  if (prepares) made.prepare_offset = offset(prepare);
  return made;
}

/// Returns the address of a symbol. The thread that looks up a symbol links its object, so the result is available on
/// return.
std::uint64_t linker::find(char const* name, std::string& diagnostics) {
  struct answer {
    std::uint64_t address = 0;
    std::string failure;
  } got;
  auto const receive = [](LLVMErrorRef e, LLVMOrcCSymbolMapPairs found, std::size_t count, void* to) {
    auto& a = *static_cast<answer*>(to);
    a.failure = take(e);
    if (a.failure.empty() && count == 1) a.address = found[0].Sym.Address;
  };
  LLVMOrcCJITDylibSearchOrderElement order{library_, LLVMOrcJITDylibLookupFlagsMatchAllSymbols};
  LLVMOrcCLookupSetElement symbol{LLVMOrcExecutionSessionIntern(session_, name),
                                  LLVMOrcSymbolLookupFlagsRequiredSymbol};
  LLVMOrcExecutionSessionLookup(session_, LLVMOrcLookupKindStatic, &order, 1, &symbol, 1, receive, &got);
  if (!got.failure.empty()) diagnostics = "the code cannot be linked: " + reported_ + got.failure;
  return got.address;
}

/// Describes the difference of two images; empty if they are equal.
std::string linker::difference(linked_code const& a, linked_code const& b) const {
  if (a.bytes == b.bytes) return {};
  auto const sizes = std::min(a.bytes.size(), b.bytes.size());
  std::size_t at = 0;
  while (at < sizes && a.bytes[at] == b.bytes[at]) ++at;
  std::string name = "?";
  for (auto const& s : sections_)
    if (s.begin <= at) name = s.name;
  return "the code cannot stand alone: section " + name + " holds an absolute address";
}

}}}  // namespace ttune::v0::orc

#endif
