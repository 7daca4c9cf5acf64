// SPDX-License-Identifier: MIT
#include "sched/listing/roll_calls.h"

#include <algorithm>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"

namespace dunlin::sched {

void RollCalls::begin(const ListingTurn& turn, const Endpoint& from, const ListJobs& asked) {
  if (turn.cells == nullptr) return;
  for (const auto& hosted : turn.cells->hosted()) {
    if (hosted->manager && hosted->level() == 0) begin(turn, from, asked, *hosted);
  }
}

void RollCalls::begin(const ListingTurn& turn,
    const Endpoint& from,
    const ListJobs& asked,
    const HostedReplica& hosted) {
  const auto known = std::ranges::find_if(rolls_, [&](const Roll& roll) {
    return roll.asker.id == from.id && roll.list == asked.list && roll.cell == hosted.cell();
  });
  if (known != rolls_.end()) {
    known->request = asked.request;
    if (known->told) tell(turn, *known);
    return;
  }
  if (!make_room()) return;
  Roll& roll = rolls_.emplace_back(Roll{.asker = from,
      .list = asked.list,
      .request = asked.request,
      .cell = hosted.cell(),
      .filter = asked.filter,
      .question = turn.turn.rng()});
  for (const auto& member : hosted.books().ledger().state().nodes) {
    const books::Contact* const contact = hosted.books().contact(member.node);
    const PeerId node = member.node.node();
    if (node == turn.self.id) {
      roll.heard.push_back(turn.here(roll.filter));
    } else if (contact != nullptr && roll.waiting.size() < NodesListed::kNodesMax - 1) {
      roll.waiting[node] = {contact->node, contact->address};
    }
  }
  roll.waiting.empty() ? tell(turn, roll) : ask(turn, roll);
}

/// True if there is room for one more: those go first that are only kept.
bool RollCalls::make_room() {
  if (rolls_.size() < kOpenMax) return true;
  const auto over = std::ranges::find_if(rolls_, &Roll::told);
  if (over == rolls_.end()) return false;
  rolls_.erase(over);
  return true;
}

void RollCalls::ask(const ListingTurn& turn, Roll& roll) {
  ++roll.asked;
  roll.due = turn.turn.now + kAskAgain;
  for (const auto& [node, where] : roll.waiting) {
    turn.turn.out.send(
        where, ListJobs{.request = roll.question, .filter = roll.filter, .list = roll.list});
  }
}

void RollCalls::tell(const ListingTurn& turn, Roll& roll) {
  roll.told = true;
  roll.due = turn.turn.now + kKeep;
  for (const auto& [node, where] : roll.waiting) {
    roll.heard.push_back({.node = node, .address = where.address, .silent = true});
  }
  roll.waiting.clear();
  turn.turn.out.send(
      roll.asker, NodesListed{.request = roll.request, .cell = roll.cell, .nodes = roll.heard});
}

bool RollCalls::on_answer(
    const ListingTurn& turn, const Endpoint& from, const NodesListed& answer) {
  const auto roll = std::ranges::find_if(rolls_, [&](const Roll& each) {
    return each.question == answer.request && each.waiting.contains(from.id);
  });
  if (roll == rolls_.end() || answer.nodes.size() != 1) return false;
  // A member speaks for itself alone, from where it is.
  NodeJobs& heard = roll->heard.emplace_back(answer.nodes.front());
  heard.node = from.id;
  heard.address = from.address;
  heard.silent = false;
  roll->waiting.erase(from.id);
  if (roll->waiting.empty()) tell(turn, *roll);
  return true;
}

void RollCalls::wake(const ListingTurn& turn) {
  std::erase_if(rolls_, [&](const Roll& roll) { return roll.told && roll.due <= turn.turn.now; });
  for (Roll& roll : rolls_) {
    if (roll.due > turn.turn.now) continue;
    roll.asked < kTries ? ask(turn, roll) : tell(turn, roll);
  }
}

Time RollCalls::deadline() const {
  Time earliest = kNever;
  for (const Roll& roll : rolls_) earliest = std::min(earliest, roll.due);
  return earliest;
}

}  // namespace dunlin::sched
