#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_skips.py ROOT: a test that is skipped for a reason that .ci/skips does not have fails the run, as one that fails
does; and each pattern of that file has a reason in front of it."""
import json
import pathlib
import subprocess
import sys
import tempfile

import runner

ROOT = pathlib.Path(sys.argv[1])
LISTED = "cuda: a kernel runs on the device: libcuda.so.1: cannot open shared object file"
PLANTED = "split: guards the tail when the extent does not divide: somebody felt like it"


def summary(*skipped):
    """What summarize.py says of a program with these skips: its status and its text."""
    lines = "".join(f"skipped: {text}\n" for text in skipped)
    out = f"{lines}test cases: 3 passed, 0 failed, {len(skipped)} skipped\n"
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "testlog.json"
        log.write_text(json.dumps({"name": "ttune / unit-cuda", "result": "OK", "returncode": 0, "stdout": out}))
        done = subprocess.run(
            [sys.executable, ROOT / "tests/tools/summarize.py", "--skips", ROOT / ".ci/skips", f"gcc={log}"],
            capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def listed_skip():
    status, text = summary(LISTED)
    return None if status == 0 and "3 passed, 0 failed, 1 skipped" in text else text


def planted_skip():
    status, text = summary(LISTED, PLANTED)
    expected = f"FAILED: skipped, but not in {ROOT / '.ci/skips'}: gcc unit-cuda: {PLANTED}"
    return None if status == 1 and expected in text and "3 passed, 1 failed, 2 skipped" in text else text


def reasons():
    explained = False
    for line in (ROOT / ".ci/skips").read_text(encoding="utf-8").splitlines()[1:]:
        if line.startswith("#"):
            explained = True
        elif not line.strip():
            explained = False
        elif not explained:
            return f"no reason in front of: {line}"
    return None


runner.run([("a skip that is listed is accepted", listed_skip), ("a skip that is not listed fails", planted_skip),
            ("each listed skip has a reason", reasons)])
