// SPDX-License-Identifier: Apache-2.0
// One request to a worker process, with its deadlines, until the answer has arrived or the worker is given up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "ttune/runtime/worker/protocol.hpp"
#include "ttune/support/bytes.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Time limits of a request, in seconds: until its first run begins, for that run, for the rest. The defaults are long
/// and suit requests that only need the results of a kernel: the processors may be busy, and drivers compile when a
/// kernel is loaded or first run.
struct request_limits {
  double load = 60;
  double first_run = 60;
  double rest = 60;
  double runs = 12;  ///< extra time for the rest, in multiples of the first run's time
};

/// The numbers from which the deadlines of all requests to one worker are computed.
struct worker_pace {
  double silence_seconds = 30;  ///< a worker that sends nothing for this long is lost
  double transport_margin = 0;  ///< extra seconds for the round trip to a remote worker
  double operand_bytes = 0;     ///< of all operands together; more bytes take longer to transfer and to compare
};

/// Returns the moment in `seconds` from now.
[[nodiscard]] protocol::time_point in_seconds(double seconds);

/// One request. Keeps references to the arguments of its constructor.
class worker_request {
 public:
  /// Parses the content of an answer; throws record_error for invalid content.
  using reader = std::function<void(byte_source&)>;

  worker_request(worker_pace const& pace, request_limits const& limits, reader const& read)
      : pace_(pace), limits_(limits), read_(read) {}

  /// Sends the request and waits for the answer. Returns `ok` if the worker answered, else why it did not; the worker
  /// cannot be used then.
  [[nodiscard]] protocol::outcome exchange(int socket, protocol::kind what, std::span<std::uint8_t const> body,
                                           std::stop_token const& stop);

  /// Returns the worker's reason for not doing what was asked; empty if it did.
  [[nodiscard]] std::string const& complaint() const noexcept { return complaint_; }
  /// Returns the fault that the worker reported before it died.
  [[nodiscard]] std::optional<protocol::fault> const& fault() const noexcept { return fault_; }
  /// Returns true if the time ran out because the worker sent nothing for too long, or accepted no data.
  [[nodiscard]] bool silent() const noexcept { return silent_; }

 private:
  [[nodiscard]] bool take(protocol::message const& m);
  void begin_stage(std::uint32_t stage);
  void take_answer(byte_source& in);

  worker_pace const& pace_;
  request_limits const& limits_;
  reader const& read_;
  protocol::time_point deadline_ = {};
  protocol::time_point first_run_ = {};
  std::optional<protocol::fault> fault_;
  std::string complaint_;
  bool answered_ = false;
  bool silent_ = false;
};

}}}  // namespace ttune::v0::detail

#ifdef TTUNE_IMPLEMENTATION
#include "ttune/runtime/measure/worker_request.inl.hpp"
#endif
