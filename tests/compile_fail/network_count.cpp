// SPDX-License-Identifier: Apache-2.0
// expect-error: an operator of a network is given another number of values than it has inputs
// expect-culprit: number_of_values<2, 1>
#include <ttune/network/network.hpp>

template <class Op>
void mistake(ttune::network& net, Op const& product) {
  auto const a = net.input<float>("a", {8, 8});
#ifdef TTUNE_CONTROL
  (void)net.add(product, a, a);
#else
  (void)net.add(product, a);
#endif
}

using first = ttune::operand<"A", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;
using second = ttune::operand<"B", float, 2, ttune::row_major, ttune::tensor_kind::input, false>;
using result = ttune::operand<"C", float, 2, ttune::row_major, ttune::tensor_kind::input, true>;
template void mistake(ttune::network&, ttune::op_type<first, second, result> const&);
