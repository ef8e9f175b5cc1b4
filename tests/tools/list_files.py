#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists sources when the build is configured, so that adding a file needs no line in a meson.build.

  list_files.py headers INCLUDE_DIR       public and .inl headers, relative to INCLUDE_DIR
  list_files.py sources ROOT FOLDER...    *.cpp below the folders, one a line:  path|needs|suites
  list_files.py bodies INCLUDE_DIR        the engine's bodies, a folder a line:  folder|file|file...
  list_files.py layers ROOT FOLDER        names of the sub-folders that hold a *.cpp

`needs` are the parts a file uses, found by following its includes outside any #if: orc, xgboost,
treegru, sqlite, eigen, onnx (parts of ttune), onednn, openblas, xsmm, halide, tbb, openmp, cli11, json (libraries).
`suites` are the names of its doctest suites, as in test_suite("threads").
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')
CONDITION = re.compile(r'^\s*#\s*(if|ifdef|ifndef|endif)\b')
SUITE = re.compile(r'(?i)\btest_suite(?:_begin)?\(\s*"([^"]+)"')
NEEDS = [
    ("orc", re.compile(r"^(ttune/backends/orc\b|llvm-c/)")),
    ("opencl", re.compile(r"^(ttune/backends/opencl\b|CL/)")),
    ("cuda", re.compile(r"^ttune/backends/cuda\b")),
    ("onnx", re.compile(r"^(ttune/onnx\b|onnx/)")),
    ("treegru", re.compile(r"^ttune/models/treegru\b")),
    ("xgboost", re.compile(r"^(ttune/models/xgboost\b|xgboost/)")),
    ("sqlite", re.compile(r"^(ttune/records/sqlite\b|sqlite3\.h)")),
    ("eigen", re.compile(r"^(ttune/eigen\.hpp|Eigen/|unsupported/Eigen/)")),
    ("onednn", re.compile(r"^(dnnl\.h|oneapi/dnnl/)")),
    ("openblas", re.compile(r"^(cblas\.h|openblas)")),
    ("xsmm", re.compile(r"^libxsmm")),
    ("halide", re.compile(r"^Halide\.h")),
    ("tbb", re.compile(r"^oneapi/tbb")),
    ("openmp", re.compile(r"^omp\.h")),
    ("cli11", re.compile(r"^CLI/")),
    ("json", re.compile(r"^nlohmann/")),
]


class scanner:
    def __init__(self, root):
        self.roots = [root / "include", root / "backends/orc/include", root / "backends/opencl/include",
                      root / "backends/cuda/include", root / "backends/onnx/include",
                      root / "models/xgboost/include", root / "models/treegru/include",
                      root / "tests"]
        self.found = {}

    def includes(self, path):
        """What a file includes outside any #if."""
        depth = 0
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if condition := CONDITION.match(line):
                depth += -1 if condition[1] == "endif" else 1
            elif depth == 0 and (include := INCLUDE.match(line)):
                yield include[1] or include[2], include[2] is not None

    def needs(self, path):
        if path in self.found:
            return self.found[path]
        self.found[path] = result = set()
        for name, quoted in self.includes(path):
            result.update(need for need, pattern in NEEDS if pattern.match(name))
            for folder in ([path.parent] if quoted else []) + self.roots:
                if (folder / name).is_file():
                    result |= self.needs((folder / name).resolve())
                    break
        return result


def sources(root, folders):
    scan = scanner(root)
    for folder in folders:
        for path in sorted((root / folder).rglob("*.cpp")):
            suites = sorted(set(SUITE.findall(path.read_text(encoding="utf-8", errors="replace"))))
            print(path.relative_to(root).as_posix(), ",".join(sorted(scan.needs(path.resolve()))), ",".join(suites),
                  sep="|")


def bodies(include):
    """Those of records in SQLite are a library of their own."""
    folders = {}
    for path in sorted(include.rglob("*.inl.hpp")):
        name = path.relative_to(include).as_posix()
        if "sqlite" not in name:
            folders.setdefault(path.parent.relative_to(include).as_posix(), []).append(name)
    for folder, files in folders.items():
        print(folder, *files, sep="|")


def main():
    mode, root, *folders = sys.argv[1:]
    root = pathlib.Path(root).resolve()
    if mode == "headers":
        for path in sorted(root.rglob("*.hpp")):
            print(path.relative_to(root).as_posix())
    elif mode == "bodies":
        bodies(root)
    elif mode == "sources":
        sources(root, folders)
    elif mode == "layers":
        base = root / folders[0]
        for path in sorted(base.iterdir()) if base.is_dir() else []:
            if path.is_dir() and any(path.rglob("*.cpp")):
                print(path.name)
    else:
        sys.exit(f"list_files.py: unknown mode {mode}")


if __name__ == "__main__":
    main()
