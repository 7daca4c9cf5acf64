// SPDX-License-Identifier: MIT
#include "node/task/task_script.h"

#include <algorithm>

// A script is a text that travels with its job, and that its first line says how to run. The line
// is read here and not by the kernel: so the file may lie where nothing can be executed (/var/tmp
// is often mounted noexec), the line may be longer than the kernel reads, and what is wrong with it
// is told at the submit and not by each of a million tasks.
namespace dunlin::node {
namespace {

constexpr std::string_view kHashBang = "#!";
constexpr std::string_view kLineBlanks = " \t";
/// As long as a path may be.
constexpr std::size_t kScriptLineMax = 4096;

constexpr const char* kLineCure =
    "begin it with a line that names the program which runs it, such as #!/bin/bash or "
    "#!/usr/bin/env python3";

std::string_view whole_line(std::string_view script) {
  return script.substr(0, script.find('\n'));
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kLineBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kLineBlanks) - begin + 1);
}

tl::unexpected<Error> wrong_script(const std::string& why) {
  return failure(ErrorKind::usage, why);
}

}  // namespace

Result<Interpreter> interpreter_of(std::string_view script) {
  if (!script.starts_with(kHashBang)) {
    return wrong_script("the script has no #! line: " + std::string(kLineCure));
  }
  std::string_view line = whole_line(script);
  if (line.size() > kScriptLineMax) {
    return wrong_script("the #! line of the script has " + std::to_string(line.size()) +
        " bytes, and may have " + std::to_string(kScriptLineMax));
  }
  if (line.ends_with('\r')) {
    return wrong_script(
        "the lines of the script end as those of DOS do, and its program would be sought by a name "
        "with a carriage return: convert it by dos2unix, or sed -i 's/\\r$//'");
  }
  line = without_blanks(line.substr(kHashBang.size()));
  const std::size_t end = std::min(line.find_first_of(kLineBlanks), line.size());
  Interpreter interpreter{.program = std::string(line.substr(0, end)),
      .argument = std::string(without_blanks(line.substr(end)))};
  if (!interpreter.program.starts_with('/')) {
    return wrong_script(
        "the #! line of the script names no absolute path: " + std::string(kLineCure));
  }
  return interpreter;
}

Result<void> check_script(const TaskSpec& spec) {
  if (spec.script.empty()) return {};
  if (spec.script.find('\0') != std::string::npos) {
    return wrong_script(
        "the script has a zero byte, which no text has: a program belongs in a file");
  }
  if (auto read = interpreter_of(spec.script); !read) return tl::unexpected(read.error());
  return {};
}

std::string_view first_line_of(std::string_view script) {
  const std::string_view line = whole_line(script);
  std::size_t end = std::min(line.size(), kScriptLineShown);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (end > 0 && end < line.size() && continues(line[end])) --end;
  return line.substr(0, end);
}

}  // namespace dunlin::node
