// SPDX-License-Identifier: MIT
#include "node/store/salvage.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string_view>

#include "node/wall_clock.h"

// One flipped bit in the head of a row makes SQLite refuse that row, and refuse to find others by
// their keys. It still walks from row to row: so tables are copied in the order in which they lie,
// and after a row that cannot be read the walk begins anew behind it, by OFFSET, which counts rows
// without reading them. A row that lost its place, or a column, does not enter the new table.
namespace dunlin::node {
namespace {

/// Rows given up, of all tables. More are lost with a page.
constexpr std::size_t kLostMax = 100;

struct Close {
  void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Connection = std::unique_ptr<sqlite3, Close>;
using Prepared = std::unique_ptr<sqlite3_stmt, Close>;

Connection connect_to(const std::string& path) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open(path.c_str(), &handle);
  Connection opened(handle);
  return code == SQLITE_OK ? std::move(opened) : Connection();
}

Prepared prepare(sqlite3* handle, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr);
  return Prepared(statement);
}

bool execute(sqlite3* handle, const std::string& sql) {
  return sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

/// The texts that a query of one column yields; nothing if it fails.
std::optional<std::vector<std::string>> texts(sqlite3* handle, const std::string& sql) {
  const Prepared query = prepare(handle, sql);
  std::vector<std::string> found;
  int code = query ? sqlite3_step(query.get()) : SQLITE_ERROR;
  for (; code == SQLITE_ROW; code = sqlite3_step(query.get())) {
    const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(query.get(), 0));
    if (text != nullptr) found.emplace_back(text);
  }
  return code == SQLITE_DONE ? std::optional(std::move(found)) : std::nullopt;
}

/// Copies one table; false if its end cannot be reached.
bool copy_table(
    sqlite3* from, sqlite3* to, const std::string& table, std::vector<std::string>& lost) {
  const auto columns = texts(from, "select name from pragma_table_info('" + table + "')");
  if (!columns || columns->empty()) return false;
  std::string names;
  std::string marks;
  for (const std::string& column : *columns) {
    names += (names.empty() ? "\"" : ", \"") + column + "\"";
    marks += marks.empty() ? "?" : ", ?";
  }
  const Prepared rows =
      prepare(from, "select " + names + " from \"" + table + "\" limit -1 offset ?");
  const Prepared insert =
      prepare(to, "insert into \"" + table + "\"(" + names + ") values(" + marks + ")");
  if (!rows || !insert) return false;
  for (std::int64_t row = 0;;) {
    sqlite3_bind_int64(rows.get(), 1, row);
    int code = sqlite3_step(rows.get());
    for (; code == SQLITE_ROW; code = sqlite3_step(rows.get()), ++row) {
      for (int i = 0; i < static_cast<int>(columns->size()); ++i) {
        sqlite3_bind_value(insert.get(), i + 1, sqlite3_column_value(rows.get(), i));
      }
      const bool whole = sqlite3_step(insert.get()) == SQLITE_DONE;
      sqlite3_reset(insert.get());
      if (!whole) lost.push_back("row " + std::to_string(row + 1) + " of table " + table);
    }
    sqlite3_reset(rows.get());
    if (code == SQLITE_DONE) return true;
    lost.push_back("row " + std::to_string(++row) + " of table " + table);
    if (lost.size() > kLostMax) return false;
  }
}

/// A replica that forgot the end of its log would break its word, so it is a new replica from now
/// on. The owner of a lost row is not known, so that holds for all.
bool set_books_aside(sqlite3* to, std::vector<std::string>& lost) {
  for (const char* const table : {"raft_state", "raft_log", "raft_snapshot"}) {
    if (!execute(to, std::string("update ") + table + " set raft_group = 'lost-' || raft_group")) {
      return false;
    }
  }
  lost.push_back("one of the books of the cells, which were all set aside: it");
  return true;
}

/// Likewise a copy of a log. LogTables::open() sets them aside once the database has no name.
bool forget_replica(sqlite3* to) {
  return execute(to, "delete from meta where key = 'replica'");
}

bool copy_all(sqlite3* from, sqlite3* to, std::vector<std::string>& lost) {
  const auto version = texts(from, "pragma user_version");
  const auto schema = texts(from, "select sql from sqlite_schema where sql is not null");
  const auto tables = texts(from, "select name from sqlite_schema where type = 'table'");
  if (!version || version->size() != 1 || !schema || !tables) return false;
  if (!execute(to, "begin; pragma user_version = " + version->front())) return false;
  for (const std::string& sql : *schema) {
    if (!execute(to, sql)) return false;
  }
  for (const std::string& table : *tables) {
    if (!copy_table(from, to, table, lost) || lost.size() > kLostMax) return false;
  }
  const auto is_lost = [&](std::string_view name) {
    return std::ranges::any_of(
        lost, [&](const std::string& row) { return row.find(name) != std::string::npos; });
  };
  if (is_lost("table log") && !forget_replica(to)) return false;
  return (!is_lost("raft_") || set_books_aside(to, lost)) && execute(to, "commit");
}

}  // namespace

Result<std::vector<std::string>> salvage(const std::string& path) {
  const std::string fresh = path + ".salvaged";
  std::error_code error;
  std::filesystem::remove(fresh, error);
  std::vector<std::string> lost;
  bool done = false;
  {
    const Connection from = connect_to(path);
    const Connection to = connect_to(fresh);
    done = from && to && copy_all(from.get(), to.get(), lost);
  }
  if (!done) {
    std::filesystem::remove(fresh, error);
    return failure(ErrorKind::corrupt, path + " cannot be read to its end");
  }
  const std::string kept = path + ".damaged-" + std::to_string(unix_seconds());
  // The content of the damaged one's log was copied with it.
  std::filesystem::rename(path, kept, error);
  if (!error) std::filesystem::remove(path + "-wal", error);
  if (!error) std::filesystem::remove(path + "-shm", error);
  if (!error) std::filesystem::rename(fresh, path, error);
  if (error) return failure_of(error.value(), "cannot replace " + path);
  for (std::string& line : lost) line += " cannot be read, and is left out";
  lost.push_back("the database was damaged: what can be read was copied, the rest is in " + kept);
  return lost;
}

}  // namespace dunlin::node
