// SPDX-License-Identifier: MIT
#include <algorithm>
#include <deque>
#include <set>

#include "node/control/control_handlers.h"
#include "node/control/job_listing.h"
#include "node/control/job_name.h"
#include "node/control/relay.h"
#include "node/ids.h"
#include "sched/peer_view.h"

// The verb `jobs`: the list of this agent, or of the whole cluster. For that the agent asks every
// node of its directory, a bounded number at a time, and says which of them did not answer: a list
// that is silent about a node would look like the whole truth.
namespace dunlin::node {
namespace {

constexpr std::size_t kAskedAtOnce = 64;
constexpr overlay::Duration kListingWait = std::chrono::seconds(1);
/// Until a stream may be free again.
constexpr overlay::Duration kStreamWait = std::chrono::milliseconds(20);
constexpr std::uint32_t kClusterLimit = 50;

/// A job here, and what lists choose and sort it by.
struct LocalJob {
  JobLine line;
  const sched::JobState* job;
};

JobLine line_of_state(const sched::JobState& job) {
  return {.state = state_word(job),
      .user = job.job().owner,
      .service_class = class_of(job),
      .name = job.job().name,
      .submitted_at = job.job().submitted_at,
      .tasks = job.task_count(),
      .finished = job.finished().has_value(),
      .home = job.id().home,
      .number = job.id().number};
}

/// The answer of this agent for its own jobs.
Json list_here(AgentServices& agent, const Principal& viewer, const JobQuery& query) {
  std::vector<LocalJob> listed;
  JobTotals totals{};
  for (const sched::JobState* job : sched::jobs_of(agent.peer())) {
    const JobLine line = line_of_state(*job);
    if (!query.covers(line)) continue;
    count(totals, line.state);
    if (query.lists(line)) listed.push_back({line, job});
  }
  const std::size_t shown = std::min<std::size_t>(listed.size(), query.limit);
  std::ranges::partial_sort(listed, listed.begin() + static_cast<std::ptrdiff_t>(shown),
      [&](const LocalJob& a, const LocalJob& b) { return query.before(a.line, b.line); });
  Json jobs = Json::array();
  for (std::size_t i = 0; i < shown; ++i) jobs.push_back(summary_of(agent, *listed[i].job, viewer));
  return {{"jobs", std::move(jobs)}, {"matching", listed.size()}, {"totals", totals_json(totals)}};
}

/// Asks the nodes for their lists, and makes one of them.
class ListingPending final : public Pending {
 public:
  ListingPending(
      AgentServices& agent, ControlSession& session, JobQuery query, overlay::PeerId only)
      : relays_(session.relays()),
        viewer_(session.speaker()),
        query_(std::move(query)),
        merge_(query_),
        until_(agent.now() + kListingWait),
        names_(named_nodes(agent)) {
    for (const auto& [id, node] : sched::directory_of(agent.peer()).nodes()) {
      if (only && id != only) continue;
      ++nodes_;
      if (id == agent.id()) continue;
      const bool down = node.state(agent.now()) == sched::NodeState::down;
      (down || !node.descriptor.address ? silent_ : unasked_).push_back(id);
    }
    if (!only || only == agent.id()) {
      merge_.add(agent.id(), agent.peer().self().name, list_here(agent, viewer_, query_));
    }
  }

  ~ListingPending() override {
    for (const auto& [id, asked] : asked_) asked.link->let_go(asked.request);
  }

  overlay::Time due() const override {
    overlay::Time due = unasked_.empty() ? until_ : std::min(until_, again_);
    for (const auto& [id, asked] : asked_) due = std::min(due, asked.link->due());
    return due;
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    const overlay::Time now = agent.now();
    take_answers(agent, now);
    ask_more(agent, now);
    const bool late = now >= until_;
    if (!late && !(asked_.empty() && unasked_.empty())) return true;
    for (const auto& [id, asked] : asked_) silent_.push_back(id);
    silent_.insert(silent_.end(), unasked_.begin(), unasked_.end());
    reply.end(answer(agent));
    return false;
  }

 private:
  struct Asked {
    std::shared_ptr<RelayLink> link;
    std::uint64_t request = 0;
  };

  void take_answers(AgentServices& agent, overlay::Time now) {
    std::erase_if(asked_, [&](const auto& each) {
      const auto& [id, asked] = each;
      asked.link->advance(now);
      const auto said = asked.link->next(asked.request);
      if (!said && !asked.link->failed()) return false;
      asked.link->let_go(asked.request);
      if (said && said->contains("ok")) {
        merge_.add(id, agent.name_of(id), (*said)["ok"]);
      } else {
        silent_.push_back(id);
      }
      return true;
    });
  }

  /// A client that lists again and again keeps its conversations; if there are more nodes than it
  /// may have of them, each lasts for one question. Null: later.
  std::shared_ptr<RelayLink> link_to(AgentServices& agent, overlay::PeerId id) {
    if (nodes_ <= Relays::kLinksMax) {
      auto link = relays_.to(agent, id);
      return link ? *link : nullptr;
    }
    const auto& nodes = sched::directory_of(agent.peer()).nodes();
    const auto node = nodes.find(id);
    auto connection = node == nodes.end()
        ? nullptr
        : agent.call({.id = id, .address = node->second.descriptor.address});
    return connection == nullptr ? nullptr
                                 : std::make_shared<RelayLink>(std::move(connection), agent.now());
  }

  void ask_more(AgentServices& agent, overlay::Time now) {
    while (!unasked_.empty() && asked_.size() < kAskedAtOnce) {
      const overlay::PeerId id = unasked_.front();
      auto link = link_to(agent, id);
      if (link == nullptr) {
        again_ = now + kStreamWait;  // Others hold the streams for now.
        return;
      }
      unasked_.pop_front();
      Json question = request_of(query_);
      question["speaker"] = speaker_json(viewer_);
      const std::uint64_t request = link->ask(std::move(question));
      asked_.emplace(id, Asked{std::move(link), request});
    }
  }

  Json answer(const AgentServices& agent) {
    Json jobs = merge_.take_jobs();
    for (Json& job : jobs) job["known_as"] = known_as(job);
    std::ranges::sort(silent_);
    Json silent = Json::array();
    for (const overlay::PeerId id : silent_) {
      silent.push_back({{"node", to_string(id)}, {"name", agent.name_of(id)},
          {"state", node_state_text(agent, id)}});
    }
    return {{"jobs", std::move(jobs)}, {"matching", merge_.matching()},
        {"totals", totals_json(merge_.totals())}, {"nodes", nodes_}, {"silent", std::move(silent)}};
  }

  /// The shortest name that this agent reads as this job.
  std::string known_as(const Json& job) const {
    const JobLine line = line_of(job);
    const std::string number = "." + std::to_string(line.number);
    const std::string name = job["home_name"].get<std::string>() + number;
    const auto read = read_job_name(name, names_, true);
    const bool fine = read && *read == JobName{line.home, line.number, ""};
    return fine ? name : to_string(line.home) + number;
  }

  Relays& relays_;
  Principal viewer_;
  JobQuery query_;
  JobMerge merge_;
  overlay::Time until_;
  overlay::Time again_{};
  std::vector<NamedNode> names_;
  std::size_t nodes_ = 0;
  std::deque<overlay::PeerId> unasked_;
  std::map<overlay::PeerId, Asked> asked_;
  std::deque<overlay::PeerId> silent_;
};

/// The list of this agent alone.
class HerePending final : public Pending {
 public:
  HerePending(const Principal& viewer, JobQuery query)
      : viewer_(viewer),
        query_(std::move(query)) {}

  bool advance(AgentServices& agent, const Reply& reply) override {
    reply.end(list_here(agent, viewer_, query_));
    return false;
  }

 private:
  Principal viewer_;
  JobQuery query_;
};

}  // namespace

PendingResult handle_jobs(AgentServices& agent, ControlSession& session, Args& args) {
  const bool cluster = args.flag("cluster");
  const std::string node = args.text("node", 64);
  // Clients that know no limit read all jobs of one agent.
  JobQuery query = query_of(args, cluster ? kClusterLimit : 0);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!cluster) return std::make_unique<HerePending>(session.speaker(), std::move(query));
  overlay::PeerId only;
  if (!node.empty()) {
    const auto named = read_node_name(node, named_nodes(agent));
    if (!named) return tl::unexpected(named.error());
    only = *named;
  }
  return std::make_unique<ListingPending>(agent, session, std::move(query), only);
}

}  // namespace dunlin::node
