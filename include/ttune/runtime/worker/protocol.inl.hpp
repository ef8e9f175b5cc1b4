// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ttune/runtime/worker/protocol.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace protocol {

namespace detail {

/// Waits until a descriptor is ready for `events`.
inline outcome wait_for(int fd, short events, time_point deadline, stop_check const& stopped) {
  for (;;) {
    auto const left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd p{fd, events, 0};
    auto const slice = std::clamp<std::int64_t>(left.count() + 1, 0, stopped ? 20 : 1'000'000'000);
    auto const ready = poll(&p, 1, static_cast<int>(slice));
    if (ready > 0) return outcome::ok;
    if (ready < 0 && errno != EINTR) return outcome::closed;
    if (stopped && stopped()) return outcome::stopped;
    if (std::chrono::steady_clock::now() >= deadline) return outcome::late;
  }
}

/// Writes part of the data. A closed socket is reported as an error, not as a signal; other descriptors are written to
/// by workers, which may die of SIGPIPE.
inline ssize_t write_some(int fd, void const* data, std::size_t size) {
  auto const n = ::send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  return n < 0 && errno == ENOTSOCK ? ::write(fd, data, size) : n;
}

inline outcome write_all(int fd, void const* data, std::size_t size, time_point deadline, stop_check const& stopped) {
  auto const* at = static_cast<char const*>(data);
  while (size != 0) {
    auto const n = write_some(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (auto const o = wait_for(fd, POLLOUT, deadline, stopped); o != outcome::ok) return o;
      continue;
    }
    if (n <= 0) return outcome::closed;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return outcome::ok;
}

inline outcome read_all(int fd, void* data, std::size_t size, time_point deadline, stop_check const& stopped) {
  auto* at = static_cast<char*>(data);
  while (size != 0) {
    if (auto const o = wait_for(fd, POLLIN, deadline, stopped); o != outcome::ok) return o;
    auto const n = ::read(fd, at, size);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n <= 0) return outcome::closed;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return outcome::ok;
}

}  // namespace detail

outcome send(int fd, kind what, std::span<std::uint8_t const> body, time_point deadline, stop_check const& stopped) {
  head const h{magic, what, body.size()};
  if (auto const o = detail::write_all(fd, &h, sizeof h, deadline, stopped); o != outcome::ok) return o;
  return detail::write_all(fd, body.data(), body.size(), deadline, stopped);
}

outcome receive(int fd, message& into, time_point deadline, stop_check const& stopped) {
  constexpr std::uint64_t step = std::uint64_t{64} << 20;
  head h;
  if (auto const o = detail::read_all(fd, &h, sizeof h, deadline, stopped); o != outcome::ok) return o;
  if (h.magic != magic || h.length > longest || h.kind > kind::last) return outcome::malformed;
  into.kind = h.kind;
  into.body.clear();
  while (into.body.size() < h.length) {
    auto const have = into.body.size();
    into.body.resize(static_cast<std::size_t>(std::min<std::uint64_t>(h.length, have + step)));
    auto const o = detail::read_all(fd, into.body.data() + have, into.body.size() - have, deadline, stopped);
    if (o != outcome::ok) return o;
  }
  return outcome::ok;
}

void put(byte_sink& out, runner_options const& o) {
  out.put(o.seed);
  out.put(o.objective);
  out.put(o.threads);
  out.put(o.last_level_bytes);
  out.put(o.tolerance);
  out.put(o.data);
}

void get(byte_source& in, runner_options& o) {
  in.get(o.seed);
  in.get(o.objective);
  in.get(o.threads);
  in.get(o.last_level_bytes);
  in.get(o.tolerance);
  in.get(o.data);
  if (o.objective > objective::cold_constants) throw record_error("malformed bytes: an unknown objective");
  if (o.threads < 0 || o.threads > 4096) throw record_error("malformed bytes: a number of threads that cannot be");
}

void put(byte_sink& out, trial_limits const& l) {
  out.put(l.cutoff_seconds);
  out.put(l.rival_seconds);
  out.put(l.sample_seconds);
  out.put(l.total_seconds);
  out.put(l.max_samples);
  out.put(l.hang_seconds);
}

void get(byte_source& in, trial_limits& l) {
  in.get(l.cutoff_seconds);
  in.get(l.rival_seconds);
  in.get(l.sample_seconds);
  in.get(l.total_seconds);
  in.get(l.max_samples);
  in.get(l.hang_seconds);
}

void put(byte_sink& out, comparison const& c) {
  out.put(c.ratio);
  out.put(c.faster);
  out.put(c.pairs);
  out.put(c.failure);
  out.put(c.low);
  out.put(c.high);
  out.put(c.first_seconds);
  out.put(c.second_seconds);
}

void get(byte_source& in, comparison& c) {
  in.get(c.ratio);
  in.get(c.faster);
  in.get(c.pairs);
  in.get(c.failure);
  in.get(c.low);
  in.get(c.high);
  in.get(c.first_seconds);
  in.get(c.second_seconds);
}

fault get_fault(std::span<std::uint8_t const> body) {
  fault f;
  if (body.size() != sizeof f) throw record_error("malformed bytes: a fault of a wrong size");
  std::memcpy(&f, body.data(), sizeof f);
  return f;
}

}}}  // namespace ttune::v0::protocol
