// SPDX-License-Identifier: Apache-2.0
// oneDNN on those operators of suite ops for which it has a primitive, with plain layouts except for weights.
#include "../ops_problem.hpp"
#include "onednn.hpp"

namespace {

using namespace ttune_bench;
using dnnl::memory;
using tag = dnnl::memory::format_tag;
using arguments = std::unordered_map<int, memory>;

constexpr auto inference = dnnl::prop_kind::forward_inference;

struct maker {
  dnnl_session& s;
  ops_problem const& p;
  buffer const& out;

  [[nodiscard]] memory operand(std::size_t i, memory::desc const& layout) const {
    return {layout, s.engine, p.in[i].data()};
  }
  [[nodiscard]] memory result(memory::desc const& layout) const { return {layout, s.engine, out.data()}; }
  [[nodiscard]] peer_case of(dnnl::primitive primitive, arguments all) const {
    return {"onednn", [&session = s, primitive = std::move(primitive), all = std::move(all)] {
              primitive.execute(session.stream, all);
              session.stream.wait();
            }};
  }
  [[nodiscard]] tag order() const { return p.shape.what == operation::conv_nhwc ? tag::nhwc : tag::nchw; }
  [[nodiscard]] memory::desc image() const {
    return plain({1, p.shape.image.channels, p.shape.image.height, p.shape.image.width}, order());
  }
  [[nodiscard]] memory::desc pixels() const {
    return plain({1, p.shape.image.filters, p.shape.image.out_height(), p.shape.image.out_width()}, order());
  }

  /// Prepares a convolution with groups of one, some or all channels; all: with bias and rectifier, or channels last.
  [[nodiscard]] peer_case convolution() const {
    auto const& c = p.shape.image;
    bool const fused = p.shape.what == operation::conv_bias_relu;
    memory::dims const strides{c.stride, c.stride}, padding{c.padding, c.padding};
    auto const groups = p.shape.what == operation::depthwise ? c.channels : p.shape.groups;
    bool const whole = groups == 1 && p.shape.what != operation::depthwise;
    memory::dims const extents =
        whole ? memory::dims{c.filters, c.channels, c.kernel, c.kernel}
              : memory::dims{groups, c.filters / groups, c.channels / groups, c.kernel, c.kernel};
    auto const given = p.shape.what == operation::conv_nhwc ? tag::hwio : whole ? tag::oihw : tag::goihw;
    auto const bias = fused ? plain({c.filters}, tag::a) : memory::desc();
    dnnl::primitive_attr attributes;
    if (fused) {
      dnnl::post_ops after;
      append_function(after, dnnl::algorithm::eltwise_relu);
      attributes.set_post_ops(after);
    }
    auto const d =
        describe_with<dnnl::convolution_forward>(attributes, s, inference, dnnl::algorithm::convolution_auto, image(),
                                                 plain(extents, tag::any), bias, pixels(), strides, padding, padding);
    auto const weights = reordered(s, operand(1, plain(extents, given)), d.weights_desc());
    arguments all{{DNNL_ARG_SRC, operand(0, image())}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result(pixels())}};
    if (fused) all.insert({DNNL_ARG_BIAS, operand(2, bias)});
    return of(dnnl::convolution_forward(d), std::move(all));
  }

  [[nodiscard]] peer_case pool(dnnl::algorithm algorithm) const {
    auto const& c = p.shape.image;
    memory::dims const strides{c.stride, c.stride}, padding{c.padding, c.padding}, window{c.kernel, c.kernel};
#if DNNL_VERSION_MAJOR >= 3
    auto const d = describe<dnnl::pooling_forward>(s, inference, algorithm, image(), pixels(), strides, window,
                                                   memory::dims{0, 0}, padding, padding);
#else
    auto const d =
        describe<dnnl::pooling_forward>(s, inference, algorithm, image(), pixels(), strides, window, padding, padding);
#endif
    return of(dnnl::pooling_forward(d), {{DNNL_ARG_SRC, operand(0, image())}, {DNNL_ARG_DST, result(pixels())}});
  }

  [[nodiscard]] peer_case softmax() const {
    auto const rows = plain({p.shape.m, p.shape.n}, tag::ab);
#if DNNL_VERSION_MAJOR >= 3
    auto const d = describe<dnnl::softmax_forward>(s, inference, dnnl::algorithm::softmax_accurate, rows, rows, 1);
#else
    auto const d = describe<dnnl::softmax_forward>(s, inference, rows, 1);
#endif
    return of(dnnl::softmax_forward(d), {{DNNL_ARG_SRC, operand(0, rows)}, {DNNL_ARG_DST, result(rows)}});
  }

  [[nodiscard]] peer_case layer_norm() const {
    auto const rows = plain({p.shape.m, p.shape.n}, tag::ab), scale = plain({p.shape.n}, tag::a);
    auto const flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
    auto const d = describe<dnnl::layer_normalization_forward>(s, inference, rows, rows, 1e-5F, flags);
#else
    auto const d = describe<dnnl::layer_normalization_forward>(s, inference, rows, 1e-5F, flags);
#endif
    return of(dnnl::layer_normalization_forward(d), {{DNNL_ARG_SRC, operand(0, rows)},
                                                     {DNNL_ARG_SCALE, operand(1, scale)},
                                                     {DNNL_ARG_SHIFT, operand(2, scale)},
                                                     {DNNL_ARG_DST, result(rows)}});
  }

  [[nodiscard]] peer_case transpose() const {
    auto const from = operand(0, plain({p.shape.m, p.shape.n}, tag::ab)),
               to = result(plain({p.shape.m, p.shape.n}, tag::ba));
    return of(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  [[nodiscard]] peer_case matmul_nt() const {
    auto const& e = p.shape;
    auto const a = plain({e.m, e.k}, tag::ab), b = plain({e.k, e.n}, tag::ba), c = plain({e.m, e.n}, tag::ab);
    return of(dnnl::matmul(describe<dnnl::matmul>(s, a, b, c)),
              {{DNNL_ARG_SRC, operand(0, a)}, {DNNL_ARG_WEIGHTS, operand(1, b)}, {DNNL_ARG_DST, result(c)}});
  }

  [[nodiscard]] peer_case batched_matmul() const {
    auto const& e = p.shape;
    auto const a = plain({e.batch, e.m, e.k}, tag::abc), b = plain({e.batch, e.k, e.n}, tag::abc),
               c = plain({e.batch, e.m, e.n}, tag::abc);
    return of(dnnl::matmul(describe<dnnl::matmul>(s, a, b, c)),
              {{DNNL_ARG_SRC, operand(0, a)}, {DNNL_ARG_WEIGHTS, operand(1, b)}, {DNNL_ARG_DST, result(c)}});
  }
};

peer_case prepare(ops_problem const& p, buffer const& out, options const& chosen) {
  maker const make{the_dnnl_session(chosen), p, out};
  switch (p.shape.what) {
    case operation::conv_bias_relu:
    case operation::conv_nhwc:
    case operation::grouped_conv:
    case operation::depthwise: return make.convolution();
    case operation::max_pool: return make.pool(dnnl::algorithm::pooling_max);
    case operation::avg_pool: return make.pool(dnnl::algorithm::pooling_avg_include_padding);
    case operation::softmax: return make.softmax();
    case operation::layer_norm: return make.layer_norm();
    case operation::transpose: return make.transpose();
    case operation::matmul_nt: return make.matmul_nt();
    case operation::batched_matmul: return make.batched_matmul();
    default: return without("onednn", "has no such primitive");
  }
}
bool serves(ops_problem const& p) {
  using enum operation;
  auto const what = p.shape.what;
  return what != bias_gelu && what != stencil && what != matmul_f64 && what != sum && what != column_sums;
}

add_system<ops_problem> const ops{{20, "onednn", prepare, serves}};

}  // namespace
