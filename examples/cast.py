#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command in a terminal of its own and draws what it shows as an SVG that plays once.

  cast.py OUT.svg [--width COLUMNS] [--rows N] [--seconds PLAYED] [--title TYPED] COMMAND...

Without animation the picture is the last screen. README.md's is made by
  examples/cast.py --title './dev demo' examples/00_demo.svg build/release/examples/demo
where there is no ttune-demo.db of an earlier run.
"""
import argparse
import codecs
import fcntl
import os
import pty
import re
import struct
import sys
import termios
import time
from xml.sax.saxutils import escape

CHARACTER, LINE, MARGIN = 7.25, 17, 14  # pixels, at 12 px of a monospaced font
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def record(command, width):
    """What the command writes, as (seconds since its start, text), and its exit status."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, width, 0, 0))
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    start, chunks = time.monotonic(), []
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        chunks.append((time.monotonic() - start, decode(data)))
        sys.stdout.write(chunks[-1][1])
        sys.stdout.flush()
    return chunks, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def versions(chunks):
    """Of each line all that it showed: [[(since, text), ...], ...]. Understands carriage return and line feed."""
    lines, text, column = [[]], "", 0
    for at, chunk in chunks:
        for c in CONTROL.sub("", chunk):
            if c == "\n":
                note(lines[-1], at, text)
                lines.append([])
                text, column = "", 0
            elif c == "\r":
                column = 0
            else:
                text, column = text[:column].ljust(column) + c + text[column + 1:], column + 1
        note(lines[-1], at, text)
    while lines and not any(text for _, text in lines[-1]):
        lines.pop()
    return lines


def note(line, at, text):
    text = text.rstrip()
    if not line or line[-1][1] != text:
        line.append((at, text))


def thin(line, step):
    """A version every `step` seconds, and the last."""
    kept = []
    for i, (at, text) in enumerate(line):
        if i == len(line) - 1 or not kept or at - kept[-1][0] >= step:
            kept.append((at, text))
    return kept


def colour(text):
    if text.startswith(("$ ", "ttune is ")):
        return "#7ee787"
    if "trials, best" in text:
        return "#79c0ff"
    return "#ffa198" if "DIFFER" in text else "#e6edf3"


def scrolling(lines, rows, speed):
    """How the text moves up once a line would be below the last row: an animation of its group."""
    steps = [(line[0][0] / speed, row + 1 - rows) for row, line in enumerate(lines) if row >= rows]
    if not steps:
        return "", ""
    length = steps[-1][0]
    times = ";".join(["0"] + [f"{at / length:.4f}" for at, _ in steps])
    places = ";".join(["0 0"] + [f"0 {-up * LINE}" for _, up in steps])
    return (f' transform="translate(0 {-steps[-1][1] * LINE})"',
            f'<animateTransform attributeName="transform" type="translate" calcMode="discrete" begin="0s" dur="{length:.2f}s" '
            f'fill="freeze" keyTimes="{times}" values="{places}"/>')


def svg(lines, width, rows, speed):
    rows = min(rows, len(lines))
    pixels, height = width * CHARACTER + 2 * MARGIN, rows * LINE + 2 * MARGIN
    place, animation = scrolling(lines, rows, speed)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {pixels:.0f} {height}" width="{pixels:.0f}" height="{height}">',
           '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
           f'<clipPath id="screen"><rect y="{MARGIN}" width="100%" height="{rows * LINE}"/></clipPath>',
           '<g clip-path="url(#screen)">',
           f'<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="12"{place}>{animation}']
    for row, line in enumerate(lines):
        for i, (at, text) in enumerate(line):
            if not text:
                continue
            last = i == len(line) - 1
            since = max(at / speed, 0.01)
            if last:
                when = f'<set attributeName="visibility" to="hidden" begin="0s" dur="{since:.2f}s"/>'
            else:
                when = f'<set attributeName="visibility" to="visible" begin="{since:.2f}s" dur="{line[i + 1][0] / speed - since:.2f}s"/>'
            hidden = "" if last else ' visibility="hidden"'
            out.append(f'<text x="{MARGIN}" y="{MARGIN + (row + 0.75) * LINE:.1f}" fill="{colour(text)}" xml:space="preserve"{hidden}>'
                       f'{escape(text)}{when}</text>')
    return "\n".join(out + ["</g>", "</g>", "</svg>", ""])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("out")
    arguments.add_argument("--width", type=int, default=112)
    arguments.add_argument("--rows", type=int, default=30)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--title", help="what the first line says was typed; the command by default")
    arguments.add_argument("command", nargs=argparse.REMAINDER)
    chosen = arguments.parse_args()
    chunks, status = record(chosen.command, chosen.width)
    if status != 0:
        sys.exit(f"cast.py: the command ended with status {status}")
    speed = max(1.0, chunks[-1][0] / chosen.seconds)
    typed = [(0.0, "$ " + (chosen.title or " ".join(chosen.command)))]
    lines = [typed] + [thin(line, speed / 2) for line in versions(chunks)]
    with open(chosen.out, "w", encoding="utf-8") as file:
        file.write(svg(lines, chosen.width, chosen.rows, speed))


if __name__ == "__main__":
    main()
