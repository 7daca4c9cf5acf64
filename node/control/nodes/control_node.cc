// SPDX-License-Identifier: MIT
#include <optional>
#include <string>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/job_name.h"
#include "node/control/nodes/node_json.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "node/wall_clock.h"
#include "sched/peer_view.h"

// The verb `node`: all that is known here of one node. Only that one is asked for news, so a
// cluster of thousands may be looked at node by node.
namespace dunlin::node {
namespace {

/// Those that left without a good-bye are known by their names, too, for as long as they are
/// listed.
std::vector<NamedNode> named_and_gone(AgentServices& agent) {
  std::vector<NamedNode> named = named_nodes(agent);
  const auto& known = sched::directory_of(agent.peer()).nodes();
  for (const auto& [id, node] : agent.local().gone.all()) {
    if (node.forgotten || known.contains(id)) continue;
    named.push_back({id, node.name.empty() ? to_string(id) : node.name, "gone"});
  }
  return named;
}

/// The wall clock's time at that moment of the loop's.
std::int64_t wall_time_of(const AgentServices& agent, overlay::Time at) {
  return wall_clock_ns() - (agent.now() - at).count();
}

Json known_json(const AgentServices& agent, overlay::PeerId id, const sched::KnownNode& node) {
  const bool told = node.facts.has_value();
  const auto since = node.state_since(agent.now());
  const bool here = id == agent.id();
  return {{"self", to_string(agent.id())}, {"node", node_json(agent, id, node)}, {"gone", nullptr},
      {"here", here}, {"incarnation", node.descriptor.incarnation},
      {"machine", told && node.facts->machine != 0 ? hex_text(node.facts->machine) : ""},
      {"keeps_copies", told && node.facts->replica != 0},
      {"farewell", node.departure && node.departure->farewell},
      {"since_at_ns", since ? Json(wall_time_of(agent, *since)) : Json(nullptr)}};
}

Json gone_json_of(const AgentServices& agent, overlay::PeerId id, const GoneNode& gone) {
  return {{"self", to_string(agent.id())}, {"node", nullptr}, {"gone", gone_node_json(id, gone)},
      {"here", false}, {"incarnation", 0}, {"machine", ""}, {"keeps_copies", false},
      {"farewell", false}, {"since_at_ns", gone.heard_at}};
}

/// Asks the node, waits a little for its answer, then says what is known.
class NodePending final : public Pending {
 public:
  NodePending(AgentServices& agent, overlay::PeerId node)
      : node_(node),
        asked_(agent.now()),
        due_(agent.now() + kNodesWait) {
    agent.ask_for_facts_of(node);
  }

  overlay::Time due() const override { return due_; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    const auto& nodes = sched::directory_of(agent.peer()).nodes();
    const auto found = nodes.find(node_);
    if (found == nodes.end()) {
      tell_gone(agent, reply);
      return false;
    }
    const sched::KnownNode& node = found->second;
    const bool told = node.facts && node.facts_at >= asked_;
    // One that has left is not waited for: it is as it was.
    if (!told && !node.departure && agent.now() < due_) return true;
    reply.end(known_json(agent, node_, node));
    return false;
  }

 private:
  void tell_gone(AgentServices& agent, const Reply& reply) const {
    const auto& gone = agent.local().gone.all();
    const auto found = gone.find(node_);
    if (found != gone.end()) return reply.end(gone_json_of(agent, node_, found->second));
    reply.fail({ErrorKind::not_found,
        "node " + to_string(node_) + " was forgotten meanwhile; `dunlin nodes` lists the others"});
  }

  overlay::PeerId node_;
  overlay::Time asked_;
  overlay::Time due_;
};

}  // namespace

PendingResult handle_node(AgentServices& agent, ControlSession&, Args& args) {
  const std::string word = args.text("node", 64);
  if (word.empty()) args.fail("node", "the name or the id of a node");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  const auto node = read_node_name(word, named_and_gone(agent));
  if (!node) return tl::unexpected(node.error());
  return std::make_unique<NodePending>(agent, *node);
}

}  // namespace dunlin::node
