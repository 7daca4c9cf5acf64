// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/json.h"
#include "node/message.h"

namespace dunlin::node {

/// What a group's tasks run, by its members `command` and `script`: of a script the command's words
/// are the arguments. What is wrong with them is told by the group, or by validate().
void parse_words(Args& group, TaskSpec& spec);

/// The way back: the members that parse_words() makes the same of.
void put_words(Json& group, const TaskSpec& spec);

/// What a listing tells of a script, whose text may be large: its first line, and its bytes; empty
/// and 0 without one.
void put_script_summary(Json& group, const TaskSpec& spec);

}  // namespace dunlin::node
