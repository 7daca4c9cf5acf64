// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sched/federation/message.h"
#include "sched/federation/partition.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched::federation {

/// What became of the news of a local master.
enum class Heard : std::uint8_t {
  taken,
  old,  ///< Later news are known: nothing changed.
  gap,  ///< Some before them were missed, or they make no sense: nothing changed.
};

/// Where a task could start, as a global master believes.
struct Place {
  CellId cell;
  std::uint64_t epoch = 0;
  PeerId node;
  bool internal = true;  ///< Of its own partition; else the node is to be borrowed of another one.
  friend bool operator==(const Place&, const Place&) = default;
};

/// What classes hold of a cell, as its local master last said.
struct CellStanding {
  CellId cell;
  std::uint64_t epoch = 0;
  bool open = true;  ///< Its local master was heard of not long ago.
  Resources capacity;
  std::span<const ClassTotal> uses;
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
  explicit GlobalView(PeerId self, External external = External::turns)
      : self_(self),
        external_(external) {}

  /// Takes in what a local master told at `now`. Later news are those of a higher epoch, or of a
  /// higher version in that epoch.
  Heard learn(const CellView& view, Time now);
  /// The local master is gone, with all its partitions. Numbers of launches go on.
  void forget(CellId cell);
  /// Its local master may be dead: no match there until it is heard again.
  void suspect(CellId cell);
  /// How far it has followed the rows of that cell.
  KnownView known(CellId cell) const;
  /// When the local master of that cell was last heard of; Time::min() if never.
  Time heard(CellId cell) const;

  /// A node that satisfies the constraints and has room for the demand in every resource: of the
  /// internal partitions, which take turns; if none has one, of the external ones, which take turns
  /// as well (IV-B3 and 4), or are drawn by their room. Local masters that were not heard of since
  /// `since` are left out.
  std::optional<Place> match(const Resources& demand,
      std::span<const Constraint> constraints,
      Pick pick,
      Time since,
      Rng& rng);

  /// A task with that demand is launched there. Gives the launch its number, from 1 in each cell.
  std::uint64_t launch(const Place& place, const Resources& demand);
  /// The launch was answered, or is waited for no more. Call it after learn() of the answer's rows.
  void settle(CellId cell, std::uint64_t number);

  /// A member says of itself what it has now, with an answer to launches that went straight there.
  void hear_row(CellId cell, PeerId node, const MemberRow& row);
  /// What was launched straight to it was never answered: it counts as full until its row is news.
  void distrust(CellId cell, PeerId node);
  /// Where the member is, and which process it is; empty if that is not known.
  struct Member {
    Endpoint where;
    std::uint32_t born = 0;
  };
  std::optional<Member> member(CellId cell, PeerId node) const;

  /// The row of that node as it is believed, without what is launched; nullptr if it is unknown.
  const Row* find(CellId cell, PeerId node) const;
  /// True if a match may be there. `since`: as for match().
  bool is_matched(CellId cell, Time since) const;
  /// Visits each row of the cells where a match may be, less what is launched there, with its kind.
  void visit(Time since, const std::function<void(const Row&, const NodeKind&)>& visitor) const;
  /// Valid until the next call that changes the view. `since`: as for match().
  std::vector<CellStanding> standings(Time since) const;
  /// The cells that rows are known of.
  std::vector<CellId> cells() const;
  /// Members in internal partitions, and in all.
  std::size_t internal_size() const;
  std::size_t size() const;
  /// What all matches so far looked at.
  const Search& search() const { return search_; }

 private:
  struct Launch {
    PeerId node;
    Resources demand;
  };
  struct Told {
    Row row;
    PeerId owner;
    Address address{};
    std::uint64_t included = 0;
    bool confirmed = true;  ///< Told since the news last began from the first version.
  };
  struct LocalMaster {
    std::uint64_t epoch = 0;
    std::uint64_t version = 0;
    Time heard = Time::min();
    bool suspected = false;  ///< It left something unanswered, and was not heard since.
    bool begins = false;     ///< The news began anew, and their last part has not come.
    std::map<PeerId, Told> told;
    std::map<std::uint64_t, Launch> launches;                ///< By number ...
    std::set<std::pair<PeerId, std::uint64_t>> launched_at;  ///< ... and by node, with its number.
    std::uint64_t launch_last = 0;
    Resources capacity;
    std::vector<ClassTotal> uses;
  };
  /// The partition of a global master at a local master.
  struct Key {
    CellId cell;
    PeerId owner;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  static bool makes_sense(const LocalMaster& master, const CellView& view);
  void tell(CellId cell,
      LocalMaster& master,
      const ViewRow& row,
      std::span<const KindNumber> kinds,
      std::uint64_t included);
  void drop_unconfirmed(CellId cell, LocalMaster& master);
  void remove(CellId cell, LocalMaster& master, PeerId node);
  void take_out(const Key& key, PeerId node);
  /// Puts the row as it is told, less what is launched there, into its partition.
  void refresh(CellId cell, const LocalMaster& master, PeerId node);
  std::optional<Place> match_in(
      bool internal, const Wish& wish, Pick pick, Time since, Rng& rng, Key& turn);
  std::optional<Place> match_by_room(const Wish& wish, Pick pick, Time since, Rng& rng);

  PeerId self_;
  External external_;
  Expressions expressions_;
  std::map<CellId, LocalMaster> masters_;
  std::map<Key, Partition> partitions_;
  Key internal_turn_;  ///< The partition that was matched last; the next one goes first.
  Key external_turn_;
  Search search_;
};

}  // namespace dunlin::sched::federation
