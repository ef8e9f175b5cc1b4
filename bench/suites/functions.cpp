// SPDX-License-Identifier: Apache-2.0
// Suite functions: exp, log and others of arrays in the caches, on one core, compared with glibc's vector functions
// (libmvec), SLEEF's, and the compiler's loops. It measures one vector width at a time: 512 bits if the machine has
// them, and 256.
#include <dlfcn.h>

#include <ttune/backends/orc.hpp>
#include <ttune/core/named_target.hpp>
#include <ttune/ttune.hpp>
#include <ttune/tune/workload.hpp>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../figures.hpp"
#include "../harness.hpp"
#include "../plain_functions.hpp"
#include "../suite.hpp"

namespace {

using namespace ttune_bench;

constexpr std::int64_t bytes = 32 << 10;  // bytes of an array: argument and result have 64 KiB together

/// A function, the range of its arguments, and the comparable precision of SLEEF.
struct function_case {
  std::string name;
  double low;
  double high;
  bool has_exponent = false;  ///< true for a second argument, in [-5, 5]
  char const* sleef = "u10";
};

std::vector<function_case> const cases{{"exp", -10, 10},
                                       {"log", 0.01, 100, false, "u35"},
                                       {"tanh", -4, 4},
                                       {"erf", -3, 3},
                                       {"sin", -10, 10, false, "u35"},
                                       {"cos", -10, 10, false, "u35"},
                                       {"pow", 0.01, 100, true},
                                       {"sqrt", 0, 100, false, nullptr},
                                       {"rsqrt", 0.01, 100, false, nullptr},
                                       {"div", 0.01, 100, true, nullptr}};

template <class T, class F>
auto one_argument(F const& f) {
  using namespace ttune;
  auto const [i] = axes<"i">;
  tensor<"x", T, 1> const x{{bytes / static_cast<std::int64_t>(sizeof(T))}};
  auto const y = compute<"y">(i) = f(x(i));
  return op(inputs(x), outputs(y), "function").program();
}

template <class T, class F>
auto two_arguments(F const& f) {
  using namespace ttune;
  auto const [i] = axes<"i">;
  auto const n = bytes / static_cast<std::int64_t>(sizeof(T));
  tensor<"x", T, 1> const x{{n}};
  tensor<"z", T, 1> const z{{n}};
  auto const y = compute<"y">(i) = f(x(i), z(i));
  return op(inputs(x, z), outputs(y), "function").program();
}

template <class T>
ttune::handle<ttune::ir::program> program_of(std::string const& name) {
  if (name == "exp") return one_argument<T>([](auto const& x) { return exp(x); });
  if (name == "log") return one_argument<T>([](auto const& x) { return log(x); });
  if (name == "tanh") return one_argument<T>([](auto const& x) { return tanh(x); });
  if (name == "erf") return one_argument<T>([](auto const& x) { return erf(x); });
  if (name == "sin") return one_argument<T>([](auto const& x) { return sin(x); });
  if (name == "cos") return one_argument<T>([](auto const& x) { return cos(x); });
  if (name == "sqrt") return one_argument<T>([](auto const& x) { return sqrt(x); });
  if (name == "rsqrt") return one_argument<T>([](auto const& x) { return T(1) / sqrt(x); });
  if (name == "pow") return two_arguments<T>([](auto const& x, auto const& z) { return pow(x, z); });
  return two_arguments<T>([](auto const& x, auto const& z) { return x / z; });
}

/// Applies a library's function of vectors to arrays. Its calling convention is that of vectors of the width, so the
/// loop around it is compiled for them.
#define TTUNE_VECTOR_LOOP(loop, instructions, type, width)                                                    \
  __attribute__((target(instructions))) void loop(void* f, bool two, type const* x, type const* z, type* y) { \
    using vector = type __attribute__((vector_size(width)));                                                  \
    for (std::int64_t i = 0; i < bytes / width; ++i) {                                                        \
      vector a;                                                                                               \
      std::memcpy(&a, reinterpret_cast<char const*>(x) + i * width, width);                                   \
      if (two) {                                                                                              \
        vector b;                                                                                             \
        std::memcpy(&b, reinterpret_cast<char const*>(z) + i * width, width);                                 \
        a = reinterpret_cast<vector (*)(vector, vector)>(f)(a, b);                                            \
      } else {                                                                                                \
        a = reinterpret_cast<vector (*)(vector)>(f)(a);                                                       \
      }                                                                                                       \
      std::memcpy(reinterpret_cast<char*>(y) + i * width, &a, width);                                         \
    }                                                                                                         \
  }
#if defined(__x86_64__)
TTUNE_VECTOR_LOOP(floats_512, "avx512f", float, 64)
TTUNE_VECTOR_LOOP(floats_256, "avx2,fma", float, 32)
TTUNE_VECTOR_LOOP(doubles_512, "avx512f", double, 64)
TTUNE_VECTOR_LOOP(doubles_256, "avx2,fma", double, 32)
#endif

template <class T>
void apply_library([[maybe_unused]] void* f, [[maybe_unused]] int width, [[maybe_unused]] bool two,
                   [[maybe_unused]] T const* x, [[maybe_unused]] T const* z, [[maybe_unused]] T* y) {
#if defined(__x86_64__)
  if constexpr (sizeof(T) == 4) (width == 64 ? floats_512 : floats_256)(f, two, x, z, y);
  else (width == 64 ? doubles_512 : doubles_256)(f, two, x, z, y);
#endif
}

/// Returns null if the library or its function is missing.
void* symbol(char const* library, std::string const& name) {
  void* const opened = ::dlopen(library, RTLD_NOW);
  return opened ? ::dlsym(opened, name.c_str()) : nullptr;
}

template <class T>
void* libmvec_function(function_case const& c, int width) {
  auto const lanes = std::to_string(width / static_cast<int>(sizeof(T)));
  return symbol("libmvec.so.1", std::string(width == 64 ? "_ZGVeN" : "_ZGVdN") + lanes +
                                    (c.has_exponent ? "vv_" : "v_") + c.name + (sizeof(T) == 4 ? "f" : ""));
}

template <class T>
void* sleef_function(function_case const& c, int width) {
  if (!c.sleef) return nullptr;
  auto const lanes = std::to_string(width / static_cast<int>(sizeof(T)));
  return symbol("libsleef.so.3", "Sleef_" + c.name + (sizeof(T) == 4 ? "f" : "d") + lanes + "_" + c.sleef +
                                     (width == 64 ? "avx512f" : "avx2"));
}

template <class T>
struct arrays {
  std::vector<T> x, z, y;
  explicit arrays(function_case const& c) : x(bytes / sizeof(T)), z(bytes / sizeof(T)), y(bytes / sizeof(T)) {
    ttune::rng random(1);
    for (auto& v : x) v = static_cast<T>(c.low + (c.high - c.low) * random.uniform());
    for (auto& v : z) v = static_cast<T>(10 * random.uniform() - 5);
  }
};

template <class T>
void measure(function_case const& c, int width, ttune::target const& machine, options const& chosen,
             figure_table& table) {
  auto const name =
      c.name + (sizeof(T) == 4 ? " f32 x" : " f64 x") + std::to_string(width / static_cast<int>(sizeof(T)));
  if (!chosen.wants_case(name) && !chosen.wants_case(c.name)) return;
  ttune::orc_backend compiler(machine);
  ttune::workload const work(ttune::derive_space(program_of<T>(c.name), machine), machine);
  auto const& signature = work.signature();
  auto const made = compiler.compile(work.lower(work.seed()), signature);
  if (!made.image) {
    result refused;
    refused.name = name;
    refused.system = "ttune";
    refused.status = made.diagnostics;
    table.add(refused, "");
    return;
  }
  auto const code = ttune::load(*made.image);
  auto const runtime = ttune::make_runtime_table(*ttune::default_executor());
  arrays<T> a(c);
  std::vector<void*> operands{a.x.data()};
  if (c.has_exponent) operands.push_back(a.z.data());
  operands.push_back(a.y.data());
  std::vector<char> workspace(static_cast<std::size_t>(code->workspace_bytes(1)) + 64);

  std::vector<std::string> systems{"ttune"};
  std::vector<std::function<void()>> functions{[&] { code->main()(operands.data(), &runtime, workspace.data()); }};
  auto const add = [&](char const* system, std::function<void()> run) {
    if (!chosen.wants_system(system)) return;
    systems.emplace_back(system);
    functions.push_back(std::move(run));
  };
  if (auto* const f = libmvec_function<T>(c, width))
    add("libmvec", [&, f] { apply_library<T>(f, width, c.has_exponent, a.x.data(), a.z.data(), a.y.data()); });
  if (auto* const f = sleef_function<T>(c, width))
    add("sleef", [&, f] { apply_library<T>(f, width, c.has_exponent, a.x.data(), a.z.data(), a.y.data()); });
  auto const n = bytes / static_cast<std::int64_t>(sizeof(T));
  if constexpr (sizeof(T) == 4)
    add("compiler", [&, n] { plain_function_f32(c.name)(a.x.data(), a.z.data(), a.y.data(), n); });
  else add("compiler", [&, n] { plain_function_f64(c.name)(a.x.data(), a.z.data(), a.y.data(), n); });

  auto const timings = time_interleaved(functions, chosen);
  for (std::size_t k = 0; k < systems.size(); ++k) {
    result r{"", name, systems[k]};
    r.seconds = timings[k].seconds;
    std::array<char, 80> text{};
    std::snprintf(text.data(), text.size(), "%.3f ns an element, ttune is %.2f times as fast%s",
                  r.seconds / static_cast<double>(n) * 1e9, r.seconds / timings[0].seconds,
                  timings[k].disturbed ? " *" : "");
    table.add(r, text.data());
  }
}

int run(options const& chosen) {
  figure_table table("functions", chosen,
                     "of 32 KiB to 32 KiB on one core, seconds of all elements; vectors of one width");
  auto machine = ttune::probe_host();
  machine.cores = 1;
  auto half = ttune::named_target("x86-64-v3", machine);
  for (auto const& c : cases) {
    measure<float>(c, machine.vector_bytes, machine, chosen, table);
    measure<double>(c, machine.vector_bytes, machine, chosen, table);
    if (machine.vector_bytes != 64) continue;
    measure<float>(c, 32, half, chosen, table);
    measure<double>(c, 32, half, chosen, table);
  }
  return table.status();
}

add_suite const functions{
    {"functions", "exp, log, ... of arrays against libmvec, SLEEF and the compiler's loops", run}};

}  // namespace
