// SPDX-License-Identifier: MIT
#include "node/control/after/after_jobs.h"

#include <algorithm>
#include <utility>

#include "node/control/agent_services.h"
#include "node/control/control_handlers.h"
#include "node/control/job_name.h"
#include "node/ids.h"
#include "overlay/param_entries.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"

// A job that waits for others must know exactly which: a number may be given twice, by two lives of
// a data directory. So each name is looked up before the job is taken: here, else at the job's
// home, and when that is silent at all nodes, one of which may have taken it over. Later the
// frontend asks by the whole id.
namespace dunlin::node {
namespace {

constexpr std::size_t kJobTextMax = 256;
/// Nodes asked for one that has taken a job over.
constexpr std::size_t kAskedMax = 256;

Result<JobName> read_name(const AgentServices& agent, const std::string& word) {
  if (word != "last") return read_job_name(word, named_nodes(agent), false);
  const std::uint32_t last = sched::last_number_of(agent.peer());
  if (last == 0) return failure(ErrorKind::not_found, "there is no last job here to wait for");
  return JobName{{}, last, ""};
}

Error absent(const AgentServices& agent, const std::string& name, overlay::PeerId home) {
  return {ErrorKind::not_found,
      "cannot wait for job " + name + ": node " + agent.name_of(home) +
          " has no such job. It never was, or ended so long ago that it is forgotten: leave it "
          "out"};
}

/// "succeed", "fail", or "end" however; or "have begun 10m ago".
std::string what_it_must(const sched::AfterJob& after) {
  if (after.begun_for && *after.begun_for > overlay::Duration{0}) {
    return "have begun " + overlay::to_string(*after.begun_for) + " ago";
  }
  if (after.begun_for) return "begin";
  if (after.any) return "end";
  return after.failed ? "fail" : "succeed";
}

}  // namespace

std::vector<AfterWish> parse_after(Args& args) {
  std::vector<AfterWish> wishes;
  const Json& list = args.list("after_jobs", sched::kAfterJobsMax);
  for (std::size_t i = 0; i < list.size(); ++i) {
    Args each = args.element("after_jobs", list, i);
    const std::string name = each.text("job", kJobTextMax);
    const std::string when = each.text("when", 8);
    if (name.empty()) each.fail("job", "the name of a job");
    const bool started = when == "started";
    const bool known = when.empty() || when == "ok" || when == "any" || when == "failed" || started;
    if (!known) each.fail("when", "ok, any, failed or started");
    const std::int64_t delay = each.number("delay_ns", 0, sched::kTaskTimeMax.count(), 0);
    if (delay != 0 && !started) each.fail("delay_ns", "given along with started");
    AfterWish wish{.job = name, .any = when == "any", .failed = when == "failed"};
    if (started) wish.begun_for = overlay::Duration{delay};
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

// Whatever this node can decide alone it decides here: a slip is then told to the user at once, and
// no other node is asked.
Result<AfterSearch> AfterSearch::begin(AgentServices& agent, const std::vector<AfterWish>& wishes) {
  AfterSearch search;
  search.begun_ = search.next_ = search.due_ = agent.now();
  for (const AfterWish& wish : wishes) {
    const auto name = read_name(agent, wish.job);
    if (!name) {
      return tl::unexpected(Error{name.error().kind, "--after: " + name.error().text});
    }
    const overlay::PeerId home = name->node ? name->node : agent.id();
    Sought sought{.after = {.job = {.home = home, .number = name->number},
                      .any = wish.any,
                      .failed = wish.failed,
                      .begun_for = wish.begun_for},
        .name = wish.job,
        // By chance, so that a late answer to somebody else's question fits none of ours.
        .request = agent.draw() | 1};
    const sched::JobState* const here = sched::find_job(agent.peer(), home, name->number);
    if (here != nullptr) {
      sought.after.job = here->id();
      sought.after.has_replicas = here->job().replicas > 0;
      sought.after.address = agent.peer().self().endpoint.address;
      sought.known = true;
    } else if (home == agent.id() &&
        (!agent.peer().logs() || sched::never_gave(agent.peer(), name->number))) {
      return tl::unexpected(absent(agent, wish.job, home));
    } else {
      const auto& nodes = sched::directory_of(agent.peer()).nodes();
      const auto node = nodes.find(home);
      if (node != nodes.end()) sought.after.address = node->second.descriptor.address;
    }
    const auto same = [&](const Sought& other) {
      return other.after.job.home == home && other.after.job.number == name->number;
    };
    if (std::ranges::any_of(search.sought_, same)) {
      return failure(ErrorKind::usage, "--after: job " + wish.job + " is named twice");
    }
    search.sought_.push_back(std::move(sought));
  }
  return search;
}

// The home alone is asked at first. Only when it stays silent are all others: a cluster may have
// thousands, and the home mostly answers.
Result<bool> AfterSearch::advance(AgentServices& agent) {
  for (const Sought& sought : sought_) {
    if (sought.absent) return tl::unexpected(absent(agent, sought.name, sought.after.job.home));
  }
  if (std::ranges::all_of(sought_, &Sought::known)) return true;
  const overlay::Duration waited = agent.now() - begun_;
  const auto missing = std::ranges::find(sought_, false, &Sought::known);
  if (waited >= kPatience) {
    return failure(ErrorKind::timeout,
        "cannot wait for job " + missing->name + ": node " +
            node_text(agent, missing->after.job.home) +
            " does not answer, and no other has the job; submit again when it is back");
  }
  if (agent.now() >= next_) {
    for (const Sought& sought : sought_) {
      if (!sought.known) ask(agent, sought, waited >= kAskAll);
    }
    next_ = agent.now() + kAgain;
  }
  due_ = std::min(next_, begun_ + kPatience);
  return false;
}

void AfterSearch::ask(AgentServices& agent, const Sought& sought, bool all) const {
  const sched::Message question =
      sched::EndRequest{.request = sought.request, .job = sought.after.job};
  std::size_t asked = 0;
  for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
    const bool is_home = id == sought.after.job.home;
    const bool down = node.state(agent.now()) == sched::NodeState::down;
    if (id == agent.id() || (!is_home && (!all || down || asked >= kAskedMax))) continue;
    ++asked;
    agent.send(overlay::Endpoint{id, node.descriptor.address}, question);
  }
}

// The answer gives the whole id, with the lineage, which no user knows.
void AfterSearch::on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told) {
  const auto sought = std::ranges::find(sought_, told.request, &Sought::request);
  // The first that has it counts: the home and a standby of it may both answer.
  if (sought == sought_.end() || sought->known) return;
  sched::AfterJob& after = sought->after;
  if (told.job.home != after.job.home || told.job.number != after.job.number) return;
  // A standby only says where it is; that node is asked with all others.
  if (told.standing == sched::JobStanding::elsewhere) return;
  sought->absent = told.standing == sched::JobStanding::unknown;
  if (sought->absent) return;
  after.job = told.job;
  after.has_replicas = told.replicas > 0;
  after.address = from.address;
  sought->known = true;
}

std::vector<sched::AfterJob> AfterSearch::take() {
  std::vector<sched::AfterJob> found;
  found.reserve(sought_.size());
  for (Sought& sought : sought_) found.push_back(sought.after);
  return found;
}

std::string after_name(const AgentServices& agent, const sched::JobId& job) {
  return job_text(agent, job);
}

std::string after_text(const AgentServices& agent, const sched::JobState& job) {
  const sched::EndWatch& ends = sched::frontend_of(agent.peer(), job.id()).ends();
  std::string text;
  std::string trouble;
  sched::for_each_awaited(job, [&](std::size_t, const sched::AfterJob& after) {
    const std::string name = after_name(agent, after.job);
    text +=
        (text.empty() ? "waits for job " : ", and for job ") + name + " to " + what_it_must(after);
    const sched::EndWatch::Awaited* const awaited = ends.find(after.job);
    if (awaited == nullptr) return;
    if (awaited->silent()) {
      trouble += "; node " + node_text(agent, awaited->home.id) +
          ", which drives it, does not answer, and is asked again";
    } else if (awaited->unknown) {
      trouble += "; node " + agent.name_of(awaited->home.id) + " has no job " + name +
          " any more, and a standby of it is sought";
    }
  });
  return text + trouble;
}

std::string missed_text(const AgentServices& agent, const sched::JobState& job) {
  const auto& after = job.job().after_jobs;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if ((job.progress().after_missed >> i & 1) == 0) continue;
    return "job " + after_name(agent, after[i].job) + ", which it waited for, did not " +
        (after[i].failed ? "fail" : "succeed");
  }
  return "";
}

Json after_json(const AgentServices& agent, const sched::JobState& job) {
  const sched::EndWatch& ends = sched::frontend_of(agent.peer(), job.id()).ends();
  const auto& after = job.job().after_jobs;
  Json json = Json::array();
  for (std::size_t i = 0; i < after.size(); ++i) {
    const bool met = (job.progress().after_met >> i & 1) != 0;
    const bool missed = (job.progress().after_missed >> i & 1) != 0;
    const auto* const awaited = ends.find(after[i].job);
    const bool silent = !met && !missed && awaited != nullptr && awaited->silent();
    json.push_back({{"job", to_string(after[i].job)}, {"name", after_name(agent, after[i].job)},
        {"when", sched::when_word(after[i])},
        {"delay_ns", after[i].begun_for.value_or(overlay::Duration{0}).count()},
        {"state",
            met          ? "met"
                : missed ? "missed"
                         : "open"},
        {"silent_ns", silent ? (agent.now() - awaited->since).count() : 0}});
  }
  return json;
}

}  // namespace dunlin::node
