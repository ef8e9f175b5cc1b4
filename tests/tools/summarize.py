#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what the test runs really did and closes with one line.

  summarize.py [--failed WHAT]... [--skips FILE] NAME=TESTLOG.json...

TESTLOG.json is Meson's log of one run. A doctest program counts by its test cases, a runner of
tests/tools by its `ok` lines, any other test as one. --failed adds a failure that has no log, as a
build that broke. --skips: a skip that no line of FILE describes is a failure; a line is a pattern as
fnmatch has them, and `#` begins a comment. Prints what failed and what was skipped, and exits with 1
if anything failed."""
import argparse
import fnmatch
import json
import pathlib
import re
import sys

DOCTEST = re.compile(r"^test cases: (\d+) passed, (\d+) failed, (\d+) skipped$", re.MULTILINE)
DOCTEST_SKIP = re.compile(r"^skipped: (.*)$", re.MULTILINE)
DOCTEST_CASE = re.compile(r"^TEST CASE:\s+(.*)$", re.MULTILINE)
DOCTEST_ERROR = re.compile(r"^.*\b(?:FATAL )?ERROR: ", re.MULTILINE)
CHECK = re.compile(r"^(ok|not ok) - (.*?)(?: # SKIP (.*))?$", re.MULTILINE)
SKIP = 77
LINES_OF_A_FAILURE = 12


class totals:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, [], []

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def failed_cases(out):
    """The names of doctest's cases that failed, and what each says first. Cases that passed say something, too."""
    parts = DOCTEST_CASE.split(out)[1:]
    failed = {}
    for case, said in zip(parts[::2], parts[1::2]):
        if error := DOCTEST_ERROR.search(said):
            lines = said[error.start():].split("\n===")[0].splitlines()[:LINES_OF_A_FAILURE]
            failed.setdefault(case, "".join("\n  " + line[:200] for line in lines if line.strip()))
    return [case + said for case, said in failed.items()]


def count(name, entry):
    """The counts of one entry of Meson's log."""
    result, out, status = totals(), entry.get("stdout", ""), entry.get("returncode")
    if found := DOCTEST.search(out):
        result.passed = int(found[1])
        result.failed = [f"{name}: {case}" for case in failed_cases(out)]
        result.failed += [f"{name}: a test case"] * (int(found[2]) - len(result.failed))
        result.skipped = [f"{name}: {text}" for text in DOCTEST_SKIP.findall(out)]
    elif checks := CHECK.findall(out):
        result.passed = sum(kind == "ok" and not reason for kind, _, reason in checks)
        result.failed = [f"{name}: {check}" for kind, check, _ in checks if kind == "not ok"]
        result.skipped = [f"{name}: {check}: {reason}" for kind, check, reason in checks if kind == "ok" and reason]
    elif status == SKIP or entry["result"] == "SKIP":
        lines = [line for line in (out + entry.get("stderr", "")).splitlines() if line.strip()]
        result.skipped = [f"{name}: {lines[-1].strip() if lines else 'no reason given'}"]
    elif entry["result"] == "OK":
        result.passed = 1
    if entry["result"] not in ("OK", "SKIP") and not result.failed:
        # crashed or ran out of time, whatever it had counted until then
        result.failed = [f"{name}: {entry['result'].lower()} (exit status {status})"]
    return result


def unexpected(skipped, path):
    """The skips that no line of a file describes."""
    lines = [line.strip() for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines()]
    patterns = [line for line in lines if line and not line.startswith("#")]
    return [text for text in skipped if not any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--failed", action="append", default=[])
    parser.add_argument("--skips")
    parser.add_argument("logs", nargs="*")
    arguments = parser.parse_args()
    total = totals()
    total.failed += arguments.failed
    for argument in arguments.logs:
        run, path = argument.split("=", 1)
        part = totals()
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            part.add(count(f"{run} {entry['name'].split(' / ')[-1]}", entry))
        print(f"{run:8} {part.passed:5} passed {len(part.failed):5} failed {len(part.skipped):5} skipped")
        total.add(part)
    if arguments.skips:
        total.failed += [f"skipped, but not in {arguments.skips}: {text}"
                         for text in unexpected(total.skipped, arguments.skips)]
    for text in total.skipped:
        print(f"skipped: {text}")
    for text in total.failed:
        print(f"FAILED: {text}")
    if not total.passed and not total.failed and not total.skipped:
        total.failed.append("no test ran")
        print("FAILED: no test ran")
    print(f"{total.passed} passed, {len(total.failed)} failed, {len(total.skipped)} skipped")
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    main()
