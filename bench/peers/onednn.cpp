// SPDX-License-Identifier: Apache-2.0
// oneDNN: convolution by each of its algorithms, in the layouts of the mode, or in its own layouts with reorders;
// matrix product by the matmul primitive and by sgemm. Weights are prepared in the layout that it chooses.
#include "onednn.hpp"

#include <optional>

namespace {

using namespace ttune_bench;
using dnnl::algorithm;
using dnnl::memory;
using tag = dnnl::memory::format_tag;
using description = dnnl::convolution_forward::primitive_desc;

memory::desc any(memory::dims const& extents) { return plain(extents, tag::any); }

/// A convolution for oneDNN, with the operands of the caller.
struct convolution {
  explicit convolution(conv_shape const& c)
      : shape(c),
        in(plain({c.batch, c.channels, c.height, c.width}, c.channels_last() ? tag::nhwc : tag::nchw)),
        weights(c.groups == 1
                    ? plain({c.filters, c.channels, c.kernel, c.kernel}, tag::oihw)
                    : plain({c.groups, c.filters / c.groups, c.group_channels(), c.kernel, c.kernel}, tag::goihw)),
        out(plain({c.batch, c.filters, c.out_height(), c.out_width()}, c.channels_last() ? tag::nhwc : tag::nchw)) {}

  /// Describes it with oneDNN's layouts for activations, or the caller's. Throws dnnl::error if oneDNN lacks the case.
  [[nodiscard]] description describe(dnnl_session const& s, algorithm how, bool own_layouts) const {
    memory::dims const strides{shape.stride, shape.stride}, padding{shape.padding, shape.padding};
    memory::dims const gaps{shape.dilation - 1, shape.dilation - 1};
    return ttune_bench::describe<dnnl::convolution_forward>(
        s, dnnl::prop_kind::forward_inference, how, own_layouts ? any(extents_of(in)) : in, any(extents_of(weights)),
        own_layouts ? any(extents_of(out)) : out, strides, gaps, padding, padding);
  }

  conv_shape shape;
  memory::desc in, weights, out;
};

/// An algorithm, and a flag for activations in oneDNN's own layouts: in mode free they are converted before the call,
/// otherwise by the call itself.
struct variant {
  char const* name;
  algorithm how;
  bool own_layouts;
};
constexpr variant automatic{"onednn", algorithm::convolution_auto, false};
constexpr variant direct{"onednn-direct", algorithm::convolution_direct, false};
constexpr variant reordered_direct{"onednn-reorder", algorithm::convolution_direct, true};
constexpr variant winograd{"onednn-winograd", algorithm::convolution_winograd, true};

peer_case prepare_conv(conv_problem const& problem, buffer const& out, options const& chosen, variant const& v) {
  auto& s = the_dnnl_session(chosen);
  convolution const c(problem.shape);
  bool const free = c.shape.mode == "free";
  auto const chosen_layouts = c.describe(s, v.how, v.own_layouts || free);
  memory user_in(c.in, s.engine, problem.in.data()), user_out(c.out, s.engine, out.data());
  auto const weights = reordered(s, memory(c.weights, s.engine, problem.weights.data()), chosen_layouts.weights_desc());
  bool const in_differs = chosen_layouts.src_desc() != c.in, out_differs = chosen_layouts.dst_desc() != c.out;
  auto in = in_differs ? reordered(s, user_in, chosen_layouts.src_desc()) : user_in;
  auto to = out_differs ? memory(chosen_layouts.dst_desc(), s.engine) : user_out;
  std::optional<dnnl::reorder> before, after;
  if (in_differs && !free) before = dnnl::reorder(user_in, in);
  if (out_differs && !free) after = dnnl::reorder(to, user_out);
  peer_case result{v.name,
                   [&s, before, after, user_in, in, to, user_out, primitive = dnnl::convolution_forward(chosen_layouts),
                    arguments = std::unordered_map<int, memory>{
                        {DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, to}}]() mutable {
                     if (before) before->execute(s.stream, user_in, in);
                     primitive.execute(s.stream, arguments);
                     if (after) after->execute(s.stream, to, user_out);
                     s.stream.wait();
                   }};
  if (free && out_differs)
    result.finish = [&s, from = to, back = user_out]() mutable {
      dnnl::reorder(from, back).execute(s.stream, from, back);
      s.stream.wait();
    };
  return result;
}

/// Returns true if oneDNN has the algorithm for a shape, and its variant without reorders differs from that with them.
bool has(conv_problem const& problem, variant const& v) {
  bool const free = problem.shape.mode == "free";
  bool const only_reorders = v.own_layouts && v.how == algorithm::convolution_direct;
  if (only_reorders && free) return false;
  try {
    convolution const c(problem.shape);
    auto const d = c.describe(the_dnnl_session(), v.how, v.own_layouts || free);
    return !only_reorders || d.src_desc() != c.in || d.dst_desc() != c.out;
  } catch (dnnl::error const&) {
    return false;
  }
}

std::string version() {
  auto const* const v = dnnl::version();
  return "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

/// Prepares a product; in mode packed, B has the layout that oneDNN chooses.
peer_case prepare_matmul(gemm_problem const& problem, buffer const& out, options const& chosen) {
  auto& s = the_dnnl_session(chosen);
  auto const& g = problem.shape;
  auto const a = plain({g.m, g.k}, tag::ab), b = plain({g.k, g.n}, tag::ab), c = plain({g.m, g.n}, tag::ab);
  auto const described = describe<dnnl::matmul>(s, a, g.mode == "packed" ? any({g.k, g.n}) : b, c);
  auto right = memory(b, s.engine, problem.b.data());
  if (described.weights_desc() != b) right = reordered(s, right, described.weights_desc());
  return {"onednn", [&s, primitive = dnnl::matmul(described),
                     arguments = std::unordered_map<int, memory>{{DNNL_ARG_SRC, {a, s.engine, problem.a.data()}},
                                                                 {DNNL_ARG_WEIGHTS, right},
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

system_entry<conv_problem> entry(int rank, variant const& v) {
  return {rank, v.name,
          [v](conv_problem const& problem, buffer const& out, options const& chosen) {
            return prepare_conv(problem, out, chosen, v);
          },
          [v](conv_problem const& problem) { return has(problem, v); }, version};
}

add_system<conv_problem> const conv_automatic{entry(20, automatic)};
add_system<conv_problem> const conv_direct{entry(21, direct)};
add_system<conv_problem> const conv_reordered{entry(22, reordered_direct)};
add_system<conv_problem> const conv_winograd{entry(23, winograd)};
add_system<gemm_problem> const matmul{{20, "onednn", prepare_matmul, {}, version}};
add_system<gemm_problem> const sgemm{{21, "onednn-sgemm", prepare_sgemm, {}, version}};

}  // namespace
