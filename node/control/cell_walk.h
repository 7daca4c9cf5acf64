// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "node/message.h"
#include "overlay/address.h"
#include "overlay/time.h"
#include "sched/ledger/books_types.h"

namespace dunlin::node {

/// The reports of the managers of all cells, by cell.
using CellReports = std::map<sched::CellId, CellReport>;

/// A walk over the tree of cells: from the cells known here to their managers, from these to the
/// cells above and below, until every cell has been heard of from its manager. Pure: it names the
/// nodes to ask, and gets their answers. It asks only managers, and nodes that are taken for one;
/// few at a time, each a few times, and all until a deadline.
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
  /// An answer is waited for so long, and asked for so many times.
  static constexpr overlay::Duration kPatience = std::chrono::milliseconds(500);
  static constexpr int kTries = 3;
  /// Pause before those are sought again that did not answer.
  static constexpr overlay::Duration kPause = std::chrono::milliseconds(300);

  struct Ask {
    overlay::Endpoint to;
    CellQuestion question;
  };

  /// `question` says what to ask; its numbers are counted from `first`, which no other walk of this
  /// agent uses.
  CellWalk(const CellQuestion& question, std::uint64_t first, overlay::Time until);

  /// Where to begin: cells that somebody here spoke of. With `sure`, of the asker's own books.
  void begin(std::span<const CellPlace> places, bool sure = false);

  /// The questions to ask now. Call it after begin(), after each answer, and at due().
  std::vector<Ask> next(overlay::Time now);
  /// False if nobody asked for it.
  bool on_answer(overlay::PeerId from, const CellAnswer& answer);

  /// True when there is nothing left to ask, or no time.
  bool done() const { return done_; }
  overlay::Time due() const { return due_; }

  const CellReports& reports() const { return reports_; }
  /// Where a node that was asked is.
  overlay::Endpoint where(overlay::PeerId node) const {
    const auto at = nodes_.find(node);
    return at == nodes_.end() ? overlay::Endpoint{.id = node} : at->second.where;
  }
  /// Cells that did not answer, with reasons in words. Empty if all did.
  std::map<sched::CellId, std::string> silent() const;
  /// Questions sent.
  std::uint64_t asked() const { return last_ - first_; }

 private:
  enum class State : std::uint8_t { waiting, asked, over };
  struct Node {
    overlay::Endpoint where;
    State state = State::waiting;
    bool answered = false;  ///< Ever.
    int tries = 0;
    overlay::Time again{};
    std::uint64_t request = 0;
    sched::CellId cell;   ///< If not 0: the rest of its long report, ...
    sched::CellId after;  ///< ... partners and members after these.
    sched::MemberId members_after;
  };
  struct Sought {
    bool sure = false;
    std::vector<overlay::PeerId> managers;  ///< Nodes that are said to manage it.
    std::vector<overlay::PeerId> tellers;   ///< Nodes that may know better by now.
  };

  Sought* seek(sched::CellId cell, bool sure);
  void know(sched::CellId cell,
      overlay::PeerId node,
      const overlay::Address& address,
      bool sure,
      overlay::PeerId teller);
  void heard(Node& from, const CellReport& report, bool rest);
  void keep(Node& from, const CellReport& report, bool rest);
  void ask_for_rest(Node& node, const CellReport& report);
  void time_out(overlay::Time now);
  bool seek_again(overlay::Time now);
  bool has_answered(const Sought& sought) const;
  bool is_silent(sched::CellId cell, const Sought& sought) const;

  CellQuestion question_;
  std::uint64_t first_;
  std::uint64_t last_;
  overlay::Time until_;
  overlay::Time due_{};
  overlay::Time pause_ = overlay::kNever;
  bool done_ = false;
  std::map<overlay::PeerId, Node> nodes_;
  std::map<sched::CellId, Sought> cells_;
  CellReports reports_;
};

}  // namespace dunlin::node
