#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone and included twice; each source compiles.

  check_compiles.py COMPILER NAME... -- FLAGS...

A NAME that ends in .hpp is included as <NAME>, another is a source file."""
import functools
import pathlib
import subprocess
import sys

import runner


def check(compiler, name, flags):
    header = name.endswith(".hpp")
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", "-x", "c++", *flags,
                           "-" if header else name],
                          input=f"#include <{name}>\n#include <{name}>\nint main() {{}}\n" if header else "", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout or "failed" if done.returncode else None


def main():
    compiler, *rest = sys.argv[1:]
    split = rest.index("--") if "--" in rest else len(rest)
    flags = rest[split + 1:]
    runner.run([(name if name.endswith(".hpp") else pathlib.Path(name).stem, functools.partial(check, compiler, name, flags))
                for name in rest[:split]])


if __name__ == "__main__":
    main()
