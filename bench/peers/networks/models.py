#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the networks with their inputs and results: models.py FOLDER [NETWORK...]

The README tells the format of the files."""
import json
import logging
import pathlib
import sys
import tempfile

import names
import networks
import numpy
import onnx
import onnxruntime
import reference
from onnx import numpy_helper
from onnxruntime import quantization

TYPES = {"float32": "f32", "int8": "i8", "uint8": "u8", "int32": "i32", "int64": "i64"}


def described(named):
    """What lies where in a file of these arrays, one behind the other; bytes."""
    place, entries = 0, []
    for name, values in named:
        entries.append({"name": name, "shape": list(values.shape), "offset": place, "type": TYPES[str(values.dtype)]})
        place += values.nbytes
    return entries


def write_arrays(path, arrays):
    path.write_bytes(b"".join(numpy.ascontiguousarray(values).tobytes() for values in arrays))


def weights_in_order(model):
    """Name and values, in the order in which nodes first use them."""
    found = {weight.name: numpy_helper.to_array(weight) for weight in model.graph.initializer}
    order = dict.fromkeys(name for node in model.graph.node for name in node.input if name in found)
    return [(name, found[name]) for name in order]


def random_inputs(model):
    random = numpy.random.default_rng(2)
    shapes = {value.name: [axis.dim_value for axis in value.type.tensor_type.shape.dim] for value in model.graph.input}
    return {name: random.standard_normal(shape).astype(numpy.float32) for name, shape in shapes.items()}


def run(model, inputs):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, inputs)


class one_input(quantization.CalibrationDataReader):
    """The run whose values give the scales of the activations."""

    def __init__(self, inputs):
        self.left = [inputs]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantized(model, inputs):
    """Weights i8 by output channel, activations u8 by tensor, as Quantize- and DequantizeLinear around the operators."""
    with tempfile.TemporaryDirectory(prefix="ttune-networks-") as folder:
        source, target = f"{folder}/source.onnx", f"{folder}/target.onnx"
        logging.getLogger().setLevel(logging.ERROR)  # it advises to simplify the graph, which is simple
        onnx.save(onnx.shape_inference.infer_shapes(model), source)
        quantization.quantize_static(
            source, target, one_input(inputs), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
            activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
        return onnx.load(target)


def largest_difference(found, wanted):
    """Relative to the largest value."""
    return max(float(numpy.abs(a - b).max() / numpy.abs(b).max()) for a, b in zip(found, wanted))


def write(folder, name, model, exact=True):
    """All files of a network."""
    inputs, weights = random_inputs(model), weights_in_order(model)
    outputs = run(model, inputs)
    onnx.save(model, folder / f"{name}.onnx")
    write_arrays(folder / f"{name}.weights", [values for _, values in weights])
    write_arrays(folder / f"{name}.in", inputs.values())
    write_arrays(folder / f"{name}.out", outputs)
    (folder / f"{name}.json").write_text(json.dumps(described(weights), indent=1) + "\n", encoding="utf-8")
    places = "".join(f"{entry['name']} {entry['offset']}\n" for entry in described(weights))
    (folder / f"{name}.places").write_text(places, encoding="utf-8")
    values = {"inputs": described(inputs.items()),
              "outputs": described(zip((value.name for value in model.graph.output), outputs))}
    note = f"largest output {max(float(numpy.abs(values).max()) for values in outputs):.3g}"
    if exact:
        exact_outputs = reference.computed(model, inputs)
        write_arrays(folder / f"{name}.out64", exact_outputs)
        note += f", {largest_difference(outputs, exact_outputs):.1e} of it from f64"
    (folder / f"{name}.values.json").write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    mebibytes = sum(values.nbytes for _, values in weights) / 2**20
    print(f"{name}: {mebibytes:.1f} MiB of weights, {note}", flush=True)


def make(form):
    return getattr(networks, form)()


def write_form(folder, form):
    if form in names.QUANTIZED:
        model = make(names.QUANTIZED[form])
        write(folder, form, quantized(model, random_inputs(model)), exact=False)
    else:
        write(folder, form, make(form))


def up_to_date(folder, form):
    made = folder / f"{form}.values.json"  # is written last
    return made.exists() and made.stat().st_mtime > max(
        path.stat().st_mtime for path in pathlib.Path(__file__).parent.glob("*.py"))


def main():
    folder, *wanted = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for network in wanted or names.FORMS:
        for form in names.FORMS[network]:
            if wanted or not up_to_date(folder, form):
                write_form(folder, form)


if __name__ == "__main__":
    main()
