// SPDX-License-Identifier: MIT
#include "overlay/bootstrap.h"

#include <algorithm>

namespace dunlin::overlay {

Bootstrap::Bootstrap(const Endpoint& self, std::span<const Endpoint> contacts) {
  for (const Endpoint& contact : contacts) {
    if (contact.address != self.address && contact.id != self.id) contacts_.push_back(contact);
  }
}

Duration Bootstrap::ask(GossipTurn& turn, Self& self, Duration patience, Duration patience_max) {
  ensure(possible(), "nobody to ask");
  // Neighbours in the list are not all to ask the same contact first.
  if (asked_ == 0) next_ = static_cast<std::uint32_t>(turn.rng.index(contacts_.size()));
  const Endpoint& contact = contacts_[next_];
  next_ = (next_ + 1) % static_cast<std::uint32_t>(contacts_.size());
  request_ = turn.rng() | 1;
  target_ = contact.id;
  turn.out.send(contact, Join{.request = request_, .joiner = self.descriptor()});
  // One round over all contacts before it becomes more patient.
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
