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
  unsent_ = unsent;
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
    default:
      return false;
  }
}

}  // namespace dunlin::node
