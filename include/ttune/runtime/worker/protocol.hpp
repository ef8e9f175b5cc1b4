// SPDX-License-Identifier: Apache-2.0
// The message protocol between a runner and its worker, over two descriptors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/measure/comparison.hpp"
#include "ttune/runtime/measure/measurement.hpp"
#include "ttune/runtime/measure/runner_options.hpp"
#include "ttune/runtime/measure/trial_limits.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune { inline namespace v0 { namespace protocol {

/// A message is {magic u32, kind u32, length u64, body}. The worker sends `hello` first; then the parent sends
/// requests. The worker answers each request once, after any number of `stage` messages, and sends `alive` twice a
/// second while it works on one. A worker that is about to die sends `fault`.
inline constexpr std::uint32_t magic = 0x77757474;  // "ttuw"
inline constexpr std::uint32_t version = 3;
inline constexpr std::uint64_t longest = std::uint64_t{1} << 36;
inline constexpr char const* worker_argument = "--ttune-worker";

/// Kinds of messages, with the content of their bodies.
enum class kind : std::uint32_t {
  hello,  ///< version, ABI, library version
  open,   ///< signature, options
  reference,
  reference_bytes,
  measure,
  run,
  compare,
  operand,
  answer,  ///< complaint (empty if there is none), then the content
  stage,   ///< u32
  fault,
  alive,    ///< empty
  compile,  ///< name of the device, then what its compiler wants
  last = compile
};

/// The head of a message.
struct head {
  std::uint32_t magic = protocol::magic;
  protocol::kind kind = protocol::kind::answer;
  std::uint64_t length = 0;
};

/// A received message.
struct message {
  protocol::kind kind = protocol::kind::answer;
  std::vector<std::uint8_t> body;
};

/// Describes the signal that ended a kernel. The signal handler writes it: no constructor, no padding.
struct fault {
  std::int32_t signal = 0;
  std::int32_t operand = -2;  ///< operand whose guard was touched; -1: a buffer of the kernel; -2: none
  std::int32_t side = 0;      ///< -1 before the start, 1 past the end
  std::int32_t write = -1;    ///< 1 a write, 0 a read, -1 unknown
  std::int64_t distance = 0;  ///< bytes from that end, at least 1
  std::uint64_t address = 0;
};

/// Result of sending or receiving a message.
enum class outcome : std::uint8_t { ok, closed, late, stopped, malformed };

/// Callback that returns true to stop waiting; called at least every 20 ms.
using stop_check = std::function<bool()>;
using time_point = std::chrono::steady_clock::time_point;

[[nodiscard]] outcome send(int fd, kind what, std::span<std::uint8_t const> body, time_point deadline,
                           stop_check const& stopped);
/// Receives a message. Memory is allocated for the bytes that arrived, not for the announced length.
[[nodiscard]] outcome receive(int fd, message& into, time_point deadline, stop_check const& stopped);

void put(byte_sink& out, runner_options const& o);
void put(byte_sink& out, trial_limits const& l);
void put(byte_sink& out, comparison const& c);
// The `get` functions throw record_error for invalid bytes.
void get(byte_source& in, runner_options& o);
void get(byte_source& in, trial_limits& l);
void get(byte_source& in, comparison& c);
[[nodiscard]] fault get_fault(std::span<std::uint8_t const> body);

}}}  // namespace ttune::v0::protocol

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/worker/protocol.inl.hpp"
#endif
