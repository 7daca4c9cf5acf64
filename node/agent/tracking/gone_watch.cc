// SPDX-License-Identifier: MIT
#include "node/agent/tracking/gone_watch.h"

#include <algorithm>

// A directory forgets what is silent for ten minutes, so that it does not fill with the past; yet a
// machine that died on Friday is looked for on Monday. Only those that left without a word are
// noted: one that says good-bye was taken away by somebody. It is back once it answered, for what
// gossip says of it may be older than its death.
namespace dunlin::node {
namespace {

bool answers(const sched::KnownNode& node, overlay::Time now) {
  const sched::NodeState state = node.state(now);
  return node.facts && state != sched::NodeState::down && state != sched::NodeState::suspect;
}

}  // namespace

GoneNode gone_of(const sched::KnownNode& node, const Clocks& clocks) {
  const auto silent = std::max(overlay::Duration{0}, clocks.now - node.heard_at());
  return {.name = node.facts ? node.facts->name : "",
      .address = node.descriptor.address,
      .heard_at = clocks.wall_ns - silent.count()};
}

void GoneWatch::look(const sched::Directory& directory, const Clocks& clocks, GoneNodes& gone) {
  if (clocks.now < next_) return;
  next_ = clocks.now + kPeriod;
  for (const auto& [id, node] : directory.nodes()) {
    const bool known = gone.all().contains(id);
    if (node.departure && !node.departure->farewell) {
      if (!known) gone.put(id, gone_of(node, clocks));
    } else if (known && (node.departure || answers(node, clocks.now))) {
      gone.drop(id);
    }
  }
}

}  // namespace dunlin::node
