// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "node/store/sqlite.h"
#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// How a node was reached that does not answer at the address which it tells others.
struct KnownWay {
  overlay::Address told;
  overlay::Address works;
  std::int64_t found_at = 0;  ///< ns since 1970.

  friend bool operator==(const KnownWay&, const KnownWay&) = default;
};

/// The table `ways` of an agent's database: so that the next process tries first what worked. All
/// of it is in memory, too. Written by the commits of the store.
class WayTable {
 public:
  /// Those found the longest ago go first.
  static constexpr std::size_t kWaysMax = 1000;

  /// Keeps `database`, which must outlive it.
  explicit WayTable(Database& database) : database_(database) {}

  /// Makes the table if there is none, and reads it. Rows that no Dunlin can have written are left
  /// out.
  Result<void> open();

  const std::map<overlay::PeerId, KnownWay>& all() const { return ways_; }
  void put(overlay::PeerId node, const overlay::Address& told, const overlay::Address& works);
  void drop(overlay::PeerId node);

  /// True if something is to be written.
  bool dirty() const { return !changed_.empty(); }
  // The steps of a commit: see SqliteStore. What one that fails wanted to write waits for the next.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  /// Empty: it is to be deleted.
  using Changes = std::map<overlay::PeerId, std::optional<KnownWay>>;

  Database& database_;
  std::map<overlay::PeerId, KnownWay> ways_;
  Changes changed_;
  Changes writing_;
};

}  // namespace dunlin::node
