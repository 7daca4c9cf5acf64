// SPDX-License-Identifier: MIT
#include "node/control/home/home_search.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "node/control/agent_services.h"
#include "node/control/job_name.h"
#include "node/message.h"
#include "sched/logs/log_part.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"

// Which node drives a job whose home is silent? All nodes are asked, and again after longer and
// longer pauses, since datagrams may be lost and a standby takes the office only after a while. The
// time worth waiting depends on what is heard: a standby that may take over is a reason to be
// patient, one with old records alone is none.
namespace dunlin::node {
namespace {

/// All are asked again after so long, twice as late each time, ...
constexpr overlay::Duration kAgain = std::chrono::milliseconds(100);
/// ... up to this.
constexpr overlay::Duration kAgainMax = std::chrono::milliseconds(800);
/// Nodes asked at a time.
constexpr std::size_t kNodesAskedMax = 256;

/// Why no node drives a job of which there are records.
std::string_view text_of(sched::OrphanCause cause) {
  switch (cause) {
    case sched::OrphanCause::unheard:
      return "whose home and books are lost";
    case sched::OrphanCause::lost:
      return "whose home lost its disk (perhaps not the latest)";
    case sched::OrphanCause::away:
      return "perhaps not the latest; if the disk of its home is lost";
  }
  return "";
}

}  // namespace

void HomeSearch::begin(AgentServices& agent, Error error) {
  error_ = std::move(error);
  request_ = agent.draw() | 1;
  begun_ = next_ = agent.now();
  until_ = begun_ + kShort;
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
  if (told.orphan) {
    note_orphan(now, from, told.cause);
  } else {
    weigh(now, told.copy);
  }
}

// A standby that lacks the job is no reason to wait, nor is one that may not drive it.
void HomeSearch::weigh(overlay::Time now, sched::CopyStanding copy) {
  using sched::CopyStanding;
  if (copy == CopyStanding::untold || copy == CopyStanding::synced) hope(now);
  if (copy == CopyStanding::unread && !hopeful_) until_ = std::max(until_, begun_ + kLinger);
}

void HomeSearch::note_orphan(overlay::Time now, overlay::PeerId node, sched::OrphanCause cause) {
  orphan_at_ = node;
  orphan_cause_ = cause;
  hopeful_ = true;
  until_ = std::min(until_, now + kShort);
}

Error HomeSearch::error(const AgentServices& agent) const {
  Error error = error_;
  if (!orphan_at_) return error;
  const std::string name = sure_job_text(agent, job_, named_nodes(agent));
  error.text += "; node " + agent.name_of(orphan_at_) + " has records of job " + name + ", " +
      std::string(text_of(orphan_cause_)) + ": `dunlin node take-over " + name +
      "` there goes on with them";
  return error;
}

void HomeSearch::hope(overlay::Time now) {
  if (!std::exchange(hopeful_, true)) until_ = now + kLong;
}

void HomeSearch::look_here(const AgentServices& agent) {
  const sched::PeerLogs* const logs = agent.peer().logs();
  const auto held = logs == nullptr ? std::nullopt : logs->parts().held(agent.now(), job_);
  if (!held || held->standing == sched::CopyStanding::lacks) return;
  if (const auto cause = held->part->orphaned(agent.now())) {
    note_orphan(agent.now(), agent.id(), *cause);
  } else {
    weigh(agent.now(), held->standing);
  }
}

void HomeSearch::ask(AgentServices& agent) {
  wait_ = wait_ == overlay::Duration{0} ? kAgain : std::min(2 * wait_, kAgainMax);
  next_ = agent.now() + wait_;
  if (sched::find_job(agent.peer(), job_.home, job_.number) != nullptr) found_ = agent.id();
  look_here(agent);
  std::size_t asked = 0;
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    const bool down = node.state(agent.now()) == sched::NodeState::down;
    if (down || id == agent.id() || asked++ >= kNodesAskedMax) continue;
    agent.send(overlay::Endpoint{id, node.descriptor.address},
        sched::Message(sched::FindHome{.request = request_, .job = job_}));
  }
}

}  // namespace dunlin::node
