// SPDX-License-Identifier: Apache-2.0
// The command line, see `ttune --help`. Exit status: 0 for success, 1 for a failure (the last line on standard error
// explains it), 2 for a wrong command line.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tool.hpp"
#include "ttune/runtime/worker/entry.hpp"
#include "ttune/support/config.hpp"

namespace {

/// The options of all subcommands.
struct arguments {
  std::string file, key, to = "-", html, samples;
  std::vector<std::string> from, calls, roofs;
  std::int64_t limit = 20, keep = 100;
  double peak_gflops = 0;
  bool json = false, best = false, autotvm = false, measure = false;
};

CLI::App* add(CLI::App& to, char const* name, char const* text, int& status, std::function<int()> run) {
  auto* const command = to.add_subcommand(name, text);
  command->callback([&status, run = std::move(run)] { status = run(); });
  return command;
}

void add_records(CLI::App& program, arguments& a, int& status) {
  namespace t = ttune_tool;
  auto* const records = program.add_subcommand("records", "What a record file holds, and what goes in and out of it");
  records->require_subcommand(1);
  auto const file = [&a](CLI::App* c, char const* text) { c->add_option("FILE", a.file, text)->required(); };
  auto const json = [&a](CLI::App* c) { c->add_flag("--json", a.json, "As JSON"); };
  constexpr auto readable = "A database, or a file of JSON lines";
  constexpr auto database = "A database; made if it is not there";

  auto* c = add(*records, "list", "The keys: what was tuned, how often, and the best time", status,
                [&] { return t::list_records(a.file, a.json); });
  file(c, readable);
  json(c);

  c = add(*records, "show", "The records of a key, fastest first", status,
          [&] { return t::show_records(a.file, a.key, a.limit, a.json); });
  file(c, readable);
  c->add_option("KEY", a.key, "A key as `list` shows it, or its beginning")->required();
  c->add_option("--limit", a.limit, "How many; 0: all")->capture_default_str()->check(CLI::NonNegativeNumber);
  json(c);

  c = add(*records, "export", "Writes all records as JSON lines, or a database of the winners to ship", status,
          [&] { return t::export_records(a.file, a.to, a.best); });
  file(c, readable);
  c->add_option("--to", a.to, "Where to; -: standard output")->capture_default_str();
  c->add_flag("--best", a.best, "A new database with the best record of each key and its image");

  c = add(*records, "import", "Adds records from JSON lines", status,
          [&] { return t::import_records(a.file, a.from, a.autotvm); });
  file(c, database);
  c->add_option("LINES", a.from, "Files of JSON lines; -: standard input")->required();
  c->add_flag("--autotvm", a.autotvm, "They are logs of AutoTVM");

  c = add(*records, "merge", "Adds all records, images and explanations of other files", status,
          [&] { return t::merge_records(a.file, a.from); });
  c->add_option("INTO", a.file, database)->required();
  c->add_option("FROM", a.from, "Databases or files of JSON lines; they stay as they are")->required();

  c = add(*records, "prune", "Removes all but the fastest records of each key; what has an image stays", status,
          [&] { return t::prune_records(a.file, a.keep, a.key); });
  c->add_option("FILE", a.file, "A database")->required();
  c->add_option("--keep", a.keep, "How many to keep of each key")->capture_default_str()->check(CLI::NonNegativeNumber);
  c->add_option("--key", a.key, "Of this key only");
}

void add_model(CLI::App* to, ttune_tool::model_file& model) {
  to->add_option("MODEL", model.path, "An ONNX file")->required();
  to->add_option("--dimension", model.dimensions, "SYMBOL=EXTENT: a symbolic dimension; may be repeated");
  to->add_option("--shape", model.shapes, "INPUT=1x3x224x224: the shape of an input; may be repeated");
}

void add_run(CLI::App& program, ttune_tool::run_request& request, int& status) {
  auto* const c =
      add(program, "run", "Tunes the network of an ONNX model for this machine, and shows the time of each step",
          status, [&] { return ttune_tool::run_model(request); });
  add_model(c, request.model);
  c->add_option("--time", request.seconds, "Seconds of tuning; 0: untuned kernels")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  c->add_option("--store", request.store, "A database for the records; made if it is not there");
}

void add_emit_cpp(CLI::App& program, ttune_tool::emit_request& request, int& status) {
  auto* const c =
      add(program, "emit-cpp", "Writes an ONNX model as C++ with its weights, for programs that need no file", status,
          [&] { return ttune_tool::emit_cpp(request); });
  add_model(c, request.model);
  c->add_option("--to", request.folder, "The folder of the files; made if it is not there")->required();
  c->add_option("--name", request.name, "The name of the function and of the files; else that of the model's file");
  c->add_option("--store", request.store, "A database with tuned kernels, as `ttune run --store` leaves it");
}

/// The arguments of `export`.
struct export_request {
  std::string file;
  ttune::export_options options;
  bool archive = false, sources = false;
};

int export_library(export_request& request) {
  if (request.archive) request.options.archive = ttune::export_archive::always;
  if (request.sources) request.options.archive = ttune::export_archive::never;
  return ttune_tool::export_library(request.file, request.options);
}

void add_export(CLI::App& program, export_request& request, int& status) {
  auto* const c = add(program, "export", "Writes tuned kernels as a library in C, for programs without ttune", status,
                      [&] { return export_library(request); });
  auto& o = request.options;
  c->add_option("FILE", request.file, "A database with kernels")->required();
  c->add_option("-o,--to", o.folder, "The folder of the files; made if it is not there")->capture_default_str();
  c->add_option("--name", o.name, "Begins the names of all files and functions")->capture_default_str();
  c->add_option("--kernel", o.kernels,
                "OPERATOR or KEY, with =FUNCTION behind it to name the function; may be repeated; else all");
  c->add_option("--target", o.targets, "Only kernels for targets that begin with this; may be repeated");
  auto* const archive = c->add_flag("--archive", request.archive, "Fail if there is no C compiler for libNAME.a");
  c->add_flag("--sources", request.sources, "Do not compile them")->excludes(archive);
  c->footer("Compiles with CC, CFLAGS and AR of the environment; else with cc -O2 and ar, if they are there.");
}

int run(int argc, char** argv) {
  arguments a;
  export_request to_export;
  ttune_tool::run_request to_run;
  ttune_tool::emit_request to_emit;
  int status = 0;
  CLI::App program(
      "Looks after records of tuned kernels, and tunes networks. `ttune COMMAND --help` says more of each.", "ttune");
  program.set_version_flag("--version", std::to_string(TTUNE_VERSION_MAJOR) + "." +
                                            std::to_string(TTUNE_VERSION_MINOR) + "." +
                                            std::to_string(TTUNE_VERSION_PATCH));
  program.require_subcommand(1);
  program.footer("Exit status: 0 all went well, 1 something failed, 2 the command line was wrong.");
  auto const add_peak = [&a](CLI::App* c) {
    c->add_option("--peak", a.peak_gflops,
                  "The device's peak in GFLOP/s, in place of the stored one; `ttune devices --measure` finds it")
        ->check(CLI::PositiveNumber);
  };

  auto const add_roof = [&a](CLI::App* c) {
    c->add_option("--roof", a.roofs,
                  "A file with what `ttune devices --measure --json` wrote on the machine of the kernels; may be "
                  "repeated. Without it this machine is measured for kernels that are for it");
  };

  add_records(program, a, status);
  auto* c = add(program, "explain",
                "One tuned kernel: measurements, what takes its time, schedule as C++, loop nest, source", status,
                [&] { return ttune_tool::explain({a.file, a.key, a.peak_gflops * 1e9, a.roofs, a.samples, a.json}); });
  c->add_option("FILE", a.file, "A database, or a file of JSON lines")->required();
  c->add_option("KEY", a.key, "A key as `ttune records list FILE` shows it, or its beginning")->required();
  add_peak(c);
  add_roof(c);
  c->add_option("--samples", a.samples,
                "A file that an application with TTUNE_TOOLS=samples wrote: where its time goes");
  c->add_flag("--json", a.json, "As JSON");

  c = add(program, "report", "One page about a file: convergence, share of peak, time, failures, what to tune next",
          status, [&] { return ttune_tool::write_report(a.file, a.html, a.peak_gflops * 1e9, a.calls, a.roofs); });
  c->add_option("FILE", a.file, "A database, or a file of JSON lines")->required();
  c->add_option("--html", a.html, "The page to write; it needs nothing but itself")->required();
  c->add_option("--calls", a.calls, "KEY=COUNT: how often the application calls a kernel; may be repeated");
  add_peak(c);
  add_roof(c);

  add_run(program, to_run, status);
  add_emit_cpp(program, to_emit, status);
  add_export(program, to_export, status);
  c = add(program, "devices", "What this machine is, and which backends and libraries were found", status,
          [&] { return ttune_tool::show_devices(a.measure, a.json); });
  c->add_flag("--measure", a.measure, "Measure the peak of arithmetic, and the roof: caches, memory, threads");
  c->add_flag("--json", a.json, "As JSON");

  add(program, "worker", "Runs candidates for a tuner on standard input and output, as ttune-worker does", status,
      [] { return ttune::run_worker(); });

  try {
    program.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    return program.exit(e) == 0 ? 0 : 2;
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "ttune: %s\n", e.what());
    return 1;
  }
}
