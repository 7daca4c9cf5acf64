// SPDX-License-Identifier: MIT
#include "sched/peer.h"

#include <algorithm>
#include <string>

#include "sched/cell/cell_node.h"
#include "sched/constraints.h"
#include "sched/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/job_check.h"
#include "sched/overloaded.h"
#include "sched/peer_params.h"
#include "sched/saturate.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

// A peer is a switchboard: each message goes to the one part that it is for, and what a part learns
// that others need is passed on here. Parts never call each other, so each can be tested alone.
// Three things cross over. Statements in gossip fill the directory and the frontend's cache of
// nodes. Loads in answers of workers refresh the views, since they are newer than gossip.
// Departures that the overlay notices free the tasks of that worker; without a farewell their
// leases decide.
namespace dunlin::sched {
namespace {

/// Passes events on, and notes which peers left or did not answer, because scheduling must know.
class DepartureTap final : public overlay::Observer {
 public:
  explicit DepartureTap(overlay::Observer& next) : next_(next) {}

  void on(const overlay::Event& event) override {
    if (const auto* down = std::get_if<overlay::NeighbourDown>(&event)) departed_.push_back(*down);
    if (const auto* late = std::get_if<overlay::ShuffleTimedOut>(&event)) {
      silent_.push_back(late->partner);
    }
    next_.on(event);
  }
  const std::vector<overlay::NeighbourDown>& departed() const { return departed_; }
  const std::vector<PeerId>& silent() const { return silent_; }

 private:
  overlay::Observer& next_;
  std::vector<overlay::NeighbourDown> departed_;
  std::vector<PeerId> silent_;
};

/// Calls `visit` for every statement about a peer in a gossip message.
void for_each_descriptor(const overlay::Message& message, auto&& visit) {
  const auto each = [&](const auto& list) {
    for (const overlay::Descriptor& descriptor : list) visit(descriptor);
  };
  std::visit(Overloaded{
                 [&](const overlay::ShuffleRequest& m) { each(m.sample); },
                 [&](const overlay::ShuffleReply& m) { each(m.sample); },
                 [&](const overlay::GradientRequest& m) { each(m.buffer); },
                 [&](const overlay::GradientReply& m) { each(m.buffer); },
                 [&](const overlay::Join& m) { visit(m.joiner); },
                 [&](const overlay::Welcome& m) { each(m.sample); },
                 [&](const overlay::JoinWalk& m) { visit(m.joiner); },
                 [&](const overlay::JoinOffer& m) { visit(m.evicted); },
                 [&](const overlay::Pong& m) { visit(m.self); },
                 [](const auto&) {},
             },
      message);
}

/// The load that a worker's answer carries; null for other messages.
const Load* load_in(const Message& message) {
  return std::visit(
      []<typename M>(const M& m) -> const Load* {
        if constexpr (requires { m.load; }) return &m.load;
        return nullptr;
      },
      message);
}

}  // namespace

Peer::Peer(const SharedParams& params, const NodeSpec& self, std::span<const Endpoint> contacts)
    : Peer(params, overlay::Shared<NodeSpec>(self), self.endpoint, self.incarnation, contacts) {}

Peer::Peer(const SharedParams& params,
    const overlay::Shared<NodeSpec>& like,
    const Endpoint& where,
    std::uint32_t incarnation,
    std::span<const Endpoint> contacts)
    : params_(params.all),
      spec_(like),
      overlay_(params.cyclon, params.gradient, params.liveness, where, incarnation, contacts) {
  overlay::Capacity idle = capacity();
  idle.signature = signature_of(like->attributes, like->total);
  overlay_.publish(idle);
}

Peer::Peer(Peer&&) noexcept = default;
Peer& Peer::operator=(Peer&&) noexcept = default;
Peer::~Peer() = default;

Turn Peer::turn(const Host& host) {
  return {.now = host.now,
      .rng = host.rng,
      .out = host.out,
      .events = host.events,
      .store = host.store,
      .executor = host.executor};
}

void Peer::update_self(const Host& host) {
  // A job may fit on this node alone, so the census must know it.
  ensure_directory().set_own_facts(host.now, facts(), own_descriptor());
}

void Peer::restore(const Host& host, std::vector<StoredJob> jobs, std::uint32_t number_last) {
  Turn turn = Peer::turn(host);
  if (number_last > 0) ensure_frontend().skip_numbers(number_last);
  if (!jobs.empty()) ensure_frontend().restore(turn, std::move(jobs));
}

void Peer::wake(const Host& host) {
  // A wake-up may be for any part, so each compares its own deadline. The order is fixed, so that a
  // run repeats.
  gossip(host, [&](overlay::GossipTurn& turn) {
    if (overlay_.deadline() <= host.now) overlay_.wake(turn);
  });
  Turn turn = Peer::turn(host);
  if (directory_ && directory_->deadline() <= host.now) directory_->wake(turn);
  if (frontend_ && frontend_->deadline() <= host.now) {
    frontend_->wake(turn, around(host.now));
  }
  if (worker_ && worker_->deadline() <= host.now) worker_->wake(turn);
  wake_cells(host);
  overlay_.publish(capacity());
}

void Peer::gossip(const Host& host, auto&& call) {
  DepartureTap tap(host.events);
  overlay::GossipTurn turn{.now = host.now, .rng = host.rng, .out = host.gossip, .events = tap};
  call(turn);
  Turn task_turn = Peer::turn(host);
  // A partner that fails a shuffle leaves the random view, so liveness may never ping it.
  for (const PeerId peer : tap.silent()) {
    if (directory_) directory_->doubt(task_turn, peer);
  }
  for (const overlay::NeighbourDown& gone : tap.departed()) {
    if (directory_) directory_->on_down(host.now, gone.peer, gone.graceful);
    if (frontend_) frontend_->forget(gone.peer);
    // A node without a farewell may only seem dead, so the leases of its tasks decide.
    if (!gone.graceful || !frontend_) continue;
    frontend_->on_worker_gone(task_turn, around(host.now), gone.peer);
  }
}

void Peer::receive(const Host& host, const Endpoint& from, const overlay::Message& message) {
  // A peer with neither of them need not search the message.
  if (params_->directory.size_max > 0 || frontend_) {
    if (params_->directory.size_max > 0) ensure_directory();
    for_each_descriptor(message, [&](const overlay::Descriptor& descriptor) {
      if (directory_) directory_->hear(host.now, descriptor);
      if (frontend_ && descriptor.id != endpoint().id) frontend_->hear(host.now, descriptor);
    });
  }
  gossip(host, [&](overlay::GossipTurn& turn) { overlay_.receive(turn, from, message); });
}

void Peer::receive(const Host& host, const Endpoint& from, const Message& message) {
  // Every answer of a worker carries its load, which is fresher than gossip.
  if (const Load* load = load_in(message)) {
    overlay_.learn(host.now, from.id, load->cpu_free, load->memory_free, saturate(load->queued));
  }
  Turn turn = Peer::turn(host);
  const auto to_frontend = [&](const auto& m) {
    ensure_frontend().on_message(turn, around(host.now), from, m);
  };
  const auto to_worker = [&](const auto& m) { ensure_worker().on_message(turn, from, m); };
  std::visit(
      Overloaded{
          [&](const Reserve& m) { ensure_worker().on_message(turn, around(host.now), from, m); },
          [&](const FactsRequest& m) {
            Facts answer = facts();
            answer.request = m.request;
            turn.out.send(from, answer);
          },
          [&](const Facts& m) { ensure_directory().on_message(turn, from, m); },
          [&](const DrainRequest& m) {
            drain(host, m.on);
            turn.out.send(from,
                DrainReply{.request = m.request,
                    .running =
                        worker_ ? static_cast<std::uint32_t>(worker_->running().size()) : 0});
          },
          [&](const DrainReply&) { /* For the driver, which asked. */ },
          [&](const GetTask& m) { to_frontend(m); },
          [&](const Queued& m) { to_frontend(m); },
          [&](const Bounced& m) { to_frontend(m); },
          [&](const Refused& m) { to_frontend(m); },
          [&](const Done& m) { to_frontend(m); },
          [&](const Renew& m) { to_frontend(m); },
          [&](const Tasks& m) { to_worker(m); },
          [&](const DoneAck& m) { to_worker(m); },
          [&](const RenewAck& m) { to_worker(m); },
          [&](const Remaining& m) { to_worker(m); },
          [&](const Cancel& m) { to_worker(m); },
          [&](const Kill& m) { to_worker(m); },
      },
      message);
  overlay_.publish(capacity());
}

void Peer::on_exits(const Host& host, std::span<const Exit> exits) {
  Turn turn = Peer::turn(host);
  ensure_worker().on_exits(turn, around(host.now), exits);
  overlay_.publish(capacity());
}

Result<JobId> Peer::submit(const Host& host, Job job, bool allow_unsatisfiable) {
  // All checks come before the job gets a number: a refused job leaves no trace.
  if (auto fine = check_job(job); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_class(job.service_class, classes()); !fine)
    return tl::unexpected(fine.error());
  update_self(host);
  for (const TaskGroup& group : job.groups) {
    if (allow_unsatisfiable) break;
    if (const auto why = ensure_directory().why_never(host.now, group.demand, group.constraints)) {
      const std::string where = group.name.empty() ? "" : "group " + group.name + ": ";
      return failure(ErrorKind::refused, where + *why);
    }
  }
  job.id = ensure_frontend().next_job(job.id.lineage);
  const JobId id = job.id;
  Turn turn = Peer::turn(host);
  ensure_frontend().submit(turn, around(host.now), std::move(job));
  return id;
}

Result<void> Peer::cancel(
    const Host& host, const JobId& job, std::span<const std::uint32_t> tasks) {
  Turn turn = Peer::turn(host);
  return ensure_frontend().cancel(turn, job, tasks);
}

void Peer::drain(const Host& host, bool on) {
  Turn turn = Peer::turn(host);
  ensure_worker().drain(turn, around(host.now), on);
  drain_cells(host, on);
  overlay_.publish(capacity());
}

void Peer::raise(const Host& host, std::uint32_t incarnation) {
  ensure(incarnation > overlay_.self().incarnation, "an incarnation that is not later");
  overlay_.raise(incarnation);
  update_self(host);
  if (!worker_) return;
  Turn turn = Peer::turn(host);
  worker_->raise(turn, incarnation);
}

void Peer::set_trouble(const Host& host, std::string_view trouble) {
  trouble_ = std::make_unique<std::string>(trouble.substr(0, Facts::kTroubleMax));
  update_self(host);
}

void Peer::leave(const Host& host) {
  leave_cells(host);
  gossip(host, [&](overlay::GossipTurn& turn) { overlay_.leave(turn); });
}

void Peer::refresh_directory(const Host& host) {
  update_self(host);
  Turn turn = Peer::turn(host);
  ensure_directory().refresh(turn);
}

Time Peer::deadline() const {
  Time earliest = overlay_.deadline();
  if (directory_) earliest = std::min(earliest, directory_->deadline());
  if (frontend_) earliest = std::min(earliest, frontend_->deadline());
  if (worker_) earliest = std::min(earliest, worker_->deadline());
  if (cells_) earliest = std::min(earliest, cells_->deadline());
  return earliest;
}

}  // namespace dunlin::sched
