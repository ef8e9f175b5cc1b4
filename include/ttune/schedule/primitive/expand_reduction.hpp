// SPDX-License-Identifier: Apache-2.0
// expand_reduction: the few terms of a reduction become one expression, so that its stage can be inlined, or be
// computed with others in one loop over vectors.
//
//   S(i) = sum(k < 3) e(i, k)      →      S(i) = ((0 + e(i, 0)) + e(i, 1)) + e(i, 2)              expand_reduction(S)
//
// A term whose predicate is false becomes the identity. Floats keep the identity as their first term: a sum of -0 alone
// is +0, a maximum of NaN alone is -infinity.
//
// .expand_reduction() prints
//
//   F(A f32 (6, 8)) -> F f32 (4, 8)
//   F(i, j) = sum(k < 3) A(i + k, j)
// →
//   F(A f32 (6, 8)) -> F f32 (4, 8)
//   F(i, j) = 0.0 + A(i, j) + A(i + 1, j) + A(i + 2, j)
#pragma once

#include "ttune/ir/node.hpp"
#include "ttune/schedule/primitive/rules.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

/// The call of the typed schedule (<ttune/schedule.hpp>).
template <class Schedule>
class expand_reduction_call {
 public:
  /// The reduction of the current stage, of few terms, becomes one expression.
  [[nodiscard]] auto expand_reduction() const {
    return typed::with_step(static_cast<Schedule const&>(*this), primitive::expand_reduction);
  }
};

/// Expressions of more terms take too long to compile.
inline constexpr std::int64_t most_expanded_terms = 64;

[[nodiscard]] inline std::int64_t terms_of(ir::stage const& st) {
  std::int64_t terms = 1;
  for (auto const& a : st.reduction.axes) terms *= std::max<std::int64_t>(a.size(), 0);
  return terms;
}

template <>
struct rules<primitive::expand_reduction> : default_rules {
  [[nodiscard]] static handle<ir::program> apply(handle<ir::program> const& p, step const& s);
};

}}}  // namespace ttune::v0::primitives

#if TTUNE_COMPILES_PRIMITIVES
#include "ttune/schedule/primitive/rebuild.hpp"

namespace ttune { inline namespace v0 { namespace primitives {

namespace detail {

/// Returns an expression of the stage at one place of the reduced axes.
[[nodiscard]] inline ir::expr at_place(ir::stage const& st, std::vector<std::int64_t> const& place, ir::expr const& e) {
  return map_variables(e, [&](std::string const& name) -> ir::expr {
    for (std::size_t a = 0; a < place.size(); ++a)
      if (st.reduction.axes[a].name == name) return ir::make_index(place[a]);
    return {};
  });
}

/// Moves to the next place in the order of the axes, the last one fastest. Returns false after the last place.
[[nodiscard]] inline bool advance(ir::stage const& st, std::vector<std::int64_t>& place) {
  for (auto a = place.size(); a-- > 0;) {
    if (++place[a] < st.reduction.axes[a].begin + st.reduction.axes[a].size()) return true;
    place[a] = st.reduction.axes[a].begin;
  }
  return false;
}

[[nodiscard]] inline ir::expr expanded(ir::stage const& st) {
  auto const kind = st.reduction.kind;
  auto const& value = st.components[0].value;
  auto const identity = ir::make_identity(kind, st.type());
  auto sum = is_float(st.type()) ? identity : ir::expr{};
  std::vector<std::int64_t> place;
  for (auto const& a : st.reduction.axes) place.push_back(a.begin);
  do {
    auto term = at_place(st, place, value);
    if (st.predicate) term = ir::make_select(at_place(st, place, st.predicate), term, identity);
    sum = sum ? ir::make_combine(kind, sum, term) : term;
  } while (advance(st, place));
  return sum;
}

}  // namespace detail

handle<ir::program> rules<primitive::expand_reduction>::apply(handle<ir::program> const& p, step const& s) {
  auto const target = find_stage(p, s, s.stage);
  if (!target->reduces()) refuse(s, s.stage, "reduces nothing");
  if (target->updates) refuse(s, s.stage, "updates its operand in place");
  if (target->reduction.kind == ir::reduction_kind::tuple) refuse(s, s.stage, "is a reduction of a tuple");
  if (auto const terms = terms_of(*target); terms < 1 || terms > most_expanded_terms)
    refuse(s, s.stage,
           "has " + std::to_string(terms) + " terms; at most " + std::to_string(most_expanded_terms) +
               ", and one at least, become an expression");
  program_builder b(p);
  for (auto const& st : p->stages) {
    if (st != target) {
      b.keep(st);
      continue;
    }
    ir::stage made = *st;
    made.components[0].value = detail::expanded(*st);
    made.predicate = {};
    made.reduction = {};
    b.replace(st, b.add(made));
  }
  return b.finish();
}

}}}  // namespace ttune::v0::primitives
#endif
