// SPDX-License-Identifier: MIT
#include <algorithm>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/ids.h"
#include "node/net/control_connection.h"
#include "sched/peer.h"

// The newest version that both speak. Which side is too old is said in the refusal, since its user
// can only update one of them.
namespace dunlin::node {
namespace {

/// "1", or "1 to 3".
std::string versions_text(std::int64_t oldest, std::int64_t newest) {
  const std::string first = std::to_string(oldest);
  return oldest == newest ? first : first + " to " + std::to_string(newest);
}

}  // namespace

Result<Json> handle_hello(AgentServices& agent, ControlSession& session, Args& args) {
  const std::int64_t newest = args.number("newest", 1, INT32_MAX);
  const std::int64_t oldest = args.number("oldest", 1, newest, 1);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  const std::int64_t agreed = std::min<std::int64_t>(newest, kProtocolNewest);
  if (agreed < oldest || agreed < kProtocolOldest) {
    return failure(ErrorKind::refused,
        "the client speaks version " + versions_text(oldest, newest) +
            " of the control protocol, and node " + agent.peer().self().name + " (Dunlin " +
            DUNLIN_VERSION + ") version " + versions_text(kProtocolOldest, kProtocolNewest) +
            ": update the " + (newest < kProtocolOldest ? "client" : "agent"));
  }
  session.agree_on(static_cast<std::uint32_t>(agreed));
  return Json{{"protocol", agreed}, {"version", DUNLIN_VERSION}, {"node", to_string(agent.id())},
      {"name", agent.peer().self().name}, {"requests_max", kControlStreamsMax},
      {"subscribed_max", kSubscribedMax}, {"message_bytes_max", ControlConnection::kMessageMax}};
}

// What the agent believes, and not what the client says: a page hides by it what would be refused.
Result<Json> handle_whoami(AgentServices&, ControlSession& session, Args&) {
  const Principal& who = session.speaker();
  Json json = {{"user", who.user}, {"administrator", who.administrator}};
  if (!who.delegate.empty()) json["delegate"] = who.delegate;
  return json;
}

}  // namespace dunlin::node
