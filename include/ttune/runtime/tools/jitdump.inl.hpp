// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ttune/runtime/tools/elf_machine.hpp"
#include "ttune/runtime/tools/jitdump.hpp"

namespace ttune { inline namespace v0 { namespace tools {

namespace detail {

enum jitdump_record : std::uint32_t { jit_code_load = 0, jit_code_debug_info = 2 };

template <class T>
void put_number(std::string& to, T value) {
  to.append(reinterpret_cast<char const*>(&value), sizeof value);
}
inline void put_text(std::string& to, std::string const& text) { to.append(text.c_str(), text.size() + 1); }

/// Returns nanoseconds of the clock that `perf record -k mono` uses.
inline std::uint64_t jitdump_time() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000U + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace detail

jitdump::jitdump(std::string path) : file_(std::move(path)) {
  std::string header;
  detail::put_number(header, std::uint32_t{0x4A695444});  // "JiTD"
  detail::put_number(header, std::uint32_t{1});           // version
  detail::put_number(header, std::uint32_t{40});          // bytes of this header
  detail::put_number(header, std::uint32_t{elf_machine});
  detail::put_number(header, std::uint32_t{0});
  detail::put_number(header, static_cast<std::uint32_t>(::getpid()));
  detail::put_number(header, detail::jitdump_time());
  detail::put_number(header, std::uint64_t{0});  // flags
  file_.write(header);
  mapped_ = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_.descriptor(), 0);
  if (mapped_ == MAP_FAILED) file_.fail(errno);  // on a file system that holds no programs
}

jitdump::~jitdump() { ::munmap(mapped_, mapped_bytes); }

void jitdump::add(std::uintptr_t code, kernel_image const& image) {
  records_.clear();
  for (auto const& f : functions_of(image)) {
    if (image.map) add_lines(code, f, *image.map);
    add_code(code, f, image.code);
  }
  file_.write(records_);
}

void jitdump::add_record(std::uint32_t kind, std::string const& body) {
  constexpr std::uint32_t prefix_bytes = 16;
  detail::put_number(records_, kind);
  detail::put_number(records_, prefix_bytes + static_cast<std::uint32_t>(body.size()));
  detail::put_number(records_, detail::jitdump_time());
  records_ += body;
}

/// Adds the lines of a function, which must stand in front of its code.
void jitdump::add_lines(std::uintptr_t code, code_function const& f, code_map const& map) {
  std::string entries;
  std::uint64_t count = 0;
  for (auto const& l : map.lines) {
    if (l.offset < f.offset || l.offset >= f.offset + f.bytes || l.line == 0) continue;
    ++count;
    detail::put_number(entries, std::uint64_t{code} + static_cast<std::uint64_t>(l.offset));
    detail::put_number(entries, static_cast<std::uint32_t>(l.line));
    detail::put_number(entries, std::uint32_t{0});  // discriminator
    detail::put_text(entries, map.path());
  }
  if (count == 0) return;
  std::string body;
  detail::put_number(body, std::uint64_t{code} + static_cast<std::uint64_t>(f.offset));
  detail::put_number(body, count);
  add_record(detail::jit_code_debug_info, body + entries);
}

void jitdump::add_code(std::uintptr_t code, code_function const& f, std::span<std::uint8_t const> bytes) {
  auto const address = std::uint64_t{code} + static_cast<std::uint64_t>(f.offset);
  std::string body;
  detail::put_number(body, static_cast<std::uint32_t>(::getpid()));
  detail::put_number(body, static_cast<std::uint32_t>(::syscall(SYS_gettid)));
  detail::put_number(body, address);  // where the code is linked to, and where it is
  detail::put_number(body, address);
  detail::put_number(body, static_cast<std::uint64_t>(f.bytes));
  detail::put_number(body, next_++);
  detail::put_text(body, f.name);
  auto const part = bytes.subspan(static_cast<std::size_t>(f.offset), static_cast<std::size_t>(f.bytes));
  body.append(reinterpret_cast<char const*>(part.data()), part.size());
  add_record(detail::jit_code_load, body);
}

}}}  // namespace ttune::v0::tools
