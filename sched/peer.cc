// SPDX-License-Identifier: MIT
#include "sched/peer.h"

#include <algorithm>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/directory/directory.h"
#include "sched/federation/peer/peer_masters.h"
#include "sched/frontend/frontend.h"
#include "sched/listing/job_lists.h"
#include "sched/listing/listings.h"
#include "sched/logs/home_seeker.h"
#include "sched/logs/log_part.h"
#include "sched/logs/peer_logs.h"
#include "sched/overloaded.h"
#include "sched/peer/comeback.h"
#include "sched/peer/peer_orders.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_params.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"
#include "sched/turn.h"
#include "sched/witness.h"
#include "sched/worker/worker.h"

// A peer is a switchboard: each message goes to the one part that it is for, and what a part learns
// that others need is passed on here. Parts never call each other, so each can be tested alone.
// Three things cross over. Statements in gossip fill the directory and the frontend's cache of
// nodes. Loads in answers of workers refresh the views, since they are newer than gossip.
// Departures that the overlay notices free the tasks of that worker; without a farewell other
// nodes are asked, or the leases of the tasks decide.
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

/// Nodes beside the neighbours that hear a good-bye: they would look for this node as for one that
/// died.
constexpr std::size_t kFarewellsMax = 1024;

void tell_strangers(const PeerParts& parts, const Host& host) {
  if (!parts.directory) return;
  std::vector<overlay::Neighbour> all;
  parts.overlay.neighbours(all);
  std::set<PeerId> skipped = {parts.endpoint().id};
  for (const overlay::Neighbour& neighbour : all) skipped.insert(neighbour.peer.id);
  std::size_t left = kFarewellsMax;
  for (const auto& [id, node] : parts.directory->nodes()) {
    if (node.departure || !node.facts || skipped.contains(id) || left == 0) continue;
    --left;
    host.gossip.send({id, node.descriptor.address},
        overlay::Leave{.incarnation = parts.overlay.self().incarnation});
  }
}

}  // namespace

Peer::Peer(const SharedParams& params, const NodeSpec& self, std::span<const Endpoint> contacts)
    : Peer(params, overlay::Shared<NodeSpec>(self), self.endpoint, self.incarnation, contacts) {}

Peer::Peer(const SharedParams& params,
    const overlay::Shared<NodeSpec>& like,
    const Endpoint& where,
    std::uint32_t incarnation,
    std::span<const Endpoint> contacts)
    : parts_(params, like, where, incarnation, contacts) {}

NodeSpec Peer::self() const {
  return parts_.self();
}

Sharing Peer::sharing() {
  return Sharing(parts_);
}

JobLists Peer::lists() {
  return JobLists(parts_);
}

PeerOrders Peer::orders() {
  return {*this, parts_};
}

Comeback Peer::comeback() {
  return Comeback(parts_);
}

Maintenance Peer::maintenance() {
  return Maintenance(parts_);
}

const books::Classes& Peer::classes() const {
  static const books::Classes none;
  return parts_.cells ? parts_.cells->classes() : none;
}

void Peer::wake(const Host& host) {
  // A wake-up may be for any part, so each compares its own deadline. The order is fixed, so that a
  // run repeats.
  gossip(host, [&](overlay::GossipTurn& turn) {
    if (parts_.overlay.deadline() <= host.now) parts_.overlay.wake(turn);
  });
  Turn turn = PeerParts::turn(host);
  if (parts_.directory && parts_.directory->deadline() <= host.now) parts_.directory->wake(turn);
  if (parts_.frontend && parts_.frontend->deadline() <= host.now) {
    parts_.frontend->wake(turn, parts_.around(host.now));
  }
  if (parts_.seldom.logs() && parts_.seldom.logs()->deadline() <= host.now) {
    // A node that comes back with its jobs may be the first to know that cells are needed.
    const bool drives = !parts_.seldom.logs()->parts().frontends().empty();
    if (drives && !parts_.cells) (void)sharing().need(host, CellNeed::replicas);
    parts_.seldom.logs()->wake(parts_, host);
  }
  if (parts_.worker && parts_.worker->deadline() <= host.now) {
    parts_.worker->wake(turn);
    logs::seek_homes(parts_, host, parts_.worker->frontends().take_lost_homes(host.now));
  }
  if (parts_.seldom.witness() && parts_.seldom.witness()->deadline() <= host.now)
    parts_.seldom.witness()->wake(turn);
  // After the frontend: it may have lost a local master just now, and look for its successor.
  federation::wake_masters(parts_, host);
  lists().wake(host);
  sharing().wake(host);
  parts_.publish(host);
}

void Peer::gossip(const Host& host, auto&& call) {
  DepartureTap tap(host.events);
  overlay::GossipTurn turn{.now = host.now, .rng = host.rng, .out = host.gossip, .events = tap};
  call(turn);
  Turn task_turn = PeerParts::turn(host);
  // A partner that fails a shuffle leaves the random view, so liveness may never ping it.
  for (const PeerId peer : tap.silent()) {
    if (parts_.directory) parts_.directory->suspect(task_turn, peer);
  }
  for (const overlay::NeighbourDown& gone : tap.departed()) {
    if (parts_.directory) parts_.directory->on_down(host.now, gone.peer, gone.graceful);
    if (parts_.frontend) parts_.frontend->forget(gone.peer);
    if (parts_.seldom.logs()) parts_.seldom.logs()->forget(gone.peer);
    if (parts_.seldom.masters()) parts_.seldom.masters()->on_down(host.now, gone.peer);
    if (parts_.seldom.logs() && gone.graceful) {
      parts_.seldom.logs()->drive_all(parts_, host, [&](Frontend& frontend, Turn& its_turn) {
        frontend.on_worker_gone(its_turn, parts_.around(host.now), gone.peer);
      });
    }
    // A node without a farewell may only seem dead: see DeathWatch.
    if (!gone.graceful || !parts_.frontend) continue;
    parts_.frontend->on_worker_gone(task_turn, parts_.around(host.now), gone.peer);
  }
}

void Peer::receive(const Host& host, const Endpoint& from, const overlay::Message& message) {
  // A peer with none of them need not search the message.
  if (parts_.params->directory.size_max > 0 || parts_.frontend || parts_.worker) {
    if (parts_.params->directory.size_max > 0) parts_.ensure_directory();
    for_each_descriptor(message, [&](const overlay::Descriptor& descriptor) {
      if (parts_.directory) parts_.directory->hear(host.now, descriptor);
      if (parts_.worker) parts_.worker->frontends().hear(descriptor);
      const bool other = descriptor.id != parts_.endpoint().id;
      if (other && parts_.frontend) parts_.frontend->hear(host.now, descriptor);
      if (other && parts_.seldom.logs()) parts_.seldom.logs()->hear(host.now, descriptor);
    });
  }
  gossip(host, [&](overlay::GossipTurn& turn) { parts_.overlay.receive(turn, from, message); });
  const auto* const farewell = std::get_if<overlay::Leave>(&message);
  if (farewell != nullptr && parts_.directory) {
    parts_.directory->on_farewell(host.now, from.id, farewell->incarnation);
  }
}

void Peer::on_exits(const Host& host, std::span<const Exit> exits) {
  Turn turn = PeerParts::turn(host);
  parts_.ensure_worker().on_exits(turn, parts_.around(host.now), exits);
  parts_.publish(host);
}

void Peer::on_trial(const Host& host, std::string_view failure) {
  parts_.on_verdict(host, HealthJudge::starts, failure);
}

void Peer::leave(const Host& host) {
  sharing().leave(host);
  tell_strangers(parts_, host);
  gossip(host, [&](overlay::GossipTurn& turn) { parts_.overlay.leave(turn); });
}

void Peer::refresh_directory(const Host& host, PeerId only) {
  parts_.update_self(host);
  Turn turn = PeerParts::turn(host);
  parts_.ensure_directory().refresh(turn, only);
}

Time Peer::deadline() const {
  Time earliest = std::min(parts_.overlay.deadline(), federation::masters_deadline(parts_));
  if (parts_.directory) earliest = std::min(earliest, parts_.directory->deadline());
  if (parts_.frontend) earliest = std::min(earliest, parts_.frontend->deadline());
  if (parts_.seldom.logs()) earliest = std::min(earliest, parts_.seldom.logs()->deadline());
  if (parts_.worker) earliest = std::min(earliest, parts_.worker->deadline());
  if (parts_.seldom.witness()) earliest = std::min(earliest, parts_.seldom.witness()->deadline());
  if (parts_.seldom.listings()) earliest = std::min(earliest, parts_.seldom.listings()->deadline());
  earliest = std::min(earliest, cells_deadline(parts_));
  if (parts_.begins_cells()) return Time{};
  return earliest;
}

}  // namespace dunlin::sched
