#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants faults into the engine, one at a time, and asks if the tests notice: mutate.py BUILD [--only TEXT] [--first N] [--jobs N].

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

# Each with the longest time that it takes without a fault, on a busy machine, in seconds. The property tests run twice:
# a tenth of the random programs notices most faults of code generation, and ends first.
few_programs = ["property", 300, "--test-case=machine code: random programs under*"]
programs = [["golden", 120], ["unit-loop_nest", 120], ["unit-lowering", 240], ["unit-codegen", 120], ["unit-arith", 120],
            few_programs, ["unit-capture", 240], ["unit-schedule", 400], ["unit-runtime", 240],
            ["unit-records", 240], ["unit-orc", 600], ["property", 900]]


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
        for program, seconds, *filters in programs:
            linked = place / "program"
            command = build.link_command(program).replace(f"-o tests/test-{program}", f"-o {linked}")
            for name, made in replaced.items():
                command = command.replace(name, str(made))
            status, said = run(command, build.folder)
            if status != 0:
                print(said[-2000:], file=sys.stderr)
                return "linker"
            few = dict(environment, TTUNE_PROGRAMS="60") if filters else environment
            status, _ = run([str(linked), "--abort-after=1", *filters], build.folder, seconds, few)
            linked.unlink()
            if status != 0:
                return program + (", which took too long" if status == 124 else "")
    return None


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--only", default="", help="faults whose words or file contain this text")
    arguments.add_argument("--first", type=int, default=0, help="number of the first fault, from 0 on")
    arguments.add_argument("--jobs", type=int, default=1)
    given = arguments.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    mutants = tomllib.loads((pathlib.Path(__file__).parent / "mutants.toml").read_text())["mutant"]
    mutants = [m for m in mutants if given.only in m["what"] or given.only in m["file"]]
    mutants = mutants[given.first:]
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
