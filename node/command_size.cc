// SPDX-License-Identifier: MIT
#include "node/command_size.h"

#include <algorithm>

// Bounds that both the command line and the agent hold a command to.
namespace dunlin::node {

std::size_t bytes_of_command(const TaskSpec& spec) {
  std::size_t bytes = 0;
  for (const Word& word : spec.command) bytes += word.text.size();
  for (const Variable& each : spec.environment) bytes += each.name.size() + each.value.size();
  return bytes;
}

Result<void> check_command_bytes(const TaskSpec& spec) {
  const std::size_t bytes = bytes_of_command(spec);
  if (bytes <= kCommandBytesMax) return {};
  return failure(ErrorKind::usage,
      "the command and its environment have " + std::to_string(bytes) + " bytes, and may have " +
          std::to_string(kCommandBytesMax) + " (1 MiB): put more into a script or a file");
}

std::size_t value_max(const std::string& name) {
  return Word::kTextMax - 1 - std::min(name.size(), Variable::kNameMax);
}

}  // namespace dunlin::node
