#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs ttune-bench for a moment and checks what it writes, as far as that does not depend on time.

  check_lines.py TTUNE_BENCH SUITE [ARGUMENT...]
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

FIELDS = {"suite": str, "case": str, "system": str, "seconds": float, "gflops": float, "peak_gflops": float,
          "of_peak": float, "tuning_seconds": float, "trials": int, "refused": int, "status": str, "numerics": float, "mode": str,
          "operands": str, "ping_pong_ns": float}
SKIPPED = 77  # the suite needs a device that is not here, and has said so
PHASES = ["propose", "compile", "measure", "learn", "rest"]
# What must be there, as case and system; peers come on top where they are installed.
EXPECTED = {
    "call": [("4x4x4", "raw"), ("4x4x4", "ttune"), ("conv 4x4", "raw"), ("conv 4x4", "ttune"),
             ("fork-join x1", "ttune"), ("fork-join x4", "ttune")],
    "functions": [("exp f32 x8", "ttune")],
    "startup": [("cold", "ttune"), ("database", "ttune")],
    "networks": [("dqn", system) for system in ["ttune", "ttune:least", "ttune:pauses", "ttune:first"]],
    "tuner": [("C6", s) for s in ["seed", "instantiate", "instantiate+features", "lower", "compile", "compile:codegen", "load", "trial-in-worker",
                                  "trial-in-process", "fit", "predict", "ttune"] + ["tuning:" + p for p in PHASES]],
    "live": [("softmax 64x1000", "ttune:" + figure) for figure in ["p99", "share", "near"]],
    "callers": [("matmul 64", "ttune")],
    "shapes": [("matmul", "ttune:own")],
    "gemm": [("32x32x32", "ttune"), ("32x32x32", "ttune-untuned")],
    "conv": [("C11", "ttune"), ("C11", "ttune-untuned")],
    "opencl": [("C11", "ttune"), ("C11", "ttune-opencl")],
    "gpu-conv": [("C11", "ttune")],
    "gpu-gemm": [("32x32x32", "ttune")],
    "gpu-fused": [("products_128", "ttune")],
    "shared": [("softmax 64x1000", "ttune"), ("softmax 64x1000", "alone")],
    "fusion": [("attention", "ttune"), ("attention", "ttune-untuned")],
    "corpus": [("group_norm", "ttune"), ("group_norm", "ttune-untuned"), ("group_norm", "openmp")],
    "ops": [("layer_norm", "ttune"), ("layer_norm", "ttune-untuned")],
    "types": [("gemm_i8_1024", "ttune"), ("gemm_i8_1024", "ttune-untuned")],
}
TIMED = {"gemm", "conv", "corpus", "ops", "fusion", "shared", "types", "opencl", "gpu-conv", "gpu-gemm", "gpu-fused"}  # those that compare throughput


def wrong_with(suite, line):
    """Sentences about one line."""
    if list(line) != list(FIELDS):
        yield f"the fields are {list(line)}"
        return
    for field, kind in FIELDS.items():
        accepted = (int, float) if kind is float else kind
        if not isinstance(line[field], accepted) or isinstance(line[field], bool):
            yield f"{field} is {line[field]!r}"
        elif kind is not str and not (math.isfinite(line[field]) and line[field] >= 0):
            yield f"{field} is {line[field]}"
    if line["suite"] != suite:
        yield f"suite is {line['suite']}"
    if line["status"] != "ok":
        yield f"status is {line['status']}"
    elif line["seconds"] == 0 and line["system"] != "tuning:rest":
        yield "seconds are 0"
    if suite in TIMED or (line["system"] == "ttune" and suite == "tuner"):
        if line["gflops"] <= 0 or line["peak_gflops"] <= 0:
            yield "there is no throughput"
        elif abs(line["of_peak"] - line["gflops"] / line["peak_gflops"]) > 1e-6 * line["of_peak"]:
            yield "of_peak is not gflops / peak_gflops"
    tuned = (suite in TIMED or suite == "tuner") and (line["system"] in ("ttune", "alone", "ttune-opencl") or line["system"].startswith("tuning:"))
    # of the corpus, what an untuned kernel takes from the operator to its first result
    has_seconds = tuned or (suite == "corpus" and line["system"] == "ttune-untuned")
    if tuned != (line["trials"] > 0) or has_seconds != (line["tuning_seconds"] > 0):
        yield f"{line['trials']} trials in {line['tuning_seconds']} s"


def main():
    program, suite, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "lines.json"
        ended = subprocess.run([program, suite, "--json", out, *arguments], check=False)
        if ended.returncode == SKIPPED:
            sys.exit(SKIPPED)
        lines = [json.loads(text) for text in out.read_text(encoding="utf-8").splitlines()]
    problems = [] if ended.returncode == 0 else [f"ttune-bench ended with status {ended.returncode}"]
    for line in lines:
        problems += [f"{line.get('case')} {line.get('system')}: {sentence}" for sentence in wrong_with(suite, line)]
    there = [(line.get("case"), line.get("system")) for line in lines]
    problems += [f"{case} {system}: twice" for case, system in set(there) if there.count((case, system)) > 1]
    problems += [f"{case} {system}: missing" for case, system in EXPECTED[suite] if (case, system) not in there]
    for problem in problems:
        print(problem)
    print(f"{len(lines)} lines, {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
