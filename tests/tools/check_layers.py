#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The include rule, checked on every header: check_layers.py ROOT

A header sees the layers left of its own:

  support < core < expr | ir < arith, space < capture, schedule < loop_nest < autoschedule, lowering, feature
          < codegen, roof, runtime < model, search, records < tune, ops, testing < network, open < live

expr and ir never meet. Layers of one group may see each other in one direction only. Headers that
lie in include/ttune itself are entries and may see everything, and no layer includes them, but
fwd.hpp (everyone) and eigen.hpp (testing). Within tune, the tuner sees session/, and session/ sees the
rest. backends/, models/ and the reader of ONNX models stand outside and see the layers of ADAPTERS. A foreign library is
included by its adapter alone."""
import collections
import pathlib
import re
import sys

import runner

GROUPS = [["support"], ["core"], ["expr", "ir"], ["arith", "space"], ["capture", "schedule"], ["loop_nest"],
          ["autoschedule", "lowering", "feature"], ["codegen", "roof", "runtime"], ["model", "search", "records"],
          ["tune", "ops", "testing"], ["network", "open"], ["live"]]
RANK = {layer: rank for rank, group in enumerate(GROUPS) for layer in group}
NEVER_MEET = {("expr", "ir"), ("ir", "expr")}
ADAPTERS = {
    "backends": {"support", "core", "ir", "codegen", "runtime"},
    "models": {"support", "core"},
    "onnx": {"support", "core", "expr", "ir", "capture", "ops", "network"},
}
MODELS_MAY_SEE = re.compile(r"^ttune/(model/cost_model|feature/|loop_nest/loop_nest|schedule/plan)")
FOREIGN = [
    (re.compile(r"^llvm(-c)?/"), re.compile(r"^backends/orc/")),
    (re.compile(r"^xgboost/"), re.compile(r"^models/xgboost/")),
    (re.compile(r"^sqlite3\.h"), re.compile(r"^include/ttune/records/sqlite\b")),
    (re.compile(r"^(unsupported/)?Eigen/"), re.compile(r"^(include/ttune/(eigen\b|eigen/)|models/treegru/)")),
    (re.compile(r"^(onnx|google/protobuf)/"), re.compile(r"^backends/onnx/")),
    (re.compile(r"^CL/"), re.compile(r"^backends/opencl/")),
    (re.compile(r"^(cuda|nvrtc|dnnl|oneapi/|cblas|libxsmm|CLI/|nlohmann/|doctest/)"), re.compile(r"^$")),
]
HEAVY = re.compile(r"^(functional|memory|iostream|regex|sstream|fstream)$")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def layer_of(name):
    """ttune/<layer>/x.hpp -> layer; ttune/x.hpp -> its own name, an entry."""
    parts = name.split("/")
    return parts[1] if len(parts) > 2 else None


def fault_of(header, name, include):
    """Why the header `name` (its file is `header`) may not include `include`, or None."""
    for library, adapter in FOREIGN:
        if library.match(include) and not adapter.match(header):
            return "a foreign library is included by its adapter alone"
    own = layer_of(name)
    if own == "expr" and HEAVY.match(include):
        return "too heavy for the DSL's headers"
    if not include.startswith("ttune/"):
        return None
    other = layer_of(include)
    if own in ADAPTERS:
        if other == own or other in ADAPTERS[own] or include == "ttune/fwd.hpp":
            return None
        if own == "models" and MODELS_MAY_SEE.match(include):
            return None
        return f"{own} see " + (", ".join(sorted(ADAPTERS[own], key=RANK.get)) if own != "models" else
                                "the cost-model concept and the feature types") + " only"
    if own is None or own == "implementation":  # an entry
        return None
    if other is None:
        allowed = include == "ttune/fwd.hpp" or (include == "ttune/eigen.hpp" and own == "testing")
        return None if allowed else "an entry header is for users, not for the layers"
    if own not in RANK or other not in RANK:
        return f"unknown layer {other if own in RANK else own}: add it to tests/tools/check_layers.py and to CONTRIBUTING.md"
    if (own, other) in NEVER_MEET:
        return f"{own} and {other} never meet"
    return None if RANK[other] <= RANK[own] else f"{other} stands right of {own}"


def cycles(edges):
    """Pairs of layers of one group that include each other."""
    for (own, other), places in sorted(edges.items()):
        if own < other and (other, own) in edges:
            yield f"{own} and {other} include each other:\n  {places[0]}\n  {edges[other, own][0]}"


def circles(include, outer, inner):
    """Includes of folder `inner` that lead back to it through `outer`, the folder around it."""
    def reached(name, seen):
        for other in INCLUDE.findall((include / name).read_text(encoding="utf-8")):
            if other.startswith(outer) and other not in seen:
                seen.add(other)
                if not other.startswith(inner):
                    reached(other, seen)
        return seen

    for path in sorted((include / inner).glob("*.hpp")):
        for other in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if other.startswith(outer) and not other.startswith(inner):
                for back in sorted(n for n in reached(other, set()) if n.startswith(inner)):
                    yield f"{inner}{path.name} includes {other}, which leads to {back}"


def main():
    root = pathlib.Path(sys.argv[1])
    edges, checks, bodies, implemented, parts = collections.defaultdict(list), [], [], [], []
    for base in [root / "include", *sorted(root.glob("backends/*/include")), *sorted(root.glob("models/*/include"))]:
        for path in sorted(base.rglob("*.hpp")):
            name, header = path.relative_to(base).as_posix(), path.relative_to(root).as_posix()
            text = path.read_text(encoding="utf-8")
            faults = []
            for include in INCLUDE.findall(text):
                if fault := fault_of(header, name, include):
                    faults.append(f"{header} includes {include}: {fault}")
                own, other = layer_of(name), layer_of(include) if include.startswith("ttune/") else None
                if own and other and own != other and RANK.get(own) == RANK.get(other):
                    edges[own, other].append(f"{header} includes {include}")
            checks.append((header, "\n".join(faults)))
            if base == root / "include":
                if name.endswith(".inl.hpp") and not re.match(r"ttune/(eigen|records/sqlite)", name):
                    bodies.append(name)
                if name == "ttune/implementation.hpp":
                    implemented = INCLUDE.findall(text)
                if name.startswith("ttune/implementation/"):
                    parts += INCLUDE.findall(text)
    checks.append(("layers of one group see each other in one direction", "\n".join(cycles(edges))))
    checks.append(("ttune/tune/session/ and the headers below it do not include each other",
                   "\n".join(circles(root / "include", "ttune/tune/", "ttune/tune/session/"))))
    if implemented:
        missing = [name for name in bodies if name.replace(".inl.hpp", ".hpp") not in implemented]
        checks.append(("implementation.hpp includes every header with bodies",
                       "\n".join(f"ttune/implementation.hpp does not include {name}" for name in missing)))
        checks.append(("each body is in one part of implementation/",
                       "\n".join(f"{name} is in {parts.count(name)} headers of ttune/implementation/"
                                 for name in bodies if parts.count(name) != 1)))
    runner.run([(name, lambda fault=fault: fault or None) for name, fault in checks])


if __name__ == "__main__":
    main()
