#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a program outside the tree: check_install.py SOURCE BUILD COMPILER PART...

For each PART, a pkg-config name such as ttune-orc, program.cpp is compiled against what `meson
install` laid down. Two programs, one with all bodies in its file and one of the compiled parts, are built
with pkg-config, with SOURCE as a Meson subproject, and with CMake, after the installation was moved. All with warnings
that ttune does not promise to be free of, as errors: a user sees none of them. Only the installed
package is ever on the compiler's path."""
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import runner  # noqa: E402

HEADERS = {
    "ttune-orc": "<ttune/backends/orc.hpp>",
    "ttune-orc-compiled": "<ttune/backends/orc.hpp>",
    "ttune-opencl": "<ttune/backends/opencl.hpp>",
    "ttune-opencl-compiled": "<ttune/backends/opencl.hpp>",
    "ttune-cuda": "<ttune/backends/cuda.hpp>",
    "ttune-cuda-compiled": "<ttune/backends/cuda.hpp>",
    "ttune-onnx": "<ttune/onnx.hpp>",
    "ttune-onnx-compiled": "<ttune/onnx.hpp>",
    "ttune-xgboost": "<ttune/models/xgboost.hpp>",
    "ttune-xgboost-compiled": "<ttune/models/xgboost.hpp>",
    "ttune-treegru": "<ttune/models/treegru.hpp>",
    "ttune-sqlite": "<ttune/records/sqlite.hpp>",
    "ttune-sqlite-compiled": "<ttune/records/sqlite.hpp>",
    "ttune-eigen": "<ttune/eigen.hpp>",
}
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Wold-style-cast", "-Wnon-virtual-dtor",
            "-Werror"]


def command(arguments, **options):
    done = subprocess.run(list(map(str, arguments)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)
    return done.stdout if done.returncode == 0 else fail(f"{' '.join(map(str, arguments))}\n{done.stdout}")


def fail(text):
    raise RuntimeError(text)


def as_check(function, *arguments):
    """The failure's text of a function that raises, for the runner."""
    def check():
        try:
            return function(*arguments)
        except RuntimeError as error:
            return str(error)
    return check


def flags(part):
    header = HEADERS.get(part)
    return [f"-DTTUNE_PART_HEADER={header}"] if header else []


def groups(parts):
    """The parts that one program can have together, by the name of the program."""
    compiled = [part for part in parts if part.endswith("-compiled")]
    made = {"one-file": [part for part in parts if part not in compiled], "compiled": compiled}
    return {name: members for name, members in made.items() if members}


def program_of(name, parts):
    define = "#define TTUNE_IMPLEMENTATION\n" if name == "one-file" else ""
    headers = ["<ttune/ttune.hpp>", *sorted({HEADERS[part] for part in parts if part in HEADERS})]
    return define + "".join(f"#include {header}\n" for header in headers) + "int main() { return 0; }\n"


def cmake_target(part):
    return "ttune::" + (part.removeprefix("ttune-") if part != "ttune" else part)


TUNE = """#include <ttune/backends/orc.hpp>
#include <ttune/ops/matmul.hpp>
#include <ttune/records/sqlite.hpp>
#include <ttune/ttune.hpp>
int main(int, char** arguments) {
  ttune::tuner tuner{ttune::orc_backend{}, {.records = ttune::sqlite{arguments[1]}, .worker = ttune::worker::in_process{}}};
  (void)tuner.tune(ttune::ops::matmul(8, 8, 8), {.trials = 1});
}
"""
USE = """#include <product.h>
int main(void) {
  float a[64] = {[0] = 2}, b[64] = {[1] = 3}, c[64];
  return product_matmul(a, b, c, 0) == PRODUCT_OK && c[0] == 0 && c[1] == 6 ? 0 : 1;
}
"""


class checks:
    def __init__(self, source, build, compiler, parts, work):
        self.source, self.build, self.compiler, self.parts, self.work = source, build, compiler, parts, work
        self.program = work / "program.cpp"
        shutil.copy(source / "tests/install/program.cpp", self.program)
        self.prefix = self.moved = None

    def install(self):
        command(["meson", "install", "-C", self.build, "--no-rebuild", "--quiet", "--destdir", self.work / "root"])
        self.prefix = next((self.work / "root").rglob("include")).parent
        self.moved = self.work / "moved"
        shutil.copytree(self.prefix, self.moved)

    def flags_of(self, parts):
        folders = [str(path.parent) for path in self.prefix.rglob("ttune.pc")]
        environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(folders)}
        return command(["pkg-config", "--cflags", "--libs", *parts], env=environment).split()

    def with_pkgconfig(self, part):
        """A part alone: its flags find all headers, and for a compiled part all functions."""
        found = self.flags_of([part])
        if ours := [flag for flag in found if flag.startswith("-W") or str(self.source) in flag]:
            return "flags of our own build in the .pc file: " + " ".join(ours)
        if not part.endswith("-compiled"):
            return command([self.compiler, "-std=c++20", "-fsyntax-only", *WARNINGS, *flags(part), self.program, *found]) or None
        self.build_program(part, [*flags(part), self.program], found)

    def together_with_pkgconfig(self, name, parts):
        program = self.work / f"together-{name}.cpp"
        program.write_text(program_of(name, parts), encoding="utf-8")
        self.build_program(name, [program], self.flags_of(parts))

    def build_program(self, name, arguments, found):
        target = self.work / f"{name}-program"
        command([self.compiler, "-std=c++20", *WARNINGS, *arguments, "-o", target, *found])
        command([target])

    def without_bodies(self):
        """A program without any bodies: the linker names what is missing."""
        include = next(self.prefix.rglob("ttune/expr.hpp")).parent.parent
        program = self.work / "forgotten.cpp"
        program.write_text("#include <ttune/expr.hpp>\n"
                           'int main() { auto const A = ttune::tensor<"A", float, 1>{{4}}; return A.handle_of() ? 0 : 1; }\n',
                           encoding="utf-8")
        try:
            command([self.compiler, "-std=c++20", f"-isystem{include}", program, "-o", self.work / "forgotten"])
        except RuntimeError as error:
            sentence = "define_TTUNE_IMPLEMENTATION_in_one_file_of_the_program"
            return None if sentence in str(error) else f"{sentence} is not in: {error}"
        return "a program without bodies was linked"

    def configure_cmake(self, name, lines):
        """Configures a CMake project of these lines against a copy of the installation in another folder."""
        outside = self.work / name
        outside.mkdir()
        (outside / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.16)\nproject(outside CXX)\n" + "\n".join(lines) + "\n", encoding="utf-8")
        command(["cmake", "-G", "Ninja", "-S", outside, "-B", outside / "build",
                 f"-DCMAKE_PREFIX_PATH={self.moved}", f"-DCMAKE_CXX_COMPILER={self.compiler}"])
        return outside / "build"

    def with_cmake(self):
        lines = [f"find_package(ttune 0.1 REQUIRED COMPONENTS {' '.join(self.components())})",
                 'if(NOT ttune_VERSION VERSION_GREATER_EQUAL 0.1)\nmessage(FATAL_ERROR "no version")\nendif()']
        options = " ".join(f'"{option}"' for option in WARNINGS)
        for name, parts in groups(self.parts).items():
            (self.work / f"{name}.cpp").write_text(program_of(name, parts), encoding="utf-8")
            lines += [f"add_executable({name} {self.work}/{name}.cpp)",
                      f"target_compile_options({name} PRIVATE {options})",
                      f"target_link_libraries({name} PRIVATE {' '.join(map(cmake_target, parts))})"]
        folder = self.configure_cmake("with-cmake", lines)
        command(["cmake", "--build", folder])
        for name in groups(self.parts):
            command([folder / name])
        used = command(["grep", "-rhoE", "--include=build.ninja", "-e", r"-isystem \S*|-I ?\S*", folder])
        if strangers := [line for line in used.splitlines() if str(self.source) in line]:
            return "folders of the source: " + ", ".join(strangers)

    def exported_kernels(self):
        """A project of C whose kernels are tuned and exported while it is built."""
        (self.work / "tune.cpp").write_text(TUNE, encoding="utf-8")
        (self.work / "use.c").write_text(USE, encoding="utf-8")
        folder = self.configure_cmake("exported", [
            "enable_language(C)",
            "find_package(ttune REQUIRED COMPONENTS orc-compiled sqlite-compiled)",
            f"add_executable(tune {self.work}/tune.cpp)",
            "target_link_libraries(tune PRIVATE ttune::compiled ttune::orc-compiled ttune::sqlite-compiled)",
            "set(database ${CMAKE_CURRENT_BINARY_DIR}/kernels.db)",
            "add_custom_command(OUTPUT ${database} COMMAND tune ${database} DEPENDS tune)",
            "ttune_add_kernels(kernels ${database} NAME product KERNELS matmul)",
            f"add_executable(use {self.work}/use.c)",
            "target_link_libraries(use PRIVATE kernels)"])
        os.umask(0o022)  # kernels of a file that others may write are refused
        command(["cmake", "--build", folder])
        command([folder / "use"])
        needed = command(["ldd", folder / "use"]) if shutil.which("ldd") else ""
        return "the program needs more than libc and libm: " + needed if "stdc++" in needed else None

    def components(self):
        return [part.removeprefix("ttune-") for part in self.parts if part != "ttune"]

    def cmake_refuses(self, name, line, *wanted):
        try:
            self.configure_cmake(name, [line])
        except RuntimeError as error:
            said = " ".join(str(error).split())
            missing = [text for text in wanted if text not in said]
            return f"{missing} not in: {error}" if missing else None
        return "configured: " + line

    def cmake_checks(self):
        if not shutil.which("cmake"):
            absent = "cmake is not installed"
            return [("cmake", lambda: absent if runner.required("cmake") else runner.skip(absent))]
        checks = [("cmake", as_check(self.with_cmake)),
                  ("cmake: no such part", as_check(self.cmake_refuses, "no-such-part",
                   "find_package(ttune REQUIRED COMPONENTS trees)", "component trees: there is no such part, there are: compiled, orc")),
                  ("cmake: too new a version", as_check(self.cmake_refuses, "too-new",
                   "find_package(ttune 99 REQUIRED)", 'requested version "99"'))]
        if {"ttune-orc-compiled", "ttune-sqlite-compiled"} <= set(self.parts) and (self.moved / "bin/ttune").exists():
            checks.append(("cmake: exported kernels", as_check(self.exported_kernels)))
        for part in HEADERS.keys() - set(self.parts):
            component = part.removeprefix("ttune-")
            checks.append((f"cmake: no {component}", as_check(
                self.cmake_refuses, f"no-{component}", f"find_package(ttune REQUIRED COMPONENTS {component})",
                f"component {component}: this ttune was installed without it")))
        return checks

    def files(self):
        """Nothing but headers below include/, and all of them, the bodies too."""
        installed = {path.relative_to(self.prefix / "include") for path in (self.prefix / "include").rglob("*")
                     if path.is_file()}
        if strangers := [str(path) for path in installed if path.suffix != ".hpp"]:
            return "installed, but no header: " + ", ".join(strangers)
        wanted = {path.relative_to(self.source / "include") for path in (self.source / "include").rglob("*.hpp")}
        return "not installed: " + ", ".join(sorted(map(str, wanted - installed))) if wanted - installed else None

    def as_subproject(self):
        outside = self.work / "outside"
        (outside / "subprojects").mkdir(parents=True)
        (outside / "subprojects/ttune").symlink_to(self.source)
        targets = ""
        for name, parts in groups(self.parts).items():
            (outside / f"{name}.cpp").write_text(program_of(name, parts), encoding="utf-8")
            dependencies = ", ".join(f"dependency('{part}')" for part in parts)
            targets += f"executable('{name}', '{name}.cpp', cpp_args: {WARNINGS!r}, dependencies: [{dependencies}])\n"
        (outside / "meson.build").write_text(
            "project('outside', 'cpp', default_options: ['cpp_std=c++20'])\n"
            f"subproject('ttune')\n{targets}\n", encoding="utf-8")
        environment = {**os.environ, "CXX": self.compiler}
        command(["meson", "setup", outside / "build", outside, "-Doptimization=0"], env=environment)
        command(["ninja", "-C", outside / "build", *groups(self.parts)])
        for name in groups(self.parts):
            command([outside / "build" / name])


def main():
    source, build, compiler, *parts = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ttune-install-") as work:
        check = checks(pathlib.Path(source), pathlib.Path(build), compiler, parts, pathlib.Path(work))
        if not (check.source / "include/ttune/ttune.hpp").exists():
            runner.run([("install", lambda: runner.skip("there is no ttune/ttune.hpp yet"))])
        try:
            check.install()
        except RuntimeError as error:
            runner.run([("meson install", functools.partial(str, error))])
        runner.run([("files", as_check(check.files)),
                    *[(f"pkg-config {part}", as_check(check.with_pkgconfig, part)) for part in parts],
                    *[(f"pkg-config, all parts: {name}", as_check(check.together_with_pkgconfig, name, members))
                      for name, members in groups(parts).items()],
                    ("no bodies", as_check(check.without_bodies)), *check.cmake_checks(), ("subproject", as_check(check.as_subproject))])


if __name__ == "__main__":
    main()
