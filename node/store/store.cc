// SPDX-License-Identifier: MIT
#include "node/store/store.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "node/store/checked_rows.h"
#include "node/store/drain_text.h"
#include "node/store/store_words.h"

// The transaction that the tables share, and what the database says of the node itself, in the
// table meta. Each table keeps its own queue: see the headers of the tables.
namespace dunlin::node {

SqliteStore::SqliteStore(DataLock lock, Database database, Database reader, std::string path)
    : lock_(std::move(lock)),
      database_(std::move(database)),
      reader_(std::move(reader)),
      path_(std::move(path)),
      raft_(database_),
      logs_(database_,
          damage_,
          std::filesystem::path(path_).replace_filename("logs.shared").string()),
      actions_(database_, reader_, damage_),
      plans_(database_),
      profiles_(database_),
      names_(database_),
      gone_(database_),
      ways_(database_),
      spent_keys_(database_),
      jobs_(database_, damage_, spent_keys_),
      history_(reader_, damage_) {}

SqliteStore::~SqliteStore() = default;

Result<void> SqliteStore::commit() {
  if (!dirty()) return {};
  begin_commit();
  auto done = write_commit();
  end_commit(done.has_value());
  return done;
}

void SqliteStore::begin_commit() {
  jobs_.begin_commit();
  raft_.begin_commit();
  logs_.begin_commit();
  actions_.begin_commit();
  plans_.begin_commit();
  profiles_.begin_commit();
  names_.begin_commit();
  gone_.begin_commit();
  ways_.begin_commit();
  spent_keys_.begin_commit();
}

Result<void> SqliteStore::write_commit() {
  // Immediate: a lock that cannot be had shows before anything is written.
  auto done = database_.execute("begin immediate");
  // All tables in one transaction: the messages of a turn may rest on records of any of them.
  if (done) done = jobs_.write();
  if (done) done = raft_.write();
  if (done) done = logs_.write();
  if (done) done = actions_.write();
  if (done) done = plans_.write();
  if (done) done = profiles_.write();
  if (done) done = names_.write();
  if (done) done = gone_.write();
  if (done) done = ways_.write();
  if (done) done = spent_keys_.write();
  if (done) done = jobs_.delete_forgotten();
  if (done) done = database_.execute("commit");
  if (!done && database_.in_transaction()) (void)database_.execute("rollback");
  return done;
}

void SqliteStore::end_commit(bool done) {
  jobs_.end_commit(done);
  raft_.end_commit(done);
  logs_.end_commit(done);
  actions_.end_commit(done);
  plans_.end_commit(done);
  profiles_.end_commit(done);
  names_.end_commit(done);
  gone_.end_commit(done);
  ways_.end_commit(done);
  spent_keys_.end_commit(done);
}

Result<void> SqliteStore::read_meta(const std::function<void(const Statement&)>& read) {
  auto rows = database_.prepare("select key, value, sound from checked_meta");
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return {};
    if (rows.number(2) != 0) {
      read(rows);
    } else {
      damage_.note("the row '" + std::string(rows.text(0)) + "' of table meta");
    }
  }
}

Result<std::uint32_t> SqliteStore::incarnation() {
  std::uint32_t incarnation = 0;
  auto done = read_meta([&](const Statement& row) {
    if (row.text(0) == "incarnation") incarnation = narrow<std::uint32_t>(row.number(1));
  });
  if (!done) return tl::unexpected(done.error());
  return incarnation;
}

Result<std::optional<sched::DrainTerms>> SqliteStore::drain() {
  std::optional<sched::DrainTerms> drain;
  auto done = read_meta([&](const Statement& row) {
    if (row.text(0) == "drain") drain = drain_of_text(row.text(1));
  });
  if (!done) return tl::unexpected(done.error());
  return drain;
}

Result<void> SqliteStore::put_incarnation(std::uint32_t incarnation) {
  return database_.prepare(sql::put_meta().c_str())
      .bind(std::string_view("incarnation"), incarnation)
      .run();
}

}  // namespace dunlin::node
