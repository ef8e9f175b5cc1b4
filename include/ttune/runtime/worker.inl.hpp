// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "ttune/runtime/image_io.hpp"
#include "ttune/runtime/worker.hpp"
#include "ttune/support/error.hpp"

extern char** environ;

namespace ttune::inline v0 {

namespace detail {

// ----------------------------------------------------------------------------------------------- the protocol
// A message is {magic u32, kind u32, length u64, body}. The parent asks, the worker answers each request once.

inline constexpr std::uint32_t protocol_magic = 0x31777474;  // "ttw1": a change of the protocol changes the digit
inline constexpr std::uint64_t protocol_limit = std::uint64_t{1} << 32;
inline constexpr char const* worker_argument = "--ttune-worker";

enum class request : std::uint32_t { open = 1, reference, measure, compare, operand, answer };

struct message_head {
  std::uint32_t magic = protocol_magic;
  request kind = request::answer;
  std::uint64_t length = 0;
};

inline bool write_all(int fd, void const* data, std::size_t size) {
  auto const* at = static_cast<std::uint8_t const*>(data);
  while (size != 0) {
    auto const n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

inline bool send_message(int fd, request kind, std::vector<std::uint8_t> const& body) {
  message_head const head{protocol_magic, kind, body.size()};
  return write_all(fd, &head, sizeof head) && write_all(fd, body.data(), body.size());
}

/// Reads exactly `size` bytes; false at the end of the stream, at the deadline or when `stopped` says so.
template <class Stopped>
bool read_all(int fd, void* data, std::size_t size, std::chrono::steady_clock::time_point deadline, Stopped const& stopped) {
  auto* at = static_cast<std::uint8_t*>(data);
  while (size != 0) {
    auto const now = std::chrono::steady_clock::now();
    if (now >= deadline || stopped()) return false;
    pollfd p{fd, POLLIN, 0};
    auto const left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now).count() + 1;
    auto const ready = poll(&p, 1, static_cast<int>(std::min<std::int64_t>(left, 50)));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    auto const n = read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

inline void put(byte_sink& out, bench_options const& o) {
  out.put(o.seed);
  out.put(static_cast<std::uint8_t>(o.objective));
  out.put(o.threads);
  out.put(o.last_level_bytes);
}
inline bench_options get_options(byte_source& in) {
  bench_options o;
  in.get(o.seed);
  o.objective = static_cast<objective>(in.get<std::uint8_t>());
  in.get(o.threads);
  in.get(o.last_level_bytes);
  return o;
}
inline void put(byte_sink& out, trial_limits const& l) {
  out.put(l.cutoff_seconds);
  out.put(l.sample_seconds);
  out.put(l.total_seconds);
  out.put(l.max_samples);
  out.put(l.hang_seconds);
}
inline trial_limits get_limits(byte_source& in) {
  trial_limits l;
  in.get(l.cutoff_seconds);
  in.get(l.sample_seconds);
  in.get(l.total_seconds);
  in.get(l.max_samples);
  in.get(l.hang_seconds);
  return l;
}
inline kernel_image get_image(byte_source& in) {
  std::vector<std::uint8_t> bytes;
  in.get(bytes);
  return image_from_bytes(bytes);
}

/// One request on the worker's side.
inline std::vector<std::uint8_t> serve(std::unique_ptr<trial_bench>& bench, request kind, byte_source in) {
  byte_sink out;
  if (kind == request::open) {
    kernel_signature signature;
    ttune::get(in, signature);
    bench = std::make_unique<trial_bench>(signature, get_options(in));
    return out.take();
  }
  if (!bench) throw record_error("a request before the workload was opened");
  if (kind == request::reference || kind == request::measure) {
    auto const image = get_image(in);
    auto const limits = get_limits(in);
    ttune::put(out, kind == request::reference ? bench->set_reference(image, limits) : bench->measure(image, limits));
  } else if (kind == request::compare) {
    auto const first = get_image(in);
    auto const second = get_image(in);
    auto const c = bench->compare(first, second, in.get<std::int32_t>());
    out.put(c.ratio);
    out.put(static_cast<std::uint8_t>(c.faster));
    out.put(c.pairs);
    out.put(c.failure);
  } else if (kind == request::operand) {
    out.put(bench->operand_bytes(static_cast<std::size_t>(in.get<std::uint64_t>())));
  } else {
    throw record_error("a request that this worker does not know");
  }
  return out.take();
}

inline std::string executable_path() {
  std::string path(4096, '\0');
  auto const n = readlink("/proc/self/exe", path.data(), path.size());
  path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return path;
}

inline bool is_executable(std::string const& path) { return !path.empty() && ::access(path.c_str(), X_OK) == 0; }

/// The helper program: TTUNE_WORKER_PROGRAM, beside this executable, PATH.
inline std::string find_worker_program() {
  if (auto const* named = std::getenv("TTUNE_WORKER_PROGRAM"); named && is_executable(named)) return named;
  auto const self = executable_path();
  auto const beside = self.substr(0, self.rfind('/') + 1) + "ttune-worker";
  if (is_executable(beside)) return beside;
  std::string const path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (std::size_t from = 0; from < path.size();) {
    auto const to = std::min(path.find(':', from), path.size());
    auto const candidate = path.substr(from, to - from) + "/ttune-worker";
    if (is_executable(candidate)) return candidate;
    from = to + 1;
  }
  return {};
}

inline std::vector<std::string> command_of(worker_choice const& how) {
  if (auto const* c = std::get_if<worker::command>(&how)) return c->words;
  if (std::holds_alternative<worker::self>(how)) return {executable_path(), worker_argument};
  auto path = std::get<worker::program>(how).path;
  if (path.empty()) path = find_worker_program();
  if (!is_executable(path))
    throw backend_error("no worker: ttune-worker is neither named by TTUNE_WORKER_PROGRAM nor beside this program nor in PATH; install it, or use "
                        "worker::self{} or worker::in_process{}");
  return {path};
}

}  // namespace detail

TTUNE_INLINE bool is_worker(int argc, char const* const* argv) noexcept { return argc == 2 && std::strcmp(argv[1], detail::worker_argument) == 0; }
TTUNE_INLINE bool inside_worker() noexcept { return std::getenv("TTUNE_WORKER") != nullptr; }

TTUNE_INLINE int run_worker() {
  // What a candidate prints must not get between the answers.
  int const out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
  int const in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  int const nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (out < 0 || in < 0 || nowhere < 0) return 2;
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  setenv("TTUNE_WORKER", "1", 1);
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  std::unique_ptr<trial_bench> bench;
  auto const never = [] { return false; };
  auto const forever = std::chrono::steady_clock::time_point::max() - std::chrono::hours(1);
  for (;;) {
    detail::message_head head;
    if (!detail::read_all(in, &head, sizeof head, forever, never)) return 0;
    if (head.magic != detail::protocol_magic || head.length > detail::protocol_limit) return 3;
    std::vector<std::uint8_t> body(static_cast<std::size_t>(head.length));
    if (!detail::read_all(in, body.data(), body.size(), forever, never)) return 0;
    byte_sink answer;
    try {
      auto const served = detail::serve(bench, head.kind, byte_source(body));
      answer.put(std::string());
      answer.put(served);
    } catch (std::exception const& failure) {
      answer.put(std::string(failure.what()));
      answer.put(std::vector<std::uint8_t>());
    }
    if (!detail::send_message(out, detail::request::answer, answer.take())) return 0;
  }
}

/// The worker as its parent sees it.
class measurer::process {
 public:
  process(worker_choice const& how, kernel_signature signature, bench_options options)
      : command_(detail::command_of(how)), signature_(std::move(signature)), options_(options) {
    start();
  }
  process(process const&) = delete;
  process& operator=(process const&) = delete;
  ~process() { end(); }

  /// Asks, and starts a new worker if the old one does not live to answer. `failure` then says what became of it.
  [[nodiscard]] std::vector<std::uint8_t> ask(detail::request kind, std::vector<std::uint8_t> const& body, double limit_seconds, measurement& failure) {
    failure.status = trial_status::ok;
    if (pid_ < 0) start();
    auto answer = exchange(kind, body, limit_seconds, failure);
    if (failure.status == trial_status::ok || failure.status == trial_status::unsupported) return answer;
    end();
    ++respawns_;
    start();
    if (!reference_.empty()) {
      measurement ignored;
      (void)exchange(detail::request::reference, reference_, 60, ignored);
    }
    return {};
  }
  void remember_reference(std::vector<std::uint8_t> body) { reference_ = std::move(body); }

  std::stop_token stop;
  std::int32_t respawns_ = 0;

 private:
  void start() {
    int to_worker[2];
    int from_worker[2];
    if (pipe2(to_worker, O_CLOEXEC) != 0) throw backend_error("no worker: no pipe can be made");
    if (pipe2(from_worker, O_CLOEXEC) != 0) {
      close(to_worker[0]);
      close(to_worker[1]);
      throw backend_error("no worker: no pipe can be made");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to_worker[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from_worker[1], STDOUT_FILENO);
    std::vector<char*> arguments;
    for (auto& word : command_) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::vector<char*> variables;
    std::string mark = "TTUNE_WORKER=1";
    std::string sanitizer = std::string("ASAN_OPTIONS=") + (std::getenv("ASAN_OPTIONS") ? std::getenv("ASAN_OPTIONS") : "") + ":handle_segv=0:handle_sigill=0:handle_abort=0:detect_leaks=0";
    for (char** e = environ; *e; ++e)
      if (std::strncmp(*e, "ASAN_OPTIONS=", 13) != 0) variables.push_back(*e);
    variables.push_back(mark.data());
    variables.push_back(sanitizer.data());
    variables.push_back(nullptr);
    auto const status = posix_spawnp(&pid_, arguments[0], &actions, nullptr, arguments.data(), variables.data());
    posix_spawn_file_actions_destroy(&actions);
    close(to_worker[0]);
    close(from_worker[1]);
    if (status != 0) {
      close(to_worker[1]);
      close(from_worker[0]);
      pid_ = -1;
      throw backend_error("no worker: " + command_[0] + " cannot be started: " + std::strerror(status));
    }
    in_ = to_worker[1];
    out_ = from_worker[0];
    byte_sink body;
    ttune::put(body, signature_);
    detail::put(body, options_);
    measurement failure;
    (void)exchange(detail::request::open, body.take(), 30, failure);
    if (!failure.ok()) {
      end();
      throw backend_error("no worker: " + command_[0] + " does not answer as a worker does (" + failure.message +
                          "); with worker::self{}, main must begin with if (ttune::is_worker(argc, argv)) return ttune::run_worker();");
    }
  }

  void end() {
    if (pid_ < 0) return;
    close(in_);
    close(out_);
    kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
  }

  [[nodiscard]] std::vector<std::uint8_t> exchange(detail::request kind, std::vector<std::uint8_t> const& body, double limit_seconds, measurement& failure) {
    auto const deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(limit_seconds));
    auto const stopped = [this] { return stop.stop_requested(); };
    ignore_pipe_signal const quiet;
    detail::message_head head;
    std::vector<std::uint8_t> answer;
    bool const answered = detail::send_message(in_, kind, body) && detail::read_all(out_, &head, sizeof head, deadline, stopped) &&
                          head.magic == detail::protocol_magic && head.length <= detail::protocol_limit &&
                          (answer.resize(static_cast<std::size_t>(head.length)), detail::read_all(out_, answer.data(), answer.size(), deadline, stopped));
    if (!answered) {
      explain(failure, stopped(), std::chrono::steady_clock::now() >= deadline, limit_seconds);
      return {};
    }
    byte_source in(answer);
    std::string complaint;
    std::vector<std::uint8_t> served;
    in.get(complaint);
    in.get(served);
    if (!complaint.empty()) {
      failure.status = trial_status::unsupported;
      failure.message = complaint;
    }
    return served;
  }

  /// Writing to a worker that died must be an error, not a signal; only this thread is asked not to get it.
  struct ignore_pipe_signal {
    sigset_t set;
    sigset_t old;
    ignore_pipe_signal() {
      sigemptyset(&set);
      sigaddset(&set, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &set, &old);
    }
    ~ignore_pipe_signal() {
      timespec const now{0, 0};
      if (sigismember(&old, SIGPIPE) == 0)
        while (sigtimedwait(&set, nullptr, &now) > 0) {
        }
      pthread_sigmask(SIG_SETMASK, &old, nullptr);
    }
  };

  void explain(measurement& failure, bool stopped, bool late, double limit_seconds) {
    int status = 0;
    pid_t gone = 0;
    if (!stopped && !late)
      for (int i = 0; i < 200 && (gone = waitpid(pid_, &status, WNOHANG)) == 0; ++i) usleep(500);
    if (stopped) {
      failure.status = trial_status::timed_out;
      failure.message = "stopped";
    } else if (gone == pid_ && WIFSIGNALED(status)) {
      failure.status = trial_status::crashed;
      failure.message = strsignal(WTERMSIG(status));
    } else if (gone == pid_) {
      failure.status = trial_status::exited;
      failure.message = "it ended its process with status " + std::to_string(WEXITSTATUS(status));
    } else {
      failure.status = trial_status::timed_out;
      failure.message = "no answer within " + std::to_string(limit_seconds) + " s";
    }
    if (gone == pid_) {
      close(in_);
      close(out_);
      pid_ = -1;
    }
  }

  std::vector<std::string> command_;
  kernel_signature signature_;
  bench_options options_;
  std::vector<std::uint8_t> reference_;
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
};

TTUNE_INLINE measurer::measurer(worker_choice how, kernel_signature const& signature, bench_options options) {
  if (std::holds_alternative<worker::in_process>(how)) local_ = std::make_unique<trial_bench>(signature, options);
  else process_ = std::make_unique<process>(how, signature, options);
}
TTUNE_INLINE measurer::~measurer() = default;
TTUNE_INLINE measurer::measurer(measurer&&) noexcept = default;

TTUNE_INLINE void measurer::stop_with(std::stop_token token) {
  if (process_) process_->stop = std::move(token);
}
TTUNE_INLINE bool measurer::isolated() const noexcept { return process_ != nullptr; }
TTUNE_INLINE std::int32_t measurer::respawns() const noexcept { return process_ ? process_->respawns_ : 0; }

namespace detail {

inline std::vector<std::uint8_t> trial_request(kernel_image const& image, trial_limits const& limits) {
  byte_sink body;
  body.put(to_bytes(image));
  put(body, limits);
  return body.take();
}

inline measurement trial_answer(std::vector<std::uint8_t> const& answer, measurement failure) {
  if (!failure.ok()) return failure;
  byte_source in(answer);
  measurement m;
  ttune::get(in, m);
  return m;
}

}  // namespace detail

TTUNE_INLINE measurement measurer::set_reference(kernel_image const& image, trial_limits const& limits) {
  if (local_) return local_->set_reference(image, limits);
  auto body = detail::trial_request(image, limits);
  measurement failure;
  process_->remember_reference({});
  auto const answer = process_->ask(detail::request::reference, body, limits.hang_seconds, failure);
  auto const m = detail::trial_answer(answer, failure);
  if (m.ok()) process_->remember_reference(std::move(body));
  return m;
}

TTUNE_INLINE measurement measurer::measure(kernel_image const& image, trial_limits const& limits) {
  if (local_) return local_->measure(image, limits);
  measurement failure;
  auto const start = std::chrono::steady_clock::now();
  auto const answer = process_->ask(detail::request::measure, detail::trial_request(image, limits), limits.hang_seconds, failure);
  auto m = detail::trial_answer(answer, failure);
  m.measure_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return m;
}

TTUNE_INLINE comparison measurer::compare(kernel_image const& first, kernel_image const& second, std::int32_t pairs) {
  if (local_) return local_->compare(first, second, pairs);
  byte_sink body;
  body.put(to_bytes(first));
  body.put(to_bytes(second));
  body.put(pairs);
  measurement failure;
  auto const answer = process_->ask(detail::request::compare, body.take(), 60, failure);
  comparison c;
  if (!failure.ok()) {
    c.failure = std::string(name_of(failure.status)) + ": " + failure.message;
    return c;
  }
  byte_source in(answer);
  in.get(c.ratio);
  c.faster = in.get<std::uint8_t>() != 0;
  in.get(c.pairs);
  in.get(c.failure);
  return c;
}

TTUNE_INLINE std::vector<std::uint8_t> measurer::operand_bytes(std::size_t operand) {
  if (local_) return local_->operand_bytes(operand);
  byte_sink body;
  body.put(static_cast<std::uint64_t>(operand));
  measurement failure;
  auto const answer = process_->ask(detail::request::operand, body.take(), 60, failure);
  std::vector<std::uint8_t> bytes;
  if (failure.ok()) byte_source(answer).get(bytes);
  return bytes;
}

}  // namespace ttune::inline v0
