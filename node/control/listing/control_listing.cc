// SPDX-License-Identifier: MIT
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "node/control/control_handlers.h"
#include "node/control/home/relay.h"
#include "node/control/job_name.h"
#include "node/control/listing/job_listing.h"
#include "node/control/listing/local_list.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "sched/listing/listing.h"
#include "sched/listing/node_jobs.h"
#include "sched/peer_view.h"

// The verb `jobs`: the list of this agent, or of the whole cluster: a list that is silent about a
// node would look like the whole truth, so the agent says which nodes did not answer.
//
// Where there are cells, their managers are asked first what their members have (sched/listing/).
// Then only those nodes need be asked for lines whose first job is among the first, no more than
// there are lines to show, and those that no manager spoke for. Without cells it is every node of
// the directory. Either way a bounded number is asked at a time.
namespace dunlin::node {
namespace {

constexpr std::size_t kAskedAtOnce = 64;
constexpr overlay::Duration kListingWait = std::chrono::seconds(1);
/// For names that others know: an id says nothing to people.
constexpr overlay::Duration kNamesWait = std::chrono::milliseconds(300);
/// Until a stream may be free again.
constexpr overlay::Duration kStreamWait = std::chrono::milliseconds(20);
constexpr std::uint32_t kClusterLimit = 50;
constexpr std::size_t kOrphansMax = 1000;
/// The lowest number of an orphan's jobs.
constexpr const char* kFirst = "first";
/// More than a screen shows: each is read as a client would write it.
constexpr std::size_t kOrphansNamedMax = 16;

/// Asks the nodes for their lists, and makes one of them.
class ListingPending final : public Pending {
 public:
  ListingPending(
      AgentServices& agent, ControlSession& session, JobQuery query, overlay::PeerId only)
      : agent_(agent),
        relays_(session.relays()),
        viewer_(session.speaker()),
        query_(std::move(query)),
        merge_(query_),
        until_(agent.now() + kListingWait),
        only_(only) {
    const bool cells = !only && agent.peer().cells() != nullptr;
    if (cells) walk_ = agent.begin_list(query_);
    if (walk_ == 0) plan({});
    if (!only || only == agent.id()) {
      Json here = list_here(agent, viewer_, query_);
      orphans_ = std::move(here["orphans"]);
      merge_.add(agent.id(), agent.peer().self().name, std::move(here));
    }
  }

  ~ListingPending() override {
    if (walk_ != 0) agent_.drop_list(walk_);
    for (const auto& [id, asked] : asked_) asked.link->let_go(asked.request);
  }

  overlay::Time due() const override {
    if (names_until_) return *names_until_;
    overlay::Time due = unasked_.empty() ? until_ : std::min(until_, again_);
    for (const auto& [id, asked] : asked_) due = std::min(due, asked.link->due());
    return due;
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    const overlay::Time now = agent.now();
    if (names_until_) return tell(agent, reply);
    const bool late = now >= until_;
    if (walk_ != 0) {
      const auto found = agent.take_list(walk_);
      if (!found && !late) return true;
      walk_ = 0;
      plan(found.value_or(sched::ClusterJobs{}));
    }
    take_answers(agent, now);
    ask_more(agent, now);
    if (!late && !(asked_.empty() && unasked_.empty())) return true;
    for (const auto& [id, asked] : asked_) be_silent(id);
    for (const overlay::PeerId id : unasked_) be_silent(id);
    jobs_ = merge_.take_jobs();
    names_until_ = now + kNamesWait;
    return tell(agent, reply);
  }

 private:
  struct Asked {
    std::shared_ptr<RelayLink> link;
    std::uint64_t request = 0;
  };

  /// Decides which nodes are asked for lines, after what managers told of their members.
  void plan(const sched::ClusterJobs& found) {
    std::vector<const sched::NodeJobs*> with_jobs;
    std::set<overlay::PeerId> told;
    for (const sched::NodeJobs& node : found.nodes) {
      addresses_[node.node] = node.address;
      if (node.silent) continue;
      told.insert(node.node);
      if (node.node == agent_.id()) continue;
      const bool has_lines = node.matching > 0 && !node.passed;
      has_lines || node.orphans ? with_jobs.push_back(&node) : merge_.count(node);
    }
    std::ranges::sort(with_jobs, [this](const auto* a, const auto* b) {
      return query_.before(sched::first_of(*a, query_.sort), sched::first_of(*b, query_.sort));
    });
    for (const sched::NodeJobs* const node : with_jobs) {
      // Sorted by their first lines, each node before this one has a line that goes before all of
      // its lines: the list is full without it, and its jobs only count.
      if (told_.size() >= query_.limit) {
        merge_.count(*node);
        continue;
      }
      told_.emplace(node->node, *node);
      unasked_.push_back(node->node);
    }
    for (const auto& [id, node] : sched::directory_of(agent_.peer()).nodes()) {
      if (only_ && id != only_) continue;
      // It was taken away, and its silence is no news.
      if (is_away_for_good(id, node)) continue;
      addresses_.try_emplace(id, node.descriptor.address);
      if (id == agent_.id() || told.contains(id)) continue;
      // Nodes that are down are named at once: waiting for each would cost the user a second.
      const bool down = node.state(agent_.now()) == sched::NodeState::down;
      (down || !node.descriptor.address ? silent_ : unasked_).push_back(id);
    }
    for (const sched::NodeJobs& node : found.nodes) {
      const bool known = sched::directory_of(agent_.peer()).nodes().contains(node.node);
      if (node.silent && !known) silent_.push_back(node.node);
    }
    // This node need not have an entry in its own directory.
    if (!only_ || only_ == agent_.id()) addresses_.try_emplace(agent_.id());
    asking_ = unasked_.size();
  }

  /// It said good-bye, or somebody said that it does not come back.
  bool is_away_for_good(overlay::PeerId id, const sched::KnownNode& node) const {
    if (node.state(agent_.now()) != sched::NodeState::down || id == only_) return false;
    const auto& gone = agent_.local().gone.all();
    const auto found = gone.find(id);
    return node.departure->farewell || (found != gone.end() && found->second.forgotten);
  }

  /// Its lines will not come; what its manager told of it counts.
  void be_silent(overlay::PeerId id) {
    silent_.push_back(id);
    if (const auto told = told_.find(id); told != told_.end()) merge_.count(told->second);
  }

  void take_answers(AgentServices& agent, overlay::Time now) {
    std::erase_if(asked_, [&](const auto& each) {
      const auto& [id, asked] = each;
      asked.link->advance(now);
      const auto said = asked.link->next(asked.request);
      if (!said && !asked.link->failed()) return false;
      asked.link->let_go(asked.request);
      if (said && said->contains("ok")) {
        add_orphans((*said)["ok"]);
        merge_.add(id, agent.name_of(id), (*said)["ok"]);
      } else {
        be_silent(id);
      }
      return true;
    });
  }

  void add_orphans(const Json& said) {
    if (!said.is_object() || !said.contains("orphans") || !said["orphans"].is_array()) return;
    for (const Json& orphan : said["orphans"]) {
      if (orphan.is_object() && orphans_.size() < kOrphansMax) orphans_.push_back(orphan);
    }
  }

  /// A client that lists again and again keeps its conversations; if more nodes are asked than it
  /// may have of them, each lasts for one question. Null: later.
  std::shared_ptr<RelayLink> link_to(AgentServices& agent, overlay::PeerId id) {
    const bool known = sched::directory_of(agent.peer()).nodes().contains(id);
    if (known && asking_ <= Relays::kLinksMax) {
      auto link = relays_.to(agent, id);
      return link ? *link : nullptr;
    }
    auto link = relays_.open(agent, {.id = id, .address = addresses_[id]});
    return link ? *link : nullptr;
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

  /// The end, once all nodes in the list have names (one that is looked up in vain is asked for),
  /// or others had a moment to tell them.
  bool tell(const AgentServices& agent, const Reply& reply) {
    std::size_t nameless = 0;
    const auto look = [&](overlay::PeerId id) {
      if (id && agent.name_of(id) == to_string(id)) ++nameless;
    };
    for (const Json& job : jobs_) look(origin_of_summary(job).node);
    for (const overlay::PeerId id : silent_) look(id);
    if (nameless > 0 && agent.asks_names() && agent.now() < *names_until_) return true;
    reply.end(answer(agent));
    return false;
  }

  Json answer(const AgentServices& agent) {
    names_ = named_nodes(agent);
    for (Json& job : jobs_) {
      // The node that told of it may not know what its origin is called.
      const JobOrigin origin = origin_of_summary(job);
      if (origin.name == to_string(origin.node)) job["origin_name"] = agent.name_of(origin.node);
      job["known_as"] = known_as(job);
    }
    for (std::size_t i = 0; i < std::min(orphans_.size(), kOrphansNamedMax); ++i) {
      const std::string name = first_known_as(orphans_[i]);
      if (!name.empty()) orphans_[i]["known_as"] = name;
    }
    std::ranges::sort(silent_);
    Json silent = Json::array();
    for (const overlay::PeerId id : silent_) {
      silent.push_back({{"node", to_string(id)}, {"name", agent.name_of(id)},
          {"state", node_state_text(agent, id)}});
    }
    // A page that is full may be the last one: then the next is empty.
    const bool full = !jobs_.empty() && jobs_.size() >= query_.limit;
    Json next = full ? Json(next_text(line_of(jobs_.back()), query_.sort)) : Json(nullptr);
    return {{"jobs", std::move(jobs_)}, {"matching", merge_.matching()},
        {"totals", totals_json(merge_.totals())}, {"next", std::move(next)},
        {"nodes", addresses_.size()}, {"silent", std::move(silent)},
        {"orphans", std::move(orphans_)}, {"not_joined", agent.status().not_joined}};
  }

  /// The shortest name that this agent reads as this job: by the node that took it, whichever
  /// drives it now.
  std::string known_as(const Json& job) const {
    const JobLine line = line_of(job);
    const JobOrigin origin = origin_of_summary(job);
    const std::string number = "." + std::to_string(line.number);
    const std::string name = origin.name + number;
    const auto read = read_job_name(name, names_, true);
    const bool fine = read && *read == JobName{origin.node, line.number, ""};
    return fine ? name : to_string(origin.node) + number;
  }

  /// Likewise the first job of an orphan, as far as the node that has its records makes sense.
  std::string first_known_as(const Json& orphan) const {
    const overlay::PeerId origin = origin_of_summary(orphan).node;
    Args args(orphan);
    const auto number = static_cast<std::uint32_t>(args.number(kFirst, 0, UINT32_MAX, 0));
    if (!origin || number == 0 || !args.check()) return "";
    return sure_job_text(agent_, {.home = origin, .number = number, .lineage = 0}, names_);
  }

  AgentServices& agent_;
  Relays& relays_;
  Principal viewer_;
  JobQuery query_;
  JobMerge merge_;
  Json jobs_ = Json::array();  ///< The lines, when all answers are there.
  std::optional<overlay::Time> names_until_;
  Json orphans_ = Json::array();
  overlay::Time until_;
  overlay::Time again_{};
  overlay::PeerId only_;  ///< None: all nodes are asked.
  std::vector<NamedNode> names_;
  std::uint64_t walk_ = 0;  ///< The list that managers are asked for; 0: none, or no longer.
  std::map<overlay::PeerId, overlay::Address> addresses_;  ///< Of all nodes known.
  std::map<overlay::PeerId, sched::NodeJobs> told_;        ///< Of nodes that are asked for lines.
  std::size_t asking_ = 0;                                 ///< Nodes asked for lines in all.
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
  // Clients that know no limit read all jobs of one agent that go on; of those that ended there may
  // be a hundred thousand.
  JobQuery query = query_of(args, cluster ? kClusterLimit : 0);
  auto ids = read_ids(agent, args);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  if (!ids) return tl::unexpected(ids.error());
  query.ids = std::move(*ids);
  if (query.shows_ended()) query.limit = std::min(query.limit, kListedMax);
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
