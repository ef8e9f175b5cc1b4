// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "ttune/ir/print.hpp"
#include "ttune/onnx/value.hpp"

namespace ttune { inline namespace v0 {

std::int64_t onnx_value::elements() const noexcept {
  std::int64_t count = 1;
  for (auto const extent : shape) count *= extent;
  return count;
}

std::string onnx_value::text() const { return "\"" + name + "\" " + name_of(type) + " " + ir::shape_text(shape); }

ir::ndarray elements_of(onnx_value const& known) {
  return ir::load_ndarray(known.type, known.shape, known.content.get());
}

onnx_value known_value(std::string name, ir::ndarray const& elements) {
  auto const bytes = static_cast<std::size_t>(elements.elements()) * size_in_bytes(elements.type);
  auto const room = std::make_shared<std::vector<char>>(bytes > 0 ? bytes : 1);
  ir::store_ndarray(elements, room->data());
  return {std::move(name), elements.type, elements.shape, 0, std::shared_ptr<void const>(room, room->data())};
}

onnx_value known_integers(std::string name, std::vector<std::int64_t> const& elements) {
  ir::ndarray made(dtype::i64, {static_cast<std::int64_t>(elements.size())});
  made.integers = elements;
  return known_value(std::move(name), made);
}

}}  // namespace ttune::v0
