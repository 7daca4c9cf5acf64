// SPDX-License-Identifier: MIT
#include "node/command_size.h"

#include <algorithm>

// Bounds that both the command line and the agent hold a command to.
namespace dunlin::node {

const std::vector<Word>& words_of(const TaskSpec& spec) {
  return spec.arguments.empty() ? spec.command : spec.arguments;
}

std::size_t bytes_of_command(const TaskSpec& spec) {
  std::size_t bytes = spec.script.size();
  for (const Word& word : spec.command) bytes += word.text.size();
  for (const Word& word : spec.arguments) bytes += word.text.size();
  for (const Variable& each : spec.environment) bytes += each.name.size() + each.value.size();
  return bytes;
}

Result<void> check_command_bytes(const TaskSpec& spec) {
  const std::size_t bytes = bytes_of_command(spec);
  if (bytes <= kCommandBytesMax) return {};
  const bool script = !spec.script.empty();
  return failure(ErrorKind::usage,
      std::string(script ? "the script, its arguments" : "the command") +
          " and its environment have " + std::to_string(bytes) + " bytes, and may have " +
          std::to_string(kCommandBytesMax) + " (1 MiB): put more into " +
          (script ? "a file that all nodes can read" : "a script or a file"));
}

std::size_t value_max(const std::string& name) {
  return Word::kTextMax - 1 - std::min(name.size(), Variable::kNameMax);
}

}  // namespace dunlin::node
