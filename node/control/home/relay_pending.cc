// SPDX-License-Identifier: MIT
#include "node/control/home/relay_pending.h"

#include <algorithm>
#include <string>

#include "node/control/agent_services.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"

namespace dunlin::node {
namespace {

/// The number of tasks of the job, as a reply to a watch says it.
std::uint32_t tasks_of(const Json& told) {
  const auto progress = told.find("progress");
  const bool said = progress != told.end() && progress->is_object();
  return said ? std::min(progress->value("tasks", 0u), kSubmitTasksMax) : 0;
}

}  // namespace

RelayPending::RelayPending(AgentServices& agent,
    Relays& relays,
    Json request,
    const Route& route,
    std::shared_ptr<RelayLink> link,
    std::uint64_t id)
    : agent_(agent),
      relays_(relays),
      request_(std::move(request)),
      job_(route.job),
      search_(route.job),
      link_(std::move(link)),
      node_(route.node),
      id_(id) {
  if (link_ == nullptr) {
    search_.begin(agent, no_job(agent, route.job.home, route.job.number));
  }
}

bool RelayPending::advance(AgentServices& agent, const Reply& reply) {
  while (!search_.under_way() && !reply.congested()) {
    auto next = link_->next(id_);
    if (!next && !link_->failed()) return true;
    if (!next) {
      lose(agent, no_answer(agent, node_));
      answered_ = false;
    } else if (is_elsewhere(*next)) {
      lose(agent, {ErrorKind::not_found, (*next)["error"].value("text", std::string())});
      answered_ = (*next)["error"].value("kind", "") == word_of(ErrorKind::not_found);
    } else {
      count(*next);
      heard_ = true;
      if (!reply.pass(std::move(*next))) return false;
    }
  }
  if (!search_.under_way() || search_.advance(agent)) return true;
  // The node that drives the job has said that what was asked for does not exist.
  if (search_.found() && !(answered_ && search_.found() == node_)) {
    relays_.set_home(job_, search_.found());
    if (told_) request_["told"] = told_->text();
    again_ = request_;
  } else {
    reply.fail(search_.error(agent));
  }
  return false;
}

// The other agent is asked to say what it waits for, too.
std::string RelayPending::waits_for(const AgentServices& agent) const {
  const std::string number = std::to_string(job_.number);
  if (search_.under_way()) {
    return "a standby to drive job " + number + " of " + agent.name_of(job_.home) +
        ", whose home does not answer";
  }
  return heard_ ? "" : "node " + agent.name_of(node_) + " to answer";
}

PendingResult RelayPending::on_input(AgentServices& agent, const Json& request) {
  if (link_ == nullptr) return failure(ErrorKind::refused, "the task's node is being looked for");
  Json passed = request;
  passed["attach"] = id_;
  const std::uint64_t id = link_->ask(std::move(passed));
  return std::make_unique<RelayPending>(
      agent, relays_, request, Route{.node = node_, .request = {}, .job = {}}, link_, id);
}

bool RelayPending::is_elsewhere(const Json& reply) const {
  if (!reply.contains("error") || !reply["error"].is_object() || job_.number == 0) return false;
  // The node that gives the numbers says that this one never was.
  const auto never = reply["error"].find("never");
  if (never != reply["error"].end() && *never == true && node_ == job_.home) return false;
  const std::string kind = reply["error"].value("kind", std::string());
  return kind == word_of(ErrorKind::not_found) || kind == word_of(ErrorKind::elsewhere);
}

void RelayPending::lose(AgentServices& agent, Error error) {
  if (job_.number != 0) relays_.set_home(job_, {});
  search_.begin(agent, std::move(error));
  if (job_.number == 0) search_.give_up();
}

void RelayPending::count(const Json& reply) {
  if (!reply.contains("ok") || !reply["ok"].is_object()) return;
  const Json& ok = reply["ok"];
  if (ok.contains("next")) request_["offset"] = ok["next"];
  if (!ok.contains("finished") || !ok["finished"].is_array()) return;
  if (!told_) {
    const std::uint32_t tasks = tasks_of(ok);
    told_ = TaskBits::read(request_.value("told", std::string()), tasks);
    if (!told_) told_.emplace(tasks);
  }
  for (const Json& task : ok["finished"]) told_->add(task.value("index", 0u));
}

}  // namespace dunlin::node
