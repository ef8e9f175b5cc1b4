#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times one network with one peer: measure.py FOLDER NETWORK onnxruntime|openvino [--threads N] [--samples N]

Prints a line of JSON. Of a network with several forms that of the least time counts; each is measured in a
process of its own. With --form NAME --serve it calls that form once, prints "ready" with the version, and answers
requests, a line each, with numbers: the same as those of ../../programs/network.cpp, less "steps"."""
import argparse
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import names
import numpy

WARM_SECONDS, SAMPLED_SECONDS, PAUSE_SECONDS = 0.5, 2.0, 0.02
TOLERANCE, TOLERANCE_QUANTIZED = 1e-4, 0.05  # in the latter, a value on the edge may be rounded either way


class onnxruntime_peer:
    """Inputs and outputs lie in memory that is bound once."""

    def __init__(self, path, threads, inputs):
        import onnxruntime as ort
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, values in inputs.items():
            self.binding.bind_ortvalue_input(name, ort.OrtValue.ortvalue_from_numpy(values))
        self.found = [ort.OrtValue.ortvalue_from_shape_and_type(value.shape, numpy.float32)
                      for value in self.session.get_outputs()]
        for value, found in zip(self.session.get_outputs(), self.found):
            self.binding.bind_ortvalue_output(value.name, found)

    def infer(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return [found.numpy() for found in self.found]


class openvino_peer:
    """One request with tensors of its own; f32 stays f32 on processors that have bf16."""

    def __init__(self, path, threads, inputs):
        import openvino
        compiled = openvino.Core().compile_model(str(path), "CPU", {
            "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"})
        self.request = compiled.create_infer_request()
        for name, values in inputs.items():
            self.request.get_tensor(name).data[:] = values
        self.names = [value.any_name for value in compiled.outputs]

    def infer(self):
        self.request.infer(share_inputs=True, share_outputs=True)

    def outputs(self):
        return [self.request.get_tensor(name).data for name in self.names]


PEERS = {"onnxruntime": onnxruntime_peer, "openvino": openvino_peer}


def read_arrays(path, entries):
    values = numpy.fromfile(path, numpy.float32)
    starts = [entry["offset"] // 4 for entry in entries]
    return {entry["name"]: values[start:start + int(numpy.prod(entry["shape"]))].reshape(entry["shape"])
            for entry, start in zip(entries, starts)}


def timed(function):
    started = time.perf_counter()
    function()
    return time.perf_counter() - started


def warm_up(peer):
    started = time.perf_counter()
    while time.perf_counter() - started < WARM_SECONDS:
        peer.infer()


def samples_of(peer, least, seconds=SAMPLED_SECONDS):
    """As many as asked for, and as many as the time allows."""
    found, started = [], time.perf_counter()
    while len(found) < least or time.perf_counter() - started < seconds:
        found.append(timed(peer.infer))
    return found


def samples_with_pauses(peer, count):
    found = []
    for _ in range(count):
        time.sleep(PAUSE_SECONDS)
        found.append(timed(peer.infer))
    return found


def peak_mebibytes():
    """The largest resident set of this process since it began its program."""
    lines = pathlib.Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def idle_mebibytes(system):
    """That of a process which only imports the package."""
    done = subprocess.run([sys.executable, __file__, "--idle", system], text=True, stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def error_of(outputs, wanted):
    """The largest difference, relative to the largest value."""
    return max(float(numpy.abs(a - b).max() / numpy.abs(b).max()) for a, b in zip(outputs, wanted))


def mean_square_error_of(outputs, wanted):
    """The root of the mean square of the differences, relative to that of the values."""
    return max(float(numpy.linalg.norm(a - b) / numpy.linalg.norm(b)) for a, b in zip(outputs, wanted))


def described(folder, form):
    """What lies where in the files of inputs and outputs."""
    return json.loads((folder / f"{form}.values.json").read_text(encoding="utf-8"))


def started(folder, form, system, threads):
    """The peer after its first call, and the seconds from the file to its result."""
    inputs = read_arrays(folder / f"{form}.in", described(folder, form)["inputs"])
    importlib.import_module(system)
    begin = time.perf_counter()
    peer = PEERS[system](folder / f"{form}.onnx", threads, inputs)
    peer.infer()
    return peer, time.perf_counter() - begin


def measured(folder, form, system, threads, least):
    """The figures of one form, as they stand in the line."""
    peer, first = started(folder, form, system, threads)
    version = importlib.import_module(system).__version__
    warm_up(peer)
    samples, pauses = samples_of(peer, least), samples_with_pauses(peer, least)
    peak = peak_mebibytes()
    error = error_of(peer.outputs(), read_arrays(folder / f"{form}.out", described(folder, form)["outputs"]).values())
    return {"version": version.split("-")[0], "threads": threads, "median_s": statistics.median(samples),
            "least_s": min(samples), "samples": len(samples), "pauses_median_s": statistics.median(pauses),
            "pauses_least_s": min(pauses), "first_s": first, "rss_mib": peak - idle_mebibytes(system),
            "weights_mib": (folder / f"{form}.weights").stat().st_size / 2**20, "error": error,
            "load": os.getloadavg()[0]}


def exact_errors(peer, folder, form):
    """Both errors against the outputs in f64; against those of ONNX Runtime where there are none."""
    entries = described(folder, form)["outputs"]
    if not (folder / f"{form}.out64").exists():
        wanted = list(read_arrays(folder / f"{form}.out", entries).values())
        return error_of(peer.outputs(), wanted), mean_square_error_of(peer.outputs(), wanted)
    values, place, wanted = numpy.fromfile(folder / f"{form}.out64", numpy.float64), 0, []
    for entry in entries:
        size = int(numpy.prod(entry["shape"]))
        wanted.append(values[place:place + size].reshape(entry["shape"]))
        place += size
    return error_of(peer.outputs(), wanted), mean_square_error_of(peer.outputs(), wanted)


def serve(folder, form, system, threads):
    """Answers requests until its input ends."""
    peer, first = started(folder, form, system, threads)
    print("ready", importlib.import_module(system).__version__.split("-")[0], flush=True)
    for line in sys.stdin:
        request, *numbers = line.split()
        answers = {"first": lambda: [first],
                   "warm": lambda: samples_of(peer, int(numbers[1]), float(numbers[0])),
                   "pauses": lambda: samples_with_pauses(peer, int(numbers[0])),
                   "error": lambda: exact_errors(peer, folder, form),
                   "memory": lambda: [peak_mebibytes() - idle_mebibytes(system)]}
        print(*answers[request](), flush=True)


def line_of(arguments, form):
    figures = measured(arguments.folder, form, arguments.system, arguments.threads, arguments.samples)
    if figures["error"] > (TOLERANCE_QUANTIZED if form in names.QUANTIZED else TOLERANCE):
        sys.exit(f"{form}: {arguments.system} is wrong by {figures['error']:.1e}")
    return {"network": arguments.network, "form": form, "system": arguments.system, **figures}


def fastest_line(arguments, forms):
    lines = []
    for form in forms:
        done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--form", form], text=True, stdout=subprocess.PIPE,
                              check=True)
        lines.append(json.loads(done.stdout))
    return min(lines, key=lambda line: line["least_s"])


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("network", choices=names.FORMS)
    parser.add_argument("system", choices=names.SYSTEMS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--form", help="measures this form only, in this process")
    parser.add_argument("--serve", action="store_true", help="answers requests from standard input")
    return parser.parse_args()


def main():
    if sys.argv[1] == "--idle":
        importlib.import_module(sys.argv[2])
        print(peak_mebibytes())
        return
    arguments = parsed()
    if arguments.serve:
        serve(arguments.folder, arguments.form, arguments.system, arguments.threads)
        return
    forms = [arguments.form] if arguments.form else names.FORMS[arguments.network]
    print(json.dumps(line_of(arguments, forms[0]) if len(forms) == 1 else fastest_line(arguments, forms)))


if __name__ == "__main__":
    main()
