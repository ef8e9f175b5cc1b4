# SPDX-License-Identifier: Apache-2.0
"""The networks: batch 1, f32, batch normalisation folded into the convolutions, logits without softmax."""
import math

import numpy
from graph import graph


def classifier(g, x, channels):
    g.output(g.dense(g.pooled(x), channels, 1000, gain=1.0), "logits", (1, 1000))
    return g.model()


def resnet_start(g):
    x = g.relu(g.conv(g.input("image", (1, 3, 224, 224)), 3, 64, 7, stride=2, pad=3))
    return g.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)


def shortcut(g, x, channels, filters, stride):
    """What a block adds to its result: its input, brought to the result's shape by a 1x1 convolution."""
    return x if stride == 1 and channels == filters else g.conv(x, channels, filters, 1, stride, gain=1.0)


def basic_block(g, x, channels, filters, stride):
    y = g.relu(g.conv(x, channels, filters, 3, stride, 1))
    y = g.conv(y, filters, filters, 3, 1, 1, gain=0.5)
    return g.relu(g.node("Add", y, shortcut(g, x, channels, filters, stride)))


def bottleneck_block(g, x, channels, filters, stride):
    """The stride is that of the 3x3 convolution (ResNet v1.5)."""
    y = g.relu(g.conv(x, channels, filters // 4, 1))
    y = g.relu(g.conv(y, filters // 4, filters // 4, 3, stride, 1))
    y = g.conv(y, filters // 4, filters, 1, gain=0.5)
    return g.relu(g.node("Add", y, shortcut(g, x, channels, filters, stride)))


def resnet(name, block, stages):
    """Stages are pairs of filters and blocks."""
    g = graph(name)
    x, channels = resnet_start(g), 64
    for stage, (filters, blocks) in enumerate(stages):
        for i in range(blocks):
            x = block(g, x, channels, filters, 2 if stage and not i else 1)
            channels = filters
    return classifier(g, x, channels)


def resnet18():
    return resnet("resnet18", basic_block, [(64, 2), (128, 2), (256, 2), (512, 2)])


def resnet50():
    return resnet("resnet50", bottleneck_block, [(256, 3), (512, 4), (1024, 6), (2048, 3)])


def mobilenet_v1():
    """Width 1.0, 224 pixels; a rectifier after each convolution."""
    g = graph("mobilenet_v1")
    x, channels = g.relu(g.conv(g.input("image", (1, 3, 224, 224)), 3, 32, 3, 2, 1)), 32
    for filters, stride in [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]:
        x = g.relu(g.conv(x, channels, channels, 3, stride, 1, groups=channels))
        x, channels = g.relu(g.conv(x, channels, filters, 1)), filters
    return classifier(g, x, channels)


def inverted_residual(g, x, channels, filters, stride, expansion):
    wide, y = channels * expansion, x
    if expansion > 1:
        y = g.relu6(g.conv(y, channels, wide, 1))
    y = g.relu6(g.conv(y, wide, wide, 3, stride, 1, groups=wide))
    y = g.conv(y, wide, filters, 1, gain=1.0)
    return g.node("Add", x, y) if stride == 1 and channels == filters else y


def mobilenet_v2():
    """Width 1.0, 224 pixels; rectifiers end at 6."""
    g = graph("mobilenet_v2")
    x, channels = g.relu6(g.conv(g.input("image", (1, 3, 224, 224)), 3, 32, 3, 2, 1)), 32
    for expansion, filters, blocks, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                               (6, 160, 3, 2), (6, 320, 1, 1)]:
        for i in range(blocks):
            x, channels = inverted_residual(g, x, channels, filters, 1 if i else stride, expansion), filters
    return classifier(g, g.relu6(g.conv(x, channels, 1280, 1)), 1280)


def dqn():
    """The deep Q network for 18 actions."""
    g = graph("dqn")
    x = g.relu(g.conv(g.input("frames", (1, 4, 84, 84)), 4, 32, 8, 4))
    x = g.relu(g.conv(x, 32, 64, 4, 2))
    x = g.relu(g.conv(x, 64, 64, 3))
    x = g.relu(g.dense(g.node("Flatten", x), 7 * 7 * 64, 512))
    g.output(g.dense(x, 512, 18, gain=1.0), "values", (1, 18))
    return g.model()


def doubling_weights(g, channels, filters, activation):
    """Filters of 4x4 for a transposed convolution of stride 2: a pixel of the result sees four of the taps."""
    gain = 2.0 if activation == "Relu" else 1.0
    return g.drawn((channels, filters, 4, 4), math.sqrt(gain / (channels * 4))), g.drawn(filters, 0.05)


def transposed(g, x, channels, filters, activation):
    """Doubles height and width."""
    name = g.next_name("convtranspose")
    weight, bias = doubling_weights(g, channels, filters, activation)
    return g.node(activation, g.node("ConvTranspose", x, g.weight(f"{name}.weight", weight), g.weight(f"{name}.bias", bias),
                                     kernel_shape=[4, 4], strides=[2, 2], pads=[1] * 4))


def four_convolutions(g, x, channels, filters, activation):
    """`transposed` as a convolution of 2x2 for each parity of row and column, then interleaved."""
    name, parts = g.next_name("convtranspose"), []
    weight, bias = doubling_weights(g, channels, filters, activation)
    bias, taps = g.weight(f"{name}.bias", bias), [[3, 1], [2, 0]]  # of an even pixel, of an odd one
    for row, column in [(0, 0), (0, 1), (1, 0), (1, 1)]:
        part = weight[:, :, taps[row]][:, :, :, taps[column]].transpose(1, 0, 2, 3)
        part = g.weight(f"{name}.weight{row}{column}", part)
        parts.append(g.node(activation, g.node("Conv", x, part, bias, kernel_shape=[2, 2], strides=[1, 1],
                                               pads=[1 - row, 1 - column, row, column])))
    return g.node("DepthToSpace", g.node("Concat", *parts, axis=1), blocksize=2, mode="DCR")


def generator(name, doubled):
    """Of DCGAN; its first transposed convolution, of one pixel, is a matrix product."""
    g = graph(name)
    x = g.relu(g.reshape(g.dense(g.input("noise", (1, 100)), 100, 1024 * 4 * 4), (1, 1024, 4, 4)))
    for channels, filters in [(1024, 512), (512, 256), (256, 128)]:
        x = doubled(g, x, channels, filters, "Relu")
    g.output(doubled(g, x, 128, 3, "Tanh"), "image", (1, 3, 64, 64))
    return g.model()


def dcgan():
    return generator("dcgan", transposed)


def dcgan_convolutions():
    return generator("dcgan_convolutions", four_convolutions)


HIDDEN = 650  # of a cell of the language model


def lstm_weights(g):
    """Of the input, of the hidden state, and the bias; gates in ONNX's order: input, output, forget, cell."""
    shape, deviation = (4 * HIDDEN, HIDDEN), 1 / math.sqrt(HIDDEN)
    return g.drawn(shape, deviation), g.drawn(shape, deviation), g.drawn(4 * HIDDEN, 0.05)


def gated(g, gates, memory):
    """The next hidden state and memory."""
    write, read, keep, value = g.node("Split", gates, outputs=4, axis=1)
    memory = g.node("Add", g.node("Mul", g.node("Sigmoid", keep), memory),
                    g.node("Mul", g.node("Sigmoid", write), g.node("Tanh", value)))
    return g.node("Mul", g.node("Sigmoid", read), g.node("Tanh", memory)), memory


def cell_of_two_products(g, name, x, hidden, memory):
    of_input, of_hidden, bias = lstm_weights(g)
    gates = g.node("Gemm", x, g.weight(f"{name}.of_input", of_input), g.weight(f"{name}.bias", bias), transB=1)
    gates = g.node("Gemm", hidden, g.weight(f"{name}.of_hidden", of_hidden), gates, transB=1)
    return gated(g, gates, memory)


def cell_of_one_product(g, name, x, hidden, memory):
    of_input, of_hidden, bias = lstm_weights(g)
    weight = g.weight(f"{name}.of_both", numpy.concatenate([of_input, of_hidden], axis=1).T)
    return gated(g, g.node("Gemm", g.node("Concat", x, hidden, axis=1), weight, g.weight(f"{name}.bias", bias)), memory)


def cell_of_operator(g, name, x, hidden, memory):
    """The operator has axes for steps and directions, and a bias for each of the two products."""
    of_input, of_hidden, bias = lstm_weights(g)
    axis, bias = g.constant([0], numpy.int64), numpy.concatenate([bias, numpy.zeros_like(bias)])
    x, hidden, memory = (g.node("Unsqueeze", value, axis) for value in (x, hidden, memory))
    _, hidden, memory = g.node("LSTM", x, g.weight(f"{name}.of_input", of_input[None]),
                               g.weight(f"{name}.of_hidden", of_hidden[None]), g.weight(f"{name}.bias", bias[None]),
                               "", hidden, memory, outputs=3, hidden_size=HIDDEN)
    return g.node("Squeeze", hidden, axis), g.node("Squeeze", memory, axis)


def language_model(name, cell):
    """A step of two cells, without the layer that gives words."""
    g = graph(name)
    x = g.input("x", (1, HIDDEN))
    states = [(g.input(f"h{i}", (1, HIDDEN)), g.input(f"c{i}", (1, HIDDEN))) for i in range(2)]
    for i, state in enumerate(states):
        states[i] = cell(g, f"cell{i}", x, *state)
        x = states[i][0]
    for i, (hidden, memory) in enumerate(states):
        g.output(hidden, f"h{i}_next", (1, HIDDEN))
        g.output(memory, f"c{i}_next", (1, HIDDEN))
    return g.model()


def lstm():
    return language_model("lstm", cell_of_two_products)


def lstm_concatenated():
    return language_model("lstm_concatenated", cell_of_one_product)


def lstm_operator():
    return language_model("lstm_operator", cell_of_operator)


STEPS, UNITS = 128, 512  # of the layer over a sequence


def lstm_sequence():
    g = graph("lstm_sequence")
    deviation = 1 / math.sqrt(UNITS)
    x = g.input("x", (STEPS, 1, UNITS))
    states = [g.input(name, (1, 1, UNITS)) for name in ("h", "c")]
    weights = [g.normal(name, (1, 4 * UNITS, UNITS), deviation) for name in ("of_input", "of_hidden")]
    found = g.node("LSTM", x, *weights, g.normal("bias", (1, 8 * UNITS), 0.05), "", *states, outputs=3,
                   hidden_size=UNITS)
    g.output(found[0], "all", (STEPS, 1, 1, UNITS))
    g.output(found[1], "h_last", (1, 1, UNITS))
    g.output(found[2], "c_last", (1, 1, UNITS))
    return g.model()


TOKENS, WIDTH, HEADS, WIDE = 128, 768, 12, 3072  # of BERT-base


def product(g, name, x, columns, rows):
    """x W + b; W is (columns, rows)."""
    y = g.node("MatMul", x, g.normal(f"{name}.weight", (columns, rows), 1 / math.sqrt(columns)))
    return g.node("Add", y, g.normal(f"{name}.bias", rows, 0.05))


def gelu(g, x):
    one_plus = g.node("Add", g.node("Erf", g.node("Div", x, g.constant(math.sqrt(2)))), g.constant(1))
    return g.node("Mul", g.node("Mul", x, one_plus), g.constant(0.5))


def layer_norm(g, name, x):
    return g.node("LayerNormalization", x, g.normal(f"{name}.scale", WIDTH, 0.1, mean=1.0),
                  g.normal(f"{name}.bias", WIDTH, 0.1), axis=-1, epsilon=1e-12)


def head_axes(g, x, order):
    """(1, tokens, width) -> (1, heads, ...), the last two axes in this order."""
    return g.node("Transpose", g.reshape(x, (1, TOKENS, HEADS, WIDTH // HEADS)), perm=order)


def attention(g, x):
    query = head_axes(g, product(g, "query", x, WIDTH, WIDTH), (0, 2, 1, 3))
    key = head_axes(g, product(g, "key", x, WIDTH, WIDTH), (0, 2, 3, 1))
    value = head_axes(g, product(g, "value", x, WIDTH, WIDTH), (0, 2, 1, 3))
    scores = g.node("Div", g.node("MatMul", query, key), g.constant(math.sqrt(WIDTH // HEADS)))
    mixed = g.node("MatMul", g.node("Softmax", scores, axis=-1), value)
    return g.reshape(g.node("Transpose", mixed, perm=(0, 2, 1, 3)), (1, TOKENS, WIDTH))


def bert_layer():
    """A layer of BERT-base, 128 tokens, without a mask."""
    g = graph("bert_layer")
    x = g.input("tokens", (1, TOKENS, WIDTH))
    x = layer_norm(g, "after_attention", g.node("Add", x, product(g, "mixed", attention(g, x), WIDTH, WIDTH)))
    y = product(g, "narrow", gelu(g, product(g, "wide", x, WIDTH, WIDE)), WIDE, WIDTH)
    g.output(layer_norm(g, "after_dense", g.node("Add", x, y)), "encoded", (1, TOKENS, WIDTH))
    return g.model()
