// SPDX-License-Identifier: Apache-2.0
// Names and text that the files of an exported library share.
#pragma once

#include <string>
#include <string_view>

#include "ttune/records/export/c_names.hpp"
#include "ttune/records/export/exported_kernel.hpp"
#include "ttune/runtime/cpu_features.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns a text that can stand in a comment and in a string of C: other characters than usual ones become `_`.
[[nodiscard]] inline std::string plain_text(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (auto& c = text[i];
        c < ' ' || c > '~' || c == '"' || c == '\\' || c == '$' || (c == '/' && i && text[i - 1] == '*'))
      c = '_';
  return text;
}

[[nodiscard]] inline std::string in_capitals(std::string text) {
  for (auto& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// Returns the name of the machine code of a variant, "imaging_blur_0_x86_64_v3"; the first of several images.
[[nodiscard]] inline std::string code_symbol(std::string const& library, exported_kernel const& kernel,
                                             std::size_t variant) {
  auto const& target = kernel.variants[variant].image().target;
  auto const space = target.find(' ');
  return library + "_" + kernel.name + "_" + std::to_string(variant) + "_" +
         c_identifier(space == std::string::npos ? target : target.substr(space + 1));
}

/// Returns the name of the machine code of one of a variant's images, "imaging_scale_0_x86_64_v3_shapes_2".
[[nodiscard]] inline std::string code_symbol(std::string const& library, exported_kernel const& kernel,
                                             std::size_t variant, std::size_t image) {
  auto const first = code_symbol(library, kernel, variant);
  return kernel.extents.empty() ? first : first + "_shapes_" + std::to_string(image);
}

/// Returns the type of an operand's elements in C. Floats of 16 bits are passed as their bits, truth values as bytes.
[[nodiscard]] inline std::string c_type(dtype t) {
  switch (t) {
    case dtype::boolean: return "uint8_t";
    case dtype::f16:
    case dtype::bf16: return "uint16_t";
    case dtype::f32: return "float";
    case dtype::f64: return "double";
    default: return (is_unsigned(t) ? "uint" : "int") + std::to_string(8 * size_in_bytes(t)) + "_t";
  }
}

[[nodiscard]] inline bool is_written(operand_info const& o) {
  return o.direction == operand_direction::out || o.direction == operand_direction::inout;
}

/// Returns "float const *A" or "float *C".
[[nodiscard]] inline std::string c_parameter(operand_info const& o, std::string const& name) {
  return c_type(o.type) + (is_written(o) ? " *" : " const *") + name;
}

/// Returns "float const *A, float *C, int64_t M, ": what calls pass of operands and extents.
[[nodiscard]] inline std::string c_parameters(exported_kernel const& k) {
  std::string text;
  for (std::size_t i = 0; i < k.parameters.size(); ++i)
    if (auto const& o = k.signature.operands[i]; k.is_passed(o)) text += c_parameter(o, k.parameters[i]) + ", ";
  for (auto const& extent : k.extents) text += "int64_t " + extent + ", ";
  return text;
}

/// Returns "float const *W, ": the constants.
[[nodiscard]] inline std::string c_constants(exported_kernel const& k) {
  std::string text;
  for (std::size_t i = 0; i < k.parameters.size(); ++i)
    if (auto const& o = k.signature.operands[i]; o.direction == operand_direction::constant)
      text += c_parameter(o, k.parameters[i]) + ", ";
  return text;
}

/// Returns the lines of each architecture between directives of the preprocessor, which leaves one architecture over.
/// `lines(architecture)` returns the text of an architecture.
template <class Lines>
[[nodiscard]] std::string by_architecture(Lines const& lines) {
  return "#if defined(__x86_64__)\n" + lines(std::string_view("x86_64")) + "#elif defined(__aarch64__)\n" +
         lines(std::string_view("aarch64")) + "#endif\n";
}

}}}  // namespace ttune::v0::detail
