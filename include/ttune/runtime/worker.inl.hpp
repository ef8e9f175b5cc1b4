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

#include "ttune/runtime/worker.hpp"
#include "ttune/runtime/worker/process.hpp"
#include "ttune/runtime/worker/protocol.hpp"
#include "ttune/runtime/worker/server.hpp"
#include "ttune/support/clock.hpp"
#include "ttune/support/error.hpp"

namespace ttune::inline v0 {

TTUNE_INLINE bool is_worker(int argc, char const* const* argv) noexcept {
  return argc == 2 && std::strcmp(argv[1], protocol::worker_argument) == 0;
}

TTUNE_INLINE bool inside_worker() noexcept {
  auto const* const value = std::getenv("TTUNE_WORKER");
  return value && *value != '\0';
}

TTUNE_INLINE int run_worker() {
  // What anybody prints must not get between the answers.
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
    return {"/proc/self/exe", protocol::worker_argument};  // also when the file has been replaced
  auto path = std::get<worker::program>(how).path;
  std::string tried;
  if (path.empty()) path = worker::find_program(tried);
  if (path.empty())
    no_worker("ttune-worker is not installed (looked for " + tried +
              "); name it with TTUNE_WORKER_PROGRAM, or use worker::self{} or worker::in_process{}");
  return {path};
}

/// What a message to people says about a fault.
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

inline protocol::time_point in_seconds(double s) {
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                std::chrono::duration<double>(std::min(s, 1e8)));
}

}  // namespace detail

/// The worker as its parent sees it.
class measurer::process {
 public:
  process(worker_choice const& how, kernel_signature signature, bench_options options)
      : words_(detail::words_of(how)),
        is_self_(std::holds_alternative<worker::self>(how)),
        signature_(std::move(signature)),
        options_(std::move(options)) {
    for (auto const& o : signature_.operands) operand_bytes_ += static_cast<double>(o.bytes());
    start();
  }

  /// How long a request may take: until its first run begins, that run, all after it.
  struct patience {
    double first_run = 10;
    double rest = 60;
    double runs = 12;  ///< in the rest, of the length that the first one had
  };

  /// Asks. Nothing if the worker does not live to answer, or says that it cannot: then `failure` tells.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> ask(protocol::kind what, std::span<std::uint8_t const> body,
                                                             patience const& limit, measurement& failure) {
    auto const begin = ttune::detail::steady::now();
    if (lost()) retire();
    start();
    auto content = exchange(what, body, limit, failure);
    failure.measure_seconds = ttune::detail::seconds_since(begin);
    return content;
  }

  /// As ask, for what only a broken worker fails at. Throws backend_error.
  std::vector<std::uint8_t> demand(protocol::kind what, std::span<std::uint8_t const> body) {
    measurement failure;
    auto content = ask(what, body, {}, failure);
    if (!content) throw backend_error(description() + ": " + failure.message);
    return std::move(*content);
  }

  /// A candidate wrote where it must not: what else it spoiled is not known.
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

  std::stop_token stop;
  std::int32_t respawns_ = 0;

 private:
  /// It died while nobody asked for anything.
  [[nodiscard]] bool lost() const noexcept {
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

  /// Part of starting: a failure is an exception.
  void settle(protocol::kind what, std::vector<std::uint8_t> const& body) {
    measurement failure;
    if (exchange(what, body, {60, 60, 12}, failure)) return;
    auto const said = child_.said();
    child_.end();
    if (failure.status == trial_status::unsupported) throw argument_error(failure.message);
    detail::no_worker(words_.front() + " failed: " + failure.message + (said.empty() ? "" : "; it said: " + said));
  }

  /// The first message must be a worker's; programs that are none print something else, or nothing, or end.
  void greet() {
    protocol::message m;
    auto const got = protocol::receive(child_.socket(), m, detail::in_seconds(10), {});
    if (got == protocol::outcome::ok && m.kind == protocol::kind::hello) {
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
    auto const said = child_.said();
    detail::no_worker((is_self_ ? worker::executable_path() : words_.front()) + " does not answer as a worker does" +
                      (is_self_ ? ": main must begin with `if (ttune::is_worker(argc, argv)) return "
                                  "ttune::run_worker();`, before it prints anything"
                                : "") +
                      (said.empty() ? "" : "; it said: " + said));
  }

  [[nodiscard]] std::optional<std::vector<std::uint8_t>> exchange(protocol::kind what,
                                                                  std::span<std::uint8_t const> body,
                                                                  patience const& limit, measurement& failure) {
    using clock = std::chrono::steady_clock;
    auto const stopped = [this] { return stop.stop_requested(); };
    protocol::stop_check const check = stop.stop_possible() ? protocol::stop_check(stopped) : protocol::stop_check();
    double const transfers = 10 + operand_bytes_ * 1e-7;
    auto deadline = detail::in_seconds(transfers);
    auto got = protocol::send(child_.socket(), what, body, deadline, check);
    std::optional<protocol::fault> fault;
    auto first_run = clock::now();
    // Those that run no kernel have no stages.
    deadline = detail::in_seconds(transfers + limit.rest);
    while (got == protocol::outcome::ok || got == protocol::outcome::closed) {
      protocol::message m;
      if (got == protocol::outcome::closed && fault) break;
      got = protocol::receive(child_.socket(), m, deadline, check);
      if (got != protocol::outcome::ok) break;
      if (m.kind == protocol::kind::fault) {
        fault = protocol::get_fault(m.body);
      } else if (m.kind == protocol::kind::stage) {
        byte_source in(m.body);
        if (in.get<std::uint32_t>() == 0) {
          first_run = clock::now();
          deadline = detail::in_seconds(limit.first_run);
        } else {
          auto const took = std::chrono::duration<double>(clock::now() - first_run).count();
          deadline = detail::in_seconds(limit.rest + limit.runs * took + operand_bytes_ * 1e-8);
        }
      } else if (m.kind == protocol::kind::answer) {
        return content_of(m.body, failure);
      } else {
        got = protocol::outcome::malformed;
      }
    }
    explain(got, fault, failure);
    return std::nullopt;
  }

  [[nodiscard]] static std::optional<std::vector<std::uint8_t>> content_of(std::vector<std::uint8_t> const& answer,
                                                                           measurement& failure) {
    byte_source in(answer);
    std::vector<std::uint8_t> content;
    in.get(failure.message);
    in.get(content);
    if (failure.message.empty()) return content;
    failure.status = trial_status::unsupported;
    return std::nullopt;
  }

  /// What became of a worker that did not answer; it is gone when this returns.
  void explain(protocol::outcome got, std::optional<protocol::fault> const& fault, measurement& failure) {
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
    } else if (got == protocol::outcome::late) {
      failure.status = trial_status::timed_out;
      failure.message = "still running when its time was over";
    } else if (got == protocol::outcome::malformed) {
      failure.status = trial_status::crashed;
      failure.message = "the worker's answer makes no sense";
    } else if (how.by_signal && how.known) {
      // Nobody here sent it: the system kills for memory.
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
  kernel_signature signature_;
  bench_options options_;
  double operand_bytes_ = 0;
  std::vector<std::vector<std::uint8_t>> reference_;
  worker::child_process child_;
};

namespace detail {

inline std::vector<std::uint8_t> trial_request(kernel_image const& image, trial_limits const& limits) {
  byte_sink body;
  body.put(to_bytes(image));
  protocol::put(body, limits);
  return body.take();
}

}  // namespace detail

TTUNE_INLINE measurer::measurer(worker_choice how, kernel_signature const& signature, bench_options options) {
  if (std::holds_alternative<worker::in_process>(how))
    local_ = std::make_unique<trial_bench>(signature, std::move(options));
  else process_ = std::make_unique<process>(how, signature, std::move(options));
}
TTUNE_INLINE measurer::~measurer() = default;
TTUNE_INLINE measurer::measurer(measurer&&) noexcept = default;
TTUNE_INLINE measurer& measurer::operator=(measurer&&) noexcept = default;

TTUNE_INLINE void measurer::stop_with(std::stop_token token) {
  if (local_) local_->stop_with(std::move(token));
  else process_->stop = std::move(token);
}
TTUNE_INLINE bool measurer::isolated() const noexcept { return process_ != nullptr; }
TTUNE_INLINE std::int32_t measurer::respawns() const noexcept { return process_ ? process_->respawns_ : 0; }
TTUNE_INLINE std::string measurer::description() const {
  return process_ ? process_->description() : "in process, unprotected";
}

namespace detail {

/// A hang is told from a slow candidate by the cutoff: nobody waits long for what is known to lose.
inline double first_run_seconds(trial_limits const& l) {
  return l.cutoff_seconds > 0 ? std::min(l.hang_seconds, std::max(0.15, 25 * l.cutoff_seconds)) : l.hang_seconds;
}

}  // namespace detail

TTUNE_INLINE measurement measurer::set_reference(kernel_image const& image, trial_limits const& limits) {
  if (local_) return local_->set_reference(image, limits);
  process_->remember({});
  measurement m;
  auto const content = process_->ask(protocol::kind::reference, detail::trial_request(image, limits),
                                     {limits.hang_seconds, 2 + 4 * limits.total_seconds, 12}, m);
  if (!content) return m;
  std::vector<std::vector<std::uint8_t>> outputs;
  byte_source in(*content);
  get(in, m);
  in.get(outputs);
  process_->remember(std::move(outputs));
  if (m.status == trial_status::wrote_outside) process_->retire();
  return m;
}

TTUNE_INLINE void measurer::set_reference(std::vector<std::vector<std::uint8_t>> outputs) {
  if (local_) return local_->set_reference(std::move(outputs));
  byte_sink body;
  body.put(outputs);
  (void)process_->demand(protocol::kind::reference_bytes, body.take());
  process_->remember(std::move(outputs));
}

TTUNE_INLINE measurement measurer::measure(kernel_image const& image, trial_limits const& limits) {
  if (local_) return local_->measure(image, limits);
  measurement m;
  auto const content = process_->ask(protocol::kind::measure, detail::trial_request(image, limits),
                                     {detail::first_run_seconds(limits), 1 + 4 * limits.total_seconds, 12}, m);
  if (!content) return m;
  auto const seconds = m.measure_seconds;
  byte_source in(*content);
  get(in, m);
  m.measure_seconds = seconds;
  if (m.status == trial_status::wrote_outside) process_->retire();
  return m;
}

TTUNE_INLINE measurement measurer::run(kernel_image const& image, std::vector<std::vector<std::uint8_t>>& outputs) {
  outputs.clear();
  if (local_) return local_->run(image, outputs);
  byte_sink body;
  body.put(to_bytes(image));
  measurement m;
  auto const content = process_->ask(protocol::kind::run, body.take(), {}, m);
  if (!content) return m;
  byte_source in(*content);
  get(in, m);
  in.get(outputs);
  if (m.status == trial_status::wrote_outside) process_->retire();
  return m;
}

TTUNE_INLINE comparison measurer::compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) {
  if (local_) return local_->compare(first, second, pairs);
  byte_sink body;
  body.put(to_bytes(first));
  body.put(to_bytes(second));
  body.put(pairs);
  measurement failure;
  comparison c;
  auto const content =
      process_->ask(protocol::kind::compare, body.take(), {10, 10 + 0.01 * pairs, 10 + 8.0 * pairs}, failure);
  if (content) {
    byte_source in(*content);
    protocol::get(in, c);
  } else {
    c.failure = std::string(name_of(failure.status)) + ": " + failure.message;
  }
  return c;
}

TTUNE_INLINE std::vector<std::uint8_t> measurer::operand_bytes(std::size_t operand) {
  if (local_) return local_->operand_bytes(operand);
  auto const& known = process_->reference();
  if (operand < known.size() && !known[operand].empty()) return known[operand];
  if (operand >= process_->signature().operands.size()) throw argument_error("there is no such operand");
  byte_sink body;
  body.put(static_cast<std::uint32_t>(operand));
  auto const content = process_->demand(protocol::kind::operand, body.take());
  std::vector<std::uint8_t> bytes;
  byte_source in(content);
  in.get(bytes);
  return bytes;
}

}  // namespace ttune::inline v0
