// SPDX-License-Identifier: MIT
#include "sched/directory/known_node.h"

#include "sched/hop.h"
#include "sched/packing/rate_bits.h"
#include "sched/resources.h"

// A node is down when a neighbour of it found it dead, when it said good-bye, or when it left three
// questions in a row unanswered. The last is needed, because a node pings only its neighbours: a
// partner that fails a shuffle leaves the random view, and is then no neighbour to be pinged.
// Statements about the dead go on wandering through the views of others. So a statement counts as a
// sign of life only if its owner made it later than the node went down, or in a later incarnation;
// one that is merely heard later raises no node.
namespace dunlin::sched {

std::string_view to_string(NodeState state) {
  switch (state) {
    case NodeState::up:
      return "up";
    case NodeState::draining:
      return "draining";
    case NodeState::sick:
      return "sick";
    case NodeState::suspect:
      return "suspect";
    case NodeState::down:
      return "down";
  }
  return "";
}

NodeState KnownNode::state(Time now) const {
  if (departure) return NodeState::down;
  const bool asked_in_vain = unanswered && now - unanswered->since >= kAnswerWait;
  if (asked_in_vain && now - heard_at() > kSuspectAfter) return NodeState::suspect;
  if (facts && facts->draining) return NodeState::draining;
  return sick() ? NodeState::sick : NodeState::up;
}

std::optional<Time> KnownNode::state_since(Time now) const {
  switch (state(now)) {
    case NodeState::up:
      return std::nullopt;
    case NodeState::draining:
      return aside_since;
    case NodeState::sick:
      // Gossip may say so before it says it itself.
      return aside_since == Time{} ? born : aside_since;
    case NodeState::suspect:
      return heard_at();
    case NodeState::down:
      return departure->at;
  }
  return std::nullopt;
}

bool KnownNode::sick() const {
  const bool facts_are_later = facts && facts_at >= born;
  return facts_are_later ? !facts->sick.empty() : is_sick(descriptor);
}

bool KnownNode::hear(Time now, const overlay::Descriptor& statement) {
  if (!overlay::fresher(statement, descriptor)) return false;
  const bool reborn = statement.incarnation > descriptor.incarnation;
  if (reborn) facts.reset();
  descriptor = statement;
  born = now - statement.age;
  // A node that said good-bye is gone for this incarnation: its last words may still be on the way.
  if (reborn || (departure && !departure->farewell && born > departure->at)) departure.reset();
  if (reborn || (unanswered && born > unanswered->since)) unanswered.reset();
  return true;
}

void KnownNode::answer(Time now, const Facts& told) {
  if (told.incarnation < descriptor.incarnation) return;
  if (departure && departure->farewell && told.incarnation == descriptor.incarnation) return;
  const auto is_aside = [](const Facts& of) { return of.draining || !of.sick.empty(); };
  if (!is_aside(told)) {
    aside_since = {};
  } else if (!facts || !is_aside(*facts)) {
    aside_since = now;
  }
  facts = told;
  // A build before rates says nothing of them: it has none declared, and nothing free either.
  for (const Rate& rate : kRates) {
    if (told.total.*rate.amount == 0) facts->free.*rate.amount = kUnlimited;
  }
  facts_at = now;
  departure.reset();
  unanswered.reset();
  descriptor.cpu_free = told.free.cpu;
  descriptor.memory_free = told.free.memory;
  descriptor.rates_used = rates_used_bits(told.free, told.total);
  born = now;
}

Time KnownNode::stale_at() const {
  const bool may_mend = facts && (facts->draining || !facts->trouble.empty());
  return may_mend ? facts_at + kLookAgain : kNever;
}

void KnownNode::ask(Time now) {
  asked_at = now;
  if (departure) return;
  if (!unanswered) {
    unanswered = {.since = now, .counted = now};
  } else if (now - unanswered->counted >= kAskAgain) {
    // Listings may ask many times a second, and one short pause must not count as three.
    ++unanswered->count;
    unanswered->counted = now;
  }
}

void KnownNode::depart(Time now, bool farewell) {
  unanswered.reset();
  if (departure && departure->farewell) return;
  departure = {.at = now, .farewell = farewell};
}

bool KnownNode::gave_no_answer(Time now) const {
  return unanswered && unanswered->count >= kQuestionsMax &&
      now - unanswered->since >= kQuestionsMax * kAskAgain;
}

}  // namespace dunlin::sched
