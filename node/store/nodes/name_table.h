// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "node/store/sqlite.h"
#include "overlay/ids.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The table `names` of an agent's database: how the nodes that it heard of call themselves. A node
/// that is down cannot say it any more, and one that was not met yet has not said it. All of them
/// are in memory, too. Written by the commits of the store.
class NameTable {
 public:
  /// Those that were told the longest ago go first.
  static constexpr std::size_t kNamesMax = 10'000;
  /// No more are learned then.
  static constexpr std::size_t kFormerMax = 1000;

  /// Keeps `database`, which must outlive it.
  explicit NameTable(Database& database) : database_(database) {}

  /// Makes the table if there is none, and reads it. Rows that no Dunlin can have written are left
  /// out.
  Result<void> open();

  /// Empty if it is not known.
  std::string find(overlay::PeerId node) const;
  void put(overlay::PeerId node, std::string_view name);
  std::size_t size() const { return known_.size(); }
  /// Names that nodes had before: labels of jobs that were written down then go on being
  /// understood. A name that another node took since is that node's.
  const std::map<std::string, overlay::PeerId>& former() const { return former_; }

  /// True if something is to be written.
  bool dirty() const { return !changed_.empty() || !renamed_.empty(); }
  // The steps of a commit: see SqliteStore. What one that fails wanted to write waits for the next.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  struct Known {
    std::string name;
    std::int64_t told_at = 0;  ///< When it was told first, ns since 1970.
  };
  /// Empty: it is to be deleted.
  using Changes = std::map<overlay::PeerId, std::optional<Known>>;

  void drop_oldest();
  Result<void> read_former();

  Database& database_;
  std::map<overlay::PeerId, Known> known_;
  Changes changed_;
  Changes writing_;
  std::map<std::string, overlay::PeerId> former_;
  std::map<std::string, overlay::PeerId> renamed_;         ///< Of those: not written yet, ...
  std::map<std::string, overlay::PeerId> writing_former_;  ///< ... and being written.
};

}  // namespace dunlin::node
