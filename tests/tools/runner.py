# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: checks run on all cores, one `ok`, `not ok` or skip line a check."""
import concurrent.futures
import os
import sys

SKIP = 77


def run(checks):
    """Runs (name, function) pairs; a function returns None, a failure's text or a `skip`. Exits."""
    counts = {"ok": 0, "not ok": 0, "skip": 0}
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for name, result in [(name, pool.submit(function)) for name, function in checks]:
            text = result.result()
            if isinstance(text, skip):
                counts["skip"] += 1
                print(f"ok - {name} # SKIP {text}")
            elif text:
                counts["not ok"] += 1
                print(f"not ok - {name}")
                print("".join(f"    {line}\n" for line in text.splitlines()), end="")
            else:
                counts["ok"] += 1
                print(f"ok - {name}")
            sys.stdout.flush()
    if counts["not ok"]:
        sys.exit(1)
    sys.exit(SKIP if counts["skip"] and not counts["ok"] else 0)


class skip(str):
    """A check's result when it cannot be done: the reason."""


def required(part):
    return part in os.environ.get("TTUNE_REQUIRE", "").split(",")
