// SPDX-License-Identifier: MIT
#include "node/net/held_batches.h"

#include <algorithm>
#include <utility>

#include "node/identity/secret.h"

// An introduction may be recorded and sent again, so no message goes with it. The first messages to
// a peer wait here for one round trip: we introduce ourselves with a challenge, and the greeting
// that answers it brings the peer's ephemeral key, and the id of a contact of which we knew the
// address alone. Nothing here has a timer, because an agent flushes every second at least.
namespace dunlin::node {

std::uint64_t draw_challenge() {
  std::uint64_t challenge = 0;
  while (challenge == 0) randombytes_buf(&challenge, sizeof challenge);
  return challenge;
}

bool HeldBatches::hold(Batch& batch, overlay::Time now) {
  if (batches_ == kBatchesMax) return false;
  auto place = std::ranges::find(held_, batch.to, &Held::to);
  if (place == held_.end()) {
    held_.push_back({.to = batch.to,
        .challenge = draw_challenge(),
        .since = now,
        .ask_at = now,
        .batches = {}});
    place = held_.end() - 1;
  }
  const std::size_t room = batch.buffer.size();
  place->batches.push_back(std::move(batch));
  batch = Batch{};
  batch.buffer.resize(room);
  ++batches_;
  return true;
}

void HeldBatches::ask(overlay::Time now, std::vector<Question>& out) {
  for (Held& each : held_) {
    if (each.ask_at > now) continue;
    each.ask_at = now + kAskAgain;
    out.push_back({each.to, each.challenge});
  }
}

std::vector<Batch> HeldBatches::release(overlay::PeerId from, std::uint64_t challenge) {
  std::vector<Batch> released;
  std::erase_if(held_, [&](Held& each) {
    const bool answered = challenge != 0 && each.challenge == challenge;
    // Another node at the address of a peer is not that peer.
    if (each.to.id ? each.to.id != from : !answered) return false;
    for (Batch& batch : each.batches) {
      batch.to.id = from;
      released.push_back(std::move(batch));
    }
    return true;
  });
  batches_ -= released.size();
  return released;
}

std::size_t HeldBatches::expire(overlay::Time now) {
  std::size_t lost = 0;
  while (!held_.empty() && held_.front().since + kHeldFor <= now) {
    for (const Batch& batch : held_.front().batches) lost += batch.messages;
    batches_ -= held_.front().batches.size();
    held_.pop_front();
  }
  return lost;
}

void HeldBatches::clear() {
  held_.clear();
  batches_ = 0;
}

}  // namespace dunlin::node
