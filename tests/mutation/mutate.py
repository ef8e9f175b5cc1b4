#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults into the engine, one at a time, and asks if the tests notice: mutate.py BUILD [--only TEXT] [--jobs N].

Each fault of mutants.toml changes one line of a header. Only the objects of the engine that include it are compiled
again; test programs are linked with them, since the linker takes the first definition of an inline function and the
engine's objects are first. A fault is killed by the first program of `programs` that fails or takes too long. BUILD is
a folder in which everything is built. The report goes to standard output, a line a fault; it ends with the number of
survivors."""
import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor

# In the order of their times; each with the longest time that it takes without a fault, on a busy machine, in seconds.
programs = [("golden", 60), ("unit-loop_nest", 60), ("unit-lowering", 120), ("unit-codegen", 60), ("unit-arith", 60),
            ("unit-capture", 120), ("unit-schedule", 240), ("unit-orc", 300), ("property", 400)]


def run(command, folder, seconds=600, environment=None):
    """Returns the exit status of a command; 124 if it took too long."""
    try:
        done = subprocess.run(command, cwd=folder, shell=isinstance(command, str), timeout=seconds, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "took too long"


class Build:
    """A folder of Meson: how its objects are compiled and its test programs linked."""

    def __init__(self, folder):
        self.folder = folder.resolve()
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        self.compile = {c["output"]: c["command"] for c in commands
                        if "libttune-engine" in c["output"] or "libttune-compiled" in c["output"]
                        or "libttune-interpreter" in c["output"]}
        listing = subprocess.run(["ninja", "-t", "deps"], cwd=self.folder, stdout=subprocess.PIPE, check=True)
        self.headers = {}
        for line in listing.stdout.decode().splitlines():
            if line and not line.startswith(" "):
                current = self.headers.setdefault(line.split(":")[0], set())
            elif line:
                current.add(os.path.realpath(self.folder / line.strip()))

    def objects_with(self, header):
        return [o for o in self.compile if str(header) in self.headers.get(o, ())]

    def link_command(self, program):
        _, text = run(["ninja", "-t", "commands", f"tests/test-{program}"], self.folder)
        return text.strip().splitlines()[-1]


def outcome(build, root, mutant):
    """Returns the program that noticed a fault, "compiler" if it does not compile, or None."""
    header = root / "include/ttune" / mutant["file"]
    text = header.read_text()
    if text.count(mutant["old"]) != 1:
        return "not found: the list is out of date"
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        changed = place / "include/ttune" / mutant["file"]
        changed.parent.mkdir(parents=True)
        changed.write_text(text.replace(mutant["old"], mutant["new"]))
        replaced = {}
        for number, name in enumerate(build.objects_with(header)):
            made = place / f"{number}.o"
            command = build.compile[name].replace(" -Werror", "").replace("ccache ", "")
            command = command.replace(f"-o {name}", f"-o {made}").replace(" -MD ", " ")
            command = command.replace("-I", f"-I{place}/include -I", 1)
            command = shlex.join(part for part in shlex.split(command) if not part.endswith(".o.d"))
            command = command.replace(f"-MQ {name} -MF ", "")
            status, said = run(command, build.folder)
            if status != 0:
                print(said[-2000:], file=sys.stderr)
                return "compiler"
            replaced[name] = made
        environment = dict(os.environ, TTUNE_TESTS_DIR=str(root / "tests"),
                           TTUNE_WORKER_PROGRAM=str(build.folder / "backends/ttune-worker"))
        for program, seconds in programs:
            linked = place / "program"
            command = build.link_command(program).replace(f"-o tests/test-{program}", f"-o {linked}")
            for name, made in replaced.items():
                command = command.replace(name, str(made))
            status, said = run(command, build.folder)
            if status != 0:
                print(said[-2000:], file=sys.stderr)
                return "linker"
            status, _ = run([str(linked), "--abort-after=1"], build.folder, seconds, environment)
            linked.unlink()
            if status != 0:
                return program + (", which took too long" if status == 124 else "")
    return None


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--only", default="", help="faults whose words or file contain this text")
    arguments.add_argument("--jobs", type=int, default=1)
    given = arguments.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    mutants = tomllib.loads((pathlib.Path(__file__).parent / "mutants.toml").read_text())["mutant"]
    mutants = [m for m in mutants if given.only in m["what"] or given.only in m["file"]]
    build = Build(given.build)
    survivors = []

    def look(mutant):
        begun = time.monotonic()
        found = outcome(build, root, mutant)
        if found is None:
            survivors.append(mutant)
        print(f"{'killed by ' + found if found else 'SURVIVES'}: {mutant['what']} ({mutant['file']}), "
              f"{time.monotonic() - begun:.0f} s", flush=True)

    with ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(look, mutants))
    print(f"{len(mutants)} faults, {len(survivors)} survive")


main()
