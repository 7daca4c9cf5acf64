// SPDX-License-Identifier: MIT
#include "node/agent/agent.h"
#include "node/identity/read_capability.h"

// An operator changed what an agent reads anew while it runs: its keys, and its addresses.
namespace dunlin::node {

using overlay::Level;

void Agent::reload() {
  // First: it must be done also where the keys cannot be read.
  look_at_addresses();
  const auto keyring = [&] {
    // In effect for no longer than the key is read.
    const ReadCapability reads;
    return Keyring::load(parts_.configuration.agent.key_file);
  }();
  if (!keyring) {
    parts_.log.say(Level::error, "reload_failed", {{"error", keyring.error().text}});
    return;
  }
  // Its jobs, its books and its neighbours are those of the old cluster.
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
