// SPDX-License-Identifier: MIT
#include <map>
#include <string>
#include <utility>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/job_name.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "node/wall_clock.h"
#include "sched/peer_view.h"

// An administrator says that a node which left without a good-bye does not come back. That is kept,
// for its last words may go round among others for a while; if the node is heard all the same it is
// as any other.
namespace dunlin::node {
namespace {

/// Answers when it is on disk.
class ForgetPending final : public Pending {
 public:
  ForgetPending(Json answer, const RecordMark& mark) : answer_(std::move(answer)), mark_(mark) {}
  bool advance(AgentServices& agent, const Reply& reply) override {
    if (agent.durable(mark_)) {
      reply.end(std::move(answer_));
      return false;
    }
    if (agent.store_error().empty()) return true;
    reply.fail(
        {ErrorKind::io, "forgotten, but this could not be stored yet: " + agent.store_error()});
    return false;
  }

 private:
  Json answer_;
  RecordMark mark_;
};

/// Those that are gone and can be forgotten, by id: in the book, or down by the directory.
std::map<overlay::PeerId, GoneNode> gone_nodes(AgentServices& agent) {
  std::map<overlay::PeerId, GoneNode> gone = agent.local().gone.all();
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    if (!node.departure || gone.contains(id)) continue;
    const auto silent = agent.now() - node.heard_at();
    gone[id] = {.name = node.facts ? node.facts->name : "",
        .address = node.descriptor.address,
        .heard_at = wall_clock_ns() - silent.count()};
  }
  std::erase_if(gone, [](const auto& entry) { return entry.second.forgotten; });
  return gone;
}

}  // namespace

PendingResult handle_node_forget(AgentServices& agent, ControlSession& session, Args& args) {
  const std::string wanted = args.text("node", 64);
  if (wanted.empty()) args.fail("node", "its name or id");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  auto gone = gone_nodes(agent);
  std::erase_if(gone, [&](const auto& entry) {
    return to_string(entry.first) != wanted && entry.second.name != wanted;
  });
  if (gone.size() > 1) {
    return failure(ErrorKind::usage,
        std::to_string(gone.size()) + " nodes that are gone are called '" + wanted +
            "'; name it by its id: `dunlin nodes --all` has it");
  }
  if (gone.empty()) {
    const auto known = read_node_name(wanted, named_nodes(agent));
    if (!known) {
      return failure(ErrorKind::not_found,
          "no node '" + wanted + "' is gone; `dunlin nodes --all` lists those that are");
    }
    return failure(ErrorKind::conflict,
        wanted + " is " + node_state_text(agent, *known) +
            ": only a node that is down can be forgotten");
  }
  auto& [id, node] = *gone.begin();
  node.forgotten = true;
  agent.local().gone.put(id, node);
  note_action(agent, session.speaker(), {.verb = "node_forget", .object = wanted});
  const Json answer = {{"node", to_string(id)}, {"name", node.name}};
  return std::make_unique<ForgetPending>(answer, agent.record_mark());
}

}  // namespace dunlin::node
