// SPDX-License-Identifier: Apache-2.0
// The roofs of machines: from files, or measured.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>

#include "tool.hpp"
#include "ttune/records/work_json.hpp"
#include "ttune/runtime/executor.hpp"
#include "ttune/runtime/machine.hpp"
#include "ttune/runtime/measure_roof.hpp"

namespace ttune_tool {
namespace {

ttune::machine_roof read_roof_file(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  auto const read = ttune::parse_json(text);
  auto const* const inside = read.value ? read.value->find("roof") : nullptr;
  auto roof = inside ? ttune::read_roof(inside) : ttune::machine_roof();
  if (!roof.known())
    throw failure(path +
                  ": holds no roof: `ttune devices --measure --json >FILE` writes one on the machine to judge by");
  return roof;
}

/// Returns true for a key of a machine: "x86_64 AuthenticAMD-25-17 x2" is of "x86_64 AuthenticAMD-25-17".
bool is_for(ttune::record_key const& key, std::string const& machine) {
  return key.target.starts_with(machine) && (key.target.size() == machine.size() || key.target[machine.size()] == ' ');
}

std::string rates(std::array<double, 3> const& of) {
  std::string made;
  for (auto const rate : of) made += (made.empty() ? "" : ", ") + number(rate * 1e-9, 3);
  return made;
}

}  // namespace

ttune::machine_roof roof_here() {
  auto const threads = std::make_unique<ttune::thread_pool>();
  return ttune::measure_roof(*threads);
}

std::string text_of(ttune::machine_roof const& roof, std::string const& indent) {
  return indent + "one core reads " + rates(roof.one_core) + " GB/s from L2, L3, memory; all " +
         std::to_string(roof.threads) + ": " + rates(roof.all_cores) + "\n" + indent + "a vector: multiply-add " +
         in_units(roof.arithmetic) + ", division " + in_units(roof.division) + ", load " + in_units(roof.load) +
         ", store " + in_units(roof.store) + "; start of threads " + in_units(roof.start);
}

known_roofs::known_roofs(std::vector<std::string> const& files) {
  for (auto const& path : files) all_.push_back(read_roof_file(path));
}

ttune::machine_roof const* known_roofs::roof_of(ttune::record_key const& key) {
  auto const found = std::ranges::find_if(all_, [&](auto const& roof) { return is_for(key, roof.target); });
  if (found != all_.end()) return &*found;
  if (measured_ || !is_for(key, ttune::probe_host().name)) return nullptr;
  measured_ = true;
  all_.push_back(roof_here());
  return all_.back().known() ? &all_.back() : nullptr;
}

ttune::judgement known_roofs::judge(key_history const& of) {
  if (!of.winner || !of.text || !of.text->work.known()) return {};
  auto const* const roof = roof_of(of.key);
  return roof ? ttune::judge(of.text->work, *roof, of.flops, of.winner->result.seconds) : ttune::judgement();
}

}  // namespace ttune_tool
