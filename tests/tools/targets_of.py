#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the files that must be built for some suites: targets_of.py BUILD SUITE..."""
import json
import os
import sys

build, *suites = sys.argv[1:]


def intro(what):
    with open(f"{build}/meson-info/intro-{what}.json", encoding="utf-8") as file:
        return json.load(file)


wanted = {f"ttune:{suite}" for suite in suites}
needed = {target for test in intro("tests") if wanted & set(test["suite"]) for target in test["depends"]}
for target in intro("targets"):
    if target["id"] in needed:
        print(*(os.path.relpath(path, os.path.realpath(build)) for path in target["filename"]), sep="\n")
