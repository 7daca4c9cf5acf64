// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"
#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/column_choice.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// The answer to `overlay`: the node and its cell in some lines, and a row for each neighbour.
/// Fails (`usage`) if a column is named that there is not.
Result<std::string> overlay_text(
    const Json& overlay, const ColumnChoice& columns, const Terminal& terminal);

/// An agent of an earlier build takes the verb for a mistake of the user's: then it is said what it
/// is. `node`: as the user named it, or empty. Other errors stay as they are.
Error overlay_error(const Error& told, const std::string& node);

}  // namespace dunlin::cli
