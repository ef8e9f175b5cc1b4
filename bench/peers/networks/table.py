#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all networks with all peers: table.py FOLDER [--json FILE] [--network A,B] [--threads N] [--samples N]

Prints a table in Markdown; --json appends the lines of measure.py."""
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
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--samples", type=int, default=30)
    return parser.parse_args()


def main():
    arguments, failed = parsed(), False
    print(f"load before: {' '.join(f'{value:.2f}' for value in os.getloadavg())}\n\n{heading()}", flush=True)
    for network in arguments.network.split(","):
        for system in names.SYSTEMS:
            line = measured(arguments, network, system)
            failed |= line is None
            if line is None:
                continue
            print(row(line), flush=True)
            if arguments.json:
                with arguments.json.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
    sys.exit(failed)


if __name__ == "__main__":
    main()
