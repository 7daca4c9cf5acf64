// SPDX-License-Identifier: MIT
#include "node/control/cells/cell_audit.h"

#include <algorithm>

#include "node/ids.h"

// A running cluster cannot be stopped for an audit, and readings of two cells are never of one
// moment. But numbers of transfers only grow, and a receiver read after a sender can only know
// more. So each reading is compared with the next one, pair by pair; a pair found in order once is
// not compared again.
namespace dunlin::node {
namespace {

using sched::CellId;
using sched::Tickets;

/// The word of a cell about another one; nothing was ever sent if it says nothing.
const ReportedPartner& partner_of(const CellReport& report, CellId cell) {
  static const ReportedPartner none{};
  const auto at = std::ranges::find(report.partners, cell, &ReportedPartner::cell);
  return at != report.partners.end() ? *at : none;
}

std::string number_text(Tickets tickets) {
  return std::to_string(tickets);
}

/// The first transfer to the receiver that the sender was not done with.
std::uint64_t first_open(const ReportedPartner& to) {
  return to.outgoing.empty() ? to.number_last + 1 : to.outgoing.front().number;
}

}  // namespace

/// Compares one direction. Empty optional: the two readings are too far apart to tell. Empty text:
/// in order.
std::optional<std::string> broken_transfers(const CellReport& sender, const CellReport& receiver) {
  const ReportedPartner& to = partner_of(sender, receiver.cell);
  const ReportedPartner& from = partner_of(receiver, sender.cell);
  // A transfer that the receiver has forgotten since may have been accepted or refused.
  if (from.settled_below > first_open(to)) return std::nullopt;
  Tickets expected = to.sent;
  for (const ReportedTransfer& came : from.incoming) {
    if (!came.accepted) continue;
    const auto under_way = std::ranges::find(to.outgoing, came.number, &ReportedTransfer::number);
    const bool known = under_way != to.outgoing.end();
    if (known && under_way->tickets != came.tickets) {
      return "cell " + to_string(receiver.cell) + " accepted " + number_text(came.tickets) +
          " tickets as transfer " + std::to_string(came.number) + " from cell " +
          to_string(sender.cell) + ", which sent " + number_text(under_way->tickets);
    }
    // Accepted but not settled at the sender when it was read, or begun after that.
    if (known || came.number > to.number_last) expected += came.tickets;
  }
  if (from.received == expected) return std::string();
  return "cell " + to_string(receiver.cell) + " has accepted " + number_text(from.received) +
      " tickets from cell " + to_string(sender.cell) + ", which sent it " + number_text(expected);
}

// All tickets of a cell came to it in three ways, and are in four places.
bool balances(const ReportedSums& sums) {
  return sums.pools + sums.granted + sums.available + sums.in_flight ==
      sums.minted + sums.created + sums.received - sums.sent;
}

// Cells of nodes alone: the levels above count the same tickets again.
ReportedSums add_up(const CellReports& reports) {
  ReportedSums all;
  for (const auto& [cell, report] : reports) {
    if (sched::level_of(cell) != 0) continue;
    all.minted += report.sums.minted;
    all.created += report.sums.created;
    all.pools += report.sums.pools;
    all.granted += report.sums.granted;
    all.available += report.sums.available;
    all.in_flight += report.sums.in_flight;
    all.sent += report.sums.sent;
    all.received += report.sums.received;
  }
  return all;
}

// The sender is of the reading before, the receiver of this one: see above.
void CellAuditor::add(CellReports reading) {
  before_ = std::move(latest_);
  latest_ = std::move(reading);
  ++readings_;
  if (readings_ == 1) return;
  for (const auto& [from, to] : pairs()) {
    const auto sender = before_.find(from);
    const auto receiver = latest_.find(to);
    if (sender == before_.end() || receiver == latest_.end()) continue;
    // A manager that had been replaced, and did not know it yet, is not believed.
    const auto earlier = before_.find(to);
    const bool old = earlier != before_.end() && earlier->second.epoch > receiver->second.epoch;
    // A list that was cut off lacks transfers, and would look like a theft.
    if (!old && !sender->second.more && !receiver->second.more) {
      compare(sender->second, receiver->second);
    }
  }
}

void CellAuditor::compare(const CellReport& sender, const CellReport& receiver) {
  const Pair pair{sender.cell, receiver.cell};
  if (fine_.contains(pair)) return;
  // The last comparison counts: a pair that was off may have been in the midst of a transfer.
  off_.erase(pair);
  const auto broken = broken_transfers(sender, receiver);
  if (!broken) return;
  if (broken->empty()) {
    fine_.insert(pair);
  } else {
    off_[pair] = *broken;
  }
}

// Cells that an administrator has given up count as gone, with all that their partners knew of
// them.
std::vector<CellAuditor::WrittenOff> CellAuditor::written_off() const {
  std::map<CellId, WrittenOff> lost;
  for (const auto& [cell, report] : latest_) {
    for (const ReportedPartner& partner : report.partners) {
      if (!partner.lost) continue;
      WrittenOff& each = lost[partner.cell];
      each.cell = partner.cell;
      each.sent += partner.sent;
      each.received += partner.received;
    }
  }
  std::vector<WrittenOff> all;
  all.reserve(lost.size());
  for (const auto& [cell, each] : lost) all.push_back(each);
  return all;
}

ReportedSums CellAuditor::sums() const {
  CellReports counted = latest_;
  for (const WrittenOff& lost : written_off()) counted.erase(lost.cell);
  return add_up(counted);
}

std::set<CellId> CellAuditor::lost() const {
  std::set<CellId> cells;
  for (const WrittenOff& lost : written_off()) cells.insert(lost.cell);
  return cells;
}

// Both directions of each pair of cells that has ever sent the other anything.
std::set<CellAuditor::Pair> CellAuditor::pairs() const {
  std::set<Pair> pairs;
  const std::set<CellId> lost = this->lost();
  for (const auto& [cell, report] : latest_) {
    if (lost.contains(cell)) continue;
    for (const ReportedPartner& partner : report.partners) {
      if (!latest_.contains(partner.cell) || lost.contains(partner.cell)) continue;
      pairs.emplace(cell, partner.cell);
      pairs.emplace(partner.cell, cell);
    }
  }
  return pairs;
}

// "Off" is what no later reading can mend; what is only not known yet is undecided, and the audit
// goes on.
CellAuditor::Verdict CellAuditor::verdict() const {
  Verdict verdict;
  const std::set<CellId> lost = this->lost();
  const auto counts = [&](CellId cell) { return latest_.contains(cell) && !lost.contains(cell); };
  std::map<CellId, ReportedMissing> missing;
  for (const auto& [cell, report] : latest_) {
    if (!counts(cell)) continue;
    for (const ReportedMissing& each : report.missing) {
      if (!latest_.contains(each.cell) && !lost.contains(each.cell)) missing[each.cell] = each;
    }
    if (!report.sums.broken.empty()) {
      verdict.off.push_back("cell " + to_string(cell) + ": " + report.sums.broken);
    } else if (!balances(report.sums)) {
      verdict.off.push_back("the books of cell " + to_string(cell) + " do not add up");
    }
    if (report.more) {
      verdict.undecided.push_back(
          "cell " + to_string(cell) + " did not tell all that it sent and got");
    }
    for (const ReportedPartner& partner : report.partners) {
      if (partner.lost || partner.outgoing.empty() || counts(partner.cell)) continue;
      Tickets sum = 0;
      for (const auto& each : partner.outgoing) sum += each.tickets;
      verdict.undecided.push_back(number_text(sum) + " tickets are under way from cell " +
          to_string(cell) + " to cell " + to_string(partner.cell) + ", which was not found");
    }
  }
  for (const auto& [cell, each] : missing) {
    verdict.undecided.push_back("cell " + to_string(cell) + " has not been heard of for " +
        std::to_string(each.age / std::chrono::seconds(1)) + " s; it had " +
        number_text(each.tickets) + " tickets of capacity and " + number_text(each.saved) +
        " of savings. Start its voters again, or, if their disks are lost, `dunlin cells "
        "write-off " +
        to_string(cell) + "`");
  }
  for (const Pair& pair : pairs()) {
    if (fine_.contains(pair)) continue;
    const auto off = off_.find(pair);
    if (off != off_.end()) {
      verdict.off.push_back(off->second);
    } else {
      verdict.undecided.push_back("what cell " + to_string(pair.first) + " sent to cell " +
          to_string(pair.second) + " changed while it was counted");
    }
  }
  return verdict;
}

// Which cells still know the lost one: a write-off is done when each of them has heard of it.
CellTraces traces_of(const CellReports& reports, sched::CellId lost) {
  CellTraces traces{.manager = reports.contains(lost)};
  for (const auto& [cell, report] : reports) {
    if (cell == lost || report.closed) continue;
    const auto partner = std::ranges::find(report.partners, lost, &ReportedPartner::cell);
    const bool known = partner != report.partners.end();
    if (known && partner->lost) {
      traces.done[cell] = report.manager;
      continue;
    }
    const bool missing = std::ranges::count(report.missing, lost, &ReportedMissing::cell) > 0;
    const bool member = sched::level_of(cell) > 0 &&
        std::ranges::count(report.members, lost, &ReportedMember::member) > 0;
    if (!known && !missing && !member) continue;
    traces.open[cell] = report.manager;
    if (!known) continue;
    for (const auto& each : partner->outgoing) traces.under_way += each.tickets;
  }
  return traces;
}

}  // namespace dunlin::node
