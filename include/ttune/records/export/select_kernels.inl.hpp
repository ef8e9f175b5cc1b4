// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "ttune/lowering/lower.hpp"
#include "ttune/records/export/c_names.hpp"
#include "ttune/records/export/select_kernels.hpp"
#include "ttune/records/shape_keys.hpp"
#include "ttune/runtime/abi.hpp"
#include "ttune/runtime/cpu_features.hpp"
#include "ttune/runtime/image_io.hpp"
#include "ttune/support/error.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns the name of the operator that was tuned.
inline std::string operator_of(record_key const& key) { return key.compute_text.substr(0, key.compute_text.find('(')); }

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

inline bool takes_extents(operand_info const& o) { return o.direction == operand_direction::extents; }

/// Returns why an image cannot be exported; empty if it can. `is_one_of_many`: others compute the other shapes.
inline std::string refusal(image_lookup const& stored, kernel_image const& image, bool is_one_of_many) {
  constexpr std::size_t most_pointers = 64;
  auto const& s = image.signature;
  if (!image.device.empty()) return "is code for " + image.device + "; only code of CPUs is exported";
  if (auto const machine = architecture_of(image.target); machine != "x86_64" && machine != "aarch64")
    return "is code for \"" + image.target + "\", which is not exported";
  if (image.abi != abi_version || stored.of.lowering_version != lowering_version)
    return "was made by another version of ttune: tune it again";
  if (!is_one_of_many && std::ranges::any_of(s.operands, takes_extents))
    return "takes extents from each call, but which calls is not in the store: `tune_shapes` was stopped before its "
           "end";
  if (s.operands.size() + s.prepared_bytes.size() > most_pointers)
    return "has more than " + std::to_string(most_pointers) + " operands";
  return {};
}

/// Returns the kernels in stored bytes: one, or those for many shapes.
inline shape_images images_from_bytes(std::span<std::uint8_t const> bytes) {
  if (are_shape_images(bytes)) return shape_images_from_bytes(bytes);
  shape_images one;
  one.kernels.push_back({image_from_bytes(bytes)});
  return one;
}

/// Reads an image; returns nothing and adds a sentence to `left_out` if it cannot be exported.
inline std::optional<exported_variant> read_variant(record_store const& from, record_key const& key,
                                                    std::vector<std::string>& left_out) {
  auto const stored = from.get_image(key);
  std::string why = stored.reason;
  try {
    if (stored) {
      exported_variant made{images_from_bytes(stored.bytes), key, stored.of.result.seconds};
      made.features = asked_features(made.image());
      for (auto const& one : made.code.kernels)
        if (why.empty()) why = refusal(stored, one.image, !made.code.range.extents.empty());
      if (why.empty()) return made;
    }
  } catch (record_error const& damaged) {
    why = damaged.what();
  }
  left_out.push_back(title_of(key) + " for " + key.target + " (" + id_of(key) + "): " + why);
  return std::nullopt;
}

/// Returns true if variant `a` is tried before `b`: more instructions, else the faster one. Times of a cold cache are
/// not compared with those of a warm one.
inline bool is_tried_before(exported_variant const& a, exported_variant const& b) {
  auto const rank = [](exported_variant const& v) {
    return std::tuple(architecture_of(v.image().target), -static_cast<std::int64_t>(v.features.size()),
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
      return architecture_of(earlier.image().target) == architecture_of(v.image().target) &&
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
  bool is_granted = false;

  [[nodiscard]] bool means(record_key const& key) const {
    return operator_of(key) == what || id_of(key).starts_with(what);
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

/// Returns the keys with an image for the wanted targets; throws if there are none.
inline std::vector<record_key> keys_for_targets(record_store const& from, export_options const& options) {
  std::set<std::string> targets;
  std::vector<record_key> made;
  for (auto const& one : from.keys()) {
    if (!one.has_image) continue;
    auto const& target = one.key.target;
    targets.insert(target);
    auto const begins = [&](std::string const& wanted) { return target.starts_with(wanted); };
    if (options.targets.empty() || std::ranges::any_of(options.targets, begins)) made.push_back(one.key);
  }
  if (targets.empty())
    throw record_error(
        options.from +
        " has no kernels to export: tune with a database as `tuner_options::records`; JSON lines hold none");
  for (auto const& wanted : options.targets)
    if (std::ranges::none_of(targets, [&](auto const& one) { return one.starts_with(wanted); }))
      throw argument_error(options.from + " has no kernel for the target \"" + wanted + "\"; there are " +
                           list_of(targets));
  return made;
}

/// Returns the programs that are wanted, by the hashes of their keys, and the names of their functions that were asked
/// for. A key's id stands for the kernels of all targets. Throws if one of the wishes means no key.
inline std::map<std::uint64_t, std::string> wanted_programs(std::vector<record_key> const& keys,
                                                            export_options const& options) {
  auto wishes = wishes_of(options.kernels);
  std::map<std::uint64_t, std::string> made;
  std::set<std::string> there;
  for (auto const& key : keys) {
    there.insert(operator_of(key));
    if (wishes.empty()) made.try_emplace(key.compute);
    for (auto& one : wishes) {
      if (!one.means(key)) continue;
      one.is_granted = true;
      auto& function = made[key.compute];
      if (!one.function.empty()) function = one.function;
    }
  }
  for (auto const& one : wishes)
    if (!one.is_granted)
      throw argument_error(options.from + " has no kernel \"" + one.what + "\" to export; there are " + list_of(there));
  return made;
}

/// Returns the keys without those of kernels that were tried for many shapes: all together have a key of their own.
inline std::vector<record_key> without_parts(std::vector<record_key> keys) {
  auto const all = keys;
  std::erase_if(keys, [&](record_key const& one) {
    return std::ranges::any_of(all, [&](record_key const& of) { return is_part_of_shapes(one, of); });
  });
  return keys;
}

/// Returns "matmul(A M x K, B K x N)".
inline std::string title_of(shape_images const& all) {
  std::string inputs;
  for (auto const& o : all.kernels.front().image.signature.operands) {
    if (is_given_by_kernels(o) || o.direction == operand_direction::out) continue;
    inputs += (inputs.empty() ? "" : ", ") + o.name;
    for (std::size_t d = 0; d < o.shape.size(); ++d) {
      bool const is_open = !o.open.empty() && o.open[d] >= 0;
      inputs += (d ? " x " : " ") +
                (is_open ? all.range.extents[static_cast<std::size_t>(o.open[d])] : std::to_string(o.shape[d]));
    }
  }
  return all.range.name + "(" + inputs + ")";
}

export_selection select_kernels(record_store const& from, export_options const& options) {
  auto const keys = without_parts(keys_for_targets(from, options));
  auto const wanted = wanted_programs(keys, options);
  std::map<std::pair<std::uint64_t, std::string>, exported_kernel> found;
  export_selection made;
  for (auto const& key : keys) {
    auto const program = wanted.find(key.compute);
    if (program == wanted.end()) continue;
    auto variant = read_variant(from, key, made.left_out);
    if (!variant) continue;
    auto& kernel = found[{key.compute, operands_text(variant->code.signature())}];
    kernel.name = program->second;
    kernel.title = variant->code.range.extents.empty() ? title_of(key) : title_of(variant->code);
    kernel.variants.push_back(std::move(*variant));
  }
  if (found.empty()) throw record_error(options.from + " has no kernel that can be exported: " + made.left_out.front());
  for (auto& [key, kernel] : found) {
    settle_variants(kernel.variants);
    kernel.signature = kernel.variants.front().code.signature();
    kernel.parameters = parameters_of(kernel.signature);
    kernel.extents = extents_of_calls(kernel.range(), kernel.parameters);
    made.kernels.push_back(std::move(kernel));
  }
  name_kernels(made.kernels);
  std::ranges::sort(made.kernels, {}, &exported_kernel::name);
  return made;
}

}}}  // namespace ttune::v0::detail
