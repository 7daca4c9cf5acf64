// SPDX-License-Identifier: MIT
#include "sched/witness.h"

#include <algorithm>

// A frontend that does not hear a worker cannot know whether the worker, its own network or the
// path between them is at fault. Others have other paths. Three questions in three seconds outlast
// the loss of a datagram and a pause of the worker. A question goes to the address that the asker
// knows: the node that answers must have the id that was asked for, and the transport has verified
// which node sent the answer.
namespace dunlin::sched {

void Witness::inquire(Turn& turn, PeerId self, const Endpoint& from, const Inquiry& inquiry) {
  if (inquiry.node == self) {
    turn.out.send(from, Testimony{.request = inquiry.request, .node = inquiry.node});
    return;
  }
  const bool known = std::ranges::any_of(open_, [&](const Open& open) {
    return open.asker.id == from.id && open.request == inquiry.request;
  });
  if (known || open_.size() >= kInquiriesMax) return;
  Open& open = open_.emplace_back(Open{.asker = from,
      .request = inquiry.request,
      .node = {inquiry.node, inquiry.address},
      .question = turn.rng()});
  ask(turn, open);
}

void Witness::ask(Turn& turn, Open& open) {
  ++open.asked;
  open.due = turn.now + kAskAgain;
  turn.out.send(open.node, FactsRequest{open.question});
}

void Witness::on_facts(Turn& turn, const Endpoint& from, const Facts& facts) {
  std::erase_if(open_, [&](const Open& open) {
    if (open.node.id != from.id || open.question != facts.request) return false;
    turn.out.send(open.asker, Testimony{.request = open.request, .node = from.id});
    return true;
  });
}

void Witness::wake(Turn& turn) {
  std::erase_if(open_, [&](Open& open) {
    if (open.due > turn.now) return false;
    if (open.asked < kQuestionsMax) {
      ask(turn, open);
      return false;
    }
    turn.out.send(
        open.asker, Testimony{.request = open.request, .node = open.node.id, .silent = true});
    return true;
  });
}

Time Witness::deadline() const {
  Time earliest = kNever;
  for (const Open& open : open_) earliest = std::min(earliest, open.due);
  return earliest;
}

}  // namespace dunlin::sched
