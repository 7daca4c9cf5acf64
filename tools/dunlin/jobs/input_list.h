// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "tools/dunlin/json.h"

namespace dunlin::cli {

/// The bytes of a list of inputs at most.
inline constexpr std::size_t kInputListBytesMax = std::size_t{8} << 20;

/// Takes the text of --input for the input of all tasks of a group, if there is any. Fails with
/// `usage`.
Result<void> read_input(const std::string& flag, std::vector<std::string>& inputs);

/// Reads a list of inputs, one on each line: see sched::parse_input(). Empty lines are left out.
/// `where` is the name of the list. Fails with `usage`, naming the line.
Result<std::vector<std::string>> parse_input_list(std::string_view text, const std::string& where);

/// Reads the list in a file. Fails with `usage` if it cannot be read, is too large or has no lines.
Result<std::vector<std::string>> read_input_list(const std::string& path);

/// What an agent says of the inputs of a group, for people; empty if none has a place.
std::string inputs_text(const Json& inputs);

}  // namespace dunlin::cli
