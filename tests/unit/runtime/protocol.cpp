// SPDX-License-Identifier: Apache-2.0
#include "ttune/runtime/worker/protocol.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "support/machine_code.hpp"
#include "support/seed.hpp"
#include "ttune/runtime/worker/server.hpp"
#include "ttune/support/error.hpp"
#include "ttune/support/rng.hpp"

namespace protocol_tests {

using namespace ttune_test;
namespace protocol = ttune::protocol;
using protocol::outcome;

namespace {

struct pair_of_sockets {
  pair_of_sockets() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0); }
  ~pair_of_sockets() {
    for (int& end : ends) close_end(end);
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
  int ends[2] = {-1, -1};
};

protocol::time_point soon(int milliseconds = 2000) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
}

std::vector<std::uint8_t> opening() {
  ttune::byte_sink out;
  ttune::put(out, copy_signature(8));
  ttune::runner_options options;
  options.threads = 1;
  protocol::put(out, options);
  return out.take();
}

/// Returns the message in a server's answer.
std::string ask(int fd, protocol::kind what, std::vector<std::uint8_t> const& body) {
  REQUIRE(protocol::send(fd, what, body, soon(), {}) == outcome::ok);
  protocol::message m;
  do REQUIRE(protocol::receive(fd, m, soon(), {}) == outcome::ok);
  while (m.kind == protocol::kind::stage || m.kind == protocol::kind::alive);
  REQUIRE(m.kind == protocol::kind::answer);
  ttune::byte_source in(m.body);
  std::string complaint;
  in.get(complaint);
  return complaint;
}

}  // namespace

TEST_CASE("protocol: a message arrives as it was sent, large ones too") {
  pair_of_sockets s;
  std::vector<std::uint8_t> body(3 << 20);
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<std::uint8_t>(i * 7);
  std::thread sender(
      [&] { CHECK(protocol::send(s.ends[0], protocol::kind::measure, body, soon(), {}) == outcome::ok); });
  protocol::message m;
  CHECK(protocol::receive(s.ends[1], m, soon(), {}) == outcome::ok);
  sender.join();
  CHECK(m.kind == protocol::kind::measure);
  CHECK(m.body == body);
}

TEST_CASE("protocol: end, deadline, stop and malformed data are distinguished") {
  protocol::message m;
  {
    pair_of_sockets s;
    CHECK(protocol::receive(s.ends[1], m, soon(5), {}) == outcome::late);
    CHECK(protocol::receive(s.ends[1], m, soon(), [] { return true; }) == outcome::stopped);
    pair_of_sockets::close_end(s.ends[0]);
    CHECK(protocol::receive(s.ends[1], m, soon(), {}) == outcome::closed);
    CHECK(protocol::send(s.ends[1], protocol::kind::measure, std::vector<std::uint8_t>(10), soon(), {}) ==
          outcome::closed);
  }
  auto const received = [&](protocol::head const& h) {
    pair_of_sockets s;
    REQUIRE(::write(s.ends[0], &h, sizeof h) == sizeof h);
    pair_of_sockets::close_end(s.ends[0]);
    return protocol::receive(s.ends[1], m, soon(), {});
  };
  CHECK(received({0x12345678, protocol::kind::answer, 0}) == outcome::malformed);
  CHECK(received({protocol::magic, static_cast<protocol::kind>(99), 0}) == outcome::malformed);
  CHECK(received({protocol::magic, protocol::kind::answer, ~std::uint64_t{0}}) == outcome::malformed);
  CHECK(received({protocol::magic, protocol::kind::answer, std::uint64_t{1} << 35}) == outcome::closed);  // no 32 GB
  CHECK(received({protocol::magic, protocol::kind::answer, 0}) == outcome::ok);
}

TEST_CASE("protocol: options, limits and comparisons are read as they were written") {
  ttune::runner_options o{9, ttune::objective::cold, 3, 1 << 20, 2.5, {{1, 2}, {}}};
  ttune::byte_sink out;
  protocol::put(out, o);
  auto bytes = out.take();
  ttune::runner_options read;
  ttune::byte_source in(bytes);
  protocol::get(in, read);
  in.finish();
  CHECK(read.seed == 9);
  CHECK(read.objective == ttune::objective::cold);
  CHECK(read.tolerance == 2.5);
  CHECK(read.data == o.data);
  bytes[8] = 7;
  ttune::byte_source bad(bytes);
  CHECK_THROWS_AS(protocol::get(bad, read), ttune::record_error);
  ttune::comparison const c{0.5, true, 20, "why", 0.4, 0.6, 2e-3, 1e-3};
  ttune::byte_sink more;
  protocol::put(more, c);
  auto const c_bytes = more.take();
  ttune::comparison c_read;
  ttune::byte_source c_in(c_bytes);
  protocol::get(c_in, c_read);
  CHECK(c_read.faster);
  CHECK(c_read.failure == "why");
  CHECK(c_read.high == 0.6);
}

TEST_CASE("protocol: a server greets, reports malformed data without ending, and ends with its input") {
  pair_of_sockets s;
  int status = -1;
  std::thread worker([&] { status = ttune::worker::server(s.ends[1], s.ends[1]).serve(); });
  protocol::message m;
  REQUIRE(protocol::receive(s.ends[0], m, soon(), {}) == outcome::ok);
  CHECK(m.kind == protocol::kind::hello);
  CHECK(ask(s.ends[0], protocol::kind::measure, {}).find("before a workload was opened") != std::string::npos);
  CHECK(ask(s.ends[0], protocol::kind::open, {1, 2, 3}).find("malformed") != std::string::npos);
  CHECK(ask(s.ends[0], protocol::kind::open, opening()).empty());
  CHECK(ask(s.ends[0], protocol::kind::hello, {}).find("does not know") != std::string::npos);
  CHECK(ask(s.ends[0], protocol::kind::measure, {1, 2}).find("malformed") != std::string::npos);
  CHECK(ask(s.ends[0], protocol::kind::open, opening()).empty());
  pair_of_sockets::close_end(s.ends[0]);
  worker.join();
  CHECK(status == 0);
}

TEST_CASE("protocol: random bytes of a request are read or refused, nothing else") {
  ttune::rng random(seed());
  auto const intact = opening();
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    auto damaged = intact;
    for (std::uint64_t k = random.below(4) + 1; k > 0; --k)
      damaged[random.below(damaged.size())] = static_cast<std::uint8_t>(random());
    damaged.resize(random.below(damaged.size()) + 1);
    try {
      ttune::byte_source in(damaged);
      ttune::kernel_signature signature;
      ttune::runner_options options;
      ttune::get(in, signature);
      protocol::get(in, options);
    } catch (ttune::record_error const&) {
      ++refused;
    }
  }
  CHECK(refused > 0);
}

}  // namespace protocol_tests
