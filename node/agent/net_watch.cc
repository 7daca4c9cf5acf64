// SPDX-License-Identifier: MIT
#include "node/agent/net_watch.h"

#include <string>

#include "node/ids.h"
#include "overlay/param_entries.h"

// Counters show that something is lost, and few people look at them. A line in the log says what to
// do about it.
namespace dunlin::node {

bool NetWatch::due(std::optional<overlay::Time>& told, overlay::Time now) {
  if (told && now - *told < kReminder) return false;
  told = now;
  return true;
}

void NetWatch::look(overlay::Time now, const TransportCounters& counters) {
  const std::uint64_t unsent = counters.messages_unsent;
  if (unsent == unsent_ || !due(unsent_told_, now)) return;
  log_.say(overlay::Level::warn, "messages_unsent",
      {{"count", std::to_string(unsent - unsent_)},
          {"cure",
              "if nodes that run are meant: raise transport.connections_max or "
              "transport.send_buffer"}});
  // Only when it is told: the next line counts all since this one.
  unsent_ = unsent;
}

// The port of a sender may change with each datagram: a stranger is a machine.
void NetWatch::on_unopened(overlay::Time now, const PeerNotice& notice) {
  overlay::Address machine = notice.from.address;
  machine.port = 0;
  if (!strangers_.contains(machine) && strangers_.size() >= kStrangersMax) {
    // Addresses of senders can be forged, so the table is bounded; those told of long ago go first.
    std::erase_if(strangers_, [&](const auto& each) {
      return !each.second.told || now - *each.second.told >= kReminder;
    });
    if (strangers_.size() >= kStrangersMax) return;
  }
  Stranger& stranger = strangers_[machine];
  ++stranger.count;
  if (!due(stranger.told, now)) return;
  const bool cluster = notice.reason == DropReason::wrong_cluster;
  log_.say(overlay::Level::warn, "datagrams_unopened",
      {{"count", std::to_string(stranger.count)},
          {"address", overlay::to_string(notice.from.address)},
          {"why", cluster ? "they are of another cluster" : "they are sealed with another key"},
          {"cure",
              cluster
                  ? "if that agent belongs here: give it this cluster's key file"
                  : "if that agent belongs here: give both the same key file (dunlin keygen)"}});
  stranger.count = 0;
}

bool NetWatch::on_notice(overlay::Time now, const PeerNotice& notice) {
  const auto at = [&notice] { return overlay::to_string(notice.from.address); };
  switch (notice.kind) {
    case PeerNotice::Kind::clock:
      if (!due(clock_told_, now)) return true;
      log_.say(overlay::Level::warn, "clock_differs",
          {{"node", to_string(notice.from.id)}, {"address", at()},
              {"ahead_s", std::to_string(notice.clock_ahead)},
              {"cure", "set the clock of that machine, or of this one, and let NTP keep it"}});
      return true;
    case PeerNotice::Kind::version:
      if (!due(version_told_, now)) return true;
      log_.say(overlay::Level::error, "other_version",
          {{"address", at()},
              {"cure",
                  "an agent there is older or newer, and hears nothing of this one: upgrade all "
                  "agents of the cluster together"}});
      return true;
    case PeerNotice::Kind::unopened:
      on_unopened(now, notice);
      return true;
    default:
      return false;
  }
}

}  // namespace dunlin::node
