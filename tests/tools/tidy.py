#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy with the checks of .clang-tidy over the engine's bodies and those of its parts.

  tidy.py CLANG_TIDY ROOT NAME... -- FLAGS...

A NAME that ends in .hpp is included as <NAME>, another is a source file. Each is read once: what its headers define is
checked with it. A warning is a failure."""
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

import runner

WARNING = re.compile(r"^(\S+?:\d+):\d+: (?:warning|error): (.*)$", re.MULTILINE)


def check(clang_tidy, root, folder, name, flags):
    source = pathlib.Path(name)
    if name.endswith(".hpp"):
        source = pathlib.Path(folder) / (name.replace("/", "_") + ".cpp")
        source.write_text(f"#include <{name}>\n", encoding="utf-8")
    done = subprocess.run([clang_tidy, "--quiet", f"--config-file={root}/.clang-tidy", str(source), "--", "-std=c++20", *flags],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    faults = [f"{place}: {text}" for place, text in dict.fromkeys(WARNING.findall(done.stdout))]
    return "\n".join(faults) or (done.stdout + done.stderr if done.returncode else None)


def main():
    clang_tidy, root, *rest = sys.argv[1:]
    split = rest.index("--")
    with tempfile.TemporaryDirectory() as folder:
        runner.run([(f"clang-tidy {name.removeprefix(root + '/')}", functools.partial(check, clang_tidy, root, folder, name, rest[split + 1:]))
                    for name in rest[:split]])


if __name__ == "__main__":
    main()
