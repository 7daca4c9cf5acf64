// SPDX-License-Identifier: MIT
#include "overlay/bootstrap.h"

#include <algorithm>
#include <utility>

// A peer asks its contacts one after the other until one of them welcomes it. It never gives up,
// because a cluster that is down today may be up tomorrow; each round over the list waits twice as
// long as the one before, so that a dead contact costs little.
// Only the last request counts: a welcome must carry its number and come from the contact that was
// asked, else a stranger could hand a newcomer neighbours of its choice.
namespace dunlin::overlay {

Bootstrap::Bootstrap(const Endpoint& self, std::span<const Endpoint> contacts) {
  for (const Endpoint& contact : contacts) {
    if (contact.address != self.address && contact.id != self.id) contacts_.push_back(contact);
  }
}

void Bootstrap::replace(Bootstrap&& other) {
  contacts_ = std::move(other.contacts_);
  next_ = 0;
  hurry();
}

Duration Bootstrap::ask(GossipTurn& turn, Self& self, Duration patience, Duration patience_max) {
  ensure(possible(), "no contact to ask");
  // Neighbours in the list would all ask the first contact at once, so each peer starts anywhere.
  if (asked_ == 0) next_ = static_cast<std::uint32_t>(turn.rng.index(contacts_.size()));
  const Endpoint& contact = contacts_[next_];
  next_ = (next_ + 1) % static_cast<std::uint32_t>(contacts_.size());
  request_ = turn.rng() | 1;
  target_ = contact.id;
  turn.out.send(contact, Join{.request = request_, .joiner = self.descriptor()});
  // A round over all contacts is done before the waits grow: any one of them may be up.
  const std::uint32_t round = asked_++ / static_cast<std::uint32_t>(contacts_.size());
  return std::min(patience_max, patience * (1 << std::min(round, 20u)));
}

bool Bootstrap::accept(const Endpoint& from, const Welcome& welcome) {
  if (request_ == 0 || welcome.request != request_) return false;
  if (target_ && target_ != from.id) return false;
  request_ = 0;
  return true;
}

}  // namespace dunlin::overlay
