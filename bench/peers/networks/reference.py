# SPDX-License-Identifier: Apache-2.0
"""Computes a network in f64: ONNX's reference evaluator, with the slow operators written anew."""
import numpy
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun


def windows(x, kernel, strides, pads, filling):
    """(C, H, W) -> (C, rows, columns, kernel, kernel)."""
    x = numpy.pad(x, ((0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=filling)
    return sliding_window_view(x, kernel, axis=(1, 2))[:, ::strides[0], ::strides[1]]


class Conv(OpRun):
    def _run(self, x, w, b, auto_pad=None, dilations=None, group=None, kernel_shape=None, pads=None, strides=None):
        taken = windows(x[0], kernel_shape, strides, pads, 0)
        if group == 1:
            y = numpy.tensordot(w, taken, ([1, 2, 3], [0, 3, 4]))
        else:
            y = numpy.einsum("cij,chwij->chw", w[:, 0], taken)  # depthwise
        return ((y + b[:, None, None])[None],)


class ConvTranspose(OpRun):
    """Zeros between the pixels, then a convolution with the mirrored filters."""

    def _run(self, x, w, b, auto_pad=None, dilations=None, group=None, kernel_shape=None, output_padding=None,
             output_shape=None, pads=None, strides=None):
        _, channels, rows, columns = x.shape
        spread = numpy.zeros((channels, (rows - 1) * strides[0] + 1, (columns - 1) * strides[1] + 1))
        spread[:, ::strides[0], ::strides[1]] = x[0]
        taken = windows(spread, kernel_shape, (1, 1), [k - 1 - p for k, p in zip(kernel_shape * 2, pads)], 0)
        y = numpy.tensordot(w[:, :, ::-1, ::-1], taken, ([0, 2, 3], [0, 3, 4]))
        return ((y + b[:, None, None])[None],)


class MaxPool(OpRun):
    def _run(self, x, auto_pad=None, ceil_mode=None, dilations=None, kernel_shape=None, pads=None, storage_order=None,
             strides=None):
        return (windows(x[0], kernel_shape, strides, pads, -numpy.inf).max(axis=(3, 4))[None],)


def to_double(tensor):
    values = numpy_helper.to_array(tensor)
    return numpy_helper.from_array(values.astype(numpy.float64), tensor.name) if values.dtype == numpy.float32 else tensor


def doubled(model):
    """The same network with the same numbers as doubles."""
    made = onnx.ModelProto()
    made.CopyFrom(model)
    for weight in made.graph.initializer:
        weight.CopyFrom(to_double(weight))
    for node in made.graph.node:
        if node.op_type == "Constant":
            node.attribute[0].t.CopyFrom(to_double(node.attribute[0].t))
    for value in [*made.graph.input, *made.graph.output]:
        value.type.tensor_type.elem_type = TensorProto.DOUBLE
    return made


def computed(model, inputs):
    """The outputs in f64."""
    run = ReferenceEvaluator(doubled(model), new_ops=[Conv, ConvTranspose, MaxPool])
    found = run.run(None, {name: values.astype(numpy.float64) for name, values in inputs.items()})
    assert all(values.dtype == numpy.float64 for values in found)
    return found
