// SPDX-License-Identifier: MIT
#include <concepts>
#include <optional>

#include "sched/directory/directory.h"
#include "sched/federation/peer/peer_masters.h"
#include "sched/frontend/frontend.h"
#include "sched/listing/job_lists.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer.h"
#include "sched/peer/peer_orders.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_parts.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"
#include "sched/saturate.h"
#include "sched/turn.h"
#include "sched/witness.h"
#include "sched/worker/worker.h"

// The part of the switchboard for messages of scheduling. Jobs with replicas and lists of jobs have
// the first look; what is left is for the frontend of this node's other jobs, or for the worker.
namespace dunlin::sched {
namespace {

/// The load that a worker's answer carries; null for other messages.
const Load* load_in(const Message& message) {
  return std::visit(
      []<typename M>(const M& m) -> const Load* {
        if constexpr (requires { m.load; }) return &m.load;
        return nullptr;
      },
      message);
}

/// True if the message makes a node that knew of no log know of one.
bool takes_logs(const Message& message) {
  const auto words_of_logs = [](const auto& m) {
    if constexpr (requires { m.log; }) return m.log != 0;
    return false;
  };
  // A worker learns of logs by tasks, and has no part in them.
  const bool to_worker = std::holds_alternative<Reserve>(message) ||
      std::holds_alternative<Tasks>(message) || std::holds_alternative<HomeIs>(message);
  return !to_worker && std::visit(words_of_logs, message);
}

template <typename M, typename... Kinds>
concept OneOf = (std::same_as<M, Kinds> || ...);

/// Words about jobs without replicas, of their workers or of other homes.
template <typename M>
concept ForFrontend = OneOf<M, GetTask, Queued, Bounced, Refused, Done, Renew, EndRequest>;
template <typename M>
concept ForWorker = OneOf<M,
    Tasks,
    DoneAck,
    RenewAck,
    HomeIs,
    Remaining,
    TellExtent,
    Cancel,
    Kill,
    AskAfter,
    Borrow,
    Lent,
    Repay>;
/// Those that the logs, lists of jobs or masters have taken before, and those for the driver.
template <typename M>
concept Taken = OneOf<M,
    LogAppend,
    LogAppended,
    LogBehind,
    FindHome,
    ListJobs,
    JobsListed,
    NodesListed,
    Attach,
    Attached,
    CellView,
    LaunchTasks,
    LaunchReply,
    RollCall,
    MemberRow,
    StartTasks,
    Park,
    Offer,
    PassedLaunch,
    DrainReply>;

/// What is left of a message once logs and lists have passed it by.
class Delivery {
 public:
  Delivery(PeerParts& parts, const Host& host, const Endpoint& from, Maintenance maintenance)
      : parts_(parts),
        host_(host),
        from_(from),
        maintenance_(maintenance),
        turn_(PeerParts::turn(host)) {}

  void operator()(const ForFrontend auto& m) {
    parts_.ensure_frontend().on_message(turn_, parts_.around(host_.now), from_, m);
  }
  void operator()(const ForWorker auto& m) { parts_.ensure_worker().on_message(turn_, from_, m); }
  void operator()(const Taken auto&) {}
  void operator()(const Reserve& m) {
    parts_.ensure_worker().on_message(turn_, parts_.around(host_.now), from_, m);
  }
  void operator()(const FactsRequest& m) {
    Facts answer = parts_.facts();
    answer.request = m.request;
    turn_.out.send(from_, answer);
  }
  void operator()(const Facts& m) {
    parts_.ensure_directory().on_message(turn_, from_, m);
    if (parts_.seldom.witness()) parts_.seldom.witness()->on_facts(turn_, from_, m);
    to_all_frontends(m);
  }
  void operator()(const Inquiry& m) {
    parts_.seldom.ensure_witness().inquire(turn_, parts_.endpoint().id, from_, m);
  }
  void operator()(const Testimony& m) { to_all_frontends(m); }
  void operator()(const JobEnd& m) { to_all_frontends(m); }
  void operator()(const DrainRequest& m) {
    const DrainTerms terms = m.terms.empty() ? DrainTerms{} : m.terms.front();
    maintenance_.set_drain(host_, m.on ? std::optional(terms) : std::nullopt);
    turn_.out.send(from_, DrainReply{.request = m.request, .running = parts_.running()});
  }

 private:
  /// Not about one job: all that have jobs here may want to know.
  void to_all_frontends(const auto& m) {
    if (parts_.frontend) {
      parts_.frontend->on_message(turn_, parts_.around(host_.now), from_, m);
    }
    if (!parts_.seldom.logs()) return;
    parts_.seldom.logs()->drive_all(parts_, host_, [&](Frontend& frontend, Turn& turn) {
      frontend.on_message(turn, parts_.around(host_.now), from_, m);
    });
  }

  PeerParts& parts_;
  const Host& host_;
  const Endpoint& from_;
  Maintenance maintenance_;
  Turn turn_;
};

}  // namespace

void Peer::receive(const Host& host, const Endpoint& from, const Message& message) {
  // Every answer of a worker carries its load, which is fresher than gossip.
  if (const Load* load = load_in(message)) {
    parts_.overlay.learn(host.now, from.id,
        {.cpu_free = load->cpu_free,
            .memory_free = load->memory_free,
            .queued = saturate(load->queued),
            .rates_used = load->rates_used});
  }
  if (takes_logs(message) && !parts_.seldom.logs()) parts_.seldom.ensure_logs();
  if (parts_.seldom.logs() && parts_.seldom.logs()->receive(parts_, host, from, message))
    return parts_.publish(host);
  if (lists().receive(host, from, message)) return;
  if (federation::receive_masters(parts_, host, from, message)) return parts_.publish(host);
  std::visit(Delivery(parts_, host, from, maintenance()), message);
  parts_.publish(host);
}

void Peer::receive(const Host& host, const Endpoint& from, const cell::Message& message) {
  const auto* const answer = std::get_if<cell::LogAnswer>(&message);
  if (answer != nullptr && !answer->asker) {
    if (parts_.seldom.logs()) parts_.seldom.logs()->receive(parts_, host, from, *answer);
    return;
  }
  if (const auto* const invite = std::get_if<cell::Invite>(&message)) {
    if (find_job(*this, invite->job) == nullptr) return;
    drive_job(parts_, host, invite->job,
        [&](Frontend& frontend, Turn& turn) { frontend.invite(turn, from, invite->job); });
    return;
  }
  sharing().receive(host, from, message);
}

}  // namespace dunlin::sched
