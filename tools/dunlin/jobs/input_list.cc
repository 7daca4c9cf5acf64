// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/input_list.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "config/byte_order_mark.h"
#include "sched/inputs/input_text.h"
#include "sched/resources.h"
#include "tools/dunlin/screen/text.h"

// A list of inputs has one line for each task, and says how much of which data lies where. Lists
// are made by scripts and on other systems, so line ends, byte order marks and a last empty line
// are forgiven; a line that is wrong is told with its number.
namespace dunlin::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string_view without_blanks(std::string_view line) {
  // A file from another system has a CR, and names of nodes must not.
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

Result<void> read_input(const std::string& flag, std::vector<std::string>& inputs) {
  if (flag.empty()) return {};
  if (const auto input = sched::parse_input(flag); !input) {
    return failure(ErrorKind::usage, "--input: " + input.error().text);
  }
  inputs = {flag};
  return {};
}

Result<std::vector<std::string>> parse_input_list(std::string_view text, const std::string& where) {
  std::vector<std::string> inputs;
  // A byte order mark, which editors of other systems write, would be part of the first name.
  text = config::without_mark(text);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = without_blanks(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    // Files often end with one, and it has no task.
    if (line.empty()) continue;
    if (const auto input = sched::parse_input(line); !input) {
      return failure(
          ErrorKind::usage, where + ":" + std::to_string(number) + ": " + input.error().text);
    }
    inputs.emplace_back(line);
  }
  if (inputs.empty()) {
    return failure(
        ErrorKind::usage, where + " has no inputs: write one on each line, such as 2G@node1,node2");
  }
  return inputs;
}

Result<std::vector<std::string>> read_input_list(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "r"));
  if (!file) return failure(ErrorKind::usage, path + ": " + std::strerror(errno));
  std::string text;
  char piece[65536];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, file.get())) {
    text.append(piece, size);
    // While it is read: what is named may have no end.
    if (text.size() > kInputListBytesMax) {
      return failure(ErrorKind::usage,
          path + ": larger than " + std::to_string(kInputListBytesMax >> 20) +
              " MiB, which is the most that a group's inputs may be: divide the job");
    }
  }
  if (std::ferror(file.get()) != 0) {
    return failure(ErrorKind::usage, path + ": " + std::strerror(errno));
  }
  return parse_input_list(text, path);
}

// Empty for a group without inputs, and for an agent that does not tell.
std::string inputs_text(const Json& inputs) {
  if (!inputs.is_object()) return "";
  const auto number = [&](const char* key) { return value<std::uint64_t>(inputs, key); };
  std::string text = sched::memory_text(number("mib")) + " at ";
  text += count_text(number("known_nodes"), "node");
  if (const auto unknown = number("unknown_nodes"); unknown > 0) {
    text += " and " + std::to_string(unknown) + " not known";
  }
  if (const auto read = number("disk_read"); read > 0) {
    text += "; tasks there take disk read " + sched::rate_text(read) + " instead";
  }
  return text;
}

}  // namespace dunlin::cli
