// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/ids.h"
#include "node/wall_clock.h"
#include "sched/peer_view.h"

// An administrator drains a node, or ends that. The node stores it before it answers.
namespace dunlin::node {
namespace {

constexpr overlay::Duration kDrainWait = std::chrono::seconds(2);

Json drain_json(const AgentServices& agent, overlay::PeerId node, bool on, std::uint32_t running) {
  return {{"node", to_string(node)}, {"name", agent.name_of(node)}, {"draining", on},
      {"running", running}};
}

/// Waits for another node to say that it drains; asks again if it does not.
class DrainPending final : public Pending {
 public:
  DrainPending(
      AgentServices& agent, overlay::Endpoint node, const std::optional<sched::DrainTerms>& terms)
      : node_(node),
        terms_(terms),
        until_(agent.now() + kDrainWait) {}

  overlay::Time due() const override { return std::min(again_, until_); }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (answer_) {
      reply.end(drain_json(agent, node_.id, terms_.has_value(), answer_->running));
      return false;
    }
    if (agent.now() >= until_) {
      reply.fail({ErrorKind::timeout, agent.name_of(node_.id) + " does not answer"});
      return false;
    }
    if (agent.now() >= again_) {
      // Asked again, as datagrams get lost; to drain twice is to drain once. The number says only
      // that an answer is wanted: nodes tell the answers apart.
      again_ = agent.now() + kDrainWait / 4;
      sched::DrainRequest request{.request = 1, .on = terms_.has_value()};
      if (terms_) request.terms = {*terms_};
      agent.send(node_, sched::Message(request));
    }
    return true;
  }

  void on_drain_reply(overlay::PeerId node, const sched::DrainReply& reply) override {
    if (node == node_.id) answer_ = reply;
  }

 private:
  overlay::Endpoint node_;
  std::optional<sched::DrainTerms> terms_;
  overlay::Time until_;
  overlay::Time again_{};
  std::optional<sched::DrainReply> answer_;
};

/// Answers for this node once its drain, or the end of that, is on disk.
class OwnDrain final : public Pending {
 public:
  OwnDrain(Json answer, const RecordMark& mark) : answer_(std::move(answer)), mark_(mark) {}
  bool advance(AgentServices& agent, const Reply& reply) override {
    if (agent.durable(mark_)) {
      reply.end(std::move(answer_));
      return false;
    }
    if (agent.store_error().empty()) return true;
    reply.fail({ErrorKind::io,
        "done, but a restart would forget it, as it cannot be stored: " + agent.store_error()});
    return false;
  }

 private:
  Json answer_;
  RecordMark mark_;
};

/// Why a request drains a node; empty if it ends that.
std::optional<sched::DrainTerms> drain_terms(
    AgentServices& agent, const Principal& speaker, Args& args) {
  if (!args.has("on")) args.fail("on", "true or false");
  const bool on = args.flag("on");
  // With its node: a user of that name on another machine may be somebody else.
  sched::DrainTerms terms{.reason = args.text("reason", sched::DrainTerms::kReasonMax),
      .by = speaker.user + "@" + agent.peer().self().name,
      .since = wall_clock_ns()};
  terms.by.resize(std::min(terms.by.size(), sched::DrainTerms::kByMax));
  if (args.has("lasts_ns")) {
    terms.until = terms.since + args.number("lasts_ns", 1, sched::kTaskTimeMax.count());
  }
  if (!on && (args.has("reason") || args.has("lasts_ns"))) {
    args.fail("on", "true, where a reason or an end is given");
  }
  return on ? std::optional(std::move(terms)) : std::nullopt;
}

/// The one node of that name or id. Fails if there is none, or more than one of the name.
Result<overlay::Endpoint> find_node(const AgentServices& agent, const std::string& wanted) {
  std::vector<overlay::Endpoint> found;
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    if (to_string(id) != wanted && agent.name_of(id) != wanted) continue;
    if (to_string(id) == wanted) return overlay::Endpoint{id, node.descriptor.address};
    // A node that left may have had a name that is used again.
    if (!node.departure) found.push_back({id, node.descriptor.address});
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return failure(ErrorKind::not_found, "no node '" + wanted + "'; `dunlin nodes` lists them");
  }
  return failure(ErrorKind::usage,
      std::to_string(found.size()) + " nodes are called '" + wanted + "'; name it by its id");
}

}  // namespace

PendingResult handle_drain(AgentServices& agent, ControlSession& session, Args& args) {
  const std::string wanted = args.text("node", 64);
  const auto terms = drain_terms(agent, session.speaker(), args);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  overlay::Endpoint node = agent.peer().self().endpoint;
  if (!wanted.empty()) {
    auto found = find_node(agent, wanted);
    if (!found) return tl::unexpected(found.error());
    node = *found;
  }
  note_action(agent, session.speaker(),
      {.verb = "drain", .object = agent.name_of(node.id) + (terms ? "" : ", ended")});
  if (node.id != agent.id()) return std::make_unique<DrainPending>(agent, node, terms);
  agent.drain(terms);
  const auto running = sched::running_of(agent.peer());
  return std::make_unique<OwnDrain>(
      drain_json(agent, node.id, terms.has_value(), running), agent.record_mark());
}

}  // namespace dunlin::node
