// SPDX-License-Identifier: MIT
#include "node/control/home/home_search.h"

#include <algorithm>
#include <utility>

#include "node/control/agent_services.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"

namespace dunlin::node {
namespace {

/// All are asked again after so long, twice as late each time, ...
constexpr overlay::Duration kAgain = std::chrono::milliseconds(100);
/// ... up to this.
constexpr overlay::Duration kAgainMax = std::chrono::milliseconds(800);
/// Nodes asked at a time.
constexpr std::size_t kNodesAskedMax = 256;

}  // namespace

void HomeSearch::begin(AgentServices& agent, Error error) {
  error_ = std::move(error);
  request_ = agent.draw() | 1;
  until_ = agent.now() + kShort;
  next_ = agent.now();
}

overlay::Time HomeSearch::due() const {
  return under_way() ? std::min(next_, until_) : overlay::kNever;
}

bool HomeSearch::advance(AgentServices& agent) {
  if (!found_ && agent.now() < until_ && agent.now() >= next_) ask(agent);
  return !found_ && agent.now() < until_;
}

void HomeSearch::on_home_is(overlay::Time now, overlay::PeerId from, const sched::HomeIs& told) {
  if (!under_way() || told.request != request_) return;
  const auto home = std::ranges::find(told.set, told.home, &sched::LogReplica::replica);
  if (home != told.set.end() && home->node == from) found_ = from;
  told.orphan ? note_orphan(now, from) : hope(now);
}

void HomeSearch::note_orphan(overlay::Time now, overlay::PeerId node) {
  orphan_at_ = node;
  hopeful_ = true;
  until_ = std::min(until_, now + kShort);
}

Error HomeSearch::error(const AgentServices& agent) const {
  Error error = error_;
  if (!orphan_at_) return error;
  const std::string name =
      (job_.home == agent.id() ? agent.peer().self().name : agent.name_of(job_.home)) + "." +
      std::to_string(job_.number);
  error.text += "; node " + agent.name_of(orphan_at_) + " has records of job " + name +
      ", whose home and books are lost: `dunlin node take-over " + name +
      "` there goes on with them";
  return error;
}

void HomeSearch::hope(overlay::Time now) {
  if (!std::exchange(hopeful_, true)) until_ = now + kLong;
}

void HomeSearch::ask(AgentServices& agent) {
  wait_ = wait_ == overlay::Duration{0} ? kAgain : std::min(2 * wait_, kAgainMax);
  next_ = agent.now() + wait_;
  if (sched::find_job(agent.peer(), job_.home, job_.number) != nullptr) found_ = agent.id();
  const sched::PeerLogs* const logs = agent.peer().logs();
  if (logs != nullptr && logs->is_orphan(agent.now(), job_)) {
    note_orphan(agent.now(), agent.id());
  } else if (logs != nullptr && logs->may_drive(job_)) {
    hope(agent.now());
  }
  std::size_t asked = 0;
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    const bool down = node.state(agent.now()) == sched::NodeState::down;
    if (down || id == agent.id() || asked++ >= kNodesAskedMax) continue;
    agent.send(overlay::Endpoint{id, node.descriptor.address},
        sched::Message(sched::FindHome{.request = request_, .job = job_}));
  }
}

}  // namespace dunlin::node
