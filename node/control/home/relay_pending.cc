// SPDX-License-Identifier: MIT
#include "node/control/home/relay_pending.h"

#include <algorithm>
#include <string>

#include "node/control/agent_services.h"
#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"

// A request about a job of another node is made there, and its replies are passed on as they come.
// If that node does not drive the job any more, or does not answer, the home is looked for and the
// request made again; what was told already is said along, so that the client hears nothing twice.
namespace dunlin::node {
namespace {

constexpr std::size_t kKindMax = 32;
constexpr std::size_t kTextMax = std::size_t{64} << 10;

/// A number of a task, or how many there are; 0 if it makes no sense.
std::uint32_t tasks_in(Args& told, std::string_view key) {
  return static_cast<std::uint32_t>(told.number(key, 0, kSubmitTasksMax, 0));
}

/// The error that another agent replied; an empty one if it replied none.
Error error_in(const Json& reply) {
  Args error = Args(reply).object("error");
  const std::string kind = error.text("kind", kKindMax);
  return {kind == word_of(ErrorKind::elsewhere)   ? ErrorKind::elsewhere
          : kind == word_of(ErrorKind::not_found) ? ErrorKind::not_found
                                                  : ErrorKind::io,
      error.text("text", kTextMax)};
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
      const Error said = error_in(*next);
      lose(agent, {ErrorKind::not_found, said.text});
      answered_ = said.kind == ErrorKind::not_found;
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
    // The next home begins where this one stopped: results that were passed on are not told twice.
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
  if (link_ == nullptr) return failure(ErrorKind::conflict, "the task's node is being looked for");
  Json passed = request;
  passed["attach"] = id_;
  const std::uint64_t id = link_->ask(std::move(passed));
  return std::make_unique<RelayPending>(
      agent, relays_, request, Route{.node = node_, .request = {}, .job = {}}, link_, id);
}

bool RelayPending::is_elsewhere(const Json& reply) const {
  if (job_.number == 0) return false;
  // The node that gives the numbers says that this one never was.
  if (Args(reply).object("error").flag("never") && node_ == job_.home) return false;
  return error_in(reply).kind != ErrorKind::io;
}

void RelayPending::lose(AgentServices& agent, Error error) {
  if (job_.number != 0) relays_.set_home(job_, {});
  search_.begin(agent, std::move(error));
  if (job_.number == 0) search_.give_up();
}

// What another agent says is read within bounds, as a client's words are: a number in it must not
// take memory here.
void RelayPending::count(const Json& reply) {
  Args ok = Args(reply).object("ok");
  if (ok.has("next")) {
    request_["offset"] = ok.number("next", 0, INT64_MAX);
    // The next home may have the task run again, and then nothing of that was told yet.
    if (ok.has("attempt")) request_["offset_attempt"] = ok.number("attempt", 0, UINT32_MAX);
  }
  if (!ok.has("finished")) return;
  if (!told_) {
    Args progress = ok.object("progress");
    const std::uint32_t tasks = tasks_in(progress, "tasks");
    told_ = TaskBits::read(Args(request_).text("told", TaskBits::kTextMax), tasks);
    if (!told_) told_.emplace(tasks);
  }
  const Json& finished = ok.list("finished", kSubmitTasksMax);
  for (std::size_t i = 0; i < finished.size(); ++i) {
    Args task = ok.element("finished", finished, i);
    told_->add(tasks_in(task, "index"));
  }
}

}  // namespace dunlin::node
