// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "node/store/results.h"
#include "node/store/sqlite.h"
#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The table `gone_nodes` of an agent's database. All of it is in memory, too. Written by the
/// commits of the store.
class GoneTable final : public GoneNodes {
 public:
  /// Those heard of the longest ago go first.
  static constexpr std::size_t kGoneMax = 10'000;

  /// Keeps `database`, which must outlive it.
  explicit GoneTable(Database& database) : database_(database) {}

  /// Makes the table if there is none, and reads it. Rows that no Dunlin can have written are left
  /// out.
  Result<void> open();

  const std::map<overlay::PeerId, GoneNode>& all() const override { return gone_; }
  void put(overlay::PeerId id, const GoneNode& node) override;
  void drop(overlay::PeerId id) override;

  /// True if something is to be written.
  bool dirty() const { return !changed_.empty(); }
  // The steps of a commit: see SqliteStore. What one that fails wanted to write waits for the next.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  /// Empty: it is to be deleted.
  using Changes = std::map<overlay::PeerId, std::optional<GoneNode>>;

  Database& database_;
  std::map<overlay::PeerId, GoneNode> gone_;
  Changes changed_;
  Changes writing_;
};

}  // namespace dunlin::node
