// SPDX-License-Identifier: MIT
// The part of a peer in sharing. It does not exist until the node hears of classes, so that
// clusters without classes pay nothing for it. Each call into it ends with the worker's new
// tickets, because any message may change the grants that hold here.
#include <algorithm>
#include <optional>
#include <utility>

#include "sched/cell/cell_node.h"
#include "sched/peer.h"
#include "sched/peer_params.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {
namespace {

/// Presents the worker's use of tickets to cells.
class NodeTasks final : public Workload {
 public:
  explicit NodeTasks(Worker& worker) : worker_(worker) {}

  std::vector<books::Use> take(Time now, Tickets tickets) override {
    return worker_.take_uses(now, tickets);
  }

 private:
  Worker& worker_;
};

/// Presents the random neighbours, to which hints of cells are gossiped.
class Links final : public GossipTargets {
 public:
  explicit Links(const overlay::RandomView& view) : view_(view) {}

  std::optional<Endpoint> draw(Rng& rng) override {
    if (view_.empty()) return std::nullopt;
    const overlay::Neighbour node = view_.at(rng.index(view_.size())).neighbour;
    return Endpoint{node.peer.id, node.peer.address};
  }

 private:
  const overlay::RandomView& view_;
};

}  // namespace

CellNode& Peer::ensure_cells(Time now) {
  if (!cells_) {
    const Tickets tickets = spec_->total.cpu;
    cells_ = std::make_unique<CellNode>(params_->sharing, endpoint(), tickets, now);
  }
  return *cells_;
}

auto Peer::in_cells(const Host& host, auto&& call) {
  NodeTasks tasks(ensure_worker());
  Links links(overlay_.cyclon().view());
  const CellTurn turn{.now = host.now,
      .rng = host.rng,
      .out = host.cells,
      .store = host.books,
      .workload = tasks,
      .targets = links,
      .events = host.events};
  CellNode& cells = ensure_cells(host.now);
  auto result = call(turn, cells);
  ensure_worker().set_tickets(host.now, cells.tickets(host.now));
  return result;
}

// Books on a node that shares nothing stay on its disk: the setting may be changed back.
Result<void> Peer::restore_books(const Host& host, std::vector<StoredRaft> replicas) {
  if (replicas.empty() || params_->sharing.cell.sharing == SharingMode::none) return {};
  return in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    return cells.restore(turn, std::move(replicas));
  });
}

Result<void> Peer::set_classes(const Host& host, books::Classes classes) {
  if (params_->sharing.cell.sharing == SharingMode::none) {
    return failure(ErrorKind::usage,
        "this node shares nothing: its configuration says cell.sharing = \"none\"; set it to "
        "\"bank\" or \"reserves\" on every node");
  }
  return in_cells(host,
      [&](const CellTurn& turn, CellNode& cells) { return cells.set_classes(turn, classes); });
}

const books::Classes& Peer::classes() const {
  static const books::Classes kNone;
  return cells_ ? cells_->classes() : kNone;
}

void Peer::receive(const Host& host, const Endpoint& from, const cell::Message& message) {
  if (params_->sharing.cell.sharing == SharingMode::none) return;
  // Only gossip with a class table wakes sharing. Other messages to a sleeping node are stale.
  const auto* gossip = std::get_if<cell::Gossip>(&message);
  if (!cells_ && (gossip == nullptr || gossip->version == 0)) return;
  in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    cells.receive(turn, from, message);
    return true;
  });
  overlay_.publish(capacity());
}

void Peer::wake_cells(const Host& host) {
  if (!cells_ || cells_->deadline() > host.now) return;
  in_cells(host, [](const CellTurn& turn, CellNode& cells) {
    cells.wake(turn);
    return true;
  });
}

void Peer::drain_cells(const Host& host, bool on) {
  if (!cells_) return;
  in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    cells.drain(turn, on);
    return true;
  });
}

void Peer::depart(const Host& host) {
  drain(host, true);
  if (!cells_) return;
  in_cells(host, [](const CellTurn& turn, CellNode& cells) {
    cells.depart(turn);
    cells.wake(turn);
    return true;
  });
}

bool Peer::departed(Time now) const {
  return !cells_ || cells_->departed(now);
}

Result<void> Peer::write_off(const Host& host, CellId cell, CellId lost, bool reissue) {
  if (!cells_) return failure(ErrorKind::not_found, "no cell is managed here");
  return in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    return cells.write_off(turn, cell, lost, reissue);
  });
}

// Grants given back leave at once; the driver need not wait for the answer.
void Peer::leave_cells(const Host& host) {
  if (!cells_) return;
  in_cells(host, [](const CellTurn& turn, CellNode& cells) {
    cells.leave(turn);
    cells.wake(turn);
    return true;
  });
}

}  // namespace dunlin::sched
