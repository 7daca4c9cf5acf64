// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "node/agent_options.h"
#include "node/control/control_handlers.h"
#include "node/control/job_name.h"
#include "node/control/usage/day_usage.h"
#include "node/control/usage/node_poll.h"
#include "node/control/usage/usage_json.h"
#include "node/ids.h"
#include "node/store/results.h"
#include "node/wall_clock.h"
#include "overlay/field_info.h"
#include "sched/listing/job_query.h"
#include "sched/listing/listing.h"
#include "sched/peer_view.h"
#include "sched/usage/usage_report.h"

// The verb `usage`: who used how much. Each home has added it up by the hour, on its disk. The
// agent that is asked reads its own rows a slice at a time between turns of its loop, and asks the
// other homes for theirs: where there are cells, their managers say first which nodes have any.
namespace dunlin::node {
namespace {

/// Rows that are read in one turn of the loop: some 2 ms.
constexpr std::uint32_t kUsageSlice = 500;
/// For the answers of other nodes: those with many rows read for a second.
constexpr overlay::Duration kUsageWait = std::chrono::seconds(5);
/// For names that others know: an id says nothing to people.
constexpr overlay::Duration kUsageNamesWait = std::chrono::milliseconds(300);
constexpr std::uint32_t kUsageLimit = 1000;
constexpr auto kUsageLimitMax = static_cast<std::uint32_t>(sched::UsageReport::kLinesMax);

/// What a client wants to know.
struct UsageWish {
  sched::UsageBy by = sched::UsageBy::user;
  std::string user;           ///< Empty: of all.
  std::string service_class;  ///< Likewise.
  std::int64_t from_hour = 0;
  std::int64_t until_hour = 0;  ///< The first hour that does not count.
  std::uint32_t limit = kUsageLimit;
  bool cluster = false;
  bool parts = false;  ///< Another agent asks, to add up what all have.
};

UsageWish wish_of(Args& args) {
  UsageWish wish;
  const std::string by = args.text("by", 16);
  const auto known = sched::usage_by_of(by);
  if (known) {
    wish.by = *known;
  } else if (!by.empty()) {
    args.fail("by", overlay::one_of(sched::kUsageByWords));
  }
  wish.user = args.text("user", sched::kJobNameMax);
  wish.service_class = args.text("class", sched::kJobNameMax);
  const std::int64_t now = wall_clock_ns();
  const std::int64_t since = args.number("since_at_ns", 0, INT64_MAX, 0);
  // The end of its hour can be counted in ns.
  const std::int64_t until =
      std::min(args.number("until_at_ns", 0, INT64_MAX, now), INT64_MAX - sched::kNsPerHour);
  wish.from_hour = std::max(sched::hour_of(since), sched::hour_of(now) - sched::kUsageHours);
  // An hour that has begun counts whole, on either side.
  wish.until_hour = sched::hour_of(until) + (until % sched::kNsPerHour == 0 ? 0 : 1);
  if (until <= since) args.fail("until_at_ns", "after `since_at_ns`");
  wish.limit = static_cast<std::uint32_t>(args.number("limit", 1, kUsageLimitMax, kUsageLimit));
  wish.cluster = args.flag("cluster");
  wish.parts = args.flag("parts");
  return wish;
}

/// The same question for another agent.
Json question_of(const UsageWish& wish) {
  Json question = {{"verb", "usage"},
      {"by", sched::kUsageByWords[static_cast<std::size_t>(wish.by)]},
      {"since_at_ns", wish.from_hour * sched::kNsPerHour},
      {"until_at_ns", wish.until_hour * sched::kNsPerHour}, {"parts", true}};
  if (!wish.user.empty()) question["user"] = wish.user;
  if (!wish.service_class.empty()) question["class"] = wish.service_class;
  return question;
}

/// Reads the rows of this node, some in each turn.
class UsageReading {
 public:
  explicit UsageReading(const UsageWish& wish)
      : user_(wish.user),
        service_class_(wish.service_class),
        parts_(wish.by),
        query_{.after = {.log = 0, .key = {.hour = wish.from_hour}},
            .until_hour = wish.until_hour,
            .limit = kUsageSlice} {}

  bool done() const { return done_; }
  Result<void> advance(AgentServices& agent) {
    const auto rows = agent.usage(query_);
    if (!rows) return tl::unexpected(rows.error());
    for (const StoredUsage& row : *rows) {
      const bool is_meant = (user_.empty() || row.at.key.user == user_) &&
          (service_class_.empty() || row.at.key.service_class == service_class_);
      if (is_meant) parts_.add(row.at.log, row.epoch, {row.at.key, row.sums});
    }
    done_ = rows->size() < query_.limit;
    if (!done_) query_.after = rows->back().at;
    return {};
  }
  std::vector<sched::UsagePart> take() { return parts_.take(); }

 private:
  std::string user_;
  std::string service_class_;
  sched::UsageParts parts_;
  UsageQuery query_;
  bool done_ = false;
};

/// A line of the answer: a user, a class, a node or a day, with what it used.
struct UsageLine {
  std::string line;
  sched::UsageSums sums;
};

/// Days in their order; others with most CPU held first.
std::vector<UsageLine> sorted(const sched::UsageReport& report, sched::UsageBy by) {
  std::vector<UsageLine> lines;
  for (const auto& [line, sums] : report.lines()) lines.push_back({line, sums});
  if (by == sched::UsageBy::day) return lines;
  std::ranges::stable_sort(lines,
      [](const UsageLine& a, const UsageLine& b) { return a.sums.cpu_held > b.sums.cpu_held; });
  return lines;
}

class UsagePending final : public Pending {
 public:
  UsagePending(AgentServices& agent, ControlSession& session, UsageWish wish)
      : agent_(agent),
        wish_(std::move(wish)),
        reading_(wish_),
        poll_(session.relays(), session.speaker(), question_of(wish_), agent.now() + kUsageWait),
        walk_until_(agent.now() + sched::Listing::kWaitMax * 2) {
    if (!wish_.cluster) return;
    if (agent.peer().cells() != nullptr) walk_ = agent.begin_list({.all = true});
    if (walk_ == 0) plan({});
  }
  ~UsagePending() override {
    if (walk_ != 0) agent_.drop_list(walk_);
  }

  overlay::Time due() const override {
    if (!reading_.done()) return agent_.now();  // The next slice, in the next turn.
    if (names_until_) return *names_until_;
    return walk_ != 0 ? walk_until_ : poll_.due();
  }

  // Its own rows and the answers of others come in any order; the sum does not depend on it. Names
  // come last: they are only for people, and not waited for long.
  bool advance(AgentServices& agent, const Reply& reply) override {
    if (!reading_.done()) {
      if (auto read = reading_.advance(agent); !read) {
        reply.fail(read.error());
        return false;
      }
      if (reading_.done()) own_ = reading_.take();
    }
    if (wish_.cluster && asks(agent)) return true;
    if (!reading_.done()) return true;
    if (wish_.parts) {
      reply.end({{"by", by_word()}, {"parts", usage_parts_json(own_)}});
      return false;
    }
    for (const sched::UsagePart& part : std::exchange(own_, {})) report_.add(part);
    if (!names_until_) names_until_ = agent.now() + kUsageNamesWait;
    if (lacks_names(agent)) return true;
    Json told = answer(agent);
    if (!agent.configuration().agent.quota.empty()) told["quotas"] = quotas_json(agent);
    reply.end(std::move(told));
    return false;
  }

 private:
  std::string_view by_word() const {
    return sched::kUsageByWords[static_cast<std::size_t>(wish_.by)];
  }

  /// True while other nodes are asked.
  bool asks(AgentServices& agent) {
    if (walk_ != 0) {
      const auto found = agent.take_list(walk_);
      if (!found && agent.now() < walk_until_) return true;
      if (!found) agent.drop_list(walk_);
      walk_ = 0;
      plan(found.value_or(sched::ClusterJobs{}));
    }
    return poll_.advance(agent, [this](overlay::PeerId, const Json& ok) {
      for (const sched::UsagePart& part : usage_parts_of(ok)) report_.add(part);
    });
  }

  /// Decides which nodes are asked, after what managers told of their members.
  // Each node once. One that should be asked and cannot be counts as silent, and is told of: a sum
  // that lacks something must say so.
  void plan(const sched::ClusterJobs& found) {
    std::set<overlay::PeerId> told{agent_.id()};
    for (const sched::NodeJobs& node : found.nodes) {
      if (node.silent || !told.insert(node.node).second) continue;
      if (!node.no_usage) poll_.add({node.node, node.address});
    }
    for (const auto& [id, node] : sched::directory_of(agent_.peer()).nodes()) {
      // It was taken away, and its silence is no news.
      if (!told.insert(id).second || is_away_for_good(id, node)) continue;
      const bool down = node.state(agent_.now()) == sched::NodeState::down;
      if (down || !node.descriptor.address) {
        poll_.add_silent(id);
      } else {
        poll_.add({id, node.descriptor.address});
      }
    }
    for (const sched::NodeJobs& node : found.nodes) {
      if (node.silent && told.insert(node.node).second) poll_.add_silent(node.node);
    }
    nodes_ = told.size();
  }

  /// It said good-bye, or a user said that it does not come back.
  bool is_away_for_good(overlay::PeerId id, const sched::KnownNode& node) const {
    if (node.state(agent_.now()) != sched::NodeState::down) return false;
    const auto& gone = agent_.local().gone.all();
    const auto known = gone.find(id);
    return node.departure->farewell || (known != gone.end() && known->second.forgotten);
  }

  /// A node of a line, or one that is silent, has no name yet, and others may tell it in time.
  bool lacks_names(const AgentServices& agent) const {
    if (!agent.asks_names() || agent.now() >= *names_until_) return false;
    const auto is_nameless = [&](overlay::PeerId id) { return agent.name_of(id) == to_string(id); };
    if (wish_.by == sched::UsageBy::node) {
      for (const auto& [line, sums] : report_.lines()) {
        if (name_of(agent, line) == line) return true;
      }
    }
    return std::ranges::any_of(poll_.silent(), is_nameless);
  }

  /// For people: of a node its name, of all else the line itself.
  std::string name_of(const AgentServices& agent, const std::string& line) const {
    if (wish_.by != sched::UsageBy::node) return line;
    overlay::PeerId id;
    std::from_chars(line.data(), line.data() + line.size(), id.value, 16);
    // Whatever another node said: "(other)" is no node.
    return to_string(id) == line ? agent.name_of(id) : line;
  }

  Json answer(const AgentServices& agent) const {
    const std::vector<UsageLine> lines = sorted(report_, wish_.by);
    sched::UsageSums total;
    Json told = Json::array();
    for (const UsageLine& each : lines) {
      sched::add(total, each.sums);
      if (told.size() >= wish_.limit) continue;
      Json line = {{"line", each.line}, {"name", name_of(agent, each.line)}};
      line.update(usage_sums_json(each.sums));
      told.push_back(std::move(line));
    }
    Json silent = Json::array();
    for (const overlay::PeerId id : poll_.silent()) {
      silent.push_back({{"node", to_string(id)}, {"name", agent.name_of(id)},
          {"state", node_state_text(agent, id)}});
    }
    return {{"by", by_word()}, {"since_at_ns", wish_.from_hour * sched::kNsPerHour},
        {"until_at_ns", wish_.until_hour * sched::kNsPerHour}, {"usage", std::move(told)},
        {"matching", lines.size()}, {"total", usage_sums_json(total)}, {"nodes", nodes_},
        {"silent", std::move(silent)}};
  }

  AgentServices& agent_;
  UsageWish wish_;
  UsageReading reading_;
  NodePoll poll_;
  overlay::Time walk_until_;
  std::uint64_t walk_ = 0;  ///< The list that managers are asked for; 0: none, or no longer.
  std::vector<sched::UsagePart> own_;
  sched::UsageReport report_;
  std::size_t nodes_ = 1;
  std::optional<overlay::Time> names_until_;
};

}  // namespace

PendingResult handle_usage(AgentServices& agent, ControlSession& session, Args& args) {
  UsageWish wish = wish_of(args);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  return std::make_unique<UsagePending>(agent, session, std::move(wish));
}

}  // namespace dunlin::node
