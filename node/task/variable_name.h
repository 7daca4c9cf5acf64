// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string_view>

#include "node/message.h"

namespace dunlin::node {

/// The rule for names of variables of tasks, for whoever takes them: flags, job files, the agent.
inline constexpr std::string_view kVariableNameRule =
    "of 1 to 255 bytes, without '=', blanks and control characters";

/// True of a name that a task's environment can have. A shell's exported function is one, too.
constexpr bool is_variable_name(std::string_view name) {
  constexpr char kDelete = 0x7f;
  return !name.empty() && name.size() <= Variable::kNameMax &&
      std::ranges::all_of(name, [](char c) {
        const bool control = static_cast<unsigned char>(c) <= ' ' || c == kDelete;
        return !control && c != '=';
      });
}

}  // namespace dunlin::node
