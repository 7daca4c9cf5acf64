// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "node/control/cells/class_table.h"
#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/table.h"
#include "tools/dunlin/screen/terminal.h"

// The words in which sharing is shown to people; see `share_list`, `cells`, `shares` and `audit` of
// the control protocol. Pure.
namespace dunlin::cli {

/// Reads "gold 5 silver 3" as classes and weights. Fails with `usage`, naming the wrong word.
Result<std::vector<std::pair<std::string, std::int64_t>>> parse_shares(
    const std::vector<std::string>& words);

/// "3 classes, version 4".
std::string table_title(const Json& table);
/// The classes with weights and percents.
std::string share_list_text(const Json& table, const Terminal& terminal);
/// The shares of classes in the cluster, or in one cell.
std::string shares_text(const Json& shares, const Terminal& terminal);
/// Cells, each below its parent; with `members`, each cell's members below it. Fails (`usage`) for
/// a column that there is not.
Result<std::string> cells_text(
    const Json& cells, bool members, const ColumnChoice& columns, const Terminal& terminal);
/// The result of `cells write-off`.
std::string write_off_text(const Json& reply);
/// The findings of the audit, with the verdict last.
std::string audit_text(const Json& audit, const Terminal& terminal);

/// A line for each cell that is known and did not answer.
std::string silent_text(const Json& reply);
/// True if every known cell answered.
bool all_answered(const Json& reply);

}  // namespace dunlin::cli
