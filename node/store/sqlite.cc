// SPDX-License-Identifier: MIT
#include "node/store/sqlite.h"

#include <cerrno>

#include "node/store/row_checksum.h"
#include "overlay/ensure.h"

// A thin layer over SQLite with three rules: statements are prepared once and kept, a statement
// lets go of its locks as soon as it is done, and each error names the file and the cure. A
// connection is used by one thread at a time, so SQLite takes no locks of its own.
namespace dunlin::node {
namespace {

/// The wait for a program that writes to the database.
constexpr int kBusyMs = 10'000;

}  // namespace

Statement::~Statement() {
  if (statement_ == nullptr) return;
  // A statement that is not reset holds its read lock, and then no checkpoint can shorten the log.
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

// Not copied: the text must live until the statement was run. A null pointer would bind NULL, where
// an empty text is meant.
void Statement::bind_at(int position, std::string_view text) {
  sqlite3_bind_text64(statement_, position, text.data() == nullptr ? "" : text.data(), text.size(),
      SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind_at(int position, Blob blob) {
  sqlite3_bind_blob64(statement_, position, blob.bytes.data() == nullptr ? "" : blob.bytes.data(),
      blob.bytes.size(), SQLITE_STATIC);
}

Result<bool> Statement::step() {
  if (statement_ == nullptr) return tl::unexpected(database_->error(failure_));
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected(database_->error(code));
}

Result<void> Statement::run() {
  auto stepped = step();
  if (!stepped) return tl::unexpected(stepped.error());
  ensure(!*stepped, "a statement that should yield no row did");
  return {};
}

// Valid until the next step. As a blob, so texts with a NUL in them are whole.
std::string_view Statement::text(int column) const {
  const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Result<Database> Database::open(const std::string& path, Busy busy) {
  Database database(path);
  sqlite3* handle = nullptr;
  // NOMUTEX: SQLite locks nothing between threads, so a connection must be used by one at a time.
  const int code = sqlite3_open_v2(path.c_str(), &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  // SQLite makes a handle even when it fails: it holds the reason, and has to be closed.
  database.handle_.reset(handle);
  if (code != SQLITE_OK) return tl::unexpected(database.error(code));
  sqlite3_extended_result_codes(handle, 1);
  add_row_checksum(handle);
  sqlite3_busy_timeout(handle, busy == Busy::wait ? kBusyMs : 0);
  return database;
}

Statement Database::prepare(const char* sql) {
  // Kept by the address of its text, which is faster than by the text: `sql` must be a constant.
  auto& kept = statements_[sql];
  if (!kept) {
    sqlite3_stmt* made = nullptr;
    const int code =
        sqlite3_prepare_v3(handle_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &made, nullptr);
    // Preparing reads the schema, which may fail as any reading may: then it steps to that error.
    if (code != SQLITE_OK) return {nullptr, code, *this};
    kept.reset(made);
  }
  return {kept.get(), SQLITE_OK, *this};
}

Result<void> Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return {};
}

Error Database::error(int code) const {
  const int system = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
  const std::string said =
      handle_ ? sqlite3_errmsg(handle_.get()) : std::string(sqlite3_errstr(code));
  // The low byte is the kind; the rest, since extended codes are on, says which call failed.
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return {ErrorKind::corrupt,
          "store: " + path_ + " is damaged (" + said +
              "); move it away to start empty, or save what can be read with "
              "`sqlite3 " +
              path_ + " .recover`",
          0};
    case SQLITE_FULL:
      return {ErrorKind::io,
          "store: the disk of " + path_ + " is full; nothing was lost, free some space", ENOSPC};
    case SQLITE_IOERR:
      return {ErrorKind::io,
          "store: cannot write " + path_ + ": " +
              (system != 0 ? std::strerror(system) : said.c_str()) +
              "; check the disk and its free space",
          system};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::refused,
          "store: " + path_ + " is locked by another program; close the sqlite3 that writes to it",
          0};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return {ErrorKind::io,
          "store: cannot open " + path_ + ": " +
              (system != 0 ? std::strerror(system) : said.c_str()) +
              "; the directory must be writable by this user",
          system};
    default:
      return {ErrorKind::io, "store: " + path_ + ": " + said, system};
  }
}

}  // namespace dunlin::node
