// SPDX-License-Identifier: Apache-2.0
// expect-error: a value of a network has another element type or rank than the operand that gets it
// expect-culprit: "?B
#include <ttune/network/network.hpp>

template <class Op>
void mistake(ttune::network& net, Op const& product) {
  auto const a = net.input<float>("a", {8, 4});
#ifdef TTUNE_CONTROL
  auto const b = net.input<float>("b", {4, 2});
#else
  auto const b = net.input<float>("b", {8});
#endif
  (void)net.add(product, a, b);
}

using first = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;
using second = ttune::operand<"B", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;
using result = ttune::operand<"C", float, 2, ttune::row_major, ttune::tensor_kind::input, true>;
template void mistake(ttune::network&, ttune::op_type<first, second, result> const&);
