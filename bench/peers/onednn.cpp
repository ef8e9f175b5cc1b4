// SPDX-License-Identifier: Apache-2.0
// oneDNN: convolution with plain activations (weights in the layout of its choice, made ahead) and with all layouts of
// its choice; matrix product as the matmul primitive and as sgemm.
#include "onednn.hpp"

namespace {

using namespace ttune_bench;
using dnnl::memory;
using tag = dnnl::memory::format_tag;

memory::desc any(memory::dims const& extents) { return plain(extents, tag::any); }

dnnl::convolution_forward::primitive_desc describe_conv(dnnl_session& s, conv_shape const& c, memory::desc const& in,
                                                        memory::desc const& weights, memory::desc const& out) {
  memory::dims const strides{c.stride, c.stride}, padding{c.padding, c.padding};
  return describe<dnnl::convolution_forward>(s, dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto,
                                             in, weights, out, strides, padding, padding);
}

/// With `free`, the input is brought into its layout ahead and the output stays in its own until `finish`.
peer_case prepare_conv(conv_problem const& problem, buffer const& out, options const& chosen, bool free) {
  auto& s = the_dnnl_session(chosen);
  auto const& c = problem.shape;
  memory::dims const in_extents{c.batch, c.channels, c.height, c.width};
  memory::dims const weight_extents{c.filters, c.channels, c.kernel, c.kernel};
  memory::dims const out_extents{c.batch, c.filters, c.out_height(), c.out_width()};
  auto const in_plain = plain(in_extents, tag::nchw), out_plain = plain(out_extents, tag::nchw);
  auto const chosen_layouts =
      describe_conv(s, c, free ? any(in_extents) : in_plain, any(weight_extents), free ? any(out_extents) : out_plain);
  memory const user_in(in_plain, s.engine, problem.in.data()), user_out(out_plain, s.engine, out.data());
  memory const user_weights(plain(weight_extents, tag::oihw), s.engine, problem.weights.data());
  auto const in = free ? reordered(s, user_in, chosen_layouts.src_desc()) : user_in;
  auto const weights = reordered(s, user_weights, chosen_layouts.weights_desc());
  auto const to = free ? memory(chosen_layouts.dst_desc(), s.engine) : user_out;
  peer_case result{free ? "onednn-free" : "onednn",
                   [&s, primitive = dnnl::convolution_forward(chosen_layouts),
                    arguments = std::unordered_map<int, memory>{
                        {DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, to}}] {
                     primitive.execute(s.stream, arguments);
                     s.stream.wait();
                   }};
  result.same_layout = !free;
  if (free)
    result.finish = [&s, from = to, back = user_out]() mutable {
      dnnl::reorder(from, back).execute(s.stream, from, back);
      s.stream.wait();
    };
  return result;
}

peer_case prepare_matmul(gemm_problem const& problem, buffer const& out, options const& chosen) {
  auto& s = the_dnnl_session(chosen);
  auto const& g = problem.shape;
  auto const a = plain({g.m, g.k}, tag::ab), b = plain({g.k, g.n}, tag::ab), c = plain({g.m, g.n}, tag::ab);
  auto const description = describe<dnnl::matmul>(s, a, b, c);
  return {"onednn", [&s, primitive = dnnl::matmul(description),
                     arguments = std::unordered_map<int, memory>{{DNNL_ARG_SRC, {a, s.engine, problem.a.data()}},
                                                                 {DNNL_ARG_WEIGHTS, {b, s.engine, problem.b.data()}},
                                                                 {DNNL_ARG_DST, {c, s.engine, out.data()}}}] {
            primitive.execute(s.stream, arguments);
            s.stream.wait();
          }};
}

peer_case prepare_sgemm(gemm_problem const& problem, buffer const& out, options const& chosen) {
  (void)the_dnnl_session(chosen);
  auto const m = problem.shape.m, n = problem.shape.n, k = problem.shape.k;
  return {"onednn-sgemm", [=, a = problem.a.data(), b = problem.b.data(), c = out.data()] {
            dnnl::sgemm('N', 'N', m, n, k, 1, a, k, b, n, 0, c, n);
          }};
}

peer_case prepare_nchw(conv_problem const& problem, buffer const& out, options const& chosen) {
  return prepare_conv(problem, out, chosen, false);
}
peer_case prepare_free(conv_problem const& problem, buffer const& out, options const& chosen) {
  return prepare_conv(problem, out, chosen, true);
}

add_system<conv_problem> const nchw{{20, "onednn", prepare_nchw}};
add_system<conv_problem> const free_layouts{{21, "onednn-free", prepare_free}};
add_system<gemm_problem> const matmul{{20, "onednn", prepare_matmul}};
add_system<gemm_problem> const sgemm{{21, "onednn-sgemm", prepare_sgemm}};

}  // namespace
