// SPDX-License-Identifier: MIT
#include "sched/peer_sharing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sched/cell/cell_node.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

// CellNode does not exist until the node hears that something needs cells, so that clusters which
// do without pay nothing for it. Each call into it ends with the worker's new tickets, because any
// message may change the grants that hold here.
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

Result<void> check_cells(const PeerParts& parts) {
  if (parts.params->sharing.cell.sharing != SharingMode::none) return {};
  return failure(ErrorKind::usage,
      "this node shares nothing: its configuration says cell.sharing = \"none\"; set it to "
      "\"bank\" or \"cluster_reserves\" on every node");
}

CellNode& ensure_cells(PeerParts& parts, Time now) {
  if (!parts.cells) {
    const Tickets tickets = parts.spec->total.cpu;
    parts.cells = std::make_unique<CellNode>(parts.params->sharing, parts.endpoint(), tickets, now);
  }
  return *parts.cells;
}

}  // namespace

auto Sharing::in_cells(const Host& host, auto&& call) {
  NodeTasks tasks(parts_.ensure_worker());
  Links links(parts_.overlay.cyclon().view());
  const CellTurn turn{.now = host.now,
      .rng = host.rng,
      .out = host.cells,
      .store = host.books,
      .workload = tasks,
      .targets = links,
      .events = host.events};
  CellNode& cells = ensure_cells(parts_, host.now);
  auto result = call(turn, cells);
  parts_.ensure_worker().set_tickets(host.now, cells.tickets(host.now));
  return result;
}

// Books on a node that shares nothing stay on its disk: the setting may be changed back.
Result<void> Sharing::restore_books(const Host& host, std::vector<StoredRaft> replicas) {
  if (replicas.empty() || parts_.params->sharing.cell.sharing == SharingMode::none) return {};
  return in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    return cells.restore(turn, std::move(replicas));
  });
}

Result<void> Sharing::set_classes(const Host& host, const books::Classes& classes) {
  if (auto can = check_cells(parts_); !can) return can;
  return in_cells(host,
      [&](const CellTurn& turn, CellNode& cells) { return cells.set_classes(turn, classes); });
}

// The node tells itself, as a neighbour would.
Result<void> Sharing::need(const Host& host, CellNeed need) {
  if (auto can = check_cells(parts_); !can) return can;
  const cell::Gossip told{.reply = true, .needs = static_cast<std::uint16_t>(need)};
  return in_cells(host, [&](const CellTurn& turn, CellNode& cells) -> Result<void> {
    cells.receive(turn, parts_.endpoint(), told);
    return {};
  });
}

void Sharing::receive(const Host& host, const Endpoint& from, const cell::Message& message) {
  if (parts_.params->sharing.cell.sharing == SharingMode::none) return;
  // Only gossip of something that needs cells wakes sharing. Other messages to a sleeping node are
  // stale.
  const auto* gossip = std::get_if<cell::Gossip>(&message);
  const bool wakes = gossip != nullptr && (gossip->version > 0 || gossip->needs != 0);
  if (!parts_.cells && !wakes) return;
  in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    cells.receive(turn, from, message);
    return true;
  });
  parts_.publish(host);
}

void Sharing::wake(const Host& host) {
  if (parts_.begins_cells()) {
    const bool always = parts_.params->sharing.cell.form == CellForm::always;
    (void)need(host, always ? CellNeed::configured : CellNeed::masters);
  }
  if (!parts_.cells || parts_.cells->deadline() > host.now) return;
  in_cells(host, [](const CellTurn& turn, CellNode& cells) {
    cells.wake(turn);
    return true;
  });
}

void Sharing::drain(const Host& host, bool on) {
  if (!parts_.cells) return;
  in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    cells.drain(turn, on);
    return true;
  });
}

void Sharing::depart(const Host& host) {
  if (!parts_.cells) return;
  in_cells(host, [](const CellTurn& turn, CellNode& cells) {
    cells.depart(turn);
    cells.wake(turn);
    return true;
  });
}

bool Sharing::departed(Time now) const {
  return !parts_.cells || parts_.cells->departed(now);
}

Result<void> Sharing::write_off(const Host& host, CellId cell, CellId lost, bool reissue) {
  if (!parts_.cells) return failure(ErrorKind::not_found, "no cell is managed here");
  return in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    return cells.write_off(turn, cell, lost, reissue);
  });
}

// Grants given back leave at once; the driver need not wait for the answer.
void Sharing::leave(const Host& host) {
  if (!parts_.cells) return;
  in_cells(host, [](const CellTurn& turn, CellNode& cells) {
    cells.leave(turn);
    cells.wake(turn);
    return true;
  });
}

}  // namespace dunlin::sched
