// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ttune/records/export/library_shapes.hpp"

namespace ttune { inline namespace v0 { namespace detail {

/// Returns a product of extents, as "times(e[0], e[2])".
inline std::string product_in_c(extent_product const& what) {
  std::string made;
  for (auto const place : what.of) {
    if (place == extent_product::none) continue;
    auto const extent = "e[" + std::to_string(place) + "]";
    made = made.empty() ? extent : "times(" + made + ", " + extent + ")";
  }
  return made;
}

/// Writes a part of a tree as statements; each line begins with `indent`.
inline void put_choice(std::string& out, shape_tree const& tree, std::int32_t at, std::string const& indent) {
  auto const& n = tree.nodes()[static_cast<std::size_t>(at)];
  if (n.is_leaf()) {
    out += indent + "return " + std::to_string(n.below) + ";\n";
    return;
  }
  out += indent + "if (" + product_in_c(n.what) + " <= " + std::to_string(n.most) + ") {\n";
  put_choice(out, tree, n.below, indent + "  ");
  out += indent + "}\n";
  put_choice(out, tree, n.above, indent);
}

std::string choice_function(shape_images const& among, std::string const& name) {
  std::string made = "static int32_t " + name + "(int64_t const *e) {\n";
  if (among.tree.nodes().front().is_leaf()) made += "  (void)e;\n";
  put_choice(made, among.tree, 0, "  ");
  return made + "}\n";
}

/// Returns the distances of an operand's elements along all dimensions, without gaps.
inline std::string strides_in_c(std::vector<std::string> const& extents) {
  std::string made;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    std::string one;
    for (auto i = d + 1; i < extents.size(); ++i) one += (one.empty() ? "" : " * ") + extents[i];
    made += (d ? ", " : "") + (one.empty() ? "1" : one);
  }
  return made;
}

std::string setting_of(exported_kernel const& k, std::vector<std::string> const& values) {
  if (k.extents.empty()) return {};
  std::string extents, strides;
  for (auto const& v : values) extents += (extents.empty() ? "" : ", ") + v;
  auto named = k;
  named.extents = values;
  for (auto const& o : k.signature.operands)
    if (o.strides != operand_strides::dense)
      strides += (strides.empty() ? "" : ", ") + strides_in_c(extents_in_c(named, o));
  auto made = "  int64_t const own_extents[] = {" + extents + "};\n";
  if (!strides.empty()) made += "  int64_t const own_strides[] = {" + strides + "};\n";
  return made;
}

std::string range_check(exported_kernel const& k, std::string const& status) {
  if (k.extents.empty()) return {};
  std::string wrong;
  for (std::size_t d = 0; d < k.extents.size(); ++d)
    wrong += (wrong.empty() ? "" : " || ") + k.extents[d] + " < " + std::to_string(k.range().smallest[d]) + " || " +
             k.extents[d] + " > " + std::to_string(k.range().largest[d]);
  return "  if (" + wrong + ") return " + status + ";\n";
}

}}}  // namespace ttune::v0::detail
