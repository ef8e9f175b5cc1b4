#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site: build.py OUT

OUT/source is a copy of all pages of the repository and of what they link to, with the reference (reference.py) beside
them; OUT/html is the site. A warning of Sphinx is an error."""
import pathlib
import shutil
import subprocess
import sys

import reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["docs", "examples", "include", "backends", "models", "bench", "tests"]


def copy_pages(to):
    """What pages link to must lie beside them, so all folders with pages are copied."""
    shutil.rmtree(to, ignore_errors=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__", "*.db*"))
    for path in ROOT.iterdir():
        if path.is_file() and (path.suffix == ".md" or path.name in ("dev", "LICENSE")):
            shutil.copy(path, to)


def main():
    missing = [name for name in ("sphinx-build", "doxygen") if not shutil.which(name)]
    if missing:
        sys.exit(f"docs: not found: {', '.join(missing)}; Debian has them in python3-sphinx, python3-myst-parser, furo, doxygen")
    out = pathlib.Path(sys.argv[1]).resolve()
    source, html = out / "source", out / "html"
    copy_pages(source)
    reference.write_pages(source, out / "doxygen")
    done = subprocess.run(["sphinx-build", "-b", "html", "-q", "-W", "--keep-going", "-j", "auto", "-c", source / "docs",
                           "-d", out / "cache", source, html], check=False)
    if done.returncode:
        sys.exit("docs: the pages have faults, see above")
    (out / "index.html").write_text('<!doctype html><meta charset="utf-8"><title>ttune</title>'
                                    '<meta http-equiv="refresh" content="0; url=html/docs/index.html">\n', encoding="utf-8")
    print(f"docs: {out / 'index.html'}")


if __name__ == "__main__":
    main()
