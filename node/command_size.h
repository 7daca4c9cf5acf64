// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "node/message.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The most bytes of a command or script and its environment together, as bytes_of_command() counts
/// them.
inline constexpr std::size_t kCommandBytesMax = 1 << 20;

/// The words of a task that its user wrote: those of the command, or the arguments of the script.
const std::vector<Word>& words_of(const TaskSpec& spec);

/// The bytes of its words, of its script, and of the names and values of its variables.
std::size_t bytes_of_command(const TaskSpec& spec);

/// Fails, saying both numbers, if that is more than they may have.
Result<void> check_command_bytes(const TaskSpec& spec);

/// The most bytes of the value of a variable: Linux takes "NAME=value" as it takes a word.
std::size_t value_max(const std::string& name);

}  // namespace dunlin::node
