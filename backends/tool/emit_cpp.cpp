// SPDX-License-Identifier: Apache-2.0
// `ttune emit-cpp`: an ONNX model as C++ source with its weights, and with tuned kernels.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tool.hpp"
#if TTUNE_WITH_ONNX
#include "model_options.hpp"
#include "ttune/network/network_records.hpp"
#include "ttune/network/network_text.hpp"
#include "ttune/onnx.hpp"
#include "ttune/records/export/c_names.hpp"
#include "ttune/records/sqlite.hpp"
#include "ttune/support/fill_template.hpp"
#endif

namespace ttune_tool {

#if TTUNE_WITH_ONNX

namespace {

namespace fs = std::filesystem;

/// Returns a text as the name of a function: one that begins with a digit gets a word before it.
std::string function_name(std::string const& text) {
  bool const begins_with_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  return ttune::detail::c_identifier(text.empty() || begins_with_digit ? "network_" + text : text);
}

void write_file(fs::path const& path, std::string const& content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  if (!out.flush()) throw failure(path.string() + " cannot be written");
}

std::string operands_text(ttune::network_graph const& net) {
  std::string made;
  for (auto const input : net.inputs()) made += "//   input  " + net.tensors()[input].text() + "\n";
  for (auto const output : net.outputs()) made += "//   output " + net.tensors()[output].text() + "\n";
  return made;
}

// In these texts, $NAME stands for the name of the network, the other words with $ for lines and sizes.

constexpr char const* header_text = R"(// Written by `ttune emit-cpp`: a network with its weights.
$OPERANDS#pragma once

#include <ttune/network/graph.hpp>
#include <ttune/records/store.hpp>

/// Returns the network. Its weights are a part of the program.
ttune::network_graph $NAME();
/// Returns the kernels that were tuned for it: `tuner_options::records` takes them. Without any, the store is empty.
ttune::shared_store $NAME_records();
)";

constexpr char const* source_text =
    R"(// Written by `ttune emit-cpp`. The assembler reads $NAME.weights and $NAME.records while this file is compiled: from
// the folder of $NAME_FOLDER, which is the compiler's working directory unless the macro is defined.
#include "$NAME.hpp"

#include <ttune/network/network_text.hpp>
#include <ttune/records/memory_store.hpp>
#include <ttune/records/sqlite.hpp>

#include <cstdint>
#include <memory>

#ifndef $NAME_FOLDER
#define $NAME_FOLDER "."
#endif

// clang-format off
asm(".pushsection .rodata, \"a\"\n"
    ".balign 64\n"
    "$NAME_weights_bytes: .incbin \"" $NAME_FOLDER "/$NAME.weights\"\n"
    ".balign 64\n"
    "$NAME_records_bytes: .incbin \"" $NAME_FOLDER "/$NAME.records\"\n"
    ".popsection\n");
// clang-format on

extern "C" {
[[gnu::visibility("hidden")]] extern std::uint8_t const $NAME_weights_bytes[], $NAME_records_bytes[];
}

namespace {

constexpr std::int64_t weights_size = $WEIGHTS;
constexpr std::size_t records_size = $RECORDS;
constexpr char const* text = R"ttune($TEXT)ttune";

}  // namespace

ttune::network_graph $NAME() {
  std::shared_ptr<void const> const weights($NAME_weights_bytes, [](void const*) {});
  return ttune::network_from_text(text, weights, weights_size);
}

ttune::shared_store $NAME_records() {
  if (records_size == 0) return ttune::memory_store();
  return ttune::sqlite::of_bytes({$NAME_records_bytes, records_size});
}
)";

/// Writes the records of networks that a database has, with their kernels; an empty file if there is no database.
void write_records(fs::path const& to, std::string const& store) {
  if (store.empty()) return write_file(to, {});
  ttune::sqlite const from(store, ttune::record_mode::read_only);
  auto const draft = to.string() + ".all";
  fs::remove(draft);
  std::string reason = "`ttune run MODEL --store " + store + "` makes them";
  {
    ttune::sqlite chosen(draft);
    for (auto const& one : from.keys()) {
      if (!is_of_network(one.key)) continue;
      if (auto const best = from.best(one.key)) chosen.append(*best);
      if (auto const image = from.get_image(one.key)) chosen.put_image(image.of, image.bytes);
      else if (one.has_image) reason = image.reason;
      if (auto const text = from.explanation(one.key)) chosen.put_explanation(one.key, *text);
    }
    fs::remove(to);
    auto const written = chosen.export_best(to.string());
    fs::permissions(to, fs::perms::owner_write, fs::perm_options::add);
    if (written.images == 0) reason.insert(0, store + " has no kernels of networks: ");
    else reason.clear();
  }
  fs::remove(draft);
  if (!reason.empty()) throw failure(reason);
}

}  // namespace

int emit_cpp(emit_request const& request) {
  auto const net = ttune::read_onnx(request.model.path, options_of(request.model));
  auto const name = function_name(request.name.empty() ? fs::path(request.model.path).stem().string() : request.name);
  fs::create_directories(request.folder);
  auto const path = [&](char const* extension) { return fs::path(request.folder) / (name + extension); };
  write_records(path(".records"), request.store);
  std::ofstream weights(path(".weights"), std::ios::binary);
  write_weights(net, weights);
  weights.close();
  if (!weights) throw failure(path(".weights").string() + " cannot be written");
  auto const bytes = [&](char const* extension) { return std::to_string(fs::file_size(path(extension))); };
  write_file(path(".hpp"),
             ttune::detail::fill_template(header_text, {{"$NAME", name}, {"$OPERANDS", operands_text(net)}}));
  write_file(path(".cpp"), ttune::detail::fill_template(source_text, {{"$NAME", name},
                                                                      {"$WEIGHTS", bytes(".weights")},
                                                                      {"$RECORDS", bytes(".records")},
                                                                      {"$TEXT", to_text(net)}}));
  return 0;
}

#else

int emit_cpp(emit_request const&) {
  throw failure("this program was built without ONNX (libonnx-dev, libprotobuf-dev)");
}

#endif

}  // namespace ttune_tool
