// SPDX-License-Identifier: MIT
#include <algorithm>
#include <optional>

#include "node/agent_options.h"
#include "node/control/accounts/account_json.h"
#include "node/control/accounts/ask_all.h"
#include "node/control/bins/node_bins.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/nodes/node_json.h"
#include "node/control/nodes/status_figures.h"
#include "node/control/use/enforced.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "overlay/param_entries.h"
#include "sched/peer_view.h"

// Lists of nodes are as fresh as the nodes' own words. So a list asks all of them first, and waits
// a moment for those that are slow; but a round of questions begins only a while after the last
// one, however many clients want a list.
namespace dunlin::node {
namespace {

/// The state of this node, by its own worker.
/// Not by gossip, which is late.
std::string_view own_state(const sched::Worker* worker) {
  if (worker == nullptr || !worker->slots().closed()) return "up";
  return worker->slots().draining() ? "draining" : "sick";
}

Json nodes_json(AgentServices& agent) {
  Json nodes = Json::array();
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    if (is_forgotten(agent, id, node)) continue;
    nodes.push_back(node_json(agent, id, node));
  }
  return {{"self", to_string(agent.id())}, {"nodes", std::move(nodes)},
      {"not_joined", agent.status().not_joined}, {"address_notes", agent.status().address_notes}};
}

/// All nodes in a constant size. The directory is bounded, so a turn can look at all of it: what
/// takes long is to write texts, and there are none for each node.
Json bins_json(AgentServices& agent) {
  NodeBins bins;
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    if (!is_forgotten(agent, id, node)) bins.add(figures_of(agent, id, node));
  }
  Json json = bins.json();
  json["self"] = to_string(agent.id());
  return json;
}

/// The nodes that left without a good-bye, and that the directory has no more.
Json gone_json(AgentServices& agent) {
  Json all = Json::array();
  const auto& known = sched::directory_of(agent.peer()).nodes();
  for (const auto& [id, node] : agent.local().gone.all()) {
    if (node.forgotten || known.contains(id)) continue;
    all.push_back(gone_node_json(id, node));
  }
  return all;
}

Json status_json(AgentServices& agent) {
  const sched::Peer& peer = agent.peer();
  const sched::Worker* worker = peer.worker();
  const sched::NodeSpec& self = peer.self();
  Json counters = Json::object();
  const AgentStatus status = agent.status();
  for (const auto& [name, count] : status.counters) counters[name] = count;
  return {{"version", self.version}, {"node", to_string(agent.id())}, {"name", self.name},
      {"address", overlay::to_string(self.endpoint.address)}, {"incarnation", self.incarnation},
      {"cluster", status.cluster}, {"uptime_ns", status.uptime.count()},
      {"state", own_state(worker)},
      {"sick", worker == nullptr ? "" : worker->availability().health().reason()},
      {"drain", drain_terms_json(self.drain)}, {"total", to_json(self.total)},
      {"free", to_json(sched::free_of(peer))},
      {"slots", slots_json(sched::slot_counts(worker, self.total))},
      {"running", sched::running_of(peer)},
      {"queued", worker != nullptr ? worker->queue().size() : 0},
      {"jobs", sched::active_jobs_of(peer)}, {"limits", self.limits},
      {"enforced", enforced_json(self.limits)}, {"data_dir", agent.configuration().agent.data_dir},
      {"longest_wait_ns", sched::longest_wait_of(peer, agent.now()).count()},
      {"node_states", node_states_json(agent)}, {"cells", own_cells_json(agent)},
      {"output_bytes", status.output_bytes}, {"disk", disk_json(status.disk)},
      {"damage", status.damage}, {"not_joined", status.not_joined},
      {"store_error", agent.store_error().empty() ? Json(nullptr) : Json(agent.store_error())},
      {"counters", std::move(counters)}};
}

/// True if every node that should answer has told its facts since `asked`.
bool all_answered(const AgentServices& agent, overlay::Time asked) {
  return std::ranges::all_of(sched::directory_of(agent.peer()).nodes(), [&](const auto& entry) {
    const auto& [id, node] = entry;
    return id == agent.id() || node.departure || (node.facts && node.facts_at >= asked);
  });
}

/// Asks every node, waits a little for the answers, then says what is known.
class NodesPending final : public Pending {
 public:
  enum class Tells { nodes, gone_too, top, bins };
  NodesPending(AgentServices& agent, const Principal& viewer, Tells tells)
      : viewer_(viewer),
        tells_(tells) {
    ask(agent);
  }

  overlay::Time due() const override { return due_; }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!asked_) ask(agent);
    // The slowest node decides, but no longer than kNodesWait: one that is down must not make
    // `dunlin nodes` hang.
    const bool named = tells_ == Tells::bins || !agent.asks_names();
    const bool complete = asked_ && all_answered(agent, *asked_) && named;
    if (!asked_ || (agent.now() < due_ && !complete)) return true;
    if (tells_ == Tells::bins) {
      reply.end(bins_json(agent));
      return false;
    }
    if (tells_ != Tells::top) {
      Json nodes = nodes_json(agent);
      if (tells_ == Tells::gone_too) nodes["gone"] = gone_json(agent);
      reply.end(std::move(nodes));
      return false;
    }
    Json jobs = Json::array();
    for (const sched::JobState* job : sched::jobs_of(agent.peer())) {
      if (!job->finished()) jobs.push_back(summary_of(agent, *job, viewer_));
    }
    Json nodes = nodes_json(agent);
    reply.end({{"status", status_json(agent)}, {"nodes", std::move(nodes["nodes"])},
        {"address_notes", std::move(nodes["address_notes"])}, {"jobs", std::move(jobs)}});
    return false;
  }

 private:
  void ask(AgentServices& agent) {
    // Those that are down, or were never met, have names that others know.
    for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
      if (tells_ != Tells::bins) (void)agent.name_of(id);
    }
    asked_ = ask_all(agent);
    due_ = asked_ ? *asked_ + kNodesWait : agent.local().accounts.census().next();
  }

  std::optional<overlay::Time> asked_;  ///< Empty: others were asked a moment ago.
  overlay::Time due_{};
  Principal viewer_;
  Tells tells_;
};

}  // namespace

Result<Json> handle_status(AgentServices& agent, ControlSession& session, Args& args) {
  const bool users = args.flag("users");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  Json status = status_json(agent);
  if (!users) return status;
  const Accounts& accounts = agent.local().accounts;
  status["shares"] = shares_json();
  status["users"] = users_json(accounts, session.speaker());
  return status;
}

Result<Json> handle_params(AgentServices& agent, Args&) {
  Json params = Json::array();
  Configuration configuration = agent.configuration();  // Entries could set it: they get a copy.
  for (const auto& entry : all_entries(configuration)) {
    params.push_back(
        {{"key", entry.key()}, {"type", entry.type}, {"range", entry.range}, {"value", entry.get()},
            {"default", entry.fallback}, {"meaning", entry.meaning}, {"source", entry.source}});
  }
  return Json{{"params", std::move(params)}};
}

PendingResult handle_nodes(AgentServices& agent, ControlSession& session, Args& args) {
  using enum NodesPending::Tells;
  const bool all = args.flag("all");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<NodesPending>(agent, session.speaker(), all ? gone_too : nodes);
}

PendingResult handle_node_bins(AgentServices& agent, ControlSession& session, Args&) {
  return std::make_unique<NodesPending>(agent, session.speaker(), NodesPending::Tells::bins);
}

PendingResult handle_top(AgentServices& agent, ControlSession& session, Args&) {
  return std::make_unique<NodesPending>(agent, session.speaker(), NodesPending::Tells::top);
}

}  // namespace dunlin::node
