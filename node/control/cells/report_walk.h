// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "node/message.h"
#include "sched/cell/cell_walk.h"

namespace dunlin::node {

/// The reports of the managers of all cells, by cell.
using CellReports = std::map<sched::CellId, CellReport>;

/// A walk over the tree of cells that collects the reports of all managers. A report that is too
/// long for one answer is asked for in pieces.
class ReportWalk {
 public:
  struct Ask {
    overlay::Endpoint to;
    CellQuestion question;
  };

  /// `question` says what to ask; its numbers are counted from `first`, which no other walk of this
  /// agent uses.
  ReportWalk(const CellQuestion& question, std::uint64_t first, overlay::Time until)
      : question_(question),
        walk_(first, until) {}

  /// As the functions of those names of sched::CellWalk.
  void begin(std::span<const sched::ManagerPlace> places, bool sure = false) {
    walk_.begin(places, sure);
  }
  /// The questions to be sent now. Ask again after each answer, and when it is due().
  std::vector<Ask> next(overlay::Time now);
  /// False if no request here asked for it.
  bool on_answer(overlay::PeerId from, const CellAnswer& answer);
  bool done() const { return walk_.done(); }
  overlay::Time due() const { return walk_.due(); }
  overlay::Endpoint where(overlay::PeerId node) const { return walk_.where(node); }
  std::map<sched::CellId, std::string> silent() const { return walk_.silent(); }
  std::uint64_t asked() const { return walk_.asked(); }

  /// What was told so far. Complete when it is done(), but for the cells that are silent().
  const CellReports& reports() const { return reports_; }

 private:
  /// The rest of a long report: of that cell, partners and members after these.
  struct Rest {
    sched::CellId cell;
    sched::CellId after;
    sched::MemberId members_after;
  };
  /// `rest`: it goes on where an earlier one was cut off.
  void keep(overlay::PeerId from, const CellReport& report, bool rest);
  void ask_for_rest(overlay::PeerId from, const CellReport& report);

  CellQuestion question_;
  sched::CellWalk walk_;
  std::map<overlay::PeerId, Rest> rests_;  ///< By the node that is to tell it.
  CellReports reports_;
};

}  // namespace dunlin::node
