// SPDX-License-Identifier: Apache-2.0
// Chooses a pipeline of transforms and products: each task computes them for a block of an axis that they share, so
// that the data between them stay in a core's cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ttune/autoschedule/analysis.hpp"
#include "ttune/autoschedule/cpu/lanes.hpp"
#include "ttune/autoschedule/cpu/packing.hpp"
#include "ttune/autoschedule/cpu/transform.hpp"
#include "ttune/autoschedule/select_axis.hpp"
#include "ttune/core/target.hpp"
#include "ttune/support/integer.hpp"

namespace ttune { inline namespace v0 { namespace autoschedule {

class pipeline_choice {
 public:
  pipeline_choice(target const& machine, plan const& p) : machine_(machine), p_(p) {}

  /// Returns the products that only `first` read, in blocks of an axis shared with `st`. Preferred are blocks of tiles,
  /// with the products' factors, so that each core computes its share of them in all stages. If that is impossible, or
  /// each block would read constants much larger than the data between the stages, blocks of filters are used.
  [[nodiscard]] std::optional<pipeline> before(stage_plan const& st,
                                               std::vector<stage_plan const*> const& first) const {
    pipeline made;
    std::vector<std::size_t> factors;
    if (first.empty() || !sources_of(first, true, made.products)) return std::nullopt;
    auto const products = stages_at(made.products);
    bool const own_factors = sources_of(products, false, factors);
    auto const sources = stages_at(factors);
    auto const is_common = [&](std::string const& n) {
      return all_in_place({&st}, first, n) && all_in_place(first, products, n);
    };
    auto const cores = static_cast<std::int64_t>(machine_.cores);
    auto const v = choose_vector_axis(p_, st, machine_.lanes(st.definition->type())).axis;
    std::int32_t tiles = -1;
    for (std::size_t x = 0; x < st.definition->axes.size() && own_factors; ++x) {
      auto const& n = st.axis_name(x);
      if (st.axis_size(x) >= 4 * cores && is_common(n) && all_in_place(products, sources, n))
        tiles = static_cast<std::int32_t>(x);
    }
    auto const passed = free_iterations(products) + free_iterations(sources);
    auto const element = static_cast<double>(size_in_bytes(st.definition->type()));
    if (tiles >= 0 && constants_of(products) <= most_constants * passed) {
      made.axis = tiles;
      made.stages = factors;
      made.seed = block_of_tiles(passed * element, st.axis_size(static_cast<std::size_t>(tiles)));
    } else if (v >= 0 && is_common(st.axis_name(static_cast<std::size_t>(v)))) {
      made.axis = v;
      auto const lanes = lanes_of(machine_, st);
      auto const vectors = ceil_divide(st.axis_size(static_cast<std::size_t>(v)), lanes);
      if (vectors < 2 * cores) return std::nullopt;
      made.seed = lanes * std::clamp<std::int64_t>(vectors / (2 * cores), 1, most_vectors_of_tile);
    } else {
      return std::nullopt;
    }
    made.stages.insert(made.stages.end(), made.products.begin(), made.products.end());
    return made;
  }

 private:
  static constexpr std::int64_t most_vectors_of_tile = 4;

  [[nodiscard]] std::vector<stage_plan const*> stages_at(std::vector<std::size_t> const& numbers) const {
    std::vector<stage_plan const*> found;
    for (auto const q : numbers) found.push_back(&p_.stages[q]);
    return found;
  }

  /// Returns a core's share if its data fit the cache; otherwise the number of tiles that half of the cache holds.
  [[nodiscard]] std::int64_t block_of_tiles(double bytes, std::int64_t tiles) const {
    auto const cores = static_cast<std::int64_t>(machine_.cores);
    auto const cache = static_cast<double>(machine_.l2_bytes);
    if (bytes / static_cast<double>(cores) <= cache) return ceil_divide(tiles, cores);
    auto const fitting = static_cast<std::int64_t>(cache / 2 / (bytes / static_cast<double>(tiles)));
    return nearest(pipeline_blocks(tiles, cores), std::max<std::int64_t>(1, fitting));
  }

  /// Appends the non-constant sources of `readers`, which must all be reductions, or all not, as `reduce` says. Returns
  /// false if they are of the other kind, or have other readers.
  [[nodiscard]] bool sources_of(std::vector<stage_plan const*> const& readers, bool reduce,
                                std::vector<std::size_t>& found) const {
    auto const is_reader = [&](std::int32_t r) {
      return std::find(readers.begin(), readers.end(), &p_.stages[static_cast<std::size_t>(r)]) != readers.end();
    };
    for (auto const* reader : readers)
      for (auto const& a : reader->accesses) {
        if (a.write || a.producer < 0) continue;
        auto const q = static_cast<std::size_t>(a.producer);
        auto const& s = p_.stages[q];
        if (is_of_constants(p_, s) || std::find(found.begin(), found.end(), q) != found.end()) continue;
        auto const all = readers_of(p_, a.producer);
        if (s.definition->reduces() != reduce || s.output || !std::all_of(all.begin(), all.end(), is_reader))
          return false;
        found.push_back(q);
      }
    return !found.empty();
  }

  /// Returns the number of elements of prepared constants that the reductions read.
  [[nodiscard]] double constants_of(std::vector<stage_plan const*> const& reductions) const {
    double sum = 0;
    for (auto const* r : reductions)
      for (auto const& a : r->accesses)
        if (is_laid_out_ahead(p_, *r, a)) sum += elements_of(p_, *r, a);
    return sum;
  }

  [[nodiscard]] bool all_in_place(std::vector<stage_plan const*> const& readers,
                                  std::vector<stage_plan const*> const& producers, std::string const& axis) const {
    return std::all_of(readers.begin(), readers.end(), [&](auto const* r) {
      return std::all_of(producers.begin(), producers.end(), [&](auto const* q) { return is_in_place(*r, *q, axis); });
    });
  }

  /// Returns true if the reader uses its own axis of that name in all reads of `producer`.
  [[nodiscard]] bool is_in_place(stage_plan const& reader, stage_plan const& producer, std::string const& axis) const {
    auto const& axes = producer.definition->axes;
    auto const d = static_cast<std::size_t>(
        std::find_if(axes.begin(), axes.end(), [&](ir::axis const& a) { return a.name == axis; }) - axes.begin());
    if (d == axes.size()) return false;
    return std::all_of(reader.accesses.begin(), reader.accesses.end(), [&](access_plan const& a) {
      if (a.write || a.producer < 0 || &p_.stages[static_cast<std::size_t>(a.producer)] != &producer) return true;
      auto const& i = a.indices[d];
      if (i.whole || i.divisor != 1 || i.constant != 0) return false;
      for (std::size_t x = 0; x < i.coefficient.size(); ++x)
        if (i.coefficient[x] != (reader.axis_name(x) == axis ? 1 : 0)) return false;
      return true;
    });
  }

  /// Returns the number of elements of the results of stages.
  [[nodiscard]] static double free_iterations(std::vector<stage_plan const*> const& stages) {
    double sum = 0;
    for (auto const* st : stages) {
      double n = 1;
      for (std::size_t x = 0; x < st->definition->axes.size(); ++x) n *= static_cast<double>(st->axis_size(x));
      sum += n;
    }
    return sum;
  }

  target const& machine_;
  plan const& p_;
};

}}}  // namespace ttune::v0::autoschedule
