// SPDX-License-Identifier: Apache-2.0
// Debug metadata in the text of a module: functions with names and files, and a line for each instruction.
//
//                                             define void @ttune_main(…) #0 !dbg !6 {
//   %v = fadd float %x, %y ; @12         →    %v = fadd float %x, %y, !dbg !7
//                                             !7 = !DILocation(line: 12, column: 1, scope: !6)
#pragma once

#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ttune/codegen/llvm/ir_writer.hpp"
#include "ttune/codegen/llvm/text_lines.hpp"

namespace ttune { inline namespace v0 { namespace codegen { namespace llvm {

/// A text whose instructions have marks (module_emitter) comes in, the same instructions with metadata go out.
/// Instructions without a mark, such as the phis of loops, have the line of the one above them.
class debug_locations {
 public:
  /// `names` gives the function of a symbol, at a line, its name for people.
  template <class Names>
  [[nodiscard]] std::string run(std::string_view text, std::string const& folder, std::string const& file,
                                Names const& names) {
    for_each_line(text, [&](std::string_view line) { look(line); });
    made_ +=
        "\n!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!1, !2}\n"
        "!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: \"ttune\", isOptimized: true, "
        "runtimeVersion: 0, emissionKind: FullDebug)\n"
        "!1 = !{i32 7, !\"Dwarf Version\", i32 4}\n!2 = !{i32 2, !\"Debug Info Version\", i32 3}\n"
        "!3 = !DIFile(filename: \"" +
        escaped(file) + "\", directory: \"" + escaped(folder) +
        "\")\n"
        "!4 = !DISubroutineType(types: !5)\n!5 = !{null}\n";
    for (auto const& f : functions_) {
      auto const line = std::to_string(f.line);
      made_ += f.number + " = distinct !DISubprogram(name: \"" + escaped(names(f.symbol, f.line)) +
               "\", scope: !3, file: !3, line: " + line + ", type: !4, scopeLine: " + line +
               ", spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !0)\n";
    }
    return std::move(made_) + locations_;
  }

 private:
  struct function {
    std::string number;  ///< of its metadata
    std::string symbol;
    int line = 1;  ///< of its first instruction that has one
  };

  static std::string escaped(std::string const& text) {
    std::string made;
    for (char const c : text)
      if (c == '"' || c == '\\') made += c == '"' ? "\\22" : "\\5C";
      else made += c;
    return made;
  }

  void look(std::string_view line) {
    if (line.starts_with("define ")) return begin_function(line);
    if (line == "}") in_function_ = false;
    bool const instruction = in_function_ && line.starts_with("  ") && !line.starts_with("  ;");
    if (!instruction) {
      made_.append(line).append("\n");
      return;
    }
    if (auto const at = line.rfind(line_mark); at != std::string_view::npos) {
      read_mark(line.substr(at + std::string_view(line_mark).size()));
      line = line.substr(0, at);
    }
    made_.append(line).append(", !dbg ").append(location()).append("\n");
  }

  void begin_function(std::string_view head) {
    in_function_ = true;
    line_ = 0;
    functions_.push_back({next(), word_after_symbol(head)});
    made_.append(head.substr(0, head.rfind(" {"))).append(" !dbg ").append(functions_.back().number).append(" {\n");
  }

  static std::string word_after_symbol(std::string_view head) {
    auto const at = head.find('@') + 1;
    return std::string(head.substr(at, head.find('(', at) - at));
  }

  void read_mark(std::string_view digits) {
    int line = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), line);
    if (line_ == 0) functions_.back().line = line;
    line_ = line;
  }

  /// Returns the number of the location of the current line.
  [[nodiscard]] std::string const& location() {
    auto const& scope = functions_.back();
    auto const line = line_ == 0 ? scope.line : line_;
    auto const [place, is_new] = known_.try_emplace({functions_.size(), line});
    if (!is_new) return place->second;
    place->second = next();
    locations_ +=
        place->second + " = !DILocation(line: " + std::to_string(line) + ", column: 1, scope: " + scope.number + ")\n";
    return place->second;
  }

  [[nodiscard]] std::string next() { return "!" + std::to_string(next_++); }

  std::string made_;
  std::string locations_;
  std::vector<function> functions_;
  std::map<std::pair<std::size_t, int>, std::string> known_;  ///< by function and line
  int next_ = 6;                                              ///< the first numbers are those of the module
  bool in_function_ = false;
  int line_ = 0;  ///< line of the last mark; 0 before the first one of a function
};

}}}}  // namespace ttune::v0::codegen::llvm
