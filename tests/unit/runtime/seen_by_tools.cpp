// SPDX-License-Identifier: Apache-2.0
// Kernels as profilers and debuggers are told about them, read back: the perf map, the jitdump file, gdb's list.
#include <doctest/doctest.h>
#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/machine_code.hpp"
#include "support/temporary_folder.hpp"
#include "ttune/runtime/load.hpp"
#include "ttune/runtime/tools/announce.hpp"
#include "ttune/runtime/tools/code_map.hpp"
#include "ttune/runtime/tools/elf_machine.hpp"
#include "ttune/runtime/tools/gdb_entry.hpp"
#include "ttune/runtime/tools/jitdump.hpp"
#include "ttune/runtime/tools/names_object.hpp"
#include "ttune/runtime/tools/perf_map.hpp"
#include "ttune/support/error.hpp"

namespace seen_by_tools_tests {

using namespace ttune;
using namespace ttune_test;

namespace {

constexpr std::uintptr_t at = 0x10000;

std::string content(std::string const& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// An image of 64 bytes with a task in front of its main, and lines.
kernel_image mapped_image(std::string const& folder) {
  kernel_image image;
  image.signature.name = "sum";
  for (int i = 0; i < 64; ++i) image.code.push_back(static_cast<std::uint8_t>(i));
  image.main_offset = 32;
  tools::code_map map;
  map.functions = {{"sum.parallel_i", 0, 30}, {"sum.main", 32, 32}};
  map.lines = {{0, 2}, {10, 3}, {30, 0}, {32, 2}, {64, 0}};
  map.folder = folder;
  map.file = "sum.loops";
  map.loops = "sum(A f32 (4))\nparallel i < 4\n  Y[i] = A[i]\n";
  image.map = std::make_shared<tools::code_map const>(std::move(map));
  return image;
}

/// Reads numbers and texts one after the other.
struct reader {
  std::string bytes;
  std::size_t next = 0;

  template <class T>
  T take() {
    T value{};
    REQUIRE(next + sizeof value <= bytes.size());
    std::memcpy(&value, bytes.data() + next, sizeof value);
    next += sizeof value;
    return value;
  }
  std::string text() {
    std::string const made = bytes.c_str() + next;
    next += made.size() + 1;
    return made;
  }
};

/// The record of a function, and of its lines, in a jitdump file.
struct load_record {
  std::uint64_t address = 0;
  std::string name;
  std::string code;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> lines;
  std::string file;
};

load_record read_lines(reader& in) {
  load_record made;
  made.address = in.take<std::uint64_t>();
  for (auto left = in.take<std::uint64_t>(); left > 0; --left) {
    auto const address = in.take<std::uint64_t>();
    made.lines.emplace_back(address, in.take<std::uint32_t>());
    CHECK(in.take<std::uint32_t>() == 0);
    made.file = in.text();
  }
  return made;
}

void read_code(reader& in, load_record& made, std::uint64_t number) {
  CHECK(in.take<std::uint32_t>() == static_cast<std::uint32_t>(::getpid()));
  (void)in.take<std::uint32_t>();  // thread
  auto const address = in.take<std::uint64_t>();
  CHECK(in.take<std::uint64_t>() == address);
  if (!made.lines.empty()) CHECK(made.address == address);
  made.address = address;
  auto const size = in.take<std::uint64_t>();
  CHECK(in.take<std::uint64_t>() == number);
  made.name = in.text();
  made.code = in.bytes.substr(in.next, size);
  in.next += size;
}

std::vector<load_record> read_jitdump(std::string const& path) {
  reader in{content(path)};
  CHECK(in.take<std::uint32_t>() == 0x4A695444);
  CHECK(in.take<std::uint32_t>() == 1);
  auto const header = in.take<std::uint32_t>();
  CHECK(in.take<std::uint32_t>() == tools::elf_machine);
  in.next = header;
  std::vector<load_record> made;
  load_record lines;
  std::uint64_t last = 0;
  while (in.next < in.bytes.size()) {
    auto const begin = in.next;
    auto const kind = in.take<std::uint32_t>();
    auto const size = in.take<std::uint32_t>();
    auto const time = in.take<std::uint64_t>();
    CHECK(time >= last);
    last = time;
    if (kind == 2) lines = read_lines(in);
    if (kind == 0) {
      read_code(in, lines, made.size());
      made.push_back(std::exchange(lines, {}));
    }
    CHECK(in.next == begin + size);
  }
  return made;
}

/// Sets a variable of the environment for one test case.
struct with_variable {
  with_variable(char const* name, std::string const& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~with_variable() { ::unsetenv(name_); }
  char const* name_;
};

template <class T>
T read(std::vector<std::uint8_t> const& bytes, std::uint64_t place) {
  T value{};
  REQUIRE(place + sizeof value <= bytes.size());
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

}  // namespace

TEST_CASE("seen by tools: the environment names tools") {
  CHECK_FALSE(tools::parse_tools("").any());
  auto const two = tools::parse_tools("map,gdb");
  CHECK(two.map);
  CHECK(two.gdb);
  CHECK_FALSE(two.jitdump);
  CHECK(two.lines());
  CHECK_FALSE(tools::parse_tools("map").lines());
  CHECK(tools::parse_tools("jitdump").lines());
  CHECK(tools::parse_tools("samples").lines());
  CHECK(tools::parse_tools("samples").any());
  CHECK_THROWS_WITH_AS(
      (void)tools::parse_tools("map,perf"),
      "TTUNE_TOOLS names \"perf\": set it to one or several of map, jitdump, gdb and samples, separated by commas",
      argument_error);
}

TEST_CASE("seen by tools: images from a file have the names of their entries") {
  kernel_image image;
  image.signature.name = "sum";
  image.code.resize(100);
  image.main_offset = 60;
  auto functions = tools::functions_of(image);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].name == "sum.tasks");
  CHECK(functions[0].bytes == 60);
  CHECK(functions[1].name == "sum.main");
  CHECK(functions[1].bytes == 40);
  image.prepare_offset = 0;
  functions = tools::functions_of(image);
  REQUIRE(functions.size() == 2);
  CHECK(functions[0].name == "sum.prepare");
  CHECK(functions[0].bytes == 60);
}

TEST_CASE("seen by tools: files of loop nests have names of their own") {
  auto const one = tools::new_loops_file("a/b \"c\"");
  CHECK(one.starts_with("ttune-" + std::to_string(::getpid()) + "-"));
  CHECK(one.ends_with("-a-b--c-.loops"));
  CHECK(tools::new_loops_file("a") != tools::new_loops_file("a"));
}

TEST_CASE("seen by tools: a perf map has a line for each function") {
  temporary_folder const folder;
  {
    tools::perf_map map(folder / "perf-1.map");
    map.add(at, {{"sum.parallel_i", 0, 30}, {"sum.main", 32, 32}});
    map.add(0x20000, {{"copy.main", 16, 4}});
  }
  CHECK(content(folder / "perf-1.map") == "10000 1e sum.parallel_i\n10020 20 sum.main\n20010 4 copy.main\n");
  CHECK_THROWS_AS(tools::perf_map(folder / "missing/perf-1.map"), backend_error);
}

TEST_CASE("seen by tools: a jitdump file has lines and code of each function") {
  temporary_folder const folder;
  auto const path = folder / "jit-1.dump";
  auto image = mapped_image(folder.path());
  auto const maps = [&] { return content("/proc/self/maps"); };
  {
    tools::jitdump dump(path);
    auto const line = maps().rfind('\n', maps().find(path));
    CHECK(maps().substr(line, maps().find(path) - line).find("r-xp") != std::string::npos);
    dump.add(at, image);
    image.map = nullptr;
    dump.add(0x20000, image);
  }
  CHECK(maps().find(path) == std::string::npos);
  auto const records = read_jitdump(path);
  REQUIRE(records.size() == 4);
  CHECK(records[0].name == "sum.parallel_i");
  CHECK(records[0].address == at);
  CHECK(records[0].code.size() == 30);
  CHECK(records[0].lines == std::vector<std::pair<std::uint64_t, std::uint32_t>>{{at, 2}, {at + 10, 3}});
  CHECK(records[0].file == folder / "sum.loops");
  CHECK(records[1].name == "sum.main");
  CHECK(records[1].code[1] == 33);
  CHECK(records[1].lines == std::vector<std::pair<std::uint64_t, std::uint32_t>>{{at + 32, 2}});
  CHECK(records[2].name == "sum.tasks");
  CHECK(records[2].lines.empty());
  CHECK(records[3].address == 0x20000 + 32);
}

TEST_CASE("seen by tools: a folder that cannot be written is named, with a remedy") {
  try {
    tools::jitdump("/nowhere/jit-1.dump");
    FAIL("nothing was thrown");
  } catch (backend_error const& e) {
    CHECK(std::string(e.what()).find("/nowhere/jit-1.dump") != std::string::npos);
    CHECK(std::string(e.what()).find("JITDUMPDIR") != std::string::npos);
  }
}

TEST_CASE("seen by tools: a kernel is announced to the tools that are asked for, and its loop nest is written") {
  temporary_folder const folder;
  with_variable const variable("JITDUMPDIR", folder.path());
  auto const process = std::to_string(::getpid());
  auto const map = "/tmp/perf-" + process + ".map";
  auto const image = mapped_image(folder.path());
  CHECK(tools::announce({}, image, at) == nullptr);
  CHECK_FALSE(std::filesystem::exists(folder / "sum.loops"));
  tools::asked_tools asked;
  asked.map = asked.jitdump = true;
  CHECK(tools::announce(asked, image, at) == nullptr);
  CHECK(content(folder / "sum.loops") == image.map->loops);
  CHECK(read_jitdump(folder / ("jit-" + process + ".dump")).size() == 2);
  CHECK(content(map) == "10000 1e sum.parallel_i\n10020 20 sum.main\n");
  std::filesystem::remove(map);
}

TEST_CASE("seen by tools: nothing is written unless it is asked for") {
  TTUNE_SKIP_UNLESS_X86();
  TTUNE_SKIP_UNLESS("no TTUNE_TOOLS", !std::getenv("TTUNE_TOOLS"), "TTUNE_TOOLS asks for tools");
  temporary_folder const folder;
  with_variable const variable("JITDUMPDIR", folder.path());
  auto const process = std::to_string(::getpid());
  auto const loaded = load(copy_image());
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK_FALSE(std::filesystem::exists("/tmp/perf-" + process + ".map"));
}

TEST_CASE("seen by tools: an object of names has a symbol for each function") {
  auto const object = tools::names_object({{"sum.tasks", 0, 60}, {"sum.main", 60, 40}}, at);
  auto const header = read<Elf64_Ehdr>(object, 0);
  CHECK(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0);
  CHECK(header.e_machine == tools::elf_machine);
  std::vector<Elf64_Shdr> sections;
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    sections.push_back(read<Elf64_Shdr>(object, header.e_shoff + i * sizeof(Elf64_Shdr)));
  auto const text = [&](std::uint64_t place) {
    return std::string(reinterpret_cast<char const*>(object.data() + sections[header.e_shstrndx].sh_offset + place));
  };
  CHECK(text(sections[1].sh_name) == ".text");
  CHECK(sections[1].sh_addr == at);
  CHECK(sections[1].sh_size == 100);
  CHECK(text(sections[2].sh_name) == ".symtab");
  CHECK(text(sections[3].sh_name) == ".strtab");
  REQUIRE(sections[2].sh_size == 3 * sizeof(Elf64_Sym));
  auto const main = read<Elf64_Sym>(object, sections[2].sh_offset + 2 * sizeof(Elf64_Sym));
  CHECK(text(main.st_name) == "sum.main");
  CHECK(main.st_value == 60);
  CHECK(main.st_size == 40);
}

extern "C" {
struct entry_of_gdb {
  entry_of_gdb* next;
  entry_of_gdb* previous;
  char const* object;
  std::uint64_t bytes;
};
}

TEST_CASE("seen by tools: gdb's list has the objects that live") {
  struct descriptor {
    std::uint32_t version, action;
    entry_of_gdb *relevant, *first;
  };
  auto const& list = *reinterpret_cast<descriptor const*>(tools::gdb_descriptor());
  auto* const others = list.first;
  {
    tools::gdb_entry const a({1, 2, 3});
    CHECK(list.version == 1);
    CHECK(list.action == 1);
    REQUIRE(list.first == list.relevant);
    CHECK(list.first->bytes == 3);
    CHECK(list.first->object[1] == 2);
    auto* const first = list.first;
    {
      tools::gdb_entry const b({4});
      CHECK(list.first->next == first);
      CHECK(first->previous == list.first);
    }
    CHECK(list.action == 2);
    CHECK(list.first == first);
    CHECK(first->previous == nullptr);
  }
  CHECK(list.first == others);
}

}  // namespace seen_by_tools_tests
