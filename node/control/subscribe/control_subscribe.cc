// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "node/control/control_handlers.h"
#include "node/control/control_protocol.h"
#include "node/control/home/task_bits.h"
#include "node/control/subscribe/subscribed_job.h"
#include "node/ids.h"
#include "sched/peer_view.h"

// One request that tells of many jobs. A client that waits for ten thousand jobs needs one stream
// and no more: those that something happened to are looked at, and the others once in a while, to
// find those that ended without a result (they were cancelled before they began).
namespace dunlin::node {
namespace {

/// News is told in bundles: at most so often, ...
constexpr overlay::Duration kRepliesPeriod = std::chrono::milliseconds(10);
/// ... what is not durable yet is looked at again after so long, and all jobs after so long.
constexpr overlay::Duration kHeldUpPeriod = std::chrono::milliseconds(50);
/// Jobs told of in one reply, and pages of results read for it.
constexpr std::size_t kJobsTold = 512;
constexpr std::size_t kPagesRead = 32;

/// A job by its origin and number.
using JobKey = std::pair<overlay::PeerId, std::uint32_t>;

/// A job that a client asks for.
struct Wish {
  JobKey job;
  std::string name;
  std::string lineage;  ///< Empty: any.
  bool results = false;
  std::string told;
};

/// Reads "0123456789abcdef.12".
std::optional<JobKey> read_key(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  JobKey key;
  const char* const end = name.data() + name.size();
  if (name.size() < kDigits + 2 || name[kDigits] != '.') return std::nullopt;
  const auto node = std::from_chars(name.data(), name.data() + kDigits, key.first.value, 16);
  const auto number = std::from_chars(name.data() + kDigits + 1, end, key.second);
  const bool whole = node.ec == std::errc{} && node.ptr == name.data() + kDigits &&
      number.ec == std::errc{} && number.ptr == end;
  return whole ? std::optional(key) : std::nullopt;
}

JobKey read_name(Args& args, std::string_view member) {
  const auto key = read_key(args.text(member, 32));
  if (!key) args.fail(member, "NODE.NUMBER, the node's id in hexadecimal");
  return key.value_or(JobKey{});
}

std::vector<Wish> read_wishes(Args& args) {
  std::vector<Wish> wishes;
  const Json& jobs = args.list("jobs", kSubscribedMax);
  for (std::size_t i = 0; i < jobs.size() && args.check(); ++i) {
    Args each = args.element("jobs", jobs, i);
    Wish wish;
    wish.job = read_name(each, "job");
    wish.name = each.text("job", 32);
    wish.lineage = each.text("lineage", 16);
    wish.results = each.flag("results");
    wish.told = each.text("told", TaskBits::kTextMax);
    wishes.push_back(std::move(wish));
  }
  return wishes;
}

class Subscription final : public Pending {
 public:
  overlay::Time due() const override { return due_; }

  void on_result(
      const sched::JobId& job, const sched::Report& report, overlay::PeerId worker) override {
    const auto at = jobs_.find({job.home, job.number});
    if (at == jobs_.end()) return;
    at->second.on_result(report, worker);
    dirty_.insert(at->first);
  }

  /// Adds jobs. One that is not driven here, or not the user's, is told of with an error.
  Result<Json> add(AgentServices& agent, const Principal& who, std::vector<Wish> wishes) {
    if (jobs_.size() + refused_.size() + wishes.size() > kSubscribedMax) {
      return failure(ErrorKind::refused,
          "a subscription has at most " + std::to_string(kSubscribedMax) + " jobs");
    }
    for (Wish& wish : wishes) {
      if (auto added = add(agent, who, wish); !added) refuse(wish, added.error());
    }
    // At once: a job may have ended before it was asked for.
    due_ = {};
    return Json{{"jobs", jobs_.size()}};
  }
  void remove(const JobKey& job) {
    jobs_.erase(job);
    dirty_.erase(job);
  }
  Result<Json> on_subscribe(AgentServices& agent, const Principal& who, Args& args) override {
    auto wishes = read_wishes(args);
    std::vector<JobKey> leave;
    for (const std::string& name : args.texts("leave", kSubscribedMax)) {
      const auto key = read_key(name);
      if (!key) args.fail("leave", "a list of NODE.NUMBER, the nodes' ids in hexadecimal");
      leave.push_back(key.value_or(JobKey{}));
    }
    if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
    for (const JobKey& job : leave) remove(job);
    return add(agent, who, std::move(wishes));
  }

  bool advance(AgentServices& agent, const Reply& reply) override {
    if (dirty_.empty() && refused_.empty() && agent.now() < due_) return true;
    if (agent.now() < last_ + kRepliesPeriod) {
      due_ = std::min(due_, last_ + kRepliesPeriod);
      return true;
    }
    if (agent.now() >= sweep_at_) sweep(agent);
    due_ = sweep_at_;
    if (reply.congested()) {
      due_ = agent.now() + kHeldUpPeriod;
      return true;
    }
    Json news = Json::array();
    for (const Refusal& each : std::exchange(refused_, {})) {
      news.push_back({{"job", each.job}, {"ended", false}, {"error", reply.error_json(each.why)}});
    }
    tell(agent, news);
    if (news.empty()) return true;
    last_ = agent.now();
    reply.part({{"jobs", std::move(news)}});
    return true;
  }

 private:
  /// Why nothing is told of a job.
  struct Refusal {
    std::string job;
    Error why;
  };

  Result<void> add(AgentServices& agent, const Principal& who, const Wish& wish) {
    const sched::JobState* const job =
        sched::find_job(agent.peer(), wish.job.first, wish.job.second);
    if (job == nullptr) {
      return failure(ErrorKind::not_found, "job " + wish.name + " is not driven here");
    }
    if (!may_act_for(who, job->job().owner)) {
      return failure(ErrorKind::forbidden,
          "job " + wish.name + " belongs to " + job->job().owner + "; `dunlin jobs` shows it");
    }
    if (!wish.lineage.empty() && wish.lineage != lineage_text(job->id())) {
      return failure(ErrorKind::not_found,
          "job " + wish.name + " is another one than you mean: it is of lineage " +
              lineage_text(job->id()));
    }
    std::optional<TaskBits> told;
    if (wish.results) {
      told = TaskBits::read(wish.told, job->task_count());
      if (!told) {
        return failure(ErrorKind::usage,
            "'told' of job " + wish.name + " must be as many bits as it has tasks, in base64");
      }
    }
    jobs_.insert_or_assign(wish.job, SubscribedJob(*job, std::move(told)));
    dirty_.insert(wish.job);
    return {};
  }
  void refuse(const Wish& wish, const Error& error) {
    refused_.push_back({.job = wish.name, .why = error});
  }

  void sweep(AgentServices& agent) {
    sweep_at_ = agent.now() + kProgressPeriod;
    for (const auto& [key, job] : jobs_) {
      if (job.has_news(sched::find_job(agent.peer(), job.id()))) dirty_.insert(key);
    }
  }

  /// Adds the news of jobs to which something happened, as far as it fits in one reply.
  void tell(AgentServices& agent, Json& news) {
    std::size_t pages = 0;
    for (auto at = dirty_.begin(); at != dirty_.end();) {
      // The rest waits for the next reply: ten thousand jobs that end together must not hold up the
      // loop.
      if (news.size() >= kJobsTold || pages >= kPagesRead) {
        due_ = std::min(due_, agent.now() + kRepliesPeriod);
        break;
      }
      const auto found = jobs_.find(*at);
      SubscribedJob& job = found->second;
      pages += job.stale() ? 1u : 0u;
      const sched::JobState* const state = sched::find_job(agent.peer(), job.id());
      Json told = job.take(agent, state);
      const bool has_more = !job.left() && job.has_news(state);
      // What is not durable yet is asked for again, and so is a further page of results.
      if (has_more)
        due_ = std::min(due_, agent.now() + (told.is_null() ? kHeldUpPeriod : kRepliesPeriod));
      if (!told.is_null()) news.push_back(std::move(told));
      if (job.left()) jobs_.erase(found);
      at = has_more ? std::next(at) : dirty_.erase(at);
    }
  }

  std::map<JobKey, SubscribedJob> jobs_;
  std::set<JobKey> dirty_;        ///< Jobs of jobs_ to which something happened.
  std::vector<Refusal> refused_;  ///< To be told.
  overlay::Time last_{};          ///< Of the last reply.
  overlay::Time sweep_at_{};
  overlay::Time due_{};
};

}  // namespace

Result<Json> Pending::on_subscribe(AgentServices&, const Principal&, Args&) {
  return failure(ErrorKind::usage, "'subscription' must be the id of a request 'subscribe'");
}

PendingResult handle_subscribe(AgentServices& agent, ControlSession& session, Args& args) {
  auto wishes = read_wishes(args);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  auto subscription = std::make_unique<Subscription>();
  const auto added = subscription->add(agent, session.speaker(), std::move(wishes));
  if (!added) return tl::unexpected(added.error());
  return subscription;
}

Result<Json> handle_subscribe_more(AgentServices& agent, ControlSession& session, Args& args) {
  const auto id = args.number("subscription", 0, INT64_MAX);
  read_wishes(args);
  args.texts("leave", kSubscribedMax);
  if (auto fine = args.check(); !fine) return tl::unexpected(fine.error());
  Pending* const subscription = session.requests().find(id);
  if (subscription == nullptr) {
    return failure(ErrorKind::not_found, "no request " + std::to_string(id) + " is under way");
  }
  return subscription->on_subscribe(agent, session.speaker(), args);
}

}  // namespace dunlin::node
