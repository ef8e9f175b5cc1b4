#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests figures_page.py: its tables on lines that are written here, and a page of one section that is run for a moment.

  check_figures_page.py TTUNE_BENCH
"""
import pathlib
import subprocess
import sys
import tempfile

import figures_page


def line(case, system, seconds, status="ok"):
    return {"case": case, "system": system, "seconds": seconds, "of_peak": 0.5, "status": status}


def problems_of_tables():
    table = figures_page.table_of([line("a", "ttune", 2e-3), line("a", "ttune-untuned", 4e-3), line("a", "slow", 9e-3),
                                   line("a", "fast", 4e-3), line("a", "wrong", 1e-3, "differs"), line("b", "ttune", 1e-6),
                                   line("b", "fast", 0.5e-6), line("c", "ttune", 1, "crashed"), line("d", "ttune", 1e-9)])
    for wanted in ("1.00 ×, geometric mean; least 0.50 (b).", "| a | 2 ms | 0.50 | 0.50 | fast | 4 ms | 2.00 |",
                   "| b | 1 µs | 0.50 | - | fast | 500 ns | 0.50 |", "| c | crashed | - |", "| d | 1 ns | 0.50 | - | - | - | - |"):
        if wanted not in table:
            yield f"no {wanted!r} in\n{table}"


def problems_of_page(program):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        script = pathlib.Path(__file__).with_name("figures_page.py")
        ended = subprocess.run([sys.executable, script, program, page, "gemm", "--moment"], check=False)
        if ended.returncode != 0:
            yield f"figures_page.py ended with status {ended.returncode}"
            return
        text = page.read_text(encoding="utf-8")
        for wanted in ("**Machine:** ", "`./dev bench gemm --budget 3`. gemm", "| 32x32x32 | "):
            if wanted not in text:
                yield f"no {wanted!r} in\n{text}"
        ended = subprocess.run([sys.executable, script, program, page, "gem", "--moment"], check=False, text=True,
                               stderr=subprocess.PIPE)
        if ended.returncode == 0 or "there is no section gem" not in ended.stderr:
            yield "an unknown section is accepted"


def main():
    problems = [*problems_of_tables(), *problems_of_page(sys.argv[1])]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
