#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The code in the pages is code that the tests compile.

  check_snippets.py ROOT [--write]

A page names a region of a source file in a comment, and a block of code follows:

    <!-- code: tests/docs/pages.cpp [fused] -->
    ```cpp
    ...
    ```

The region lies between the lines "// [fused]" and "// [/fused]" of that file; the block must be equal to it, less its
indentation. --write copies the regions into the pages. A block of C++ in README.md or docs/ without such a comment is an
error: it would be compiled by nobody ("```text" is for what is no program)."""
import pathlib
import re
import sys
import textwrap

import runner

BLOCK = re.compile(r"(?:<!-- code: (?P<path>\S+) \[(?P<name>\w+)\] -->\n)?(?P<fence>```cpp\n)(?P<code>.*?)(?P<end>^```$)",
                   re.DOTALL | re.MULTILINE)


def region(source, name):
    """The lines between the two marks, less their indentation and the marks of other regions."""
    found = re.search(rf"^ *// \[{name}\]\n(.*?)^ *// \[/{name}\]$", source, re.DOTALL | re.MULTILINE)
    if not found:
        raise LookupError
    return textwrap.dedent(re.sub(r"^ *// \[/?\w+\]\n", "", found[1], flags=re.MULTILINE))


def brought_up_to_date(root, page, text, problems):
    def replace(block):
        line = text.count("\n", 0, block.start()) + 1
        if not block["path"]:
            problems.append(f"{page}:{line}: this code is compiled by nobody: name a region of a source file above it")
            return block[0]
        try:
            wanted = region((root / block["path"]).read_text(encoding="utf-8"), block["name"])
        except (OSError, LookupError):
            problems.append(f"{page}:{line}: there is no region [{block['name']}] in {block['path']}")
            return block[0]
        if wanted != block["code"]:
            problems.append(f"{page}:{line}: differs from [{block['name']}] in {block['path']}: "
                            "tests/tools/check_snippets.py . --write")
        return f"<!-- code: {block['path']} [{block['name']}] -->\n{block['fence']}{wanted}{block['end']}"

    return BLOCK.sub(replace, text)


def check(root, path, write):
    text = path.read_text(encoding="utf-8")
    problems = []
    made = brought_up_to_date(root, path.relative_to(root), text, problems)
    if write and made != text:
        path.write_text(made, encoding="utf-8")
        print(f"{path}: written")
        return None
    return "\n".join(problems) or None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    write = "--write" in sys.argv[2:]
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    runner.run([(f"code of {page.relative_to(root)}", lambda page=page: check(root, page, write)) for page in pages])


if __name__ == "__main__":
    main()
