#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone and included twice; each source compiles.

  check_compiles.py [--chains] COMPILER NAME... -- FLAGS...

A NAME that ends in .hpp is included as <NAME>, another is a source file.

With --chains one compiler reads several headers, each of which includes all that were read before, at its top: there it
finds what it would find alone. So it compiles alone if it compiles here and those before do. Headers of a chain that
fails are compiled one by one. This is not so with -DTTUNE_IMPLEMENTATION, which has headers include their bodies, which
are not checked alone."""
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys

import runner

INCLUDE = re.compile(r'#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def complaint(compiler, text, name, flags):
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", "-x", "c++", *flags, name],
                          input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout or "failed" if done.returncode else None


def check(compiler, name, flags):
    if not name.endswith(".hpp"):
        return complaint(compiler, "", name, flags)
    return complaint(compiler, f"#include <{name}>\n#include <{name}>\nint main() {{}}\n", "-", flags)


def included_at_top(path):
    """What a file includes before all else but comments and #pragma, as (name, whether it is in quotes)."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if include := INCLUDE.fullmatch(line.partition("//")[0].strip()):
            yield include[1] or include[2], include[2] is not None
        elif line.strip() and not line.startswith(("//", "#pragma")):
            return


class graph:
    """Knows for each header which of the others it includes at its top, directly or through such includes."""

    def __init__(self, headers, roots):
        self.roots = roots
        self.direct = {}
        paths = {name: self.find(name, None) for name in headers}
        self.reached = {name: self.all_below(path) for name, path in paths.items()}
        self.below = {name: [other for other, path in paths.items()
                             if path in self.reached[name] and paths[name] not in self.reached[other]] for name in headers}

    def find(self, name, beside):
        return next((path for folder in ([beside] if beside else []) + self.roots if (path := folder / name).is_file()), None)

    def all_below(self, start):
        found, rest = set(), [start] if start else []
        while rest:
            path = rest.pop()
            if path not in self.direct:
                names = [self.find(name, path.parent if quoted else None) for name, quoted in included_at_top(path)]
                self.direct[path] = [made for made in names if made]
            rest += [other for other in self.direct[path] if other not in found]
            found.update(self.direct[path])
        return found

    def chains(self):
        """All headers in few chains. Only a chain's last header costs time: those that include most join others first."""
        after, before = {}, {}
        above = {name: [other for other, lower in self.below.items() if name in lower] for name in self.below}

        def join(name, seen):
            for other in above[name]:
                if other not in seen:
                    seen.add(other)
                    if other not in before or join(before[other], seen):
                        after[name], before[other] = other, name
                        return True
            return False

        for name in sorted(self.below, key=lambda name: -len(self.reached[name])):
            join(name, set())
        for name in self.below:
            if name not in before:
                chain = [name]
                while chain[-1] in after:
                    chain.append(after[chain[-1]])
                yield chain


def compiled_in_chains(compiler, names, flags):
    """Returns the headers of all chains that compile."""
    roots = [pathlib.Path(flag[2:]) for flag in flags if flag.startswith("-I")]

    def compiles(chain):
        text = "".join(f"#include <{name}>\n" for name in chain)
        return complaint(compiler, f"{text}{text}int main() {{}}\n", "-", flags) is None

    chains = list(graph(names, roots).chains())
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return {name for chain, fine in zip(chains, pool.map(compiles, chains)) if fine for name in chain}


def main():
    compiler, *rest = [argument for argument in sys.argv[1:] if argument != "--chains"]
    split = rest.index("--") if "--" in rest else len(rest)
    names, flags = rest[:split], rest[split + 1:]
    compiled = compiled_in_chains(compiler, names, flags) if sys.argv[1] == "--chains" else set()
    runner.run([(name if name.endswith(".hpp") else pathlib.Path(name).stem,
                 (lambda: None) if name in compiled else functools.partial(check, compiler, name, flags)) for name in names])


if __name__ == "__main__":
    main()
