#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference of the public headers, from their docstrings: Doxygen reads the headers, and its XML becomes a page of
Markdown for each group of headers in reference/headers.txt. build.py calls it.

  reference.py ROOT      only checks that all headers of headers.txt are there; a test"""
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

INCLUDE_ROOTS = ["include", "backends/orc/include", "backends/opencl/include", "backends/cuda/include",
                 "backends/onnx/include", "models/xgboost/include"]
# The filter leaves out the inline namespace v0: the reference says ttune, which is what users write.
DOXYFILE = """
INPUT = {inputs}
FILE_PATTERNS = *.hpp
OUTPUT_DIRECTORY = {out}
FULL_PATH_NAMES = YES
STRIP_FROM_PATH = {roots}
EXCLUDE_SYMBOLS = detail ttune::detail ttune::detail::* ttune::ops::detail
INPUT_FILTER = "sed -e 's/^namespace ttune {{ inline namespace v0 {{/namespace ttune {{/' -e 's,^}}\\(}}.*// namespace ttune::v0\\),\\1,'"
PREDEFINED = TTUNE_PART_BODIES=0
MACRO_EXPANSION = YES
EXTRACT_ALL = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
QUIET = YES
# Undocumented classes are refused below. Not each member needs a sentence: `row_major::order` has its name.
WARN_IF_UNDOCUMENTED = NO
"""
DEFAULTED_FUNCTIONS = re.compile(r"= (default|delete)$")


# ---- which headers ------------------------------------------------------------------------------

def page_list(path):
    """[(file, title, sentence, [header, ...]), ...]"""
    pages = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            pages.append((*(part.strip() for part in line[3:].split("|")), []))
        elif "*" in line and not line.startswith("#"):
            matching = sorted((path.resolve().parents[2] / "include").glob(line))
            with_page = [h.name for h in matching if "\n// →\n" in h.read_text(encoding="utf-8")]
            pages[-1][-1].extend(line.rpartition("/")[0] + "/" + name for name in with_page)
        elif line and not line.startswith("#"):
            pages[-1][-1].append(line)
    return pages


def find_header(root, name):
    for folder in INCLUDE_ROOTS:
        if (root / folder / name).is_file():
            return root / folder / name
    sys.exit(f"docs/reference/headers.txt: there is no header {name}")


# ---- Doxygen's XML as text ----------------------------------------------------------------------

def escape(text):
    return re.sub(r"([\\<>*_\[\]])", r"\\\1", text)


def inline_element(part):
    if part.tag == "computeroutput":
        return "`" + "".join(part.itertext()) + "`"
    text = escape(part.text or "") + "".join(inline_element(child) + escape(child.tail or "") for child in part)
    return f"*{text}*" if part.tag in ("bold", "emphasis") else text


BLOCK_TAGS = ("itemizedlist", "orderedlist", "verbatim", "preformatted", "programlisting")


def block_of(part):
    if part.tag in ("itemizedlist", "orderedlist"):
        return "\n".join("- " + " ".join(blocks(item)) for item in part)
    return "```c++\n" + "".join(part.itertext()).strip("\n") + "\n```"


def paragraph(para):
    """What stands between lists and code is text of its own."""
    made, text = [], escape(para.text or "")
    for part in para:
        if part.tag in BLOCK_TAGS:
            made += [text, block_of(part)]
            text = ""
        else:
            text += inline_element(part)
        text += escape(part.tail or "")
    return [block if block.startswith(("- ", "```")) else re.sub(r"\s+", " ", block).strip() for block in [*made, text]]


def blocks(node):
    """Paragraphs, lists and code of a description."""
    return [block for para in (node if node is not None else []) for block in paragraph(para) if block]


def description(node):
    return blocks(node.find("briefdescription")) + blocks(node.find("detaileddescription"))


def text_of(node, name):
    found = node.find(name)
    return re.sub(r"\s+", " ", "".join(found.itertext())).strip() if found is not None else ""


def tidy(code):
    """As this project writes C++: `std::vector<int> const& in = {}`."""
    code = re.sub(r"(?<!<)< ", "<", code)
    code = re.sub(r" >(?!>)", ">", code)
    code = re.sub(r" (&&?|\*)(?=[\w.),]|$)", r"\1 ", code)
    code = re.sub(r"([&*]) (?=[),]|$)", r"\1", code)
    return re.sub(r"(?<=[\w>)]) ?=(?=[\w{(\"-])", " = ", code)


def template_of(node):
    found = node.find("templateparamlist")
    if found is None:
        return ""
    parts = []
    for parameter in found:
        name = text_of(parameter, "declname")
        part = text_of(parameter, "type") + (" " + name if name else "")
        default = text_of(parameter, "defval")
        parts.append(part + (" = " + default if default else ""))
    needs = text_of(node, "requiresclause")
    return tidy("template <" + ", ".join(parts) + ">\n") + (f"  requires {tidy(needs)}\n" if needs else "")


def signature(member):
    kind, name = member.get("kind"), text_of(member, "name")
    if kind == "enum":
        values = ", ".join(text_of(value, "name") for value in member.findall("enumvalue"))
        return f"enum class {name} {{ {values} }}"
    if kind == "typedef":
        return template_of(member) + tidy(f"using {name} = {text_of(member, 'type')}")
    start = "static " if member.get("static") == "yes" else ""
    before = template_of(member) + tidy(start + text_of(member, "type").replace("[[nodiscard]] ", ""))
    after = text_of(member, "argsstring") if kind == "function" else " " + text_of(member, "initializer")
    return re.sub(r"^ +(?=\w+\()", "", (before + " " + name + tidy(after)).strip(), flags=re.MULTILINE)


# ---- pages --------------------------------------------------------------------------------------

def code_block(code):
    return f"```c++\n{code}\n```"


def wrapped(code, width=96):
    """A long signature with its parameters on lines of their own."""
    lines = []
    for line in code.split("\n"):
        if len(line) > width and "(" in line:
            head, _, tail = line.partition("(")
            depth, piece, pieces = 0, "", []
            for character in tail:
                depth += character in "(<{" and 1 or character in ")>}" and -1 or 0
                piece += character
                if character == "," and depth == 0:
                    pieces.append(piece.strip())
                    piece = ""
            lines += [head + "(", *("    " + p for p in [*pieces, piece.strip()])]
        else:
            lines.append(line)
    return "\n".join(lines)


def of_enumeration(member):
    values = [(text_of(value, "name"), " ".join(description(value))) for value in member.findall("enumvalue")]
    return ["\n".join(f"- `{name}`" + (f": {text}" if text else "") for name, text in values)] if any(t for _, t in values) else []


def of_member(member):
    made = [code_block(wrapped(signature(member)))] + description(member)
    return made + (of_enumeration(member) if member.get("kind") == "enum" else [])


def is_shown(member):
    if member.get("prot") not in ("public", None) or member.get("kind") in ("friend", "define"):
        return False
    if member.get("kind") == "function":
        special = text_of(member, "name").startswith("~") or DEFAULTED_FUNCTIONS.search(text_of(member, "argsstring"))
        return not special
    if member.get("kind") == "typedef" and member.get("id", "").startswith(("class", "struct")) and not description(member):
        return False  # what templates need of each other
    return not re.search(r"\b(capture|detail)::", text_of(member, "type"))


def of_fields(fields):
    """Data members as a list, a line each."""
    lines = []
    for field in fields:
        text = " ".join(description(field))
        lines.append(f"- `{signature(field)}`" + (f"  \n  {text}" if text else ""))
    return ["\n".join(lines)] if lines else []


def of_class(compound, level):
    name = text_of(compound, "compoundname")
    short = name.removeprefix("ttune::")
    made = [] if short.endswith("_call") else [f"{'#' * level} {escape(short)}", code_block(template_of(compound) + f"{compound.get('kind')} {short}")]
    made += [] if short.endswith("_call") else description(compound)
    members = [m for section in compound.findall("sectiondef") for m in section.findall("memberdef") if is_shown(m)]
    made += of_fields([m for m in members if m.get("kind") == "variable"])
    for member in members:
        if member.get("kind") != "variable":
            made += of_member(member)
    return made


class headers:
    """What Doxygen found, by header."""

    def __init__(self, xml, root):
        self.classes, self.free = {}, {}
        for path in sorted(xml.glob("*.xml")):
            for compound in tree.parse(path).getroot().findall("compounddef"):
                kind = compound.get("kind")
                name = text_of(compound, "compoundname")
                if compound.get("prot") == "private" or "detail" in name or name.startswith("std"):
                    continue
                if kind in ("class", "struct", "concept") and "<" not in name:
                    self.put(self.classes, root, compound.find("location"), compound)
                elif kind == "namespace":
                    for member in compound.iter("memberdef"):
                        self.put(self.free, root, member.find("location"), member)

    @staticmethod
    def put(place, root, location, node):
        file = pathlib.Path(location.get("file"))
        place.setdefault((file if file.is_absolute() else root / file).resolve(), []).append((int(location.get("line")), node))

    def undocumented_classes(self):
        """[HEADER:LINE: NAME, ...]"""
        return [f"{path}:{line}: {text_of(node, 'compoundname')}" for path, nodes in self.classes.items()
                for line, node in nodes if not description(node)]

    def section(self, path):
        found = [(line, of_class(node, 3)) for line, node in self.classes.get(path, [])]
        found += [(line, of_member(node)) for line, node in self.free.get(path, []) if is_shown(node)]
        # functions first come under the header's own heading: a class opens a heading that would swallow them
        found.sort(key=lambda item: (item[1][0].startswith("#"), item[0]))
        return [block for _, part in found for block in part]


def page_of_comment(path):
    """The comment on top of a header as Markdown: indented lines are code."""
    lines = [line[2:].removeprefix(" ") for line in path.read_text(encoding="utf-8").split("#pragma once")[0].splitlines()[1:]]
    made, text, code = [], [], []
    for line in [*lines, ""]:
        if code and line and not line.startswith("  "):
            made.append("```text\n" + "\n".join(code).strip("\n") + "\n```")
            code = []
        if line.startswith("  ") or (code and not line):
            code.append(line[2:])
        elif line:
            text.append(line)
        if text and (not line or code):
            sentence = " ".join(text)
            made.append(f"`{sentence.removesuffix(' prints')}` prints" if sentence.endswith(" prints") else escape(sentence))
            text = []
    if code:
        made.append("```text\n" + "\n".join(code).strip("\n") + "\n```")
    return made


def first_sentence(path):
    """What a header says of itself, behind the SPDX line."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    text = []
    for line in lines:
        if not line.startswith("// "):
            break
        text.append(line[3:])
    return escape(" ".join(text))


def run_doxygen(root, out, paths):
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    text = DOXYFILE.format(inputs=" ".join(f'"{path}"' for path in paths), out=out, roots=root)
    done = subprocess.run(["doxygen", "-"], input=text, text=True, stderr=subprocess.PIPE, check=False)
    # Doxygen does not understand that std::tuple_size is specialised; nothing of std is shown
    faults = [line for line in done.stderr.splitlines() if "scope for class std::" not in line]
    if done.returncode or faults:
        sys.exit("\n".join([*faults, "docs: Doxygen warns about docstrings of public headers"]))


def write_pages(root, out):
    """Writes ROOT/docs/reference/FILE.md for each page of headers.txt, and its index."""
    folder = root / "docs/reference"
    pages = page_list(folder / "headers.txt")
    paths = {name: find_header(root, name).resolve() for *_, names in pages for name in names}
    run_doxygen(root, out, paths.values())
    found = headers(out / "xml", root)
    if undocumented := found.undocumented_classes():
        sys.exit("\n".join([*undocumented, "docs: public classes without a sentence that says what they are"]))
    for file, title, sentence, names in pages:
        made = [f"# {title}", sentence]
        for name in names:
            if "/primitive/" in name:
                made += [f"## {escape(paths[name].stem)}", *found.section(paths[name]), *page_of_comment(paths[name])]
            else:
                made += [f"## `<{name}>`", first_sentence(paths[name]), *found.section(paths[name])]
        (folder / f"{file}.md").write_text("\n\n".join(block for block in made if block) + "\n", encoding="utf-8")
    lines = [f"- [{title}]({file}.md): {sentence}" for file, title, sentence, _ in pages]
    contents = "\n".join(file for file, *_ in pages)
    (folder / "index.md").write_text("# Reference\n\nThe public headers, from their docstrings. All names are in the namespace "
                                     "`ttune`; the namespace `v0` inside of it is not written.\n\n" + "\n".join(lines)
                                     + f"\n\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n", encoding="utf-8")


if __name__ == "__main__":
    checked = pathlib.Path(sys.argv[1]).resolve()
    for *_, listed in page_list(checked / "docs/reference/headers.txt"):
        for header in listed:
            find_header(checked, header)
