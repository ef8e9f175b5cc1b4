// SPDX-License-Identifier: Apache-2.0
// oneDNN on the operations of suite fusion: with post-operations where it has them, otherwise a sequence of primitives.
// Operands and results are plain; intermediate results and weights have the layouts that it prefers.
#include <cmath>
#include <vector>

#include "../fusion_problem.hpp"
#include "onednn.hpp"

namespace {

using namespace ttune_bench;
using dnnl::memory;
using tag = dnnl::memory::format_tag;
using arguments = std::unordered_map<int, memory>;

constexpr auto inference = dnnl::prop_kind::forward_inference;

struct call {
  dnnl::primitive primitive;
  arguments all;
};

struct maker {
  dnnl_session& s;
  fusion_problem const& p;
  buffer const& out;

  [[nodiscard]] memory operand(std::size_t i, memory::desc const& layout) const {
    return {layout, s.engine, p.in[i].data()};
  }
  [[nodiscard]] memory result(memory::desc const& layout) const { return {layout, s.engine, out.data()}; }
  [[nodiscard]] peer_case of(std::vector<call> calls) const {
    return {"onednn", [&session = s, calls = std::move(calls)] {
              for (auto const& c : calls) c.primitive.execute(session.stream, c.all);
              session.stream.wait();
            }};
  }

  [[nodiscard]] dnnl::convolution_forward::primitive_desc convolution(memory::desc const& from,
                                                                      memory::desc const& weights,
                                                                      memory::desc const& bias, memory::desc const& to,
                                                                      std::int64_t padding,
                                                                      dnnl::primitive_attr const& attributes) const {
    memory::dims const strides{1, 1}, pad{padding, padding};
    return describe_with<dnnl::convolution_forward>(attributes, s, inference, dnnl::algorithm::convolution_auto, from,
                                                    weights, bias, to, strides, pad, pad);
  }
  [[nodiscard]] dnnl::matmul::primitive_desc product(memory::desc const& a, memory::desc const& b,
                                                     memory::desc const& bias, memory::desc const& c,
                                                     dnnl::primitive_attr const& attributes) const {
    return describe_with<dnnl::matmul>(attributes, s, a, b, bias, c);
  }

  [[nodiscard]] memory::desc image(std::int64_t channels) const {
    return plain({1, channels, p.shape.image.height, p.shape.image.width}, tag::nchw);
  }

  /// Copies the residual into the result, to which the convolution adds. A binary post-operation, which needs no copy,
  /// took more than twice as long (oneDNN 2.6).
  [[nodiscard]] peer_case conv_residual() const {
    auto const& c = p.shape.image;
    memory::dims const extents{c.filters, c.channels, c.kernel, c.kernel};
    auto const pixels = image(c.filters), bias = plain({c.filters}, tag::a);
    dnnl::post_ops after;
    after.append_sum(1);
    append_function(after, dnnl::algorithm::eltwise_relu);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    auto const d = convolution(image(c.channels), plain(extents, tag::any), bias, pixels, c.padding, attributes);
    auto const residual = operand(3, pixels), to = result(pixels);
    return of({{dnnl::reorder(residual, to), {{DNNL_ARG_FROM, residual}, {DNNL_ARG_TO, to}}},
               {dnnl::convolution_forward(d),
                {{DNNL_ARG_SRC, operand(0, image(c.channels))},
                 {DNNL_ARG_WEIGHTS, reordered(s, operand(1, plain(extents, tag::oihw)), d.weights_desc())},
                 {DNNL_ARG_BIAS, operand(2, bias)},
                 {DNNL_ARG_DST, to}}}});
  }

  [[nodiscard]] peer_case matmul_gelu() const {
    auto const& e = p.shape;
    auto const a = plain({e.m, e.k}, tag::ab), c = plain({e.m, e.n}, tag::ab), bias = plain({1, e.n}, tag::ab);
    dnnl::post_ops after;
    append_function(after, dnnl::algorithm::eltwise_gelu_erf);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    auto const d = product(a, plain({e.k, e.n}, tag::any), bias, c, attributes);
    return of({{dnnl::matmul(d),
                {{DNNL_ARG_SRC, operand(0, a)},
                 {DNNL_ARG_WEIGHTS, reordered(s, operand(1, plain({e.k, e.n}, tag::ab)), d.weights_desc())},
                 {DNNL_ARG_BIAS, operand(2, bias)},
                 {DNNL_ARG_DST, result(c)}}}});
  }

  /// Computes two products with softmax between them; the scale is an attribute of the first.
  [[nodiscard]] peer_case attention() const {
    auto const& e = p.shape;
    auto const q = plain({e.m, e.k}, tag::ab), k = plain({e.k, e.n}, tag::ba), scores = plain({e.m, e.n}, tag::ab),
               v = plain({e.n, e.k}, tag::ab);
    dnnl::primitive_attr scaled;
    dnnl::post_ops after;
    auto const scale = 1 / std::sqrt(static_cast<float>(e.k));
    append_function(after, dnnl::algorithm::eltwise_linear, scale);
#if DNNL_VERSION_MAJOR >= 3
    auto const d = describe<dnnl::softmax_forward>(s, inference, dnnl::algorithm::softmax_accurate, scores, scores, 1);
#else
    auto const d = describe<dnnl::softmax_forward>(s, inference, scores, 1);
#endif
    scaled.set_post_ops(after);
    memory const between(scores, s.engine);
    return of({{dnnl::matmul(product(q, k, {}, scores, scaled)),
                {{DNNL_ARG_SRC, operand(0, q)}, {DNNL_ARG_WEIGHTS, operand(1, k)}, {DNNL_ARG_DST, between}}},
               {dnnl::softmax_forward(d), {{DNNL_ARG_SRC, between}, {DNNL_ARG_DST, between}}},
               {dnnl::matmul(product(scores, v, {}, q, {})),
                {{DNNL_ARG_SRC, between}, {DNNL_ARG_WEIGHTS, operand(2, v)}, {DNNL_ARG_DST, result(q)}}}});
  }

  /// The first primitive chooses its layout from the plain image; the second one takes its result unchanged.
  [[nodiscard]] peer_case depthwise_pointwise() const {
    auto const& c = p.shape.image;
    memory::dims const depth{c.channels, 1, 1, c.kernel, c.kernel}, point{c.filters, c.channels, 1, 1},
        extents{1, c.channels, c.height, c.width};
    auto const first =
        convolution(image(c.channels), plain(depth, tag::any), {}, plain(extents, tag::any), c.padding, {});
    auto const second = convolution(first.dst_desc(), plain(point, tag::any), {}, image(c.filters), 0, {});
    memory const between(first.dst_desc(), s.engine);
    return of({{dnnl::convolution_forward(first),
                {{DNNL_ARG_SRC, operand(0, image(c.channels))},
                 {DNNL_ARG_WEIGHTS, reordered(s, operand(1, plain(depth, tag::goihw)), first.weights_desc())},
                 {DNNL_ARG_DST, between}}},
               {dnnl::convolution_forward(second),
                {{DNNL_ARG_SRC, between},
                 {DNNL_ARG_WEIGHTS, reordered(s, operand(2, plain(point, tag::oihw)), second.weights_desc())},
                 {DNNL_ARG_DST, result(image(c.filters))}}}});
  }

  [[nodiscard]] peer_case layer_norm() const {
    auto const rows = plain({p.shape.m, p.shape.n}, tag::ab), scale = plain({p.shape.n}, tag::a);
    auto const flags = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;
#if DNNL_VERSION_MAJOR >= 3
    auto const d = describe<dnnl::layer_normalization_forward>(s, inference, rows, rows, 1e-5F, flags);
#else
    auto const d = describe<dnnl::layer_normalization_forward>(s, inference, rows, 1e-5F, flags);
#endif
    return of({{dnnl::layer_normalization_forward(d),
                {{DNNL_ARG_SRC, operand(0, rows)},
                 {DNNL_ARG_SCALE, operand(1, scale)},
                 {DNNL_ARG_SHIFT, operand(2, scale)},
                 {DNNL_ARG_DST, result(rows)}}}});
  }

  /// Computes the sum over k as one product of all rows of X; then weights by B (binary) and sums over j (reduction).
  [[nodiscard]] peer_case mttkrp() const {
    auto const& e = p.shape;
    auto const x = plain({e.batch * e.m, e.k}, tag::ab), c = plain({e.k, e.n}, tag::ab),
               product_of = plain({e.batch * e.m, e.n}, tag::ab), sums = plain({e.batch, e.m, e.n}, tag::abc),
               b = plain({1, e.m, e.n}, tag::abc), to = plain({e.batch, 1, e.n}, tag::abc);
    memory const made(product_of, s.engine);
    memory const weighted(sums, s.engine, made.get_data_handle());  // the same memory, with three dimensions
    auto const times = describe<dnnl::binary>(s, dnnl::algorithm::binary_mul, sums, b, sums);
    auto const total = describe<dnnl::reduction>(s, dnnl::algorithm::reduction_sum, sums, to, 0.0F, 0.0F);
    return of(
        {{dnnl::matmul(product(x, c, {}, product_of, {})),
          {{DNNL_ARG_SRC, operand(0, x)}, {DNNL_ARG_WEIGHTS, operand(2, c)}, {DNNL_ARG_DST, made}}},
         {dnnl::binary(times), {{DNNL_ARG_SRC_0, weighted}, {DNNL_ARG_SRC_1, operand(1, b)}, {DNNL_ARG_DST, weighted}}},
         {dnnl::reduction(total), {{DNNL_ARG_SRC, weighted}, {DNNL_ARG_DST, result(to)}}}});
  }

  [[nodiscard]] peer_case small_products() const {
    auto const& e = p.shape;
    auto const a = plain({e.batch, e.m, e.k}, tag::abc), b = plain({e.batch, e.k, e.n}, tag::abc),
               c = plain({e.batch, e.m, e.n}, tag::abc);
    return of({{dnnl::matmul(product(a, b, {}, c, {})),
                {{DNNL_ARG_SRC, operand(0, a)}, {DNNL_ARG_WEIGHTS, operand(1, b)}, {DNNL_ARG_DST, result(c)}}}});
  }
};

peer_case prepare(fusion_problem const& p, buffer const& out, options const& chosen) {
  maker const make{the_dnnl_session(chosen), p, out};
  switch (p.shape.what) {
    case fusion::conv_residual: return make.conv_residual();
    case fusion::matmul_gelu: return make.matmul_gelu();
    case fusion::attention: return make.attention();
    case fusion::depthwise_pointwise: return make.depthwise_pointwise();
    case fusion::layer_norm: return make.layer_norm();
    case fusion::mttkrp: return make.mttkrp();
    case fusion::small_products: return make.small_products();
    default: return without("onednn", "has no such primitive");
  }
}
bool serves(fusion_problem const& p) {
  using enum fusion;
  auto const what = p.shape.what;
  return what != stencil27 && what != chain && what != absolute_differences;
}

add_system<fusion_problem> const primitives{{20, "onednn", prepare, serves}};

}  // namespace
