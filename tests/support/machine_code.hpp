// SPDX-License-Identifier: Apache-2.0
// Kernels written as x86-64 bytes, right ones and bad ones: out = in, a copy of n bytes. Tests can plant a crash
// without a compiler.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "support/require.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/image.hpp"

#if defined(__x86_64__)
#define TTUNE_SKIP_UNLESS_X86() TTUNE_SKIP_UNLESS("x86-64", true, "")
#else
#define TTUNE_SKIP_UNLESS_X86() TTUNE_SKIP_UNLESS("x86-64", false, "its kernels are x86-64 machine code")
#endif

namespace ttune_test {

/// Returns 100 GiB, or the machine's memory if that is more: a worker may use three quarters of it.
inline std::int64_t too_many_bytes() {
  return std::max(std::int64_t{100} << 30, std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE));
}

/// A sequence of bytes and 32-bit numbers. On entry rdi has the operands, rsi the runtime, rdx the workspace.
class code {
 public:
  code& bytes(std::initializer_list<int> values) {
    for (auto const v : values) bytes_.push_back(static_cast<std::uint8_t>(v));
    return *this;
  }
  code& number(std::int64_t value) {
    for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    return *this;
  }
  code& then(code const& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  [[nodiscard]] std::vector<std::uint8_t> const& get() const { return bytes_; }

  /// Copies operands[from][0, n) to operands[to][0, n). Keeps rdi.
  static code copy(int from, int to, std::int64_t n) {
    return code()
        .bytes({0x57, 0x48, 0x8B, 0x77, 8 * from})  // push rdi; mov rsi, [rdi + 8 from]
        .bytes({0x48, 0x8B, 0x7F, 8 * to, 0xB9})    // mov rdi, [rdi + 8 to]; mov ecx, n
        .number(n)
        .bytes({0xF3, 0xA4, 0x5F});  // rep movsb; pop rdi
  }
  /// Writes a byte to an operand.
  static code write(int operand, std::int64_t offset, int value) {
    return code().bytes({0x48, 0x8B, 0x47, 8 * operand, 0xC6, 0x80}).number(offset).bytes({value});
  }
  /// Writes 32 bits to an operand.
  static code write_word(int operand, std::int64_t offset, std::int64_t value) {
    return code().bytes({0x48, 0x8B, 0x47, 8 * operand, 0xC7, 0x80}).number(offset).number(value);
  }
  static code read(int operand, std::int64_t offset) {
    return code().bytes({0x48, 0x8B, 0x47, 8 * operand, 0x8A, 0x80}).number(offset);
  }
  static code ret() { return code().bytes({0xC3}); }
  static code null_write() { return code().bytes({0x31, 0xC0, 0xC6, 0x00, 0x01}); }
  static code endless_loop() { return code().bytes({0xEB, 0xFE}); }
  static code illegal_instruction() { return code().bytes({0x0F, 0x0B}); }
  static code endless_recursion() { return code().bytes({0xE8, 0xFB, 0xFF, 0xFF, 0xFF}); }
  static code exit(int status) {
    return code().bytes({0xB8, 0xE7, 0, 0, 0, 0xBF}).number(status).bytes({0x0F, 0x05});  // exit_group
  }
  /// Calls kill(getpid(), SIGABRT).
  static code abort() {
    return code().bytes({0xB8, 39, 0, 0, 0, 0x0F, 0x05, 0x89, 0xC7, 0xBE, 6, 0, 0, 0, 0xB8, 62, 0, 0, 0, 0x0F, 0x05});
  }
  /// Maps too_many_bytes(), then writes to the first of them.
  static code huge_allocation() {
    auto const wanted = too_many_bytes();
    return code()
        .bytes({0xB8, 9, 0, 0, 0, 0x31, 0xFF, 0x48, 0xBE})  // mmap, null, so many
        .number(wanted & 0xFFFFFFFF)
        .number(wanted >> 32)
        .bytes({0xBA, 3, 0, 0, 0, 0x41, 0xBA, 0x22, 0, 0, 0})  // read and write, private anonymous
        .bytes({0x49, 0xC7, 0xC0, 0xFF, 0xFF, 0xFF, 0xFF, 0x45, 0x31, 0xC9, 0x0F, 0x05})
        .bytes({0xC6, 0x00, 0x01});  // mov byte [rax], 1
  }
  /// Counts down from n * 1000: at most about a microsecond for n = 3.
  static code spin(std::int64_t n) {
    return code().bytes({0xB8}).number(n * 1000).bytes({0xFF, 0xC8, 0x75, 0xFC});  // mov eax; dec eax; jnz
  }
  /// Starts tasks on the executor that write to address 0.
  static code parallel_null_write(std::int64_t tasks) {
    return code()
        .bytes({0x48, 0x89, 0xF7, 0x48, 0x8D, 0x35, 8, 0, 0, 0, 0xB9})  // rdi = rsi; rsi = body
        .number(tasks)
        .bytes({0xFF, 0x67, 0x08})
        .then(null_write());
  }
  /// Starts `tasks` tasks on the executor; each copies a part of operand 0 to operand 1 after `count` spins.
  static code parallel_copy(std::int64_t n, std::int64_t tasks, std::int64_t count = 1) {
    auto const part = n / tasks;
    return code()
        .bytes({0x48, 0x89, 0xFA, 0x48, 0x89, 0xF7, 0x48, 0x8D, 0x35, 8, 0, 0, 0})  // rdx = rdi; rdi = rsi; rsi = body
        .bytes({0xB9})
        .number(tasks)
        .bytes({0xFF, 0x67, 0x08})  // jmp [rdi + 8]
        .bytes({0xB8})              // body:
        .number(count * 1000)
        .bytes({0xFF, 0xC8, 0x75, 0xFC})
        .bytes({0x48, 0x69, 0xC6})  // rax = rsi * part
        .number(part)
        .bytes({0x48, 0x8B, 0x37, 0x48, 0x01, 0xC6, 0x48, 0x8B, 0x7F, 0x08, 0x48, 0x01, 0xC7, 0xB9})
        .number(part)
        .bytes({0xF3, 0xA4, 0xC3});
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

inline ttune::operand_info operand(std::string name, std::int64_t elements, ttune::operand_direction direction,
                                   ttune::dtype type = ttune::dtype::f32) {
  ttune::operand_info o;
  o.name = std::move(name);
  o.type = type;
  o.shape = {elements};
  o.direction = direction;
  return o;
}

/// Signature with A (n) and C (n) of one element type.
inline ttune::kernel_signature copy_signature(std::int64_t elements, ttune::dtype type = ttune::dtype::f32) {
  ttune::kernel_signature s;
  s.name = "copy";
  s.operands = {operand("A", elements, ttune::operand_direction::in, type),
                operand("C", elements, ttune::operand_direction::out, type)};
  return s;
}

inline ttune::kernel_image image_of(ttune::kernel_signature signature, code const& main) {
  ttune::kernel_image image;
  image.signature = std::move(signature);
  image.target = "x86_64 generic";
  image.abi = ttune::abi_version;
  image.code = main.get();
  image.main_offset = 0;
  return image;
}

/// Returns the right kernel.
inline ttune::kernel_image copy_image(std::int64_t elements = 1000, ttune::dtype type = ttune::dtype::f32) {
  auto s = copy_signature(elements, type);
  auto const bytes = s.operands[0].bytes();
  return image_of(std::move(s), code::copy(0, 1, bytes).then(code::ret()));
}

/// Returns the right kernel with other code before or after it.
inline ttune::kernel_image copy_and(code const& more, std::int64_t elements = 1000,
                                    ttune::dtype type = ttune::dtype::f32) {
  auto s = copy_signature(elements, type);
  auto const bytes = s.operands[0].bytes();
  return image_of(std::move(s), code::copy(0, 1, bytes).then(more).then(code::ret()));
}

/// Returns a kernel with a constant A: `prepare` copies it to a buffer of the kernel, main copies that to C.
inline ttune::kernel_image prepared_image(std::int64_t elements = 1000) {
  auto s = copy_signature(elements);
  s.operands[0].direction = ttune::operand_direction::constant;
  auto const bytes = s.operands[0].bytes();
  s.prepared_bytes = {bytes};
  auto const main = code::copy(2, 1, bytes).then(code::ret());
  auto const prepare = code::copy(0, 2, bytes).then(code::ret());
  auto image = image_of(std::move(s), main);
  image.prepare_offset = static_cast<std::int64_t>(image.code.size());
  image.code.insert(image.code.end(), prepare.get().begin(), prepare.get().end());
  return image;
}

}  // namespace ttune_test
