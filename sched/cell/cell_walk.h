// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books_types.h"

namespace dunlin::sched {

/// Where a cell is said to be managed. Whatever acts on it asks there.
struct ManagerPlace {
  CellId cell;
  Endpoint where;  ///< No node: the cell exists, and no more is known of it.
  friend bool operator==(const ManagerPlace&, const ManagerPlace&) = default;
};

/// A cell by the word of its manager, as far as a walk goes on from it.
struct WalkedCell {
  CellId cell;
  std::uint64_t epoch = 0;
  CellId parent;                       ///< 0: none.
  std::vector<ManagerPlace> children;  ///< From level 1: the cells that are its members.
};

/// A walk over the tree of cells: from the cells known here to their managers, from these to the
/// cells above and below, until every cell has been heard of from its manager. Pure: it names the
/// nodes to ask, and gets their answers; what is asked besides is its driver's business. It asks
/// only managers, and nodes that are taken for one; few at a time, each a few times, and all until
/// a deadline.
///
/// A cell that books speak of (a child of a cell, a parent, the asker's own) must answer; a cell
/// that only gossip spoke of may be gone. While cells move, one that did not answer is sought
/// again.
class CellWalk {
 public:
  /// Questions under way at once.
  static constexpr std::size_t kInFlightMax = 32;
  /// Nodes that are asked in one walk, and cells that it goes to, at most.
  static constexpr std::size_t kNodesMax = 16'384;
  static constexpr std::size_t kCellsMax = 8'192;
  /// An answer is asked for so many times.
  static constexpr int kTries = 3;

  /// How long a walk waits.
  struct Pace {
    Duration patience = std::chrono::milliseconds(500);  ///< For an answer, until it asks again.
    /// Before those are sought again that did not answer.
    Duration pause = std::chrono::milliseconds(300);
  };

  struct Ask {
    Endpoint to;
    std::uint64_t request = 0;
  };

  /// The manager that a cell was heard of from.
  struct Manager {
    PeerId node;
    std::uint64_t epoch = 0;
  };

  /// Requests are numbered from `first`, which no other walk of this node uses.
  CellWalk(std::uint64_t first, Time until) : CellWalk(first, until, Pace{}) {}
  CellWalk(std::uint64_t first, Time until, const Pace& pace);

  /// Where to begin: cells that are known here. With `sure`, of the asker's own books.
  void begin(std::span<const ManagerPlace> places, bool sure = false);

  /// The questions to ask now. Call it after begin(), after each answer, and at due().
  std::vector<Ask> next(Time now);
  /// An answer of `from`: the cells that it manages, and places of others. False, and nothing is
  /// done, if it was not asked for.
  bool on_answer(PeerId from,
      std::uint64_t request,
      std::span<const WalkedCell> cells,
      std::span<const ManagerPlace> places);
  /// A node that answered has more to say: it is asked once more.
  void ask_again(PeerId node);

  /// True when there is nothing left to ask, or no time.
  bool done() const { return done_; }
  Time due() const { return due_; }

  /// The managers of all cells heard of from one, by cell: of each the one of the highest epoch.
  const std::map<CellId, Manager>& managers() const { return managers_; }
  /// Where a node that was asked is.
  Endpoint where(PeerId node) const;
  /// Cells that did not answer, with reasons in words. Empty if all did.
  std::map<CellId, std::string> silent() const;
  /// Questions sent.
  std::uint64_t asked() const { return last_ - first_; }

 private:
  enum class State : std::uint8_t { waiting, asked, over };
  struct Node {
    Endpoint where;
    State state = State::waiting;
    bool answered = false;    ///< Ever.
    bool unfinished = false;  ///< It has more to say.
    int tries = 0;
    Time again{};
    std::uint64_t request = 0;
  };
  struct Sought {
    bool sure = false;
    std::vector<PeerId> managers;  ///< Nodes that are said to manage it.
    std::vector<PeerId> tellers;   ///< Nodes that may know better by now.
  };

  Sought* seek(CellId cell, bool sure);
  void know(const ManagerPlace& place, bool sure, PeerId teller);
  void hear(PeerId from, const WalkedCell& cell);
  void time_out(Time now);
  bool seek_again(Time now);
  bool has_answered(const Sought& sought) const;
  bool is_silent(CellId cell, const Sought& sought) const;

  std::uint64_t first_;
  std::uint64_t last_;
  Time until_;
  Pace pace_;
  Time due_{};
  Time pause_ = kNever;
  bool done_ = false;
  std::map<PeerId, Node> nodes_;
  std::map<CellId, Sought> cells_;
  std::map<CellId, Manager> managers_;
};

}  // namespace dunlin::sched
