// SPDX-License-Identifier: MIT
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "node/store/checked_rows.h"
#include "node/store/jobs/job_ends.h"
#include "node/store/salvage.h"
#include "node/store/store.h"
#include "node/store/store_schema.h"
#include "node/store/usage/usage_schema.h"

// A database is opened, made or brought to this version, and looked at: pages that cannot be read
// are left out, and a database of something else is refused.
namespace dunlin::node {
namespace {

/// Fails (`corrupt`), saying what SQLite says, if it cannot read a page or a row.
Result<void> check_pages(Database& database) {
  auto query = database.prepare("pragma quick_check(1)");
  auto row = query.step();
  if (!row) return tl::unexpected(row.error());
  if (query.text(0) == "ok") return {};
  auto error = database.error(SQLITE_CORRUPT);
  error.text += " [" + std::string(query.text(0)) + "]";
  return tl::unexpected(error);
}

/// Has the disk take a database that was put there meanwhile, and its name: people restore copies
/// with `cp`, and SQLite trusts that what it did not write is durable.
Result<void> sync_restored(const std::string& directory, const std::string& path) {
  for (const std::string& each : {path, path + "-wal", directory}) {
    const int file = ::open(each.c_str(), O_RDONLY | O_CLOEXEC);
    const bool missing = file < 0 && errno == ENOENT;
    const bool synced = file >= 0 && ::fsync(file) == 0;
    const int code = errno;
    if (file >= 0) ::close(file);
    if (!synced && !missing)
      return failure_of(code, "store: cannot bring " + each + " to the disk");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(
    const std::string& directory, Synchronous synchronous) {
  auto lock = DataLock::acquire(directory);
  if (!lock) return tl::unexpected(lock.error());
  const auto path = directory + "/dunlin.sqlite";
  if (auto synced = sync_restored(directory, path); !synced) return tl::unexpected(synced.error());
  auto database = Database::open(path);
  if (!database) return tl::unexpected(database.error());
  auto sound = check_pages(*database);
  std::vector<std::string> lost;
  if (!sound && sound.error().kind == ErrorKind::corrupt) {
    {
      const Database closed = std::move(*database);
    }
    auto salvaged = salvage(path);
    if (!salvaged) return tl::unexpected(sound.error());
    lost = std::move(*salvaged);
    database = Database::open(path);
    if (!database) return tl::unexpected(database.error());
    sound = check_pages(*database);
  }
  if (!sound) return tl::unexpected(sound.error());
  auto reader = Database::open(path, Database::Busy::fail);
  if (!reader) return tl::unexpected(reader.error());
  std::unique_ptr<SqliteStore> store(
      new SqliteStore(std::move(*lock), std::move(*database), std::move(*reader), path));
  for (std::string& line : lost) store->damage().note(std::move(line));
  auto prepared = store->prepare(synchronous);
  if (prepared) prepared = store->reader_.execute(checked_views().c_str());
  if (!prepared) return tl::unexpected(prepared.error());
  if (auto made = store->database_.execute(kUsageSchema); !made)
    return tl::unexpected(made.error());
  if (auto opened = store->actions_.open(); !opened) return tl::unexpected(opened.error());
  if (auto opened = store->plans_.open(); !opened) return tl::unexpected(opened.error());
  if (auto opened = store->profiles_.open(); !opened) return tl::unexpected(opened.error());
  if (auto opened = store->names_.open(); !opened) return tl::unexpected(opened.error());
  if (auto opened = store->gone_.open(); !opened) return tl::unexpected(opened.error());
  if (auto opened = store->ways_.open(); !opened) return tl::unexpected(opened.error());
  if (auto opened = store->spent_keys_.open(); !opened) return tl::unexpected(opened.error());
  return store;
}

Result<void> SqliteStore::prepare(Synchronous synchronous) {
  const auto ask = [&](const char* sql) -> Result<std::int64_t> {
    auto statement = database_.prepare(sql);
    auto row = statement.step();
    if (!row) return tl::unexpected(row.error());
    return statement.number(0);
  };
  const auto version = ask("pragma user_version");
  if (!version) return tl::unexpected(version.error());
  const auto tables = ask("select count(*) from sqlite_schema");
  if (!tables) return tl::unexpected(tables.error());
  if (*version > kSchemaVersion) {
    return failure(ErrorKind::refused,
        "store: " + path_ + " was written by a newer Dunlin (its schema is " +
            std::to_string(*version) + ", this one knows " + std::to_string(kSchemaVersion) +
            "); install that one, or give this agent another data directory");
  }
  if (*version == 0 && *tables != 0) {
    return failure(ErrorKind::corrupt,
        "store: " + path_ + " is a database, but none of Dunlin's; move it away to start empty");
  }
  const char* const pragmas = synchronous == Synchronous::full
      ? "pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864"
      : "pragma journal_mode = wal; pragma synchronous = normal; "
        "pragma journal_size_limit = 67108864";
  if (auto set = database_.execute(pragmas); !set) return set;
  const auto make = [&](const std::string& schema) {
    const auto statements =
        "begin;" + schema + "pragma user_version = " + std::to_string(kSchemaVersion) + "; commit";
    return database_.execute(statements.c_str());
  };
  const auto done = [&](const std::string& statements) -> Result<void> {
    if (auto made = make(statements); !made) return made;
    return database_.execute(checked_views().c_str());
  };
  if (*version == 0) {
    return done(std::string(kSchema) + kWishSchema + kHolderSchema + kEndSchema + kJobSchema +
        kRaftSchema + kActionSchema + kLogSchema);
  }
  std::string newer;
  if (*version < 2) newer += kRaftSchema;
  if (*version < 3) newer += kToVersion3;
  if (*version < 4) newer += kToVersion4;
  if (*version < 6) newer += kToVersion6;
  if (*version < 6) newer += *version < 4 ? sum_all_rows() : sum_changed_rows();
  if (*version < 5) newer += kActionSchema;
  if (*version < 7) newer += std::string(kBeforeVersion7) + kJobSchema + kToVersion7 + kLogSchema;
  if (*version == 7) newer += kToVersion8;
  if (*version < 8) newer += sum_rows_with_use();
  if (!newer.empty()) return done(newer + kWishSchema + kHolderSchema + kEndSchema);
  if (auto made = database_.execute(kWishSchema); !made) return made;
  if (auto made = database_.execute(kHolderSchema); !made) return made;
  if (auto made = database_.execute(kEndSchema); !made) return made;
  return database_.execute(checked_views().c_str());
}

}  // namespace dunlin::node
