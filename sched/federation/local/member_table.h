// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/federation/local/logical_nodes.h"
#include "sched/federation/message.h"
#include "sched/federation/owners.h"
#include "sched/federation/partition.h"

namespace dunlin::sched::federation {

/// The members of a cell as its local master knows them: the last row of each, less what was sent
/// there to start and is not answered yet, and the global master that has it in its partition. It
/// counts its changes, so that each global master can be told those that it does not know. Source:
/// Megha, section IV-A.
class MemberTable {
 public:
  /// The table remembers so many members that are gone. A global master with an older version than
  /// the first of those gets the whole table.
  static constexpr std::size_t kGoneMax = 1024;

  /// Its versions are above `begun`.
  explicit MemberTable(std::uint64_t begun = 0) : begins_(begun), version_(begun) {}

  /// What became of a row.
  enum class Heard : std::uint8_t {
    news,
    known,    ///< It says nothing new, or is older than the one known.
    no_kind,  ///< The kind of the node is not known, and did not come with the row.
  };

  /// Takes in what a member says of itself.
  Heard hear(const MemberRow& row, const Endpoint& from);
  /// The member is gone, or nothing is known of it any more.
  void remove(PeerId node);
  /// The version of the row known; 0: none is.
  std::uint64_t version_of(PeerId node) const;

  /// The partition of a global master begins or ends: see Owners.
  void attach(PeerId master);
  void detach(PeerId master);
  const Owners& owners() const { return owners_; }
  /// What global masters have borrowed of each other's partitions.
  const LogicalNodes& logical_nodes() const { return logical_nodes_; }

  /// A start with that number and demand is sent to the node: it counts as taken from now on.
  void send(std::uint64_t start, PeerId node, const Resources& demand);
  /// The node answered, or the answer is not waited for any more: rows to come count it.
  void settle(std::uint64_t start);
  /// The node declined what its row has room for. It is not asked again until its row changes.
  void distrust(PeerId node);

  /// True if the node seems to have room for one such task.
  bool has_room(PeerId node, const Resources& demand, std::span<const Constraint> constraints);
  /// True if it would have with so much more.
  bool would_have_room(PeerId node,
      const Resources& more,
      const Resources& demand,
      std::span<const Constraint> constraints);
  /// Another node that seems to have; empty if there is none.
  std::optional<PeerId> match(
      const Resources& demand, std::span<const Constraint> constraints, Pick pick, Rng& rng);

  /// What all matches so far looked at.
  const Search& search() const { return search_; }

  /// What has changed after version `from`, as far as fits one message; all of it if `from` is not
  /// of this table's versions; with `places`, where they are. Cell, epoch and `included` are left
  /// to the caller.
  CellView since(std::uint64_t from, bool places = false) const {
    return continued(from, from, places);
  }
  /// The same after other parts, the first of which was from `begun`: members that changed since
  /// may not have been told yet, and nor are their kinds.
  CellView continued(std::uint64_t from, std::uint64_t begun, bool places = false) const;
  /// Counts all changes.
  std::uint64_t version() const { return version_; }
  /// Counts those that are of members, kinds or owners, not of room alone.
  std::uint64_t shape() const { return shape_; }
  /// The CPUs of all members with a row, in thousandths, and their memory.
  const Resources& capacity() const { return capacity_; }
  /// What the node has in all. Requires that its row is known.
  const Resources& total_of(PeerId node) const {
    return expressions_.kinds().at(known_.at(node).told.kind).total;
  }
  /// Members with a row.
  std::size_t size() const { return known_.size(); }
  /// The rows of all members, less what is under way there.
  const std::vector<Row>& rows() const { return rows_.rows(); }
  /// The row of a member less what is under way there; nullptr if none is known.
  const Row* find(PeerId node) const { return rows_.find(node); }

 private:
  struct Known {
    Row told;
    Address address;
    std::uint64_t changed = 0;     ///< The version of the table since when it is as it is.
    std::uint64_t kind_since = 0;  ///< That in which kind and address became known.
    bool distrusted = false;
    std::map<std::uint64_t, Resources> under_way;  ///< By number of the start.
  };
  struct Change {
    PeerId node;
    bool gone = false;
  };

  /// Notes that the row, or the owner, of a member is another one.
  void change(PeerId node);
  void change_all(const std::vector<Owners::Move>& moves);
  bool satisfies(const Row& row, std::span<const Constraint> constraints);
  Wish wish(const Resources& demand, std::span<const Constraint> constraints);
  std::uint16_t place_of(
      KindNumber kind, CellView& view, std::map<KindNumber, std::uint16_t>& at) const;

  std::map<PeerId, Known> known_;
  std::map<std::uint64_t, PeerId> started_at_;  ///< By number of the start.
  std::map<std::uint64_t, Change> changes_;     ///< By version: the last of each member.
  std::size_t gone_ = 0;
  std::uint64_t begins_;  ///< since() goes no further back.
  std::uint64_t version_;
  std::uint64_t shape_ = 0;
  Resources capacity_;
  Owners owners_;
  LogicalNodes logical_nodes_;
  Expressions expressions_;
  Partition rows_;  ///< Less what is under way.
  Search search_;
};

}  // namespace dunlin::sched::federation
