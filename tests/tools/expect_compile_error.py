#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles programs that must not compile, and judges what the compiler says.

  expect_compile_error.py COMPILER FILE... -- FLAGS...

A file holds its expectations and, in the same place, the mistake and its correct twin:

  // expect-error: an axis on the right is neither on the left nor reduced
  // expect-culprit: axis<"kk">
  #ifdef TTUNE_CONTROL
    (void)(compute<"C">(i, j) = sum(over(k), A(i, k) * B(k, j)));
  #else
    (void)(compute<"C">(i, j) = sum(over(k), A(i, kk) * B(k, j)));
  #endif

Both expectations are regular expressions and may be given more than once. With -DTTUNE_CONTROL the
file must compile; without, the compiler must print each of them and exactly one `error:`. Lines of
the source are not printed, so a culprit is found only where the compiler names it. The engine's bodies
are not seen: what is refused here is refused by declarations.

The headers that most files include are compiled once, ahead of all files (PRECOMPILED)."""
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import runner

EXPECTATION = re.compile(r"^\s*//\s*expect-(error|culprit):\s*(.+?)\s*$", re.MULTILINE)
ERROR = re.compile(r"^.*?\b(?:fatal )?error:.*$", re.MULTILINE)


PRECOMPILED = ("ttune/kernel.hpp", "ttune/schedule.hpp")


def precompile(compiler, folder, flags):
    """Returns the flags that include the common headers before a file."""
    header = pathlib.Path(folder) / "common.hpp"
    header.write_text("".join(f"#include <{name}>\n" for name in PRECOMPILED), encoding="utf-8")
    made = header.with_name(header.name + (".pch" if "clang" in pathlib.Path(compiler).name else ".gch"))
    subprocess.run([compiler, "-std=c++20", "-x", "c++-header", *flags, str(header), "-o", str(made)], check=True)
    return ["-include-pch", str(made)] if made.suffix == ".pch" else ["-include", str(header)]


def compile_file(compiler, path, flags):
    clang = "clang" in pathlib.Path(compiler).name
    quiet = ["-fno-caret-diagnostics", "-fno-color-diagnostics"] if clang else [
        "-fno-diagnostics-show-caret", "-fdiagnostics-color=never"]
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", *quiet, *flags, str(path)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    # the name of the file names the mistake: it must not count as the compiler's word
    return done.returncode, done.stdout.replace(str(path), "FILE")


def check(compiler, path, flags):
    source = path.read_text(encoding="utf-8")
    expectations = EXPECTATION.findall(source)
    for kind in ("error", "culprit"):
        if not any(found == kind for found, _ in expectations):
            return f"the file has no line `// expect-{kind}: ...`"
    if "TTUNE_CONTROL" not in source:
        return "the file has no correct twin under #ifdef TTUNE_CONTROL"
    status, output = compile_file(compiler, path, [*flags, "-DTTUNE_CONTROL"])
    if status:
        return f"the correct twin does not compile:\n{output}"
    status, output = compile_file(compiler, path, flags)
    if not status:
        return "the mistake compiles"
    faults = [f"nothing printed matches expect-{kind}: {pattern}" for kind, pattern in expectations
              if not re.search(pattern, output)]
    if len(errors := ERROR.findall(output)) != 1:
        faults.append(f"{len(errors)} errors instead of one")
    return "\n".join([*faults, "the compiler printed:", output]) if faults else None


def main():
    compiler, *rest = sys.argv[1:]
    split = rest.index("--") if "--" in rest else len(rest)
    files = [pathlib.Path(os.path.normpath(name)) for name in rest[:split]]
    flags = rest[split + 1:]
    name = pathlib.Path(compiler).name
    with tempfile.TemporaryDirectory() as folder:
        flags = [*flags, *precompile(compiler, folder, flags)]
        runner.run([(f"{path.stem} ({name})", functools.partial(check, compiler, path, flags)) for path in files])


if __name__ == "__main__":
    main()
