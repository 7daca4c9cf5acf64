// SPDX-License-Identifier: MIT
#pragma once

#include <sqlite3.h>

namespace dunlin::node {

/// Adds the SQL function row_checksum(a, b, ...) to a connection: the CRC-32C of its arguments,
/// with the kind and the length of each. A row carries that of its table's name and its columns, so
/// it is noticed when one of them changes, or the row turns up in another table.
void add_row_checksum(sqlite3* handle);

}  // namespace dunlin::node
