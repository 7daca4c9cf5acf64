// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "node/control/cells/report_walk.h"

namespace dunlin::node {

/// Adds up the tickets of a cluster that runs on meanwhile, by repeated readings of all books.
///
/// Each cell's own sums hold at any moment. Transfers between two cells are compared by their
/// numbers: the sender as of one reading, the receiver as of the next one, which began when the
/// first was over. So the receiver may know more than the sender did, and never less. It must have
/// accepted everything that the sender had settled by then, the transfers under way that it says it
/// accepted, and those sent since. Only a transfer that the receiver has forgotten in between stays
/// open; the next pair of readings decides it.
/// Source: broken_between() of sched/ledger/audit.h, for readings that are no consistent cut.
class CellAuditor {
 public:
  struct Verdict {
    std::vector<std::string> off;        ///< Sums that do not hold.
    std::vector<std::string> undecided;  ///< Sums that could not be decided.

    bool conserved() const { return off.empty() && undecided.empty(); }
  };

  /// Adds the reports of all managers, each made after the reading before this one was over.
  void add(CellReports reading);

  std::size_t readings() const { return readings_; }
  const CellReports& latest() const { return latest_; }
  /// The verdict over all readings so far. A sum that held once is in order.
  Verdict verdict() const;
  /// The sums over all cells of nodes that were not written off.
  ReportedSums sums() const;

  /// A cell that an operator said is lost for good.
  struct WrittenOff {
    sched::CellId cell;
    sched::Tickets sent = 0;      ///< The sum that others had sent it, ...
    sched::Tickets received = 0;  ///< ... and what they had from it.
  };
  std::vector<WrittenOff> written_off() const;

 private:
  using Pair = std::pair<sched::CellId, sched::CellId>;  ///< From, to.

  void compare(const CellReport& sender, const CellReport& receiver);
  std::set<Pair> pairs() const;
  std::set<sched::CellId> lost() const;

  std::size_t readings_ = 0;
  CellReports before_;
  CellReports latest_;
  std::set<Pair> fine_;
  std::map<Pair, std::string> off_;
};

/// Why `receiver` does not have what `sender` sent it; an empty text if it does. Nothing at all if
/// that cannot be told from these two. Requires that the receiver spoke after the sender.
std::optional<std::string> broken_transfers(const CellReport& sender, const CellReport& receiver);

/// True if pools + granted + available + in flight = minted + created + received - sent.
bool balances(const ReportedSums& sums);

/// The sums of all cells of nodes. Those above them grant nothing of their own.
ReportedSums add_up(const CellReports& reports);

/// The knowledge of all other cells' books about one that may be lost.
struct CellTraces {
  bool manager = false;  ///< It answered: it is not lost.
  /// Cells to be told, with their managers: they sent it savings or got some, or miss it.
  std::map<sched::CellId, overlay::PeerId> open;
  /// Cells with books that have it as lost already.
  std::map<sched::CellId, overlay::PeerId> done;
  sched::Tickets under_way = 0;  ///< To it, from all of them.
};

/// Reads the traces of `lost` in what all managers said.
CellTraces traces_of(const CellReports& reports, sched::CellId lost);

}  // namespace dunlin::node
