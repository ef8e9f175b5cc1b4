#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what the compiler has to do for a header or a program, and compares with a baseline.

  count_instantiations.py CLANG BASELINE [--update] SUBJECT... -- FLAGS...

A SUBJECT that ends in .hpp is included as <SUBJECT>, another is a source file. Unlike seconds the
counts of template instantiations and of declarations are the same on every machine, for one
compiler and standard library; with others than the baseline's there is nothing to compare."""
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import runner

TOLERANCE = 1.03
INSTANTIATIONS = {"InstantiateClass", "InstantiateFunction"}
DECLARATIONS = re.compile(r"^\s*(\d+) decls total\.", re.MULTILINE)


def identity(clang):
    """As `clang 19, libstdc++ 12`."""
    macros = subprocess.run([clang, "-std=c++20", "-x", "c++", "-dM", "-E", "-include", "version", "/dev/null"],
                            text=True, stdout=subprocess.PIPE, check=True).stdout
    value = lambda name: (re.search(rf"^#define {name} (\S+)$", macros, re.MULTILINE) or [0, "none"])[1]
    return f"clang {value('__clang_major__')}, libstdc++ {value('_GLIBCXX_RELEASE')}"


def name_of(subject):
    return subject if subject.endswith(".hpp") else pathlib.Path(subject).name


def count(clang, subject, flags):
    """(instantiations, declarations), or the compiler's complaint."""
    with tempfile.TemporaryDirectory(prefix="ttune-trace-") as folder:
        trace = pathlib.Path(folder) / "trace.json"
        source = pathlib.Path(subject)
        if subject.endswith(".hpp"):
            source = pathlib.Path(folder) / "subject.cpp"
            source.write_text(f"#include <{subject}>\n", encoding="utf-8")
        done = subprocess.run([clang, "-std=c++20", "-fsyntax-only", "-Xclang", f"-ftime-trace={trace}",
                               "-Xclang", "-ftime-trace-granularity=0", "-Xclang", "-print-stats", *flags, str(source)],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            return done.stdout
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
        return sum(event["name"] in INSTANTIATIONS for event in events), int(DECLARATIONS.search(done.stdout)[1])


def check(clang, subject, flags, baseline):
    found = count(clang, subject, flags)
    if isinstance(found, str):
        return found
    name = name_of(subject)
    if name not in baseline:
        return runner.skip(f"{found[0]} instantiations, {found[1]} declarations, but the baseline has no line for it")
    return "\n".join(f"{new} {what} instead of {old}: {100 * new / old - 100:+.1f} %"
                     for what, new, old in zip(("instantiations", "declarations"), found, baseline[name])
                     if new > old * TOLERANCE) or None


def main():
    clang, path, *rest = sys.argv[1:]
    path = pathlib.Path(path)
    update = "--update" in rest
    split = rest.index("--") if "--" in rest else len(rest)
    subjects, flags = [name for name in rest[:split] if name != "--update"], rest[split + 1:]
    lines = path.read_text(encoding="utf-8").splitlines()
    compiler = next(line.removeprefix("compiler ") for line in lines if line.startswith("compiler "))
    if identity(clang) != compiler:
        reason = runner.skip(f"the baseline is for {compiler}, this is {identity(clang)}")
        runner.run([(name_of(subject), lambda: reason) for subject in subjects])
    baseline = {name: (int(first), int(second)) for name, first, second in
                (line.split() for line in lines if line and not line.startswith(("#", "compiler ")))}
    if not update:
        runner.run([(name_of(subject), functools.partial(check, clang, subject, flags, baseline)) for subject in subjects])
    for subject in subjects:
        found = count(clang, subject, flags)
        if isinstance(found, str):
            sys.exit(found)
        baseline[name_of(subject)] = found
    kept = [line for line in lines if line.startswith(("#", "compiler "))]
    path.write_text("\n".join(kept + [f"{name} {a} {b}" for name, (a, b) in sorted(baseline.items())]) + "\n",
                    encoding="utf-8")


if __name__ == "__main__":
    main()
