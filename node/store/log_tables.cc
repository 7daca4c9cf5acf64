// SPDX-License-Identifier: MIT
#include "node/store/log_tables.h"

#include <algorithm>
#include <iterator>

#include "node/store/checked_rows.h"
#include "node/store/log_blobs.h"
#include "node/store/store_words.h"
#include "node/wall_clock.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/raft_store.h"

// A standby's word that its disk has a record holds for ever, and a set that counts on it names the
// disk by its replica. So a disk that lost records must not keep that name: the sets that have it
// shrink, and the node begins again as another replica.
namespace dunlin::node {
namespace {

using sched::replica::Entry;
using sched::replica::HomeRecord;
using sched::replica::StoredLog;

/// True if no other node was ever promised to be asked: this one alone is in each set that may
/// stand in the books. Its own name in them is `self`.
bool is_alone(const StoredLog& log, std::uint64_t replica) {
  const auto alone = [&](const sched::replica::Set& set) {
    return set.size() == 1 && set[0].replica.value == (replica ^ set[0].node.id.value);
  };
  return log.office.epoch == 1 && log.entry.epoch == 1 && alone(log.office.set) &&
      alone(log.entry.set) &&
      std::ranges::all_of(log.office.intents,
          [&](const sched::replica::ChangeSet& intent) { return alone(intent.set); });
}

/// True if what the first home of a log puts names several replicas in a set that may stand in the
/// books. Logs of later homes are no node's alone, whatever becomes of the database.
bool is_shared(const HomeRecord& office, const Entry& entry) {
  if (office.epoch != 1) return false;
  return office.set.size() > 1 || entry.set.size() > 1 ||
      std::ranges::any_of(office.intents,
          [](const sched::replica::ChangeSet& intent) { return intent.set.size() > 1; });
}

}  // namespace

void LogTables::put_log(const sched::replica::LogFacts& facts) {
  Header& header = headers_[facts.log];
  header.facts = facts;
  put(header);
}

void LogTables::put_office(std::uint64_t log, const sched::replica::HomeRecord& office) {
  Header& header = headers_[log];
  header.office = office;
  put(header);
}

void LogTables::put_entry(std::uint64_t log, const sched::replica::Entry& entry) {
  Header& header = headers_[log];
  header.entry = entry;
  put(header);
}

void LogTables::put_batch(
    std::uint64_t log, std::uint64_t position, const sched::replica::Batch& batch) {
  queue_.emplace_back(PutBatch{log, position, batch});
}

void LogTables::truncate(std::uint64_t log, std::uint64_t position) {
  queue_.emplace_back(Truncate{log, position});
}

void LogTables::forget_log(std::uint64_t log) {
  headers_.erase(log);
  queue_.emplace_back(Forget{log});
}

Result<void> LogTables::write() {
  for (const Record& record : writing_) {
    auto applied = std::visit([&](const auto& put) { return apply(put); }, record);
    if (!applied) return applied;
  }
  return {};
}

// Records that failed stay in front of those that came meanwhile: a log is written in its order.
void LogTables::end_commit(bool done) {
  if (!done) {
    std::ranges::move(queue_, std::back_inserter(writing_));
    queue_.swap(writing_);
  }
  writing_.clear();
}

// One row has all that is small of a log: facts, office and entry are read together or not at all.
// That others have a part in it is known before they can hear of it: their part rests on this
// commit.
Result<void> LogTables::apply(const Header& put) {
  if (is_shared(put.office, put.entry)) {
    if (auto added = shared_.add(put.facts.log); !added) return added;
  }
  const std::string log = sched::hex_text(put.facts.log);
  const std::string origin = hex(put.facts.origin);
  const std::string cell = sched::hex_text(put.facts.cell.value);
  const std::string contacts = encode_contacts(put.facts.contacts);
  const std::string office = encode_office(put.office);
  const std::string entry = encode_entry(put.entry);
  return database_.prepare(sql::put_log().c_str())
      .bind(std::string_view(log), std::string_view(origin), std::string_view(cell), Blob{contacts},
          Blob{office}, Blob{entry})
      .run();
}

Result<void> LogTables::apply(const PutBatch& put) {
  const std::string log = sched::hex_text(put.log);
  return database_.prepare(sql::put_log_batch().c_str())
      .bind(std::string_view(log), put.position, put.batch.stamp.epoch, put.batch.stamp.life,
          Blob{put.batch.records})
      .run();
}

Result<void> LogTables::apply(const Truncate& truncate) {
  const std::string log = sched::hex_text(truncate.log);
  return database_.prepare("delete from log_batches where log = ? and position > ?")
      .bind(std::string_view(log), truncate.position)
      .run();
}

Result<void> LogTables::apply(const Forget& forget) {
  const std::string log = sched::hex_text(forget.log);
  for (const char* const sql :
      {"delete from logs where log = ?", "delete from log_batches where log = ?"}) {
    if (auto done = database_.prepare(sql).bind(std::string_view(log)).run(); !done) return done;
  }
  return {};
}

Result<std::string> LogTables::meta(std::string_view key) {
  auto rows = database_.prepare("select value from checked_meta where key = ? and sound");
  auto row = rows.bind(key).step();
  if (!row) return tl::unexpected(row.error());
  return *row ? std::string(rows.text(0)) : std::string();
}

/// False if one is missing in the row of positions, or damaged: a log with a gap is no log, and
/// what follows the gap must not be told as if all before it were there.
Result<bool> LogTables::read_batches(StoredLog& stored) {
  const std::string log = sched::hex_text(stored.facts.log);
  auto rows = database_.prepare(
      "select position, epoch, life, records, sound from checked_log_batches where log = ? "
      "order by position");
  rows.bind(std::string_view(log));
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) return true;
    const bool next = rows.number(0) == static_cast<std::int64_t>(stored.log.end()) + 1;
    if (!next || rows.number(4) == 0) return false;
    stored.log.append({.stamp = {.epoch = narrow<std::uint32_t>(rows.number(1)),
                           .life = narrow<std::uint32_t>(rows.number(2))},
        .records = std::string(rows.text(3))});
  }
}

Result<bool> LogTables::read() {
  std::vector<std::uint64_t> damaged;
  auto rows = database_.prepare(
      "select log, origin, cell, contacts, office, entry, sound from checked_logs "
      // Names of logs that were set aside are longer.
      "where length(log) = 16 order by log");
  for (;;) {
    auto row = rows.step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    StoredLog stored;
    stored.facts = {.log = from_hex(rows.text(0)),
        .origin = {from_hex(rows.text(1))},
        .cell = {from_hex(rows.text(2))},
        .contacts = {}};
    auto contacts = decode_contacts(rows.text(3));
    auto office = decode_office(rows.text(4));
    auto entry = decode_entry(rows.text(5));
    const auto whole = read_batches(stored);
    if (!whole) return tl::unexpected(whole.error());
    if (rows.number(6) == 0 || !contacts || !office || !entry || !*whole) {
      damaged.push_back(stored.facts.log);
      continue;
    }
    stored.facts.contacts = std::move(*contacts);
    stored.office = std::move(*office);
    stored.entry = std::move(*entry);
    stored_.push_back(std::move(stored));
  }
  for (const std::uint64_t log : damaged) {
    damage_.note("log " + sched::hex_text(log) + " of jobs with replicas, which is set aside");
    if (auto done = set_aside(log); !done) return tl::unexpected(done.error());
  }
  return damaged.empty();
}

// In one transaction: what is set aside must not be missing under the old name.
Result<void> LogTables::open(const Risks& risks, overlay::Rng& rng) {
  if (auto read = shared_.open(); !read) return read;
  if (auto begun = database_.execute("begin immediate"); !begun) return begun;
  auto done = look(risks, rng);
  if (done) done = database_.execute("commit");
  if (!done && database_.in_transaction()) (void)database_.execute("rollback");
  return done;
}

// Called once, at the start. Whatever makes it doubtful that this disk still has all it said it has
// makes the node another replica; the order below is that of the reasons, the most certain first.
Result<void> LogTables::look(const Risks& risks, overlay::Rng& rng) {
  const auto name = meta("replica");
  if (!name) return tl::unexpected(name.error());
  const auto boot = meta("boot");
  if (!boot) return tl::unexpected(boot.error());
  replica_ = from_hex(*name);
  const auto whole = read();
  if (!whole) return tl::unexpected(whole.error());
  // With `sync = normal` a power cut takes the last commits, although standbys and clients were
  // told of them. The name of the boot shows that there may have been one.
  const bool cut = !boot->empty() && *boot != risks.boot;
  const char* const why = !*whole ? "rows of the database are damaged"
      : name->empty()             ? "the database has no name"
      : risks.outdated            ? "an older database was brought back"
      : cut                       ? "the machine may have lost power"
                                  : nullptr;
  if (why != nullptr) {
    if (auto done = begin_anew(rng() | 1, why, rng); !done) return done;
  }
  for (const StoredLog& log : stored_) {
    headers_[log.facts.log] = {log.facts, log.office, log.entry};
  }
  // Left empty where each commit is synchronous: then no cut takes anything.
  const std::string kept = risks.power_cut_takes ? risks.boot : std::string();
  if (kept == *boot) return {};
  return database_.prepare(sql::put_meta().c_str())
      .bind(std::string_view("boot"), std::string_view(kept))
      .run();
}

// The sets that name this disk find that its replica is gone, and take another standby.
Result<void> LogTables::begin_anew(
    std::uint64_t replica, const std::string& why, overlay::Rng& rng) {
  std::vector<StoredLog> kept;
  for (StoredLog& log : stored_) {
    if (!is_alone(log, replica_) || shared_.has(log.facts.log)) {
      damage_.note("log " + sched::hex_text(log.facts.log) +
          " of jobs with replicas, which is set aside (" + why +
          "): another replica goes on with its jobs");
      if (auto done = set_aside(log.facts.log); !done) return done;
      continue;
    }
    if (auto done = apply(Forget{log.facts.log}); !done) return done;
    const std::string before = sched::hex_text(log.facts.log);
    // Nobody else has a part in this log, so its jobs go on; but under another name, because the
    // books may still know the old one, with records that are gone from here.
    log.facts = {.log = rng() | 1, .origin = log.facts.origin, .cell = {}, .contacts = {}};
    const std::string after = sched::hex_text(log.facts.log);
    // Under the old name it would count a second time.
    auto renamed = database_.prepare("update or replace usage set log = ?2 where log = ?1")
                       .bind(std::string_view(before), std::string_view(after))
                       .run();
    if (!renamed) return renamed;
    log.office.set[0].replica.value = replica ^ log.office.set[0].node.id.value;
    log.office.version = 1;
    log.office.intents.clear();
    log.entry = {.epoch = 1, .version = 1, .home = log.office.set[0], .set = log.office.set};
    if (auto done = apply(Header{log.facts, log.office, log.entry}); !done) return done;
    for (std::uint64_t i = 1; i <= log.log.end(); ++i) {
      if (auto done = apply(PutBatch{log.facts.log, i, log.log.at(i)}); !done) return done;
    }
    kept.push_back(std::move(log));
  }
  stored_ = std::move(kept);
  replica_ = replica;
  const std::string name = sched::hex_text(replica);
  return database_.prepare(sql::put_meta().c_str())
      .bind(std::string_view("replica"), std::string_view(name))
      .run();
}

// An operator may still look at what is set aside.
Result<void> LogTables::set_aside(std::uint64_t log) {
  const std::string name = sched::hex_text(log);
  const std::string aside = name + "-damaged-" + std::to_string(unix_seconds());
  for (const char* const sql : {"update logs set log = ?2 where log = ?1",
           "update log_batches set log = ?2 where log = ?1"}) {
    auto done = database_.prepare(sql).bind(std::string_view(name), std::string_view(aside)).run();
    if (!done) return done;
  }
  return {};
}

}  // namespace dunlin::node
