// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"
#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/column_choice.h"
#include "tools/dunlin/screen/terminal.h"

// The words in which usage is shown to people; see `usage` of the control protocol. Pure.
namespace dunlin::cli {

/// A table with a line for each user, class, day or node, and all of them together; or what to do
/// if there is none. Fails (`usage`) if `columns` names a column that there is not.
Result<std::string> usage_text(
    const Json& usage, const ColumnChoice& columns, const Terminal& terminal);

/// Lines on the quotas of the agent that was asked; empty if it has none.
std::string quotas_text(const Json& usage);

/// The same for spreadsheets, as RFC 4180 has it, after a line with the names of columns: amounts
/// in seconds, bytes x seconds. Without the line of all.
std::string usage_csv(const Json& usage);

}  // namespace dunlin::cli
