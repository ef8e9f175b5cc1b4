// SPDX-License-Identifier: Apache-2.0
// A program without ttune that loads two plug-ins with a copy of it each, and lets both tune, at the same time and one
// after the other: two_copies local|global PLUGIN PLUGIN. With `global` each plug-in sees the symbols of the other
// one.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

using check = char const* (*)();

check load(char const* path, int how) {
  auto* const plugin = dlopen(path, RTLD_NOW | how);
  auto* const found = plugin ? dlsym(plugin, "ttune_copy_works") : nullptr;
  if (!found) std::printf("%s\n", dlerror());
  return reinterpret_cast<check>(found);
}

int failures(char const* when, std::string const& first, std::string const& second) {
  for (auto const& wrong : {first, second})
    if (!wrong.empty()) std::printf("%s: %s\n", when, wrong.c_str());
  return (first.empty() ? 0 : 1) + (second.empty() ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  auto const how = argv[1] == std::string("global") ? RTLD_GLOBAL : RTLD_LOCAL;
  auto const a = load(argv[2], how);
  auto const b = load(argv[3], how);
  if (!a || !b || a == b) return 1;
  int failed = failures("one after the other", a(), b());
  std::string first, second;
  std::thread other([&] { second = b(); });
  first = a();
  other.join();
  failed += failures("at once", first, second);
  std::printf("two copies, %s: %d of 4 failed\n", argv[1], failed);
  return failed == 0 ? 0 : 1;
}
