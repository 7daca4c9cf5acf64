// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "node/store/results.h"
#include "node/store/sqlite.h"
#include "sched/turn.h"

namespace dunlin::node {

/// The table `profiles` of an agent's database: what the groups of jobs that this agent drove were
/// seen to take. All of them are in memory, too. Written by the commits of the store.
class ProfileTable final : public ProfileBook {
 public:
  /// Those learned the longest ago go first.
  static constexpr std::size_t kProfilesMax = 10'000;

  /// Keeps `database`, which must outlive it.
  explicit ProfileTable(Database& database) : database_(database) {}

  /// Makes the table if there is none, and reads it. Rows that no Dunlin can have written are left
  /// out.
  Result<void> open();

  std::optional<sched::Profile> find(const sched::ProfileKey& key) const override;
  void put(const sched::ProfileKey& key, const sched::Profile& profile) override;
  std::vector<ProfileRow> list(const std::string& owner) const override;
  std::uint32_t forget(const std::string& owner, const std::string& job) override;

  /// True if something is to be written.
  bool dirty() const { return !changed_.empty(); }
  // The steps of a commit: see SqliteStore. What one that fails wanted to write waits for the next.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  struct Known {
    sched::Profile profile;
    std::int64_t learned_at = 0;  ///< ns since 1970.
  };
  /// Empty: it is to be deleted.
  using Changes = std::map<sched::ProfileKey, std::optional<Known>>;

  void drop_oldest();

  Database& database_;
  std::map<sched::ProfileKey, Known> known_;
  Changes changed_;
  Changes writing_;
};

}  // namespace dunlin::node
