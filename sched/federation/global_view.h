// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sched/federation/partition.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched::federation {

/// A row as a local master tells it, with the global master that the member belongs to.
struct ToldRow {
  PeerId node;
  std::uint64_t version = 0;  ///< See Row.
  NodeKind kind;
  Resources free;
  std::uint32_t queued = 0;
  bool draining = false;
  PeerId owner;  ///< None: no global master is attached there.
};

/// What a local master told of its members.
struct News {
  CellId cell;
  std::uint64_t epoch = 0;     ///< Of the manager that is the local master.
  std::uint64_t version = 0;   ///< Counts its news within the epoch.
  Time at{};                   ///< When it was heard.
  std::uint64_t included = 0;  ///< The rows count all launches of the hearer up to that number.
  bool whole = false;          ///< These are all its members; else those that changed.
  std::vector<ToldRow> rows;
  std::vector<PeerId> gone;
};

/// Where a task could start, as a global master believes.
struct Place {
  CellId cell;
  std::uint64_t epoch = 0;
  PeerId node;
  bool internal = true;  ///< Of its own partition; else the node is to be borrowed of another one.
  friend bool operator==(const Place&, const Place&) = default;
};

/// What a global master believes of the whole cluster: the rows of all local masters it heard of,
/// each as old as the last word about it. It may be wrong, and is never asked to be right: a local
/// master verifies each launch. Source: Megha, sections IV-A and IV-B.
///
/// What was launched and is not answered yet counts as taken, whatever arrives meanwhile, unless
/// the news say that they count it: news that were under way do not free what was just given away.
class GlobalView {
 public:
  /// `self` is the global master: rows that it owns are its internal partitions.
  explicit GlobalView(PeerId self) : self_(self) {}

  /// Takes in what a local master told. False, and nothing changes, if later news are known: of a
  /// higher epoch, or of a higher version in that epoch.
  bool learn(const News& news);
  /// The local master is gone, with all its partitions.
  void forget(CellId cell);

  /// A node that satisfies the constraints and has room for the demand in every resource: of the
  /// internal partitions, which take turns; if none has one, of the external ones, which take turns
  /// as well (IV-B3 and 4). Local masters that were not heard of since `since` are left out.
  std::optional<Place> match(const Resources& demand,
      std::span<const Constraint> constraints,
      Pick pick,
      Time since,
      Rng& rng);

  /// A task with that demand is launched there. Gives the launch its number, from 1 in each cell.
  std::uint64_t launch(const Place& place, const Resources& demand);
  /// The launch was answered, or is waited for no more. Call it after learn() of the answer's rows.
  void settle(CellId cell, std::uint64_t number);

  /// The row of that node as it is believed, without what is launched; nullptr if it is unknown.
  const Row* find(CellId cell, PeerId node) const;
  /// Members in internal partitions, and in all.
  std::size_t internal_size() const;
  std::size_t size() const;
  /// Rows of which all matches so far looked at the room.
  std::uint64_t searched() const { return searched_; }

 private:
  struct Launch {
    PeerId node;
    Resources demand;
  };
  struct Told {
    Row row;
    PeerId owner;
    std::uint64_t included = 0;
  };
  struct LocalMaster {
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;
    Time heard{};
    std::map<PeerId, Told> told;
    std::map<std::uint64_t, Launch> launches;  ///< By number.
    std::uint64_t launch_last = 0;
  };
  /// The partition of a global master at a local master.
  struct Key {
    CellId cell;
    PeerId owner;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  void tell(CellId cell, LocalMaster& master, const ToldRow& row, std::uint64_t included);
  void remove(CellId cell, LocalMaster& master, PeerId node);
  void take_out(const Key& key, PeerId node);
  /// Puts the row as it is told, less what is launched there, into its partition.
  void refresh(CellId cell, const LocalMaster& master, PeerId node);
  std::optional<Place> match_in(
      bool internal, const Wish& wish, Pick pick, Time since, Rng& rng, Key& turn);

  PeerId self_;
  Expressions expressions_;
  std::map<CellId, LocalMaster> masters_;
  std::map<Key, Partition> partitions_;
  Key internal_turn_;  ///< The partition that was matched last; the next one goes first.
  Key external_turn_;
  std::uint64_t searched_ = 0;
};

}  // namespace dunlin::sched::federation
