// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ttune/lowering/lower.hpp"
#include "ttune/records/export/exported_kernel.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/cpu_features.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

bool exported_kernel::has_constants() const {
  return std::ranges::any_of(signature().operands,
                             [](auto const& o) { return o.direction == operand_direction::constant; });
}

std::string operands_text(kernel_signature const& signature) {
  std::string text;
  for (auto const& o : signature.operands) {
    text += (text.empty() ? "" : ", ") + o.name + " " + name_of(o.type) + " (";
    for (std::size_t d = 0; d < o.shape.size(); ++d) text += (d ? ", " : "") + std::to_string(o.shape[d]);
    text += ")";
  }
  return text;
}

std::string c_identifier(std::string_view text) {
  std::string made(text);
  for (auto& c : made)
    if (auto const one = std::string_view(&c, 1); !is_c_identifier(one) && !(c >= '0' && c <= '9')) c = '_';
  return made.empty() || (made.front() >= '0' && made.front() <= '9') ? "_" + made : made;
}

bool is_c_identifier(std::string_view text) {
  auto const is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// Words that no parameter or function may be called: those of C and C++, and names that headers use as macros.
inline constexpr std::string_view c_words[] = {
    "alignas",   "alignof",  "and",       "asm",       "auto",     "bool",     "break",     "case",     "catch",
    "char",      "class",    "concept",   "const",     "continue", "default",  "delete",    "do",       "double",
    "else",      "enum",     "explicit",  "export",    "extern",   "false",    "float",     "for",      "friend",
    "goto",      "if",       "inline",    "int",       "long",     "mutable",  "namespace", "new",      "not",
    "operator",  "or",       "private",   "protected", "public",   "register", "requires",  "restrict", "return",
    "short",     "signed",   "sizeof",    "static",    "struct",   "switch",   "template",  "this",     "throw",
    "true",      "try",      "typedef",   "typename",  "union",    "unsigned", "using",     "virtual",  "void",
    "volatile",  "while",    "xor",       "I",         "linux",    "unix",     "NULL",      "EOF",      "stdin",
    "stdout",    "stderr",   "errno",     "context",   "prepared", "operands", "complex",   "nullptr",  "constexpr",
    "constinit", "co_await", "consteval", "decltype",  "noexcept", "co_yield", "co_return", "wchar_t",  "typeof"};

inline std::string safe_word(std::string_view text) {
  auto made = c_identifier(text);
  return std::ranges::find(c_words, made) != std::end(c_words) ? made + "_" : made;
}

inline std::vector<std::string> parameters_of(kernel_signature const& signature) {
  std::vector<std::string> made;
  for (auto const& o : signature.operands) {
    auto name = safe_word(o.name);
    while (std::ranges::find(made, name) != made.end()) name += "_";
    made.push_back(std::move(name));
  }
  return made;
}

inline std::string id_of_key(record_key const& key) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash_of(key)));
  return text;
}

/// Returns the features of an image that a program can ask its processor for.
inline std::vector<std::string> asked_features(kernel_image const& image) {
  std::vector<std::string> made;
  auto const is_known = [&](std::string_view name) {
    if (architecture_of(image.target) == "x86_64")
      return std::ranges::find(cpuid_features, name, &cpuid_feature::name) != std::end(cpuid_features);
    return std::ranges::find(hwcap_features, name, &hwcap_feature::name) != std::end(hwcap_features);
  };
  for_each_feature(image.features, [&](std::string_view name) {
    if (is_known(name)) made.emplace_back(name);
  });
  std::ranges::sort(made);
  made.erase(std::unique(made.begin(), made.end()), made.end());
  return made;
}

/// Returns why an image cannot be exported; empty if it can.
inline std::string refusal(image_lookup const& stored, kernel_image const& image) {
  constexpr std::size_t most_pointers = 64;
  auto const& s = image.signature;
  if (!image.device.empty()) return "is code for " + image.device + "; only code of CPUs is exported";
  if (auto const machine = architecture_of(image.target); machine != "x86_64" && machine != "aarch64")
    return "is code for \"" + image.target + "\", which is not exported";
  if (image.abi != abi_version || stored.of.lowering_version != lowering_version)
    return "was made by another version of ttune: tune it again";
  if (s.operands.size() + s.prepared_bytes.size() > most_pointers)
    return "has more than " + std::to_string(most_pointers) + " operands";
  return {};
}

/// Reads an image; returns nothing and adds a sentence to `left_out` if it cannot be exported.
inline std::optional<exported_variant> read_variant(record_store const& from, record_key const& key,
                                                    std::vector<std::string>& left_out) {
  auto const stored = from.get_image(key);
  std::string why = stored.reason;
  try {
    if (stored) {
      exported_variant made{image_from_bytes(stored.bytes), key, stored.of.result.seconds, {}};
      made.features = asked_features(made.image);
      why = refusal(stored, made.image);
      if (why.empty()) return made;
    }
  } catch (record_error const& damaged) {
    why = damaged.what();
  }
  left_out.push_back(title_of(key) + " for " + key.target + " (" + id_of_key(key) + "): " + why);
  return std::nullopt;
}

/// Returns true if variant `a` is tried before `b`: more instructions, else the faster one. Times of a cold cache are
/// not compared with those of a warm one.
inline bool is_tried_before(exported_variant const& a, exported_variant const& b) {
  auto const rank = [](exported_variant const& v) {
    return std::tuple(architecture_of(v.image.target), -static_cast<std::int64_t>(v.features.size()),
                      v.key.objective != "warm", v.seconds, v.key.target);
  };
  return rank(a) < rank(b);
}

/// Sorts the variants of a kernel and removes those that would never run: an earlier one runs wherever they do.
inline void settle_variants(std::vector<exported_variant>& all) {
  std::ranges::sort(all, is_tried_before);
  std::vector<exported_variant> kept;
  for (auto& v : all) {
    auto const replaces = [&](exported_variant const& earlier) {
      return architecture_of(earlier.image.target) == architecture_of(v.image.target) &&
             std::ranges::includes(v.features, earlier.features);
    };
    if (std::ranges::none_of(kept, replaces)) kept.push_back(std::move(v));
  }
  all = std::move(kept);
}

/// One of `export_options::kernels`.
struct kernel_wish {
  std::string what;      ///< an operator's name, or the beginning of a key's id
  std::string function;  ///< empty: that of the operator
  bool granted = false;

  /// Returns true for the kernels that are meant: all targets of the programs that keys with this id belong to.
  [[nodiscard]] bool means(exported_kernel const& k) const {
    return k.signature().name == what || std::ranges::any_of(k.variants, [&](exported_variant const& v) {
             return id_of_key(v.key).starts_with(what);
           });
  }
};

inline std::vector<kernel_wish> wishes_of(std::vector<std::string> const& texts) {
  std::vector<kernel_wish> made;
  for (auto const& text : texts) {
    auto const sign = text.find('=');
    kernel_wish one{text.substr(0, sign), sign == std::string::npos ? "" : text.substr(sign + 1)};
    if (one.what.empty()) throw argument_error("\"" + text + "\" names no kernel: write OPERATOR or OPERATOR=FUNCTION");
    if (sign != std::string::npos && (!is_c_identifier(one.function) || safe_word(one.function) != one.function))
      throw argument_error("\"" + text + "\": \"" + one.function + "\" cannot be the name of a function in C");
    made.push_back(std::move(one));
  }
  return made;
}

/// Returns "a, b and 7 more".
inline std::string list_of(std::set<std::string> const& all) {
  constexpr std::size_t most = 20;
  std::string text;
  std::size_t count = 0;
  for (auto const& one : all)
    if (count++ < most) text += (text.empty() ? "" : ", ") + one;
  return all.size() > most ? text + " and " + std::to_string(all.size() - most) + " more" : text;
}

inline void check_targets(std::set<std::string> const& there, export_options const& options) {
  for (auto const& wanted : options.targets)
    if (std::ranges::none_of(there, [&](auto const& one) { return one.starts_with(wanted); }))
      throw argument_error(options.from + " has no kernel for the target \"" + wanted + "\"; there are " +
                           list_of(there));
}

/// Returns all kernels that can be exported: the images of one program are the variants of one kernel.
inline std::vector<exported_kernel> kernels_of(record_store const& from, export_options const& options,
                                               std::vector<std::string>& left_out) {
  std::map<std::pair<std::uint64_t, std::string>, exported_kernel> made;
  std::set<std::string> targets;
  for (auto const& one : from.keys()) {
    if (!one.has_image) continue;
    auto variant = read_variant(from, one.key, left_out);
    if (!variant) continue;
    targets.insert(one.key.target);
    if (!options.targets.empty() &&
        std::ranges::none_of(options.targets, [&](auto const& wanted) { return one.key.target.starts_with(wanted); }))
      continue;
    auto& kernel = made[{one.key.compute, operands_text(variant->image.signature)}];
    kernel.title = title_of(one.key);
    kernel.variants.push_back(std::move(*variant));
  }
  if (targets.empty())
    throw record_error(options.from + " has no kernels to export: " +
                       (left_out.empty()
                            ? "tune with a database as `tuner_options::records`; JSON lines hold no kernels"
                            : left_out.front()));
  check_targets(targets, options);
  std::vector<exported_kernel> all;
  for (auto& [key, kernel] : made) all.push_back(std::move(kernel));
  return all;
}

inline void check_granted(std::vector<kernel_wish> const& wishes, std::set<std::string> const& there,
                          export_options const& options) {
  for (auto const& one : wishes)
    if (!one.granted)
      throw argument_error(options.from + " has no kernel \"" + one.what + "\" to export; there are " + list_of(there));
}

/// Keeps the kernels that are asked for, and gives them the names that are asked for.
inline void keep_wanted(std::vector<exported_kernel>& all, export_options const& options) {
  auto wishes = wishes_of(options.kernels);
  std::set<std::string> there;
  for (auto& k : all) there.insert(k.signature().name);
  std::erase_if(all, [&](exported_kernel& k) {
    bool wanted = wishes.empty();
    for (auto& one : wishes) {
      if (!one.means(k)) continue;
      wanted = one.granted = true;
      if (!one.function.empty()) k.name = one.function;
    }
    return !wanted;
  });
  check_granted(wishes, there, options);
}

/// Returns the names that a kernel of this name takes in the library.
inline std::array<std::string, 5> names_taken(std::string const& name) {
  return {name, name + "_prepare", name + "_prepared_bytes", name + "_workspace_bytes", name + "_target"};
}

/// Names the kernels without a name: by their operator; if that is not enough by all extents; else by a hash, too.
inline void name_kernels(std::vector<exported_kernel>& all) {
  std::map<std::string, int> uses;
  for (auto const& k : all)
    if (k.name.empty()) ++uses[safe_word(k.signature().name)];
  std::set<std::string> taken{"status", "context", "body", "free", "forbid"};
  auto const take = [&](std::string const& name) {
    auto const own = names_taken(name);
    if (std::ranges::any_of(own, [&](auto const& one) { return taken.contains(one); })) return false;
    taken.insert(own.begin(), own.end());
    return true;
  };
  for (auto& k : all)
    if (!k.name.empty() && !take(k.name))
      throw argument_error("two functions would be called \"" + k.name +
                           "\": choose names that differ, as in --kernel " + id_of_key(k.variants.front().key) +
                           "=FUNCTION");
  for (auto& k : all) {
    if (!k.name.empty()) continue;
    auto const& key = k.variants.front().key;
    auto const base = safe_word(k.signature().name);
    auto sized = base;
    for (std::size_t i = 0; i < key.extents.size(); ++i) sized += (i ? "x" : "_") + std::to_string(key.extents[i]);
    char hash[18];
    std::snprintf(hash, sizeof hash, "_%016llx", static_cast<unsigned long long>(key.compute));
    for (auto const& name : {uses[base] == 1 ? base : sized, sized, sized + hash})
      if (k.name.empty() && take(name)) k.name = name;
    for (int i = 2; k.name.empty(); ++i)
      if (auto const name = sized + hash + "_" + std::to_string(i); take(name)) k.name = name;
  }
}

export_selection select_kernels(record_store const& from, export_options const& options) {
  export_selection made;
  made.kernels = kernels_of(from, options, made.left_out);
  keep_wanted(made.kernels, options);
  name_kernels(made.kernels);
  for (auto& k : made.kernels) {
    settle_variants(k.variants);
    k.parameters = parameters_of(k.signature());
  }
  std::ranges::sort(made.kernels, {}, &exported_kernel::name);
  return made;
}

}}}  // namespace ttune::v0::detail
