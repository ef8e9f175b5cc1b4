#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands for a test whose libraries are not installed: absent.py NAME REASON PART...

Skipped with the reason, or failed where TTUNE_REQUIRE names one of the parts."""
import sys

import runner

name, reason, *parts = sys.argv[1:]
runner.run([(name, lambda: reason if any(map(runner.required, parts)) else runner.skip(reason))])
