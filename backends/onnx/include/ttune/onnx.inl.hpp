// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>

#include "ttune/onnx.hpp"
#include "ttune/onnx/convert/groups.hpp"
#include "ttune/onnx/model.hpp"
#include "ttune/onnx/reader.hpp"

namespace ttune { inline namespace v0 {

network_graph read_onnx(std::span<std::byte const> bytes, onnx_options const& options) {
  auto const model = parse_onnx(bytes.data(), bytes.size(), options.folder);
  return detail::onnx_reader(model, options).read();
}

network_graph read_onnx(std::string const& path, onnx_options const& options) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw onnx_error("model " + path + " cannot be opened");
  auto const size = file.tellg();
  if (size < 0) throw onnx_error("model " + path + " cannot be read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), size)) throw onnx_error("model " + path + " cannot be read");
  auto placed = options;
  if (placed.folder.empty()) placed.folder = std::filesystem::path(path).parent_path().string();
  try {
    return read_onnx(std::span<std::byte const>(bytes), placed);
  } catch (onnx_unsupported const& failure) {
    throw onnx_unsupported(path + ": " + failure.what());
  } catch (onnx_error const& failure) {
    throw onnx_error(path + ": " + failure.what());
  }
}

}}  // namespace ttune::v0
