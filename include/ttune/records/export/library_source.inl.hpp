// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <span>

#include "ttune/records/export/library_shapes.hpp"
#include "ttune/records/export/library_source.hpp"
#include "ttune/records/export/library_source_text.hpp"
#include "ttune/records/export/library_words.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/support/fill_template.hpp"
#include "ttune/support/hash.hpp"

namespace ttune { inline namespace v0 { namespace detail {

static_assert(abi_version == 1, "the table in library_source_text.hpp is that of ABI 1");

/// A member of the runtime table that is a function of libm.
struct table_function {
  char const* member;
  std::size_t offset;
  char const* function;  ///< name in libm
  char const* type;
  int arguments;
};
#define TTUNE_TABLE_FUNCTION(name, function, type, arguments) \
  {#name, offsetof(runtime_table, name), #function, #type, arguments}
inline constexpr table_function table_functions[] = {
    TTUNE_TABLE_FUNCTION(exp_f32, expf, float, 1),   TTUNE_TABLE_FUNCTION(log_f32, logf, float, 1),
    TTUNE_TABLE_FUNCTION(sin_f32, sinf, float, 1),   TTUNE_TABLE_FUNCTION(cos_f32, cosf, float, 1),
    TTUNE_TABLE_FUNCTION(tanh_f32, tanhf, float, 1), TTUNE_TABLE_FUNCTION(erf_f32, erff, float, 1),
    TTUNE_TABLE_FUNCTION(pow_f32, powf, float, 2),   TTUNE_TABLE_FUNCTION(exp_f64, exp, double, 1),
    TTUNE_TABLE_FUNCTION(log_f64, log, double, 1),   TTUNE_TABLE_FUNCTION(sin_f64, sin, double, 1),
    TTUNE_TABLE_FUNCTION(cos_f64, cos, double, 1),   TTUNE_TABLE_FUNCTION(tanh_f64, tanh, double, 1),
    TTUNE_TABLE_FUNCTION(erf_f64, erf, double, 1),   TTUNE_TABLE_FUNCTION(pow_f64, pow, double, 2),
    TTUNE_TABLE_FUNCTION(fmod_f64, fmod, double, 2)};
#undef TTUNE_TABLE_FUNCTION

/// Returns a word of 64 bits in C.
inline std::string c_word(std::uint64_t word) { return "UINT64_C(" + std::to_string(word) + ")"; }

/// The features of one architecture that an exported library asks for, and their bits.
class feature_bits {
 public:
  feature_bits(std::vector<exported_kernel> const& kernels, std::string_view architecture)
      : architecture_(architecture) {
    for (auto const& k : kernels)
      for (auto const& v : k.variants)
        if (architecture_of(v.image().target) == architecture)
          for (auto const& f : v.features) bits_.try_emplace(f, bits_.size());
  }
  [[nodiscard]] std::uint64_t mask(exported_variant const& v) const {
    std::uint64_t made = 0;
    for (auto const& f : v.features) made |= std::uint64_t{1} << bits_.at(f);
    return made;
  }
  /// Returns the rows of the table `features`, in the order of the bits.
  [[nodiscard]] std::string rows() const {
    std::vector<std::string> lines(bits_.size());
    for (auto const& [name, bit] : bits_) lines[bit] = "  {\"" + name + "\", " + place_of(name) + "},\n";
    std::string made;
    for (auto const& line : lines) made += line;
    return made;
  }

 private:
  [[nodiscard]] std::string place_of(std::string const& name) const {
    auto const text = [](auto... numbers) {
      std::string made;
      ((made += (made.empty() ? "" : ", ") + std::to_string(numbers)), ...);
      return made;
    };
    if (architecture_ == "x86_64") {
      auto const& f = *std::ranges::find(cpuid_features, std::string_view(name), &cpuid_feature::name);
      return text(f.leaf, f.subleaf, f.word, f.bit, f.saved);
    }
    auto const& f = *std::ranges::find(hwcap_features, std::string_view(name), &hwcap_feature::name);
    return text(f.word, 0, 0, f.bit, 0);
  }

  std::string_view architecture_;
  std::map<std::string, std::size_t> bits_;
};

/// Returns the bits of the pointers that calls read once constants are laid out: operands, then buffers.
inline std::uint64_t pointers_read(kernel_image const& image) {
  std::uint64_t made = 0;
  auto const count = image.signature.operands.size() + image.signature.prepared_bytes.size();
  for (std::size_t i = 0; i < count; ++i) made |= std::uint64_t{image.reads(i)} << i;
  return made;
}

/// Returns the number of buffers for constants; none if the code lays out nothing.
inline std::size_t buffers_of(kernel_image const& image) {
  return image.prepare_offset < 0 ? 0 : image.signature.prepared_bytes.size();
}

/// One image of a variant, its place in the library, and the names of its parts in C.
struct placed_image {
  exported_variant const& of;
  kernel_image const& image;
  std::string symbol;
  std::size_t rows;    ///< of the table that belong together, beginning here
  std::string choice;  ///< function that chooses among them, or "0"
};

/// Returns a row of a kernel's table of variants.
inline std::string variant_row(placed_image const& one, feature_bits const& bits) {
  auto const& [v, image, symbol, rows, choice] = one;
  auto const& s = image.signature;
  auto const buffers = buffers_of(image);
  auto const identity = hasher{}.add(std::span(image.code)).add(operands_text(s)).value();
  std::string made = "  {" + symbol + ", " + (image.prepare_offset < 0 ? "0" : symbol + "_prepare") + ", ";
  made += c_word(bits.mask(v)) + ", " + std::to_string(s.shared_bytes) + ", " + std::to_string(s.local_bytes) + ", ";
  made += (buffers == 0 ? "0" : symbol + "_buffers") + ", " + std::to_string(buffers) + ", ";
  made += c_word(pointers_read(image)) + ", " + c_word(identity) + ", \"" + plain_text(image.target) + "\", ";
  return made + std::to_string(rows) + ", " + choice + "},\n";
}

/// Returns the declarations of an image: its entries and the sizes of its buffers.
inline std::string image_declarations(kernel_image const& image, std::string const& symbol) {
  auto made = "HIDDEN entry " + symbol + ";\n";
  if (image.prepare_offset >= 0) made += "HIDDEN entry " + symbol + "_prepare;\n";
  if (buffers_of(image) == 0) return made;
  made += "static int64_t const " + symbol + "_buffers[] = {";
  for (auto const bytes : image.signature.prepared_bytes) made += std::to_string(bytes) + ", ";
  made.resize(made.size() - 2);
  return made + "};\n";
}

/// Returns the variants of a kernel for one architecture.
inline std::string variant_table(std::string const& library, exported_kernel const& k, feature_bits const& bits,
                                 std::string_view architecture) {
  std::string declarations, rows;
  for (std::size_t v = 0; v < k.variants.size(); ++v) {
    auto const& variant = k.variants[v];
    if (architecture_of(variant.image().target) != architecture) continue;
    std::string choice = "0";
    if (!k.extents.empty()) {
      choice = code_symbol(library, k, v) + "_which";
      declarations += choice_function(variant.code, choice);
    }
    auto const& images = variant.code.kernels;
    for (std::size_t i = 0; i < images.size(); ++i) {
      auto const symbol = code_symbol(library, k, v, i);
      declarations += image_declarations(images[i].image, symbol);
      rows += variant_row({variant, images[i].image, symbol, images.size() - i, i == 0 ? choice : "0"}, bits);
    }
  }
  return declarations + "static struct variant const " + k.name + "_variants[] = {\n" + rows + "  {0}};\n";
}

/// Returns the pointers of a call as initialisers; null for operands that are no constants, if constants are wanted.
inline std::string pointers_of(exported_kernel const& k, bool constants_only) {
  std::string made;
  for (std::size_t i = 0; i < k.parameters.size(); ++i) {
    auto const& o = k.signature.operands[i];
    bool const is_given = !constants_only || o.direction == operand_direction::constant || !k.is_passed(o);
    auto const own = o.direction == operand_direction::extents ? "own_extents" : "own_strides";
    made += std::string(i ? ", " : "") +
            (is_given ? "(void *)(uintptr_t)" + (k.is_passed(o) ? k.parameters[i] : std::string(own)) : "0");
  }
  return made;
}

/// Returns the largest extents that calls may give, in C.
inline std::vector<std::string> largest_in_c(exported_kernel const& k) {
  std::vector<std::string> made;
  for (auto const extent : k.range().largest) made.push_back(std::to_string(extent));
  return made;
}

/// Returns the functions of a kernel, without its table of variants.
inline std::string functions_of(std::string const& library, exported_kernel const& k) {
  std::uint64_t constants = 0;
  std::string sizes;
  std::size_t most_buffers = 0;
  auto const& operands = k.signature.operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    sizes += (i ? ", " : "") + std::to_string(size_in_bytes(operands[i].type));
    if (operands[i].direction == operand_direction::constant) constants |= std::uint64_t{1} << i;
  }
  for (auto const& v : k.variants)
    for (auto const& one : v.code.kernels) most_buffers = std::max(most_buffers, buffers_of(one.image));
  return fill_template(std::string(kernel_functions_text) + (k.has_constants() ? constants_functions_text : ""),
                       {{"$KERNEL", k.name},
                        {"$NAME", library},
                        {"$SIZES", sizes},
                        {"$COUNT", std::to_string(operands.size())},
                        {"$CONSTANTS_MASK", c_word(constants)},
                        {"$POINTERS", std::to_string(operands.size() + most_buffers)},
                        {"$ALL_PARAMETERS", c_parameters(k)},
                        {"$CONSTANT_PARAMETERS", c_constants(k)},
                        {"$PREPARED", k.has_constants() ? "void const *prepared, " : ""},
                        {"$SETTING", range_check(k, in_capitals(library) + "_BAD_EXTENT") + setting_of(k, k.extents)},
                        {"$LARGEST", setting_of(k, largest_in_c(k))},
                        {"$EXTENTS", k.extents.empty() ? "0" : "own_extents"},
                        {"$GIVEN", k.has_constants() ? "prepared" : "0"},
                        {"$OPERANDS", pointers_of(k, false)},
                        {"$FIXED_POINTERS", pointers_of(k, true)}});
}

/// Returns the parts of the runtime table that are functions of libm: members, checks of their places, values.
inline template_words table_words() {
  std::string members, checks, values;
  for (auto const& f : table_functions) {
    auto const type = std::string(f.type);
    members += "  " + type + " (*" + f.member + ")(" + type + (f.arguments == 2 ? ", " + type : "") + ");\n";
    checks += "_Static_assert(offsetof(struct table, " + std::string(f.member) + ") == " + std::to_string(f.offset) +
              ", \"the layout of ttune's ABI\");\n";
    values += std::string(", ") + f.function;
  }
  return {{"$MEMBERS", members}, {"$CHECKS", checks}, {"$VALUES", values}};
}

std::string library_source(std::string const& library, std::vector<exported_kernel> const& kernels) {
  auto const tables = by_architecture([&](std::string_view architecture) {
    feature_bits const bits(kernels, architecture);
    auto made = "static struct feature const features[] = {\n" + bits.rows() + "  {0}};\n";
    for (auto const& k : kernels) made += variant_table(library, k, bits, architecture);
    return made;
  });
  bool const has_shapes = std::ranges::any_of(kernels, [](auto const& k) { return !k.extents.empty(); });
  std::string functions;
  for (auto const& k : kernels) functions += functions_of(library, k);
  auto words = table_words();
  words.insert(words.end(), {{"$ABI", std::to_string(abi_version)},
                             {"$NAME", library},
                             {"$BIG", in_capitals(library)},
                             {"$SHAPES", has_shapes ? shapes_text : ""},
                             {"$TABLES", tables},
                             {"$FUNCTIONS", functions}});
  return fill_template(library_source_text, words);
}

}}}  // namespace ttune::v0::detail
