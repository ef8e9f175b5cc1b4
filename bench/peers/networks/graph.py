# SPDX-License-Identifier: Apache-2.0
"""Builds ONNX graphs of f32 operators, with random weights of a fixed seed."""
import math

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OPERATORS = 17  # the version of ONNX's operators


class graph:
    """A network under construction; values are named by strings, and weights lie in the order of their use."""

    def __init__(self, name, seed=1):
        self.name = name
        self.random = numpy.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs = [], [], [], []

    def input(self, name, shape):
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def output(self, value, name, shape):
        """Ends the network with a value, which gets this name."""
        for node in self.nodes:
            node.output[:] = [name if old == value else old for old in node.output]
            node.input[:] = [name if old == value else old for old in node.input]
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def weight(self, name, values):
        self.weights.append(numpy_helper.from_array(values.astype(numpy.float32), name))
        return name

    def drawn(self, shape, deviation):
        return deviation * self.random.standard_normal(shape)

    def normal(self, name, shape, deviation, mean=0.0):
        return self.weight(name, mean + self.drawn(shape, deviation))

    def constant(self, values, kind=numpy.float32):
        """A number or a shape that belongs to the program, not to the weights."""
        return self.node("Constant", value=numpy_helper.from_array(numpy.array(values, kind)))

    def node(self, operator, *inputs, outputs=1, **attributes):
        """Appends a node; returns its value, or a list of its values."""
        name = f"{operator.lower()}{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, name, **attributes))
        return names[0] if outputs == 1 else names

    def next_name(self, what):
        return f"{what}{len(self.nodes)}"

    def conv(self, x, channels, filters, kernel, stride=1, pad=0, groups=1, gain=2.0):
        """Convolution with bias; gain 2 keeps the variance where a rectifier follows."""
        name = self.next_name("conv")
        deviation = math.sqrt(gain * groups / (channels * kernel * kernel))
        return self.node("Conv", x, self.normal(f"{name}.weight", (filters, channels // groups, kernel, kernel), deviation),
                         self.normal(f"{name}.bias", filters, 0.05), kernel_shape=[kernel] * 2, strides=[stride] * 2,
                         pads=[pad] * 4, group=groups)

    def dense(self, x, columns, rows, gain=2.0):
        """y = W x + b; W is (rows, columns)."""
        name = self.next_name("gemm")
        return self.node("Gemm", x, self.normal(f"{name}.weight", (rows, columns), math.sqrt(gain / columns)),
                         self.normal(f"{name}.bias", rows, 0.05), transB=1)

    def relu(self, x):
        return self.node("Relu", x)

    def relu6(self, x):
        return self.node("Clip", x, self.constant(0), self.constant(6))

    def pooled(self, x):
        """Mean of each plane: (1, C, H, W) -> (1, C)."""
        return self.node("Flatten", self.node("GlobalAveragePool", x))

    def reshape(self, x, shape):
        return self.node("Reshape", x, self.constant(shape, numpy.int64))

    def model(self):
        body = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        made = helper.make_model(body, opset_imports=[helper.make_opsetid("", OPERATORS)], ir_version=8,
                                 producer_name="ttune")
        onnx.checker.check_model(made)
        return made
