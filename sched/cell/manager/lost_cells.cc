// SPDX-License-Identifier: MIT
#include "sched/cell/manager/lost_cells.h"

#include <algorithm>

#include "sched/raft/raft_check.h"
#include "sched/sharing/apportion.h"

// Nothing in the cluster can tell a cell that is gone for good from one that is cut off, so an
// operator decides. To write a cell off undoes the transfers that are under way to it, and may
// issue once more what it had in net from here. If it comes back after all, its savings exist
// twice: so every cell that wrote it off tells it to end, with all that is in its books.
namespace dunlin::sched {
namespace {

/// Until the voters have settled something of what waits for them.
constexpr Duration kVotersRest = std::chrono::seconds(1);

std::string seconds_text(Duration duration) {
  return std::to_string(duration / std::chrono::seconds(1)) + " s";
}

/// The net receipts of `lost` from these books, apportioned to classes by their shares: which class
/// they were for stood in its own books alone.
std::vector<books::Share> net_savings(const CellBooks& books, CellId lost) {
  std::vector<books::Share> issue;
  const auto& partners = books.ledger().state().partners;
  const auto partner = std::ranges::find(partners, lost, &books::Partner::cell);
  if (partner == partners.end()) return issue;
  const auto& classes = books.roster().classes.classes;
  std::vector<Tickets> weights;
  for (const auto& each : classes) weights.push_back(each.share);
  const auto parts = apportion(std::max<Tickets>(0, partner->sent - partner->received), weights);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const Tickets part = std::min(parts[j], kTicketsMax);
    if (part > 0) issue.push_back({.class_id = classes[j].class_id, .tickets = part});
  }
  return issue;
}

}  // namespace

// A missing cell leaves the list as soon as it is heard of again. The list is copied, for the
// proposals of a sole voter change it at once.
void LostCells::on_period(const LeaderTurn& turn) {
  const auto all_missing = turn.books.roster().missing;
  for (const auto& missing : all_missing) {
    // It is missed a lease after its last report. Younger word of it is word of its return.
    const auto age = turn.hints.age(turn.now, missing.cell);
    if (age && *age < params_->cell.lease / 2) {
      turn.propose_change(books::Found{.cell = missing.cell});
    }
  }
  for (const auto& partner : turn.books.ledger().state().partners) {
    const cell::Hint* hint = partner.lost ? turn.hints.find(partner.cell) : nullptr;
    if (hint == nullptr) continue;
    turn.out.send(
        endpoint_of(hint->manager), cell::WrittenOff{.cell = partner.cell, .by = turn.cell()});
  }
}

Handling LostCells::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  if (const auto* word = std::get_if<cell::WrittenOff>(&message)) {
    return on_written_off(turn, from, *word);
  }
  const auto* report = std::get_if<cell::MemberReport>(&message);
  const bool lost =
      report != nullptr && turn.level() > 0 && turn.books.is_lost(report->member.cell());
  if (!lost) return Handling::passed;
  turn.out.send(from, cell::WrittenOff{.cell = report->member.cell(), .by = turn.cell()});
  return Handling::handled;
}

// Only a cell that this one had to do with can have written it off.
Handling LostCells::on_written_off(
    const LeaderTurn& turn, const Endpoint& from, const cell::WrittenOff& word) {
  const auto& partners = turn.books.ledger().state().partners;
  const bool related = turn.books.roster().parent == word.by ||
      std::ranges::count(partners, word.by, &books::Partner::cell) > 0;
  if (!related || !turn.speaks_for(word.by, from.id)) return Handling::refused;
  if (turn.books.roster().closed) return Handling::handled;
  const auto id = turn.propose_change(books::Annul{.by = word.by});
  if (id) writing_off_[*id] = turn.cell();
  return Handling::handled;
}

void LostCells::on_outcome(const LeaderTurn& turn, const Resolution& outcome) {
  const auto lost = writing_off_.extract(outcome.id);
  if (lost.empty() || !outcome.committed) return;
  const bool applied = CellBooks::outcome_of(outcome.result) == books::Outcome::applied;
  if (applied) turn.events.on(CellWrittenOff{lost.mapped()});
}

Result<void> LostCells::may_be_lost(const LeaderTurn& turn, CellId lost) const {
  const std::string name = "cell " + hex_text(lost.value);
  if (!lost || lost == turn.cell()) {
    return failure(ErrorKind::usage, name + " cannot be written off in its own books");
  }
  const Duration lease = params_->cell.lease;
  const auto age = turn.hints.age(turn.now, lost);
  if (age && *age < lease) {
    return failure(ErrorKind::conflict,
        "the manager of " + name + " was heard of " + seconds_text(*age) +
            " ago; a cell may be lost when nobody has heard of it for " + seconds_text(lease));
  }
  if (turn.level() > 0 && turn.books.ledger().node(lost) != nullptr) {
    return failure(ErrorKind::conflict,
        name + " is a member of cell " + hex_text(turn.cell().value) +
            " yet; it will be none when nobody has heard of it for " + seconds_text(lease));
  }
  return {};
}

Result<void> LostCells::write_off(const LeaderTurn& turn, CellId lost, bool reissue) {
  if (auto may = may_be_lost(turn, lost); !may) return may;
  if (turn.books.is_lost(lost)) return {};
  const auto id = turn.propose(books::WriteOff{.cell = lost,
      .issue = reissue ? net_savings(turn.books, lost) : std::vector<books::Share>{},
      .expires = turn.stamp() + params_->bank.expiry});
  if (!id) return too_busy("too much waits for the voters; try again later", kVotersRest.count());
  writing_off_[*id] = lost;
  return {};
}

}  // namespace dunlin::sched
