#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_mutants.py ROOT: each fault of tests/mutation/mutants.toml changes a line that its header has once."""
import pathlib
import sys
try:
    import tomllib
except ModuleNotFoundError:
    tomllib = None

import runner

ROOT = pathlib.Path(sys.argv[1])


def applies(mutant):
    header = ROOT / "include/ttune" / mutant["file"]
    if not header.exists():
        return f"there is no {header}"
    count = header.read_text(encoding="utf-8").count(mutant["old"])
    return None if count == 1 else f"{mutant['file']} has this {count} times: {mutant['old']}"


def checks():
    if not tomllib:
        return [("faults to plant", lambda: runner.skip("Python 3.11 is not installed"))]
    listed = tomllib.loads((ROOT / "tests/mutation/mutants.toml").read_text(encoding="utf-8"))["mutant"]
    return [(f"fault: {mutant['what']}", lambda mutant=mutant: applies(mutant)) for mutant in listed]


runner.run(checks())
