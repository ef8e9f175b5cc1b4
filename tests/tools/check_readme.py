#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README's C++ compiles, as the body of a function that is given Eigen matrices a, b, c.

  check_readme.py COMPILER README -- FLAGS..."""
import functools
import pathlib
import re
import subprocess
import sys

import runner

FRAME = """
#include <ttune/backends/orc.hpp>
#include <ttune/eigen.hpp>
#include <ttune/models/xgboost.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>
#include <iostream>
using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
void readme(matrix const& a, matrix const& b, matrix& c) {{
  using namespace ttune::literals;
{}
}}
"""


def check(compiler, block, flags):
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *flags, "-"], input=FRAME.format(block), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout or "failed" if done.returncode else None


def main():
    compiler, path, _, *flags = sys.argv[1:]
    text = pathlib.Path(path).read_text(encoding="utf-8")
    blocks = re.findall(r"^```cpp\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    if not blocks:
        sys.exit(f"{path} has no C++")
    runner.run([(f"README, block {n}", functools.partial(check, compiler, block, flags)) for n, block in enumerate(blocks, 1)])


if __name__ == "__main__":
    main()
