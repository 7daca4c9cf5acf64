// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "node/store/damage_log.h"
#include "node/store/results.h"
#include "node/store/sqlite.h"

namespace dunlin::node {

/// The table `actions` of an agent's database: the last kActionsMax things that users asked for.
/// Written by the commits of its store, with what the actions themselves record.
class ActionTable final : public ActionLog {
 public:
  static constexpr std::int64_t kActionsMax = 100'000;

  /// Writes by `database` and reads by `reader`. All must outlive this.
  ActionTable(Database& database, Database& reader, DamageLog& damage)
      : database_(database),
        reader_(reader),
        damage_(damage) {}

  /// Learns the number of the last action. Requires that the table is there.
  Result<void> open();

  void put(ActionRow action) override;
  /// Of those that were committed.
  Result<std::vector<ActionRow>> list(const std::string& user, std::uint32_t limit) override;

  /// True if actions are queued.
  bool dirty() const { return !queue_.empty(); }
  // The steps of a commit: see SqliteStore.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  Database& database_;
  Database& reader_;
  DamageLog& damage_;
  std::vector<ActionRow> queue_;
  std::vector<ActionRow> writing_;
  std::int64_t last_ = 0;  ///< The number of the last action.
};

}  // namespace dunlin::node
