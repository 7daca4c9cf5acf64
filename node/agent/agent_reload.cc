// SPDX-License-Identifier: MIT
#include "node/agent/agent.h"
#include "node/identity/read_capability.h"

// An operator changed what an agent reads anew while it runs: its keys, and its addresses.
namespace dunlin::node {

using overlay::Level;

void Agent::reload() {
  look_at_addresses();
  const auto keyring = [&] {
    const ReadCapability reads;
    return Keyring::load(parts_.configuration.agent.key_file);
  }();
  if (!keyring) {
    parts_.log.say(Level::error, "reload_failed", {{"error", keyring.error().text}});
    return;
  }
  if (keyring->cluster() != parts_.keyring->cluster()) {
    parts_.log.say(
        Level::error, "reload_failed", {{"error", "the key file names another cluster"}});
    return;
  }
  parts_.keyring = *keyring;
  parts_.transport->rotate(*keyring);
  parts_.log.say(Level::info, "keys_reloaded", {{"keys", std::to_string(keyring->keys().size())}});
}

}  // namespace dunlin::node
