// SPDX-License-Identifier: MIT
#include "node/control/usage/node_poll.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "node/control/control_handlers.h"
#include "sched/directory/directory.h"
#include "sched/peer_view.h"

// Asks many nodes the same question over conversations with their agents, some at a time, because
// streams are few and others want them, too. Nodes that fail, or have not answered in time, are
// named in the end: sums without them would look whole.
namespace dunlin::node {
namespace {

/// Until a stream may be free again.
constexpr overlay::Duration kPollStreamWait = std::chrono::milliseconds(20);

}  // namespace

NodePoll::NodePoll(Relays& relays, const Principal& viewer, Json question, overlay::Time until)
    : relays_(relays),
      question_(std::move(question)),
      until_(until) {
  question_["speaker"] = speaker_json(viewer);
}

NodePoll::~NodePoll() {
  for (const auto& [id, asked] : asked_) asked.link->let_go(asked.request);
}

overlay::Time NodePoll::due() const {
  overlay::Time due = unasked_.empty() ? until_ : std::min(until_, again_);
  for (const auto& [id, asked] : asked_) due = std::min(due, asked.link->due());
  return due;
}

std::vector<overlay::PeerId> NodePoll::silent() const {
  std::vector<overlay::PeerId> all = silent_;
  for (const auto& [id, asked] : asked_) all.push_back(id);
  for (const overlay::Endpoint& node : unasked_) all.push_back(node.id);
  std::ranges::sort(all);
  return all;
}

bool NodePoll::advance(AgentServices& agent, const OnAnswer& on_answer) {
  take_answers(agent.now(), on_answer);
  if (agent.now() >= until_) return false;
  ask_more(agent);
  return !asked_.empty() || !unasked_.empty();
}

void NodePoll::take_answers(overlay::Time now, const OnAnswer& on_answer) {
  std::erase_if(asked_, [&](const auto& each) {
    const auto& [id, asked] = each;
    asked.link->advance(now);
    const auto said = asked.link->next(asked.request);
    if (!said && !asked.link->failed()) return false;
    asked.link->let_go(asked.request);
    if (said && said->contains("ok")) {
      on_answer(id, (*said)["ok"]);
    } else {
      silent_.push_back(id);
    }
    return true;
  });
}

/// A client that asks again and again keeps its conversations; where more nodes are asked than it
/// may have of them, each lasts for one question. Null: later.
std::shared_ptr<RelayLink> NodePoll::link_to(AgentServices& agent, const overlay::Endpoint& node) {
  const bool known = sched::directory_of(agent.peer()).nodes().contains(node.id);
  const bool kept = known && asked_in_all_ + unasked_.size() <= Relays::kLinksMax;
  auto link = kept ? relays_.to(agent, node.id) : relays_.open(agent, node);
  return link ? *link : nullptr;
}

void NodePoll::ask_more(AgentServices& agent) {
  while (!unasked_.empty() && asked_.size() < kAtOnce) {
    auto link = link_to(agent, unasked_.front());
    if (link == nullptr) {
      again_ = agent.now() + kPollStreamWait;  // Others hold the streams for now.
      return;
    }
    const overlay::PeerId id = unasked_.front().id;
    unasked_.pop_front();
    ++asked_in_all_;
    const std::uint64_t request = link->ask(question_);
    asked_.emplace(id, Asked{std::move(link), request});
  }
}

}  // namespace dunlin::node
