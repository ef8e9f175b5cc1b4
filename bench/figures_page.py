#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the suites that compare ttune with its peers, and writes one page of tables: one machine, one version, one day.

  figures_page.py TTUNE_BENCH PAGE [--moment] [SECTION...]

Without names it writes all sections; --moment gives each case a moment only, for tests.
"""
import argparse
import dataclasses
import datetime
import json
import math
import pathlib
import platform
import subprocess
import sys
import tempfile

OWN = ("ttune", "ttune-untuned")


@dataclasses.dataclass
class section:
    name: str
    title: str
    command: list
    goal: str
    one_case: str  # a case for --moment
    is_text: bool = False  # the page has what the suite prints, not a table of its lines


SECTIONS = [
    section("conv-free", "Convolutions, each system in its own layouts, error within 2.5 × the direct sum's",
            ["conv", "--mode", "free", "--numerics", "2.5", "--budget", "12"], "1.35, none under 1.05", "C11"),
    section("conv-nchw", "The same, NCHW in and out (reorders are part of the call)",
            ["conv", "--mode", "nchw", "--numerics", "2.5", "--budget", "12"], "1.3, none under 1.0", "C11"),
    section("conv-nhwc", "The same, NHWC in and out",
            ["conv", "--mode", "nhwc", "--numerics", "2.5", "--budget", "12"], "1.3, none under 1.05", "C11"),
    section("conv-direct", "Convolutions in own layouts, sums only reordered",
            ["conv", "--mode", "free", "--budget", "4"], "none under 0.95", "C11"),
    section("gemm", "Matrix products, all packing in the call", ["gemm", "--budget", "3"], "1.1, none under 1.0", "32x32x32"),
    section("gemm-packed", "Matrix products, the right factor prepared before the call",
            ["gemm", "--mode", "packed", "--budget", "3"], "none", "32x32x32"),
    section("types", "Products of bytes and of bfloat16", ["types", "--budget", "5"], "1.1", "gemm_i8_1024"),
    section("fusion", "Fused operators", ["fusion", "--budget", "4"], "2.2, none under 1.0", "attention"),
    section("ops", "Single operators", ["ops", "--budget", "4"], "1.0 each", "layer_norm"),
    section("networks", "Whole networks, batch 1", ["networks", "--budget", "40", "--numerics", "2.5"],
            "1.8 (ResNet-18), 1.3 (MobileNet v1, DQN), 1.5 (DCGAN), 1.2 (LSTM), 1.3 (mean of the next three), 1.1 (bytes)",
            "dqn", is_text=True),
]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def time_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def by_case(lines):
    """The lines of each case by system, cases in their order."""
    made = {}
    for line in lines:
        made.setdefault(line["case"], {})[line["system"]] = line
    return made


def fastest_peer(systems):
    right = [line for name, line in systems.items() if name not in OWN and line["status"] == "ok"]
    return min(right, key=lambda line: line["seconds"], default=None)


def row_of(case, systems):
    """The cells of one case, and the ratio of its times; 0 without a peer or a result."""
    ours, untuned, peer = systems.get("ttune"), systems.get("ttune-untuned"), fastest_peer(systems)
    if ours is None or ours["status"] != "ok":
        return [case, ours["status"] if ours else "-", "-", "-", "-", "-", "-"], 0
    ratio = peer["seconds"] / ours["seconds"] if peer else 0
    return [case, time_text(ours["seconds"]), f"{ours['of_peak']:.2f}",
            f"{ours['seconds'] / untuned['seconds']:.2f}" if untuned and untuned["status"] == "ok" else "-",
            peer["system"] if peer else "-", time_text(peer["seconds"]) if peer else "-",
            f"{ratio:.2f}" if peer else "-"], ratio


def table_of(lines):
    """A table of lines, and a sentence with the mean and the least ratio."""
    rows, ratios = [], {}
    for case, systems in by_case(lines).items():
        row, ratio = row_of(case, systems)
        rows.append(row)
        if ratio:
            ratios[case] = ratio
    head = ["case", "ttune", "of peak", "of the untuned time", "fastest peer", "its time", "peer / ttune"]
    text = "".join("| " + " | ".join(cells) + " |\n" for cells in [head, ["---"] * len(head), *rows])
    if not ratios:
        return text
    least = min(ratios, key=ratios.get)
    return f"{geometric_mean(list(ratios.values())):.2f} ×, geometric mean; least {ratios[least]:.2f} ({least}).\n\n{text}"


def run(program, one, moment):
    """What the suite printed, and its lines. A suite that fails on a case has status 1, and says so in its lines."""
    words = [program, *one.command]
    if moment:
        words = [program, one.command[0], "--samples", "1", "--trials", "3", "--case", one.one_case]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "lines.json"
        ended = subprocess.run([*words, "--json", out], check=False, text=True, stdout=subprocess.PIPE)
        if ended.returncode not in (0, 1):
            sys.exit(f"{one.name}: ttune-bench ended with status {ended.returncode}")
        return ended.stdout, [json.loads(text) for text in out.read_text(encoding="utf-8").splitlines()]


def page_of(one, printed, lines):
    command = f"`./dev bench {' '.join(one.command)}`"
    if one.is_text:
        return f"## {one.title}\n\n{command}. Goal: {one.goal}.\n\n```text\n{printed.strip()}\n```\n"
    heading = next(line for line in printed.splitlines() if line.startswith(one.command[0]))
    return f"## {one.title}\n\n{command}. {heading.split('; GFLOP/s')[0]}. Goal: {one.goal}.\n\n{table_of(lines)}"


def processor():
    facts = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        facts.setdefault(key.strip(), value.strip())
    return f"{facts.get('model name', platform.machine())}, family {facts.get('cpu family', '?')}, model {facts.get('model', '?')}"


def version():
    ended = subprocess.run(["git", "log", "-1", "--format=%h of %cs"], check=False, text=True, capture_output=True)
    return ended.stdout.strip() or "unknown"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("page", type=pathlib.Path)
    arguments.add_argument("--moment", action="store_true")
    arguments.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(one.name for one in SECTIONS))
    chosen = arguments.parse_args()
    unknown = set(chosen.sections) - {one.name for one in SECTIONS}
    if unknown:
        sys.exit(f"there is no section {', '.join(sorted(unknown))}: {', '.join(one.name for one in SECTIONS)}")
    head = ("# One run\n\n"
            "`./dev figures` wrote this page: ttune beside its peers, each table from one run. Above 1, ttune is faster. What is measured and\n"
            "how: [bench](../bench/README.md). Figures of other days, with goals: [figures](figures.md).\n\n"
            f"**Machine:** {processor()}. **Version:** {version()}. **Day:** {datetime.date.today()}.\n\n")
    parts = []
    for one in SECTIONS:
        if not chosen.sections or one.name in chosen.sections:
            parts.append(page_of(one, *run(chosen.program, one, chosen.moment)))
            print(parts[-1], flush=True)
            chosen.page.write_text(head + "\n".join(parts), encoding="utf-8")  # an interrupted run leaves whole sections


if __name__ == "__main__":
    main()
