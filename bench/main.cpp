// SPDX-License-Identifier: Apache-2.0
// ttune-bench: runs the suites named on its command line.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ping_pong.hpp"
#include "suite.hpp"

int main(int argc, char** argv) {
  using namespace ttune_bench;
  std::ranges::sort(suites(), {}, &suite::name);
  try {
    auto const chosen = parse(argc, argv);
    if (chosen.suites.empty()) {
      std::fputs(usage().c_str(), stdout);
      return argc > 1 && std::string_view(argv[argc - 1]) != "--help" ? 2 : 0;
    }
    for (auto const& name : chosen.suites)
      if (std::ranges::find(suites(), name, &suite::name) == suites().end())
        throw std::invalid_argument("no suite " + name);
    std::printf("core to core: %.0f ns\n", ping_pong_nanoseconds());
    int status = 0;
    for (auto const& name : chosen.suites)
      status = std::max(status, std::ranges::find(suites(), name, &suite::name)->run(chosen));
    return status;
  } catch (std::exception const& e) {
    std::fprintf(stderr, "ttune-bench: %s\n", e.what());
    return 2;
  }
}
