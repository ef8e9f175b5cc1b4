// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ttune/runtime/measure/fleet.hpp"
#include "ttune/runtime/measure/runner.hpp"
#include "ttune/runtime/worker/process.hpp"
#include "ttune/runtime/worker/protocol.hpp"
#include "ttune/runtime/worker/server.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 {

bool is_worker(int argc, char const* const* argv) noexcept {
  return argc == 2 && std::strcmp(argv[1], protocol::worker_argument) == 0;
}

bool inside_worker() noexcept {
  auto const* const value = std::getenv("TTUNE_WORKER");
  return value && *value != '\0';
}

int run_worker() {
  // Stray output must not corrupt the protocol: it goes to /dev/null.
  int const in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  int const out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  int const nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (out < 0 || in < 0 || nowhere < 0) return 2;
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  setenv("TTUNE_WORKER", "1", 1);
  worker::prepare_process(out);
  return worker::server(in, out).serve();
}

namespace detail {

[[noreturn]] inline void no_worker(std::string const& why) { throw backend_error("no worker: " + why); }

inline std::vector<std::string> words_of(worker_choice const& how) {
  if (auto const* c = std::get_if<worker::command>(&how)) {
    if (c->words.empty()) no_worker("worker::command has no words");
    return c->words;
  }
  if (std::holds_alternative<worker::self>(how))
    return {"/proc/self/exe", protocol::worker_argument};  // valid even if the file has been replaced
  auto path = std::get<worker::program>(how).path;
  std::string tried;
  if (path.empty()) path = worker::find_program(tried);
  if (path.empty())
    no_worker("ttune-worker is not installed (looked for " + tried +
              "); name it with TTUNE_WORKER_PROGRAM, or use worker::self{} or worker::in_process{}");
  return {path};
}

/// Describes a fault in a sentence for people.
inline std::string describe(protocol::fault const& f, kernel_signature const& s) {
  auto text = worker::signal_name(f.signal);
  if (f.operand >= -1) {
    auto const known = f.operand >= 0 && static_cast<std::size_t>(f.operand) < s.operands.size();
    text += std::string(": ") +
            (f.write == 1   ? "wrote "
             : f.write == 0 ? "read "
                            : "touched ") +
            std::to_string(f.distance) + (f.side < 0 ? " bytes before the start of " : " bytes past the end of ") +
            (known ? s.operands[static_cast<std::size_t>(f.operand)].name : std::string("a buffer of the kernel"));
  } else if (f.address != 0 || f.write >= 0) {
    char at[32];
    std::snprintf(at, sizeof at, "0x%llx", static_cast<unsigned long long>(f.address));
    text += std::string(f.write == 1 ? ": wrote to " : ": read from ") + at;
  }
  return text;
}

inline bool is_failed_allocation(protocol::fault const& f) noexcept {
  return f.address == static_cast<std::uint64_t>(-std::int64_t{ENOMEM});
}

/// Extra timeout for remote commands (round trip).
inline constexpr double transport_margin = 1;

inline protocol::time_point in_seconds(double s) {
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(std::min(s, 1e8)));
}

}  // namespace detail

/// The parent's side of one worker process.
class runner::process {
 public:
  process(worker_choice const& how, kernel_signature signature, runner_options options, std::stop_token token)
      : stop(std::move(token)),
        words_(detail::words_of(how)),
        is_self_(std::holds_alternative<worker::self>(how)),
        signature_(std::move(signature)),
        options_(std::move(options)) {
    if (auto const* c = std::get_if<worker::command>(&how)) {
      device_ = c->device;
      silence_seconds_ = c->silence_seconds;
      transport_margin_ = detail::transport_margin;
    }
    for (auto const& o : signature_.operands) operand_bytes_ += static_cast<double>(o.bytes());
    start();
  }

  /// Time limits of a request, in seconds: until its first run begins, for that run, for the rest. The defaults are
  /// long and suit requests that only need the results of a kernel: the processors may be busy, and drivers compile
  /// when a kernel is loaded or first run.
  struct timeouts {
    double load = 60;
    double first_run = 60;
    double rest = 60;
    double runs = 12;  ///< extra time for the rest, in multiples of the first run's time
  };

  /// Parses the content of an answer into a result; throws record_error for invalid content.
  using reader = std::function<void(byte_source&)>;

  /// Sends a request and waits for the answer. Returns false if the worker dies, refuses, or answers with malformed
  /// data; `failure` says which.
  [[nodiscard]] bool ask(protocol::kind what, std::span<std::uint8_t const> body, timeouts const& limit,
                         measurement& failure, reader const& read) {
    auto const begin = ttune::detail::steady::now();
    was_lost_ = false;
    if (died_idle()) retire();
    try {
      start();
    } catch (backend_error const&) {
      if (!stop.stop_requested()) throw;
      failure.status = trial_status::timed_out;
      failure.message = "stopped";
      return false;
    }
    auto const answered = exchange(what, body, limit, failure, read);
    failure.measure_seconds = ttune::detail::seconds_since(begin);
    return answered;
  }

  /// Like `ask`, for requests that fail only if the worker is broken. Throws backend_error on failure.
  void demand(protocol::kind what, std::span<std::uint8_t const> body, reader const& read) {
    measurement failure;
    if (!ask(what, body, {}, failure, read)) throw backend_error(description() + ": " + failure.message);
  }

  /// Ends the worker after a candidate wrote out of bounds: the extent of the damage is unknown.
  void retire() {
    if (!child_.running()) return;
    child_.end();
    ++respawns_;
  }

  void remember(std::vector<std::vector<std::uint8_t>> reference) { reference_ = std::move(reference); }
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> const& reference() const noexcept { return reference_; }
  [[nodiscard]] std::string description() const {
    return is_self_ ? "this program as a worker" : "worker " + words_.front();
  }
  [[nodiscard]] kernel_signature const& signature() const noexcept { return signature_; }

  [[nodiscard]] std::string const& device() const noexcept { return device_; }

  std::stop_token stop;
  std::int32_t respawns_ = 0;
  bool was_lost_ = false;  ///< true if the last request lost the worker

 private:
  /// Returns true if the worker ended between two requests: an idle worker sends nothing, so any event means its end.
  [[nodiscard]] bool died_idle() const noexcept {
    pollfd p{child_.socket(), POLLIN, 0};
    return child_.running() && poll(&p, 1, 0) > 0;
  }

  void start() {
    if (child_.running()) return;
    child_ = worker::child_process(words_);
    greet();
    byte_sink opening;
    put(opening, signature_);
    protocol::put(opening, options_);
    settle(protocol::kind::open, opening.take());
    bool const has_reference =
        std::any_of(reference_.begin(), reference_.end(), [](auto const& r) { return !r.empty(); });
    if (!has_reference) return;
    byte_sink expected;
    expected.put(reference_);
    settle(protocol::kind::reference_bytes, expected.take());
  }

  /// Makes a request that is part of starting the worker; a failure is an exception.
  void settle(protocol::kind what, std::vector<std::uint8_t> const& body) {
    measurement failure;
    if (exchange(what, body, {}, failure, [](byte_source&) {})) return;
    auto const said = child_.stderr_text();
    child_.end();
    if (failure.status == trial_status::unsupported) throw argument_error(failure.message);
    detail::no_worker(words_.front() + " failed: " + failure.message + (said.empty() ? "" : "; it said: " + said));
  }

  /// Receives the first message, which must be a worker's greeting; other programs print something else, nothing, or
  /// exit.
  void greet() {
    protocol::message m;
    auto const stopped = [this] { return stop.stop_requested(); };
    auto const got = protocol::receive(child_.socket(), m, detail::in_seconds(silence_seconds_), stopped);
    if (got == protocol::outcome::ok && m.kind == protocol::kind::hello && m.body.size() >= 8) {
      byte_source in(m.body);
      auto const version = in.get<std::uint32_t>();
      auto const abi = in.get<std::uint32_t>();
      if (version == protocol::version && abi == abi_version) return;
      child_.end();
      detail::no_worker(words_.front() + " belongs to another version of ttune: its protocol is " +
                        std::to_string(version) + ", its ABI " + std::to_string(abi) + "; here they are " +
                        std::to_string(protocol::version) + " and " + std::to_string(abi_version));
    }
    child_.end(got == protocol::outcome::closed);
    auto const said = child_.stderr_text();
    detail::no_worker((is_self_ ? worker::executable_path() : words_.front()) + " does not answer as a worker does" +
                      (got == protocol::outcome::late ? ": nothing was heard of it for " + silence() : "") +
                      (is_self_ ? ": main must begin with `if (ttune::is_worker(argc, argv)) return "
                                  "ttune::run_worker();`, before it prints anything"
                                : "") +
                      (said.empty() ? "" : "; it said: " + said));
  }

  [[nodiscard]] std::string silence() const {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", silence_seconds_);
    return text;
  }

  [[nodiscard]] bool exchange(protocol::kind what, std::span<std::uint8_t const> body, timeouts const& limit,
                              measurement& failure, reader const& read) {
    auto const stopped = [this] { return stop.stop_requested(); };
    protocol::stop_check const check = stop.stop_possible() ? protocol::stop_check(stopped) : protocol::stop_check();
    double const transfers = 10 + operand_bytes_ * 1e-7;
    conversation now{limit, detail::in_seconds(transfers), {}, {}};
    auto got = protocol::send(child_.socket(), what, body, now.deadline, check);
    now.silent = got == protocol::outcome::late;  // the worker accepts no data
    // Requests that run no kernel send no stages.
    now.deadline = detail::in_seconds(transfers + limit.load);
    while (got == protocol::outcome::ok && !now.answered) {
      auto const heard_by = detail::in_seconds(silence_seconds_);
      protocol::message m;
      got = protocol::receive(child_.socket(), m, std::min(now.deadline, heard_by), check);
      now.silent = got == protocol::outcome::late && heard_by < now.deadline;
      if (got == protocol::outcome::ok && !take(m, now, failure, read)) got = protocol::outcome::malformed;
    }
    if (!now.answered) explain(got, now, failure);
    return now.answered && !now.refused;
  }

  /// The state of one request: its limits and what the worker has sent so far.
  struct conversation {
    timeouts limit;
    protocol::time_point deadline;
    protocol::time_point first_run;
    std::optional<protocol::fault> fault;
    bool answered = false;
    bool refused = false;  ///< the answer is a complaint
    bool silent = false;
  };

  /// Handles one message; returns false if it is malformed.
  [[nodiscard]] bool take(protocol::message const& m, conversation& now, measurement& failure,
                          reader const& read) const {
    using clock = std::chrono::steady_clock;
    try {
      byte_source in(m.body);
      if (m.kind == protocol::kind::alive) return true;
      if (m.kind == protocol::kind::fault) return now.fault = protocol::get_fault(m.body), true;
      if (m.kind == protocol::kind::stage) {
        if (in.get<std::uint32_t>() == 0) {
          now.first_run = clock::now();
          now.deadline = detail::in_seconds(transport_margin_ + now.limit.first_run);
        } else {
          auto const took = std::chrono::duration<double>(clock::now() - now.first_run).count();
          now.deadline =
              detail::in_seconds(transport_margin_ + now.limit.rest + now.limit.runs * took + operand_bytes_ * 1e-8);
        }
        return true;
      }
      if (m.kind != protocol::kind::answer) return false;
      std::string complaint;
      in.get(complaint);
      byte_source content(in.get_bytes());
      in.finish();
      if (!complaint.empty()) {
        failure.message = std::move(complaint);
        failure.status = trial_status::unsupported;
        now.refused = true;
      } else {
        read(content);
        content.finish();
      }
      return now.answered = true;
    } catch (record_error const&) {
      return false;
    }
  }

  /// Fills `failure` for a worker that did not answer; the worker is gone when this returns.
  void explain(protocol::outcome got, conversation const& now, measurement& failure) {
    auto const& fault = now.fault;
    was_lost_ = !fault && (now.silent || got == protocol::outcome::closed || got == protocol::outcome::malformed);
    auto const how = child_.end(got == protocol::outcome::closed || fault.has_value());
    ++respawns_;
    if (fault) {
      bool const outside = fault->operand >= -1 && fault->write == 1;
      failure.status = detail::is_failed_allocation(*fault) ? trial_status::out_of_memory
                       : outside                            ? trial_status::wrote_outside
                                                            : trial_status::crashed;
      failure.message = detail::describe(*fault, signature_);
    } else if (got == protocol::outcome::stopped) {
      failure.status = trial_status::timed_out;
      failure.message = "stopped";
    } else if (now.silent) {
      failure.status = trial_status::timed_out;
      failure.message = "nothing was heard of the worker for " + silence();
    } else if (got == protocol::outcome::late) {
      failure.status = trial_status::timed_out;
      failure.message = "still running when its time was over";
    } else if (got == protocol::outcome::malformed) {
      failure.status = trial_status::crashed;
      failure.message = "the worker's answer makes no sense";
    } else if (how.by_signal && how.known) {
      // This process did not send the signal: the system kills processes that use too much memory.
      failure.status = how.number == SIGKILL ? trial_status::out_of_memory : trial_status::crashed;
      failure.message = worker::signal_name(how.number);
    } else {
      failure.status = trial_status::exited;
      failure.message =
          how.known ? "it ended its process with status " + std::to_string(how.number) : "it ended its process";
    }
  }

  std::vector<std::string> words_;
  bool is_self_ = false;
  std::string device_;
  double silence_seconds_ = 30;
  double transport_margin_ = 0;
  kernel_signature signature_;
  runner_options options_;
  double operand_bytes_ = 0;
  std::vector<std::vector<std::uint8_t>> reference_;
  worker::child_process child_;
};

namespace detail {

/// Returns true if the worker must be respawned after a trial with this status: its memory or its device may be
/// damaged.
inline bool must_respawn(trial_status s) noexcept {
  return s == trial_status::wrote_outside || s == trial_status::crashed;
}

inline std::vector<std::uint8_t> trial_request(kernel_image const& image, trial_limits const& limits) {
  byte_sink body;
  body.put(to_bytes(image));
  protocol::put(body, limits);
  return body.take();
}

}  // namespace detail

runner::runner(worker_choice how, kernel_signature const& signature, runner_options options, std::stop_token stop) {
  if (auto* const members = std::get_if<worker::fleet>(&how))
    fleet_ = std::make_unique<fleet_runner>(std::move(*members), signature, std::move(options), stop);
  else if (std::holds_alternative<worker::in_process>(how))
    local_ = std::make_unique<kernel_runner>(signature, std::move(options));
  else process_ = std::make_unique<process>(how, signature, std::move(options), stop);
  if (local_) local_->stop_with(std::move(stop));
}
runner::~runner() = default;
runner::runner(runner&&) noexcept = default;
runner& runner::operator=(runner&&) noexcept = default;

void runner::stop_with(std::stop_token token) {
  if (local_) local_->stop_with(std::move(token));
  else if (fleet_) fleet_->stop_with(std::move(token));
  else process_->stop = std::move(token);
}
bool runner::isolated() const noexcept { return !local_; }
bool runner::lost() const noexcept { return process_ && process_->was_lost_; }
std::size_t runner::width() const noexcept { return fleet_ ? fleet_->width() : 1; }
std::int32_t runner::respawns() const noexcept {
  return process_ ? process_->respawns_ : fleet_ ? fleet_->respawns() : 0;
}
std::string runner::description() const {
  return process_ ? process_->description() : fleet_ ? fleet_->description() : "in process, unprotected";
}

namespace detail {

/// Returns the time limit of the first run. The cutoff separates a hang from a slow candidate: a candidate that is
/// known to be slower gets little time.
inline double first_run_seconds(trial_limits const& l) {
  return l.cutoff_seconds > 0 ? std::min(l.hang_seconds, std::max(0.15, 25 * l.cutoff_seconds)) : l.hang_seconds;
}

}  // namespace detail

measurement runner::set_reference(kernel_image const& image, trial_limits const& limits) {
  if (local_) return local_->set_reference(image, limits);
  if (fleet_) return fleet_->set_reference(image, limits);
  process_->remember({});
  measurement m;
  std::vector<std::vector<std::uint8_t>> outputs;
  auto const answered =
      process_->ask(protocol::kind::reference, detail::trial_request(image, limits),
                    {.first_run = limits.hang_seconds, .rest = 2 + 4 * limits.total_seconds}, m, [&](byte_source& in) {
                      get(in, m);
                      in.get(outputs);
                    });
  m.device = process_->device();
  if (answered) process_->remember(std::move(outputs));
  if (answered && detail::must_respawn(m.status)) process_->retire();
  return m;
}

void runner::set_reference(std::vector<std::vector<std::uint8_t>> outputs) {
  if (local_) return local_->set_reference(std::move(outputs));
  if (fleet_) return fleet_->set_reference(std::move(outputs));
  byte_sink body;
  body.put(outputs);
  process_->demand(protocol::kind::reference_bytes, body.take(), [](byte_source&) {});
  process_->remember(std::move(outputs));
}

measurement runner::measure(kernel_image const& image, trial_limits const& limits) {
  if (local_) return local_->measure(image, limits);
  if (fleet_) return fleet_->submit(image, limits), std::move(fleet_->collect().front());
  measurement m;
  auto const answered =
      process_->ask(protocol::kind::measure, detail::trial_request(image, limits),
                    {.first_run = detail::first_run_seconds(limits), .rest = 1 + 4 * limits.total_seconds}, m,
                    [&](byte_source& in) { get(in, m); });
  m.device = process_->device();
  if (answered && detail::must_respawn(m.status)) process_->retire();
  return m;
}

void runner::submit(kernel_image image, trial_limits const& limits) {
  if (fleet_) fleet_->submit(std::move(image), limits);
  else submitted_.push_back(measure(image, limits));
}

std::vector<measurement> runner::collect() { return fleet_ ? fleet_->collect() : std::exchange(submitted_, {}); }

measurement runner::run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) {
  outputs.clear();
  if (local_) return local_->run(image, outputs);
  if (fleet_) return fleet_->run(image, outputs);
  byte_sink body;
  body.put(to_bytes(image));
  measurement m;
  auto const answered = process_->ask(protocol::kind::run, body.take(), {}, m, [&](byte_source& in) {
    get(in, m);
    in.get(outputs);
  });
  m.device = process_->device();
  if (answered && detail::must_respawn(m.status)) process_->retire();
  return m;
}

comparison runner::compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) {
  if (local_) return local_->compare(first, second, pairs);
  if (fleet_) return fleet_->compare(first, second, pairs);
  byte_sink body;
  body.put(to_bytes(first));
  body.put(to_bytes(second));
  body.put(pairs);
  measurement failure;
  comparison c;
  if (!process_->ask(protocol::kind::compare, body.take(),
                     {.first_run = 10, .rest = 10 + 0.01 * pairs, .runs = 10 + 8.0 * pairs}, failure,
                     [&](byte_source& in) { protocol::get(in, c); })) {
    c = {};
    c.failure = std::string(name_of(failure.status)) + ": " + failure.message;
  }
  return c;
}

std::vector<std::uint8_t> runner::operand_bytes(std::size_t operand) {
  if (local_) return local_->operand_bytes(operand);
  if (fleet_) return fleet_->operand_bytes(operand);
  auto const& known = process_->reference();
  if (operand < known.size() && !known[operand].empty()) return known[operand];
  if (operand >= process_->signature().operands.size()) throw argument_error("there is no such operand");
  byte_sink body;
  body.put(static_cast<std::uint32_t>(operand));
  std::vector<std::uint8_t> bytes;
  process_->demand(protocol::kind::operand, body.take(), [&](byte_source& in) { in.get(bytes); });
  return bytes;
}

}}  // namespace ttune::v0
