// SPDX-License-Identifier: Apache-2.0
// oneDNN on products of narrow elements: the matmul primitive, with weights in the layout that it chooses.
#include <memory>
#include <vector>

#include "../types_problem.hpp"
#include "onednn.hpp"

namespace {

using namespace ttune_bench;
using dnnl::memory;
using tag = memory::format_tag;
using type = memory::data_type;

peer_case prepare(types_problem const& problem, buffer const& out, options const& chosen) {
  auto& s = the_dnnl_session(chosen);
  auto const& g = problem.shape;
  bool const bytes = g.type == narrow_type::bytes;
  auto const left = bytes ? type::u8 : type::bf16;
  auto const right = bytes ? type::s8 : type::bf16;
  memory::desc const a({g.m, g.k}, left, tag::ab), b({g.k, g.n}, right, tag::ab), any({g.k, g.n}, right, tag::any);
  memory::desc const c({g.m, g.n}, bytes ? type::s32 : type::f32, tag::ab);
  auto const description = describe<dnnl::matmul>(s, a, any, c);
  memory const plain_b(b, s.engine, const_cast<std::uint8_t*>(problem.b.data()));
  auto const sums = std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(problem.outputs()));
  void* const to = bytes ? static_cast<void*>(sums->data()) : out.data();
  peer_case made{"onednn", [&s, sums, primitive = dnnl::matmul(description),
                            arguments = std::unordered_map<int, memory>{
                                {DNNL_ARG_SRC, {a, s.engine, const_cast<std::uint8_t*>(problem.a.data())}},
                                {DNNL_ARG_WEIGHTS, reordered(s, plain_b, description.weights_desc())},
                                {DNNL_ARG_DST, {c, s.engine, to}}}] {
                   primitive.execute(s.stream, arguments);
                   s.stream.wait();
                 }};
  if (bytes)
    made.finish = [sums, &out] {
      for (std::size_t e = 0; e < sums->size(); ++e) out.data()[e] = static_cast<float>((*sums)[e]);
    };
  return made;
}

add_system<types_problem> const onednn{
    {20, "onednn", prepare, [](types_problem const& p) { return p.shape.type != narrow_type::f16; }}};

}  // namespace
