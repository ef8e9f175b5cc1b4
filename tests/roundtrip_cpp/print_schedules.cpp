// SPDX-License-Identifier: Apache-2.0
// Writes the prints of to_cpp for the drawn schedules as programs: print_schedules FILE...
#include <cstdio>
#include <fstream>

#include "roundtrip_cpp/drawn.hpp"
#include "roundtrip_cpp/operators.hpp"
#include "ttune/schedule/to_cpp.hpp"

int main(int count, char** files) {
  std::vector<std::string> functions;
  auto const write = [&](char const* name, auto const& op) {
    int number = 0;
    for (auto const& one : ttune_test::draw(name, op.program())) {
      auto const function = std::string(name) + "_" + std::to_string(number++);
      functions.push_back("ttune::space " + function + "();\nttune::space " + function +
                          "() {\nconst auto op = ttune_test::" + name + "();\n" + to_cpp(one.space, one.chosen) +
                          "return space;\n}\n");
    }
  };
  write("matmul", ttune_test::matmul());
  write("conv", ttune_test::conv());
  write("softmax", ttune_test::softmax());
  write("stencil", ttune_test::stencil());
  write("pool", ttune_test::pool());
  auto const parts = static_cast<std::size_t>(count - 1);
  for (std::size_t part = 0; part < parts; ++part) {
    std::ofstream out(files[part + 1]);
    out << "#include \"roundtrip_cpp/operators.hpp\"\n#include \"ttune/schedule.hpp\"\n\n";
    for (auto f = functions.size() * part / parts; f < functions.size() * (part + 1) / parts; ++f)
      out << functions[f] << "\n";
    if (!out.good()) return std::fprintf(stderr, "%s cannot be written\n", files[part + 1]), 1;
  }
}
