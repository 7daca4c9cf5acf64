// SPDX-License-Identifier: MIT
#include <algorithm>

#include "node/control/control_handlers.h"
#include "node/control/job_name.h"
#include "node/ids.h"
#include "sched/logs/log_part.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"

// The home of a job is lost, with all standbys that had all of it. An administrator lets a node go
// on with the copy that it has.
namespace dunlin::node {
namespace {

/// The books may have a new manager first.
constexpr std::chrono::seconds kDecided{15};
constexpr std::chrono::milliseconds kAskAgain{500};

/// Asks the books again and again, until this node drives the job.
class TakeOverPending final : public Pending {
 public:
  TakeOverPending(const AgentServices& agent, const sched::JobId& job)
      : job_(job),
        until_(agent.now() + kDecided),
        next_(agent.now() + kAskAgain) {}

  overlay::Time due() const override { return std::min(next_, until_); }

  std::string waits_for(const AgentServices&) const override {
    return "the books of the job's cell to let this node drive it";
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    for (const auto& part : agent.peer().logs()->parts().all()) {
      if (!drives(*part)) continue;
      reply.end({{"node", to_string(agent.id())}, {"node_name", agent.name_of(agent.id())},
          {"jobs", part->frontend()->jobs().size()}});
      return false;
    }
    if (agent.now() >= until_) {
      reply.fail({ErrorKind::timeout,
          "the books of the job's cell have not answered: a majority of the nodes that keep them "
          "must be there"});
      return false;
    }
    if (agent.now() < next_) return true;
    next_ = agent.now() + kAskAgain;
    (void)agent.take_over(job_);
    return true;
  }

 private:
  bool drives(const sched::logs::LogPart& part) const {
    return part.frontend() != nullptr && part.facts().origin == job_.home &&
        part.frontend()->jobs().contains(job_.number);
  }

  sched::JobId job_;
  overlay::Time until_;
  overlay::Time next_;
};

}  // namespace

PendingResult handle_take_over(AgentServices& agent, ControlSession& session, Args& args) {
  const std::string word = args.text("job", 256);
  if (word.empty()) args.fail("job", "NODE.NUMBER");
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  auto name = read_job_name(word, named_nodes(agent), true);
  // A home that is gone for long may be forgotten here, but for the records of its jobs.
  if (const auto by_id = read_job_id(word); !name && by_id) name = *by_id;
  if (!name) return tl::unexpected(name.error());
  const sched::JobId job{.home = name->node ? name->node : agent.id(), .number = name->number};
  if (auto asked = agent.take_over(job); !asked) {
    return tl::unexpected(for_people(agent, job, asked.error()));
  }
  note_action(agent, session.speaker(), {.verb = "take_over", .object = word});
  return std::make_unique<TakeOverPending>(agent, job);
}

}  // namespace dunlin::node
