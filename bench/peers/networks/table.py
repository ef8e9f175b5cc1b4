#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all networks with all peers: table.py FOLDER [--json FILE] [--network A,B] [--rounds N] [--threads N] [--samples N]

Prints a table in Markdown. In a round the peers take turns; the line with the least time of all rounds counts, because a
machine may be slower for some seconds. --json appends the lines of measure.py, of all rounds."""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import names

COLUMNS = [("median", "median_s", 1e3, "ms"), ("least", "least_s", 1e3, "ms"), ("after pauses", "pauses_median_s", 1e3, "ms"),
           ("first", "first_s", 1e3, "ms"), ("memory", "rss_mib", 1, "MiB"), ("weights", "weights_mib", 1, "MiB"),
           ("load", "load", 1, "")]


def measured(arguments, network, system):
    """A line of measure.py, or None where it failed and has said why."""
    program = pathlib.Path(__file__).with_name("measure.py")
    done = subprocess.run([sys.executable, program, arguments.folder, network, system, "--threads", str(arguments.threads),
                           "--samples", str(arguments.samples)], text=True, stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def append(path, line):
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def fastest_lines(arguments, network):
    """Of each system that did not fail."""
    found = {}
    for _ in range(arguments.rounds):
        for system in names.SYSTEMS:
            if line := measured(arguments, network, system):
                found[system] = min(line, found.get(system, line), key=lambda line: line["least_s"])
                if arguments.json:
                    append(arguments.json, line)
    return found


def row(line):
    figures = [f"{line[field] * factor:.3g}" for _, field, factor, _ in COLUMNS]
    return f"| {' | '.join([line['network'], line['system'], line['form'], *figures])} |"


def heading():
    titles = ["network", "system", "form", *(f"{title} {unit}".strip() for title, _, _, unit in COLUMNS)]
    return f"| {' | '.join(titles)} |\n|{'---|' * 3}{'---:|' * len(COLUMNS)}"


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--network", default=",".join(names.FORMS))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--samples", type=int, default=30)
    return parser.parse_args()


def main():
    arguments, failed = parsed(), False
    print(f"load before: {' '.join(f'{value:.2f}' for value in os.getloadavg())}\n\n{heading()}", flush=True)
    for network in arguments.network.split(","):
        lines = fastest_lines(arguments, network)
        failed |= len(lines) < len(names.SYSTEMS)
        for line in lines.values():
            print(row(line), flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
