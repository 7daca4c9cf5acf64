// SPDX-License-Identifier: MIT
#include "sched/peer_sharing.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "sched/cell/cell_node.h"
#include "sched/cell/plan_member.h"
#include "sched/frontend/frontend.h"
#include "sched/frontend/plan/claims.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"
#include "sched/peer_view.h"
#include "sched/plan/slot_width.h"
#include "sched/task_time.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

// CellNode does not exist until the node hears that something needs cells, so that clusters which
// do without pay nothing for it. Each call into it ends with the worker's new tickets, because any
// message may change the grants that hold here.
namespace dunlin::sched {
namespace {

/// The attribute by which an operator says how fast a node is: 2 is twice as fast as most.
constexpr std::string_view kSpeed = "speed";

/// Calls `act` for every frontend of the node.
void for_each_frontend(const PeerParts& parts, auto&& act) {
  if (parts.frontend) act(*parts.frontend);
  if (parts.seldom.logs() == nullptr) return;
  for (const Frontend* each : parts.seldom.logs()->parts().frontends()) act(*each);
}

/// Another number says that the jobs driven here, or the slots, are others than before.
std::uint64_t version_of(const PeerParts& parts) {
  std::uint64_t jobs = 0;
  for_each_frontend(parts, [&](const Frontend& each) { jobs += each.table().version(); });
  const bool closed = parts.worker && parts.worker->slots().closed();
  return 2 * jobs + (closed ? 1 : 0);
}

/// In thousandths; empty if its operator says nothing of use.
std::optional<std::uint32_t> speed_of(const NodeSpec& spec) {
  const auto said = std::ranges::find(spec.attributes, kSpeed, &Attribute::key);
  if (said == spec.attributes.end()) return std::nullopt;
  double speed = 0;
  const char* const end = said->value.data() + said->value.size();
  const auto read = std::from_chars(said->value.data(), end, speed);
  if (read.ec != std::errc{} || read.ptr != end || !(speed >= .01 && speed <= 100)) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::lround(speed * 1000));
}

/// Presents to cells the worker's use of tickets, and what jobs here claim of a plan.
class NodeTasks final : public Workload {
 public:
  explicit NodeTasks(PeerParts& parts) : parts_(parts) {}

  std::vector<books::Use> take(Time now, Tickets tickets) override {
    return parts_.ensure_worker().classes().take_uses(now, tickets);
  }
  SlotCounts slots() const override { return slot_counts(parts_.worker.get(), parts_.spec->total); }
  NodeClaims claims(Time now) override {
    NodeClaims node{.version = version_of(parts_)};
    const bool closed = parts_.ensure_worker().slots().closed();
    node.slots = closed ? 0 : slots_of_node(parts_.spec->total);
    node.speed = parts_.ensure_worker().plan().speed();
    node.preempts = parts_.params->worker.preempt == PreemptMode::plan;
    if (node.speed == 0) node.speed = speed_of(*parts_.spec).value_or(kSpeedUsual);
    for_each_frontend(
        parts_, [&](const Frontend& each) { add_claims(each.table(), now, node.claims); });
    return node;
  }

 private:
  PeerParts& parts_;
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
  parts_.ensure_worker();
  NodeTasks tasks(parts_);
  Links links(parts_.overlay.cyclon().view());
  const CellTurn turn{.now = host.now,
      .rng = host.rng,
      .out = host.cells,
      .store = host.books,
      .workload = tasks,
      .targets = links,
      .events = host.events,
      .machine = parts_.spec->machine};
  CellNode& cells = ensure_cells(parts_, host.now);
  auto result = call(turn, cells);
  parts_.ensure_worker().classes().set_tickets(host.now, cells.tickets(host.now));
  follow_plan(host, cells);
  return result;
}

void Sharing::follow_plan(const Host& host, CellNode& cells) {
  Worker& worker = parts_.ensure_worker();
  const bool is_on = cells.plans().is_on();
  if (is_on != (worker.plan().speed() != 0))
    worker.plan().tell_speed(is_on, speed_of(*parts_.spec));
  if (!cells.plans().take_news(host.now)) return;
  worker.plan().set_allotments(host.now, cells.plans().allotted(host.now));
  for (const cell::Allotted& each : worker.plan().lacking_reservations()) {
    host.cells.send({each.frontend, each.address}, cell::Invite{.job = each.job});
  }
}

Time cells_deadline(const PeerParts& parts) {
  if (!parts.cells) return kNever;
  const PlanMember& plans = parts.cells->plans();
  // Where there is no manager to claim from, changes wait for one.
  const bool claims = plans.is_on() && parts.cells->member().is_member() &&
      !parts.cells->member().contacts().empty() && plans.claimed_version() != version_of(parts);
  if (!claims) return parts.cells->deadline();
  return std::min(parts.cells->deadline(), plans.earliest_claim());
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

Result<cell::Hint> Sharing::establish(const Host& host) {
  if (auto can = need(host, CellNeed::configured); !can) return tl::unexpected(can.error());
  return in_cells(
      host, [](const CellTurn& turn, CellNode& cells) { return cells.establish(turn); });
}

Result<void> Sharing::join(const Host& host, CellId cell, std::span<const cell::Hint> cells) {
  if (auto can = need(host, CellNeed::configured); !can) return can;
  in_cells(host, [&](const CellTurn& turn, CellNode& node) {
    node.join(turn, cell, cells);
    return true;
  });
  return {};
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
  if (cells_deadline(parts_) > host.now) return;
  in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    if (cells.plans().claimed_version() != version_of(parts_)) cells.plans().hurry(host.now);
    cells.wake(turn);
    return true;
  });
}

void Sharing::drain(const Host& host, bool on) {
  if (!parts_.cells) return;
  in_cells(host, [&](const CellTurn& turn, CellNode& cells) {
    cells.departure().drain(turn, on);
    return true;
  });
}

void Sharing::depart(const Host& host) {
  if (!parts_.cells) return;
  in_cells(host, [](const CellTurn& turn, CellNode& cells) {
    cells.departure().depart(turn);
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
    cells.departure().leave(turn);
    cells.wake(turn);
    return true;
  });
}

}  // namespace dunlin::sched
