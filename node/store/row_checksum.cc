// SPDX-License-Identifier: MIT
#include "node/store/row_checksum.h"

#include <cstdint>
#include <span>
#include <string>

#include "overlay/ensure.h"
#include "sched/raft/checksum.h"

// The sum covers kind, length and bytes of each value, so that no value can turn into its
// neighbour's. It is computed by SQLite itself where rows are written and read, and is part of the
// format: another sum would make all rows of older databases look damaged.
namespace dunlin::node {
namespace {

void put(std::string& bytes, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift);
}

void put(std::string& bytes, sqlite3_value* value) {
  const int kind = sqlite3_value_type(value);
  bytes += static_cast<char>(kind);
  if (kind == SQLITE_INTEGER) {
    return put(bytes, static_cast<std::uint64_t>(sqlite3_value_int64(value)));
  }
  const auto* const data = static_cast<const char*>(sqlite3_value_blob(value));
  const auto size = static_cast<std::size_t>(sqlite3_value_bytes(value));
  put(bytes, size);
  if (size > 0) bytes.append(data, size);
}

void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  std::string bytes;
  for (sqlite3_value* const value : std::span(values, static_cast<std::size_t>(count))) {
    put(bytes, value);
  }
  sqlite3_result_int64(context, sched::crc32c(std::as_bytes(std::span(bytes))));
}

}  // namespace

void add_row_checksum(sqlite3* handle) {
  const int code = sqlite3_create_function_v2(handle, "row_checksum", -1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, row_checksum, nullptr, nullptr, nullptr);
  ensure(code == SQLITE_OK, "SQLite takes no function");
}

}  // namespace dunlin::node
