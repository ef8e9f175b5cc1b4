// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "ttune/runtime/worker/server.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace worker {

namespace detail {

/// State that the fault handler reads. A worker serves one parent, so this is the only global state of the process.
struct fault_board {
  static constexpr std::size_t most_regions = 512;
  int out = -1;
  memory_region regions[most_regions] = {};
  std::size_t count = 0;
};
inline fault_board& board() noexcept {
  static fault_board b;
  return b;
}

inline void locate(protocol::fault& f) noexcept {
  auto const at = static_cast<std::uintptr_t>(f.address);
  auto const& b = board();
  for (std::size_t i = 0; i < b.count; ++i) {
    auto const& r = b.regions[i].where;
    if (at < r.all || at >= r.all_end || (at >= r.data && at < r.data_end)) continue;
    f.operand = b.regions[i].operand;
    f.side = at < r.data ? -1 : 1;
    f.distance = static_cast<std::int64_t>(at < r.data ? r.data - at : at - r.data_end + 1);
    return;
  }
}

/// Reports the fault's location to the parent, then lets the signal take its default action. Async-signal-safe.
inline void report_fault(int number, siginfo_t* info, [[maybe_unused]] void* context) {
  struct {
    protocol::head h;
    protocol::fault f;
  } said;
  said.h.kind = protocol::kind::fault;
  said.h.length = sizeof said.f;
  said.f.signal = number;
  if (number == SIGSEGV || number == SIGBUS) {
    said.f.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
#if defined(__x86_64__)
    auto const* const u = static_cast<ucontext_t const*>(context);
    said.f.write = (u->uc_mcontext.gregs[REG_ERR] & 2) != 0 ? 1 : 0;
#endif
    locate(said.f);
  }
  [[maybe_unused]] auto const n = ::write(board().out, &said, sizeof said);
  ::signal(number, SIG_DFL);
  ::raise(number);  // delivered when this returns
}

inline void report_faults_to(int out) {
  board().out = out;
  // A separate stack, since the kernel's own stack may have overflowed.
  constexpr std::size_t stack_bytes = std::size_t{64} << 10;
  static char* const stack = new char[stack_bytes];
  stack_t alternate{};
  alternate.ss_sp = stack;
  alternate.ss_size = stack_bytes;
  sigaltstack(&alternate, nullptr);
  struct sigaction action{};
  action.sa_sigaction = report_fault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);  // SA_RESETHAND is unsigned in glibc
  for (int const number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) sigaction(number, &action, nullptr);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// Disables core files (writing one takes longer than a trial) and limits memory to three quarters of the machine's.
inline void limit_resources() {
  rlimit const no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (sanitized) return;  // sanitizers map terabytes
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  auto const page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  auto const machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = std::min<std::uint64_t>(limit.rlim_max, pages * page + machine / 4 * 3);
  setrlimit(RLIMIT_AS, &limit);
}

/// Ends this process by a timer if the parent is gone while a kernel hangs: nobody else would.
class orphan_timer {
 public:
  explicit orphan_timer(double seconds) { alarm(static_cast<unsigned>(std::clamp(seconds, 1.0, 1e6)) + 1); }
  orphan_timer(orphan_timer const&) = delete;
  orphan_timer& operator=(orphan_timer const&) = delete;
  ~orphan_timer() { alarm(0); }
};

inline kernel_image get_image(byte_source& in) { return image_from_bytes(in.get_bytes()); }

}  // namespace detail

void prepare_process(int out) {
  detail::limit_resources();
  detail::report_faults_to(out);
}

bool server::say(protocol::kind what, std::span<std::uint8_t const> body) {
  std::scoped_lock const lock(speaking_);
  return protocol::send(out_, what, body, protocol::time_point::max(), {}) == protocol::outcome::ok;
}

/// Sends `alive` twice a second: a remote parent cannot tell a slow kernel from a dead worker otherwise.
void server::say_alive(std::stop_token const& end) {
  std::mutex own;
  std::condition_variable_any ended;
  std::unique_lock lock(own);
  while (!ended.wait_for(lock, end, std::chrono::milliseconds(500), [&] { return end.stop_requested(); }))
    say_while_working();
}

/// Sends `alive` only while working, never after an answer: a message from an idle worker is taken for its end.
void server::say_while_working() {
  std::scoped_lock const lock(speaking_);
  if (working_) (void)protocol::send(out_, protocol::kind::alive, {}, protocol::time_point::max(), {});
}

void server::open(byte_source& in) {
  kernel_signature signature;
  runner_options options;
  get(in, signature);
  protocol::get(in, options);
  in.finish();
  bench_.reset();
  bench_ = std::make_unique<kernel_runner>(signature, std::move(options));
  bench_->observe([this](kernel_runner::stage now, std::vector<memory_region> const& regions) {
    if (now == kernel_runner::stage::first_run) {
      auto& b = detail::board();
      b.count = std::min(regions.size(), detail::fault_board::most_regions);
      std::copy_n(regions.begin(), b.count, b.regions);
    }
    byte_sink body;
    body.put(static_cast<std::uint32_t>(now));
    (void)say(protocol::kind::stage, body.take());
  });
}

void server::compile(byte_source& in, byte_sink& out) {
  auto const device = in.get<std::string>();
  auto const compiler = find_text_compiler(device);
  if (!compiler) throw record_error("this worker has no compiler for " + device);
  byte_source request(in.get_bytes());
  compiler(request, out);
}

std::vector<std::uint8_t> server::answer_trial(protocol::kind what, byte_source& in) {
  auto const image = detail::get_image(in);
  byte_sink out;
  std::vector<std::vector<std::uint8_t>> outputs;
  if (what == protocol::kind::compare) {
    auto const second = detail::get_image(in);
    auto const pairs = in.get<std::int32_t>();
    detail::orphan_timer const timer(600);
    protocol::put(out, bench_->compare(image, second, pairs));
  } else if (what == protocol::kind::run) {
    detail::orphan_timer const timer(600);
    put(out, bench_->run(image, outputs));
    out.put(outputs);
  } else {
    trial_limits limits;
    protocol::get(in, limits);
    detail::orphan_timer const timer(60 + 20 * limits.hang_seconds);
    bool const is_reference = what == protocol::kind::reference;
    auto const m = is_reference ? bench_->set_reference(image, limits) : bench_->measure(image, limits);
    put(out, m);
    if (is_reference) out.put(bench_->reference_bytes());
  }
  return out.take();
}

/// Answers a request; throws record_error if it is malformed.
std::vector<std::uint8_t> server::answer(protocol::message const& request) {
  byte_source in(request.body);
  byte_sink out;
  if (request.kind == protocol::kind::open) return open(in), out.take();
  if (request.kind == protocol::kind::compile) return compile(in, out), out.take();
  if (!bench_) throw record_error("a request before a workload was opened");
  switch (request.kind) {
    case protocol::kind::reference:
    case protocol::kind::measure:
    case protocol::kind::run:
    case protocol::kind::compare: return answer_trial(request.kind, in);
    case protocol::kind::reference_bytes: {
      std::vector<std::vector<std::uint8_t>> outputs;
      in.get(outputs);
      bench_->set_reference(std::move(outputs));
      return out.take();
    }
    case protocol::kind::operand: out.put(bench_->operand_bytes(in.get<std::uint32_t>())); return out.take();
    default: throw record_error("a request that this worker does not know");
  }
}

int server::serve() {
  byte_sink hello;
  hello.put(protocol::version);
  hello.put(abi_version);
  hello.put(std::to_string(TTUNE_VERSION_MAJOR) + "." + std::to_string(TTUNE_VERSION_MINOR) + "." +
            std::to_string(TTUNE_VERSION_PATCH));
  if (!say(protocol::kind::hello, hello.take())) return 1;
  std::jthread const pulse([this](std::stop_token const& end) { say_alive(end); });
  for (;;) {
    protocol::message request;
    auto const got = protocol::receive(in_, request, protocol::time_point::max(), {});
    if (got == protocol::outcome::closed) return 0;
    if (got != protocol::outcome::ok) return 3;
    byte_sink said;
    working_ = true;
    try {
      auto const content = answer(request);
      said.put(std::string());
      said.put(content);
    } catch (std::bad_alloc const&) {
      said.put(std::string("out of memory"));
      said.put(std::vector<std::uint8_t>());
    } catch (std::exception const& failure) {
      said.put(std::string(failure.what()));
      said.put(std::vector<std::uint8_t>());
    }
    working_ = false;
    if (!say(protocol::kind::answer, said.take())) return 0;
    if (bench_ && bench_->damaged()) return 4;
  }
}

}}}  // namespace ttune::v0::worker
