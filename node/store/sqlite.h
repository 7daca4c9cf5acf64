// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overlay/result.h"

namespace dunlin::node {

/// Bytes, where a std::string_view would be text.
struct Blob {
  std::string_view bytes;
};

/// One row of results at a time, and parameters by position from 1. Borrowed from its Database;
/// resets the statement when it goes.
class Statement {
 public:
  /// Without a `statement`, `failure` says why: step() will tell.
  Statement(sqlite3_stmt* statement, int failure, const class Database& database)
      : statement_(statement),
        failure_(failure),
        database_(&database) {}
  ~Statement();
  Statement(Statement&& other) noexcept
      : statement_(std::exchange(other.statement_, nullptr)),
        failure_(other.failure_),
        database_(other.database_) {}
  Statement& operator=(Statement&&) = delete;

  /// Texts and blobs are borrowed until the last step().
  template <typename... Values>
  Statement& bind(const Values&... values) {
    int position = 0;
    (bind_at(++position, values), ...);
    return *this;
  }
  /// True: there is a row. False: there are no more.
  Result<bool> step();
  /// Runs a statement that yields no rows.
  Result<void> run();

  /// Columns count from 0, in the order of the text. 0 for null.
  std::int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  /// Or a blob. Borrowed until the next step().
  std::string_view text(int column) const;
  bool is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

 private:
  template <typename T>
    requires std::is_integral_v<T>
  void bind_at(int position, T value) {
    sqlite3_bind_int64(statement_, position, static_cast<sqlite3_int64>(value));
  }
  void bind_at(int position, std::string_view text);
  void bind_at(int position, Blob blob);

  sqlite3_stmt* statement_;
  int failure_;
  const Database* database_;
};

/// A connection to a database file. Statements are prepared once, by the address of their text:
/// give literals. Movable, but only while no Statement of it lives.
class Database {
 public:
  /// What a statement does while another connection is in its way.
  enum class Busy {
    wait,  ///< Up to ten seconds: a person may be writing with sqlite3.
    fail,  ///< For a loop that must not wait.
  };

  /// Creates the file if there is none.
  static Result<Database> open(const std::string& path, Busy busy = Busy::wait);

  Statement prepare(const char* sql);  ///< A malformed one is a bug.
  /// One or several statements without parameters or rows.
  Result<void> execute(const char* sql);
  /// The rows that the last statement changed.
  int changes() const { return sqlite3_changes(handle_.get()); }
  /// False also if SQLite rolled back by itself, as it does on some errors.
  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  /// SQLite's error as an Error that names the file and the cure.
  Error error(int code) const;

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Database(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<const char*, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;  ///< Freed first.
};

}  // namespace dunlin::node
