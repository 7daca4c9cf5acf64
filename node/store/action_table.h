// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "node/store/damage_log.h"
#include "node/store/grouped_refusals.h"
#include "node/store/results.h"
#include "node/store/sqlite.h"

namespace dunlin::node {

/// The table `actions` of an agent's database: the last things that each user asked for, and no
/// user's push out those of others. Written by the commits of its store, with what the actions
/// themselves record.
class ActionTable final : public ActionLog {
 public:
  /// Of one user, and of all: beyond, the oldest of the one who has most of them go. A tenth more
  /// may stand there for a while.
  static constexpr std::int64_t kUserActionsMax = 10'000;
  static constexpr std::int64_t kActionsMax = 100'000;

  /// Writes by `database` and reads by `reader`. All must outlive this.
  ActionTable(Database& database, Database& reader, DamageLog& damage)
      : database_(database),
        reader_(reader),
        damage_(damage) {}

  /// Learns the number of the last action. Requires that the table is there.
  Result<void> open();

  void put(ActionRow action) override;
  /// Queues how often users were refused the same, as far as that is due; `all`: as far as it goes.
  void settle(std::int64_t now, bool all = false);
  /// Of those that were committed.
  Result<std::vector<ActionRow>> list(const std::string& user, std::uint32_t limit) override;

  /// True if actions are queued.
  bool dirty() const { return !queue_.empty(); }
  // The steps of a commit: see SqliteStore.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  void queue(std::vector<ActionRow> actions);
  /// Deletes the oldest of those who have too many.
  Result<void> trim();
  Result<void> trim(const std::string& user, std::int64_t keep);

  Database& database_;
  Database& reader_;
  DamageLog& damage_;
  std::vector<ActionRow> queue_;
  std::vector<ActionRow> writing_;
  std::int64_t last_ = 0;  ///< The number of the last action.
  GroupedRefusals refusals_;
  std::map<std::string, std::int64_t> counts_;         ///< Rows of each user; only commits use it.
  std::map<std::string, std::int64_t> counts_before_;  ///< This commit, which may fail.
};

}  // namespace dunlin::node
