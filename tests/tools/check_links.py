#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relative links in all Markdown files lead to files that are there, and to headings that are there.

  check_links.py ROOT

Links to other sites are not followed: a test needs no network. An anchor is made from a heading as GitHub and MyST do it:
lower case, punctuation dropped, spaces as hyphens, "-1" behind a second one of the same name."""
import pathlib
import re
import sys

import runner

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
SKIPPED = {"build", "subprojects", ".git"}


def without_code(text):
    """Code shows brackets that are no links."""
    text = re.sub(r"^( *)(```+|~~~+).*?^\1\2 *$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(text):
    found = set()
    text = re.sub(r"^( *)(```+|~~~+).*?^\1\2 *$", "", text, flags=re.DOTALL | re.MULTILINE)
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.MULTILINE):
        name = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", name).replace(" ", "-")
        number = 0
        while (unique := f"{name}-{number}" if number else name) in found:
            number += 1
        found.add(unique)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def broken(root, page):
    problems = []
    for target in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists():
            problems.append(f"{page.relative_to(root)}: no file {target}")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text(encoding="utf-8")):
            problems.append(f"{page.relative_to(root)}: no heading {target}")
    return "\n".join(problems) or None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = [page for page in sorted(root.rglob("*.md")) if not SKIPPED & set(page.relative_to(root).parts)]
    runner.run([(f"links of {page.relative_to(root)}", lambda page=page: broken(root, page)) for page in pages])


if __name__ == "__main__":
    main()
