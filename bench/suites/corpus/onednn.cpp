// SPDX-License-Identifier: Apache-2.0
// Operators of the corpus by oneDNN. It chooses the layouts of weights and images itself; what it reorders for that is
// part of the call, since all operands of the corpus change from call to call.
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../../peers/onednn.hpp"
#include "loops.hpp"

namespace {

using namespace ttune_bench;
using namespace ttune_bench::corpus;
using dnnl::memory;
using tag = dnnl::memory::format_tag;

/// Primitives that run one after the other. Each call sets the addresses of the operands.
class sequence {
 public:
  /// Returns the operand with this number in the call, which lies in memory as `layout` says.
  [[nodiscard]] memory operand(std::size_t number, memory::desc const& layout) {
    memory const made(layout, session_.engine, nullptr);
    operands_.emplace_back(number, made);
    return made;
  }
  /// Returns an operand in the layout that a primitive wants: a copy, if that is another one.
  [[nodiscard]] memory operand(std::size_t number, memory::desc const& layout, memory::desc const& wanted) {
    auto const from = operand(number, layout);
    if (layout == wanted) return from;
    memory const to(wanted, session_.engine);
    add(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
    return to;
  }
  [[nodiscard]] memory scratch(memory::desc const& layout) const { return {layout, session_.engine}; }
  /// Adds a primitive whose result may be in another layout than the operand with this number.
  void add_to(std::size_t number, memory::desc const& layout, memory::desc const& made, int argument,
              dnnl::primitive const& primitive, std::unordered_map<int, memory> all) {
    auto const to = operand(number, layout);
    auto const result = made == layout ? to : scratch(made);
    all.insert({argument, result});
    add(primitive, std::move(all));
    if (made != layout) add(dnnl::reorder(result, to), {{DNNL_ARG_FROM, result}, {DNNL_ARG_TO, to}});
  }
  void add(dnnl::primitive primitive, std::unordered_map<int, memory> all) {
    steps_.emplace_back(std::move(primitive), std::move(all));
  }
  [[nodiscard]] dnnl_session& session() const { return session_; }

  void run(std::vector<void const*> const& pointers) {
    for (auto& [number, at] : operands_) at.set_data_handle(const_cast<void*>(pointers[number]));
    for (auto const& [primitive, all] : steps_) primitive.execute(session_.stream, all);
    session_.stream.wait();
  }

 private:
  dnnl_session& session_ = the_dnnl_session();
  std::vector<std::pair<std::size_t, memory>> operands_;
  std::vector<std::pair<dnnl::primitive, std::unordered_map<int, memory>>> steps_;
};

/// Runs the sequence for these extents; `describe` adds its primitives, once.
template <class Describe>
void run(std::map<std::vector<index>, std::unique_ptr<sequence>>& known, std::vector<index> const& extents,
         std::vector<void const*> const& operands, Describe const& describe) {
  auto& made = known[extents];
  if (!made) {
    made = std::make_unique<sequence>();
    describe(*made);
  }
  made->run(operands);
}
using sequences = std::map<std::vector<index>, std::unique_ptr<sequence>>;

constexpr auto inference = dnnl::prop_kind::forward_inference;
constexpr auto direct = dnnl::algorithm::convolution_auto;

/// Adds a convolution with channels last, without padding, with a bias and maybe a rectifier.
void add_convolution(sequence& to, memory::dims const& from, memory::dims const& weights, memory::dims const& result,
                     bool rectified) {
  auto const& s = to.session();
  memory::dims const one{1, 1}, none{0, 0};
  auto const image = plain(from, tag::nhwc), out = plain(result, tag::nhwc), bias = plain({result[1]}, tag::a);
  dnnl::primitive_attr attributes;
  if (rectified) {
    dnnl::post_ops after;
    append_function(after, dnnl::algorithm::eltwise_relu);
    attributes.set_post_ops(after);
  }
  auto const d = describe_with<dnnl::convolution_forward>(attributes, s, inference, direct, image,
                                                          plain(weights, tag::any), bias, out, one, none, none);
  to.add(dnnl::convolution_forward(d), {{DNNL_ARG_SRC, to.operand(0, image)},
                                        {DNNL_ARG_WEIGHTS, to.operand(1, plain(weights, tag::hwio), d.weights_desc())},
                                        {DNNL_ARG_BIAS, to.operand(2, bias)},
                                        {DNNL_ARG_DST, to.operand(3, out)}});
}

void conv2d_bias(index n, index size, index k, index ci, index co, float const* I, float const* W, float const* bias,
                 float* out) {
  static sequences known;
  run(known, {n, size, k, ci, co}, {I, W, bias, out}, [&](sequence& s) {
    add_convolution(s, {n, ci, size, size}, {co, ci, k, k}, {n, co, size - k + 1, size - k + 1}, false);
  });
}

void conv_layer(index n, index h, index w, index ci, index co, float const* in, float const* weights, float const* bias,
                float* out) {
  static sequences known;
  run(known, {n, h, w, ci, co}, {in, weights, bias, out},
      [&](sequence& s) { add_convolution(s, {n, ci, h + 2, w + 2}, {co, ci, 3, 3}, {n, co, h, w}, true); });
}

/// Returns the forward convolution of 3 x 3 with padding 1 that gradients refer to.
dnnl::convolution_forward::primitive_desc forward(dnnl_session const& s, memory::dims const& image,
                                                  memory::dims const& weights, memory::dims const& result) {
  memory::dims const one{1, 1};
  return describe<dnnl::convolution_forward>(s, dnnl::prop_kind::forward_training, direct, plain(image, tag::any),
                                             plain(weights, tag::any), plain(result, tag::any), one, one, one);
}

#if DNNL_VERSION_MAJOR >= 3
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc describe_gradient(dnnl_session const& s,
                                                     dnnl::convolution_forward::primitive_desc const& hint,
                                                     Arguments const&... arguments) {
  return {s.engine, arguments..., hint};
}
#else
template <class Primitive, class... Arguments>
typename Primitive::primitive_desc describe_gradient(dnnl_session const& s,
                                                     dnnl::convolution_forward::primitive_desc const& hint,
                                                     Arguments const&... arguments) {
  return {typename Primitive::desc(arguments...), s.engine, hint};
}
#endif

void conv_input_gradient(index channels, index filters, index size, float const* dO, float const* W, float* dI) {
  static sequences known;
  run(known, {channels, filters, size}, {dO, W, dI}, [&](sequence& s) {
    memory::dims const image{1, channels, size, size}, weights{filters, channels, 3, 3}, out{1, filters, size, size},
        one{1, 1};
    auto const d = describe_gradient<dnnl::convolution_backward_data>(
        s.session(), forward(s.session(), image, weights, out), direct, plain(image, tag::any),
        plain(weights, tag::any), plain(out, tag::any), one, one, one);
    auto const from = s.operand(0, plain(out, tag::nchw), d.diff_dst_desc());
    auto const by = s.operand(1, plain(weights, tag::oihw), d.weights_desc());
    s.add_to(2, plain(image, tag::nchw), d.diff_src_desc(), DNNL_ARG_DIFF_SRC, dnnl::convolution_backward_data(d),
             {{DNNL_ARG_DIFF_DST, from}, {DNNL_ARG_WEIGHTS, by}});
  });
}

void conv_weight_gradient(index n, index channels, index filters, index size, float const* I, float const* dO,
                          float* dW) {
  static sequences known;
  run(known, {n, channels, filters, size}, {I, dO, dW}, [&](sequence& s) {
    memory::dims const image{n, channels, size, size}, weights{filters, channels, 3, 3}, out{n, filters, size, size},
        one{1, 1};
    auto const d = describe_gradient<dnnl::convolution_backward_weights>(
        s.session(), forward(s.session(), image, weights, out), direct, plain(image, tag::any),
        plain(weights, tag::any), plain(out, tag::any), one, one, one);
    auto const from = s.operand(0, plain(image, tag::nchw), d.src_desc());
    auto const by = s.operand(1, plain(out, tag::nchw), d.diff_dst_desc());
    s.add_to(2, plain(weights, tag::oihw), d.diff_weights_desc(), DNNL_ARG_DIFF_WEIGHTS,
             dnnl::convolution_backward_weights(d), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DIFF_DST, by}});
  });
}

void softmax(index m, index n, float const* X, float* out) {
  static sequences known;
  run(known, {m, n}, {X, out}, [&](sequence& s) {
    auto const rows = plain({m, n}, tag::ab);
#if DNNL_VERSION_MAJOR >= 3
    auto const d =
        describe<dnnl::softmax_forward>(s.session(), inference, dnnl::algorithm::softmax_accurate, rows, rows, 1);
#else
    auto const d = describe<dnnl::softmax_forward>(s.session(), inference, rows, 1);
#endif
    s.add(dnnl::softmax_forward(d), {{DNNL_ARG_SRC, s.operand(0, rows)}, {DNNL_ARG_DST, s.operand(1, rows)}});
  });
}

/// Adds y = x W + b, maybe with a rectifier.
void add_layer(sequence& to, memory const& x, memory::dims const& weights, std::size_t w, std::size_t b,
               memory const& y, bool rectified) {
  dnnl::primitive_attr attributes;
  if (rectified) {
    dnnl::post_ops after;
    append_function(after, dnnl::algorithm::eltwise_relu);
    attributes.set_post_ops(after);
  }
  auto const by = plain(weights, tag::ab), bias = plain({1, weights[1]}, tag::ab);
  auto const d = describe_with<dnnl::matmul>(attributes, to.session(), x.get_desc(), by, bias, y.get_desc());
  to.add(dnnl::matmul(d), {{DNNL_ARG_SRC, x},
                           {DNNL_ARG_WEIGHTS, to.operand(w, by)},
                           {DNNL_ARG_BIAS, to.operand(b, bias)},
                           {DNNL_ARG_DST, y}});
}

void mlp(index n, index a, index b, index c, index d, float const* X, float const* W1, float const* b1, float const* W2,
         float const* b2, float const* W3, float const* b3, float* Y) {
  static sequences known;
  run(known, {n, a, b, c, d}, {X, W1, b1, W2, b2, W3, b3, Y}, [&](sequence& s) {
    auto const x = s.operand(0, plain({n, a}, tag::ab)), y = s.operand(7, plain({n, d}, tag::ab));
    auto const h = s.scratch(plain({n, b}, tag::ab)), g = s.scratch(plain({n, c}, tag::ab));
    add_layer(s, x, {a, b}, 1, 2, h, true);
    add_layer(s, h, {b, c}, 3, 4, g, true);
    add_layer(s, g, {c, d}, 5, 6, y, false);
  });
}

add_functions const all{"onednn",
                        {{"conv2d_bias", conv2d_bias},
                         {"conv_layer", conv_layer},
                         {"conv_input_gradient", conv_input_gradient},
                         {"conv_weight_gradient", conv_weight_gradient},
                         {"softmax", softmax},
                         {"mlp", mlp}}};

}  // namespace
