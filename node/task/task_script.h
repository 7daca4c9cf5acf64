// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "node/message.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The bytes of a script's first line that people are shown at most.
inline constexpr std::size_t kScriptLineShown = 200;

/// The program that runs a script.
struct Interpreter {
  std::string program;   ///< An absolute path.
  std::string argument;  ///< All that follows it on the line, as one word; empty: nothing.
};

/// Reads the first line of a script ("#!/usr/bin/env python3") as Linux does. Fails with `usage`,
/// and says what the line must be.
Result<Interpreter> interpreter_of(std::string_view script);

/// Fails with `usage` if the script of `spec` could not run, or has a zero byte. Without a script
/// all is well.
Result<void> check_script(const TaskSpec& spec);

/// The first line of a script, without its end, cut short as said above but within no character of
/// UTF-8. Bytes of any kind.
std::string_view first_line_of(std::string_view script);

}  // namespace dunlin::node
