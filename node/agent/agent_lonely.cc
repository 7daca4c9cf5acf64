// SPDX-License-Identifier: MIT
#include "node/agent/agent.h"
#include "node/agent/lonely.h"
#include "node/net/resolve.h"

// An agent that finds no contact says so, and what may be wrong.
namespace dunlin::node {

void Agent::look_lonely(bool lonely) {
  const overlay::Time now = parts_.now();
  if (!lonely) lonely_since_.reset();
  if (lonely && !lonely_since_) lonely_since_ = now;
  const overlay::Duration silence = lonely ? now - *lonely_since_ : overlay::Duration{0};
  // Clients show it with each list, so it goes as soon as it is not true.
  parts_.not_joined.clear();
  if (silence < kLonelyFirst) return;
  const auto& agent = parts_.configuration.agent;
  const auto bound = overlay::parse_address(agent.bind, kDefaultPort);
  parts_.not_joined = not_joined_text({.join = agent.join,
      .contacts = contacts_->addresses(),
      .bound = bound ? *bound : overlay::Address{},
      .silence = silence});
  if (now - lonely_told_ < kLonelyReminder) return;
  lonely_told_ = now;
  parts_.log.say(overlay::Level::warn, "waiting_for_contact",
      {{"join", agent.join}, {"why", parts_.not_joined}});
}

}  // namespace dunlin::node
