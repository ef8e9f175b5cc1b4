// SPDX-License-Identifier: Apache-2.0
// What a measurer and its worker say to each other over two descriptors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/trial_bench.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune::inline v0::protocol {

/// A message is {magic u32, kind u32, length u64, body}. The worker says `hello` first; then the parent asks, and the
/// worker answers each request once, after any number of `stage`s, and says `alive` twice a second while it works on
/// one. A worker that is about to die says `fault`.
inline constexpr std::uint32_t magic = 0x77757474;  // "ttuw"
inline constexpr std::uint32_t version = 2;
inline constexpr std::uint64_t longest = std::uint64_t{1} << 36;
inline constexpr char const* worker_argument = "--ttune-worker";

enum class kind : std::uint32_t {
  hello,  ///< version, ABI, library version
  open,   ///< signature, options
  reference,
  reference_bytes,
  measure,
  run,
  compare,
  operand,
  answer,  ///< complaint (empty if there is none), content
  stage,   ///< u32
  fault,
  alive,  ///< empty
  last = alive
};

struct head {
  std::uint32_t magic = protocol::magic;
  protocol::kind kind = protocol::kind::answer;
  std::uint64_t length = 0;
};

struct message {
  protocol::kind kind = protocol::kind::answer;
  std::vector<std::uint8_t> body;
};

/// How a signal ended a kernel, written by the handler: no constructor, no padding.
struct fault {
  std::int32_t signal = 0;
  std::int32_t operand = -2;  ///< whose guard was touched; -1: a buffer of the kernel; -2: none
  std::int32_t side = 0;      ///< -1 before the start, 1 past the end
  std::int32_t write = -1;    ///< 1 a write, 0 a read, -1 unknown
  std::int64_t distance = 0;  ///< bytes from that end, at least 1
  std::uint64_t address = 0;
};

enum class outcome : std::uint8_t { ok, closed, late, stopped, malformed };

/// Asked every 20 ms at most while waiting.
using stop_check = std::function<bool()>;
using time_point = std::chrono::steady_clock::time_point;

[[nodiscard]] outcome send(int fd, kind what, std::span<std::uint8_t const> body, time_point deadline,
                           stop_check const& stopped);
/// Takes memory for what has arrived, not for what is announced.
[[nodiscard]] outcome receive(int fd, message& into, time_point deadline, stop_check const& stopped);

void put(byte_sink& out, bench_options const& o);
void put(byte_sink& out, trial_limits const& l);
void put(byte_sink& out, comparison const& c);
// Throw record_error for bytes that cannot be.
void get(byte_source& in, bench_options& o);
void get(byte_source& in, trial_limits& l);
void get(byte_source& in, comparison& c);
[[nodiscard]] fault get_fault(std::span<std::uint8_t const> body);

}  // namespace ttune::inline v0::protocol

#if TTUNE_HEADER_ONLY
#include "ttune/runtime/worker/protocol.inl.hpp"
#endif
