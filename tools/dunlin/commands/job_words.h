// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// "  LABEL    text", in lines that fit the terminal.
void show_line(const char* label, const std::string& text, const Terminal& out);

/// "job merlin.12: waits for its success", of a job that it waits for, or waited for, in that
/// state.
std::string after_text(const Json& after, const std::string& state);

/// What its user says of a job as a whole: comment, labels, when it begins, if tasks run twice.
void show_words(const Json& job, const Terminal& out);

}  // namespace dunlin::cli
