// SPDX-License-Identifier: MIT
#include "sched/cell/cell_node.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "overlay/ensure.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/plan_member.h"
#include "sched/cell/plan_rule.h"
#include "sched/cell/sharing_params.h"
#include "sched/overloaded.h"
#include "sched/raft/raft_check.h"

// A message is for one of three: a replica hosted here (Raft's own RPCs), the manager of a cell
// that is led here (all that members and other managers say to it), or the node itself (leases,
// gossip, requests to host a replica or to let go of one). Whatever may have moved a replica's log
// ends with ReplicaHost::settle().
namespace dunlin::sched {
namespace {

/// Rounds of one wake-up: each may make more due. Then the rest waits for kRest, so that a fault
/// which makes something due for ever costs time, but does not hang the node.
constexpr int kWakesMax = 8;
constexpr Duration kRest = std::chrono::milliseconds(1);

/// The cell to the manager of which the message goes; empty if it is for no manager.
std::optional<CellId> managed_by(const cell::Message& message) {
  using Cell = std::optional<CellId>;
  return std::visit(Overloaded{
                        [](const cell::MemberReport& m) -> Cell { return m.cell; },
                        [](const cell::Enlisted& m) -> Cell { return m.cell; },
                        [](const cell::Resign& m) -> Cell { return m.cell; },
                        [](const cell::WrittenOff& m) -> Cell { return m.cell; },
                        [](const cell::Order& m) -> Cell { return m.cell; },
                        [](const cell::SavingsOffer& m) -> Cell { return m.to; },
                        [](const cell::Verdict& m) -> Cell { return m.from; },
                        [](const cell::LogRequest& m) -> Cell { return m.cell; },
                        [](const cell::LogAnswer& m) -> Cell { return m.asker; },
                        [](const cell::Claims& m) -> Cell { return m.cell; },
                        [](const auto&) -> Cell { return std::nullopt; },
                    },
      message);
}

}  // namespace

CellNode::CellNode(const SharingParams& params, const Endpoint& self, Tickets tickets, Time now)
    : params_(&params),
      is_on_(params.cell.sharing != SharingMode::none),
      local_{.endpoint = self, .tickets = tickets, .born = now},
      gossip_(params.cell),
      member_(params.cell, 0, self.id),
      plans_(std::make_unique<PlanMember>(params, self.id)),
      host_(params, self, gossip_),
      links_(params, local_, gossip_, host_),
      departure_(params.cell, local_, member_, gossip_, host_) {}

CellNode::~CellNode() = default;

Result<void> CellNode::restore(const CellTurn& turn, std::vector<StoredRaft> replicas) {
  if (!is_on_) return {};
  return host_.restore(turn, std::move(replicas), member_);
}

cell::Hint CellNode::establish(const CellTurn& turn) {
  host_.establish(turn, 0, member_);
  HostedReplica& own = *host_.all().back();
  ensure(own.manager.has_value(), "a sole voter that does not lead");
  return own.manager->hint(own.books());
}

void CellNode::join(const CellTurn& turn, CellId cell, std::span<const cell::Hint> cells) {
  for (const cell::Hint& each : cells) gossip_.hear(turn.now, each);
  if (member_.state() != CellMember::State::seeking) return;
  const auto own = std::ranges::find(cells, cell, &cell::Hint::cell);
  ensure(own != cells.end(), "a cell that nothing is known of");
  member_.join(turn.now, cell, std::span(&own->manager, 1));
}

// One thing done may make another due, so it goes round until nothing is, but not without end.
void CellNode::wake(const CellTurn& turn) {
  if (!is_on_) return;
  const Time now = turn.now;
  for (int i = 0; i < kWakesMax && next_due() <= now; ++i) act(turn);
  rest_ = next_due() <= now ? now + kRest : Time{};
  observe(turn);
}

// The index is read anew each time: to speak for a cell may establish another one, at the end.
void CellNode::act(const CellTurn& turn) {
  local_.machine = turn.machine;
  gossip_.forget_old(turn.now);
  host_.forget_ended(turn);
  gossip_.wake(turn, member_.seeks());
  if (member_.deadline() <= turn.now) wake_member(turn);
  if (granted_ && turn.now >= member_.until()) observe(turn);
  for (std::size_t i = 0; i < host_.all().size(); ++i) wake_replica(turn, *host_.all()[i]);
  departure_.wake(turn);
  // Books that a node comes back with tell of a rule now: claims are due in this wake-up.
  plans_->follow(turn.now, member_, plan_params(classes().plan).has_value());
  plans_->wake(turn, member_, gossip_.hints());
}

void CellNode::wake_member(const CellTurn& turn) {
  member_.wake(turn, gossip_.hints(), [&] {
    cell::MemberReport report = local_.report(turn.now, gossip_.table().version());
    report.tickets = local_.tickets;
    report.replica = host_.replica_of(member_.cell()).value_or(0);
    report.slots = turn.workload.slots();
    report.uses = turn.workload.take(turn.now, local_.tickets);
    return report;
  });
  if (member_.establishes()) host_.establish(turn, 0, member_);
}

void CellNode::wake_replica(const CellTurn& turn, HostedReplica& hosted) {
  host_.wake(turn, hosted);
  if (!hosted.manager) return departure_.resign(turn, hosted);
  departure_.hand_over(turn, hosted);
  if (hosted.manager->deadline() <= turn.now) {
    const LeaderContext context = hosted.context(gossip_.hints());
    hosted.manager->set_classes(turn, context, classes());
    hosted.manager->wake(turn, context);
    gossip_.hear(turn.now, hosted.manager->hint(hosted.books()));
    host_.settle(turn, hosted);
  }
  if (hosted.manager) links_.wake(turn, hosted);
}

Time CellNode::deadline() const {
  return is_on_ ? std::max(next_due(), rest_) : kNever;
}

// Grants that lapse are an event, so their end is a deadline while there are some.
Time CellNode::next_due() const {
  Time earliest =
      std::min({member_.deadline(), gossip_.deadline(), departure_.deadline(), plans_->deadline()});
  if (granted_) earliest = std::min(earliest, member_.until());
  for (const auto& hosted : host_.all()) {
    earliest = std::min(earliest, hosted->group.deadline());
    if (!hosted->manager) continue;
    earliest = std::min(earliest, hosted->manager->deadline());
    if (hosted->above) earliest = std::min(earliest, hosted->above->deadline());
  }
  return earliest;
}

// Events are told here alone, by comparing with the last look: many paths lead to a change.
void CellNode::observe(const CellTurn& turn) {
  const auto cell = member_.is_member() ? std::optional(member_.cell()) : std::nullopt;
  if (joined_ != cell) {
    if (joined_) turn.events.on(CellLeft{*joined_});
    if (cell) turn.events.on(CellJoined{*cell, member_.epoch()});
    joined_ = cell;
  }
  const bool granted = turn.now < member_.until();
  if (granted_ && !granted && cell) turn.events.on(GrantsLapsed{*cell});
  granted_ = granted;
  plans_->follow(turn.now, member_, plan_params(classes().plan).has_value());
}

void CellNode::receive(const CellTurn& turn, const Endpoint& from, const cell::Message& message) {
  if (!is_on_) return;
  if (auto rpc = rpc_of(message)) {
    host_.receive(turn, from, std::move(*rpc));
  } else if (const auto cell = managed_by(message)) {
    receive_as_manager(turn, from, *cell, message);
  } else {
    receive_as_node(turn, from, message);
  }
  observe(turn);
}

void CellNode::receive_as_node(
    const CellTurn& turn, const Endpoint& from, const cell::Message& message) {
  std::visit(Overloaded{
                 [&](const cell::Lease& m) { on_lease(turn, from, m); },
                 [&](const cell::Gossip& m) { gossip_.receive(turn, from, m); },
                 [&](const cell::Allotments& m) {
                   if (!plans_->receive(turn, from, member_, m)) ++strangers_;
                 },
                 [&](const cell::Enlist& m) { host_.receive(turn, from, m); },
                 [&](const cell::Discharge& m) {
                   if (!host_.receive(turn, from, m)) ++strangers_;
                 },
                 [&](const cell::Excuse& m) {
                   if (!host_.receive(from, m)) ++strangers_;
                 },
                 // Every node that holds the cluster key may set classes: operators do so anywhere.
                 [&](const cell::SetClasses& m) {
                   gossip_.adopt(turn, m.classes);
                   spread_classes(turn);
                 },
                 [](const auto&) {},
             },
      message);
}

// A member may ask a replica that does not lead, and so may a replica of a log: they are told where
// the leader is. A newcomer to a
// full cell is told of other cells.
void CellNode::receive_as_manager(
    const CellTurn& turn, const Endpoint& from, CellId cell, const cell::Message& message) {
  HostedReplica* hosted = host_.find(cell);
  if (hosted == nullptr) return;
  const auto* report = std::get_if<cell::MemberReport>(&message);
  if (!hosted->manager) {
    if (report != nullptr) host_.redirect(turn, from, *report, *hosted);
    const auto* request = std::get_if<cell::LogRequest>(&message);
    if (request != nullptr) host_.redirect(turn, from, *request, *hosted);
    return;
  }
  const LeaderContext context = hosted->context(gossip_.hints());
  const Handling handling = hosted->manager->receive(turn, context, from, message);
  if (handling == Handling::refused) ++strangers_;
  if (report != nullptr && !report->leaving) {
    const bool newcomer = hosted->books().ledger().node(report->member) == nullptr;
    const bool full = newcomer && !hosted->manager->members().has_room(hosted->books());
    if (full) gossip_.refer(turn, from, hosted->level());
  }
  host_.settle(turn, *hosted);
}

// A lease is the answer to a report, to this node or to a cell that it speaks for. One from a node
// that was sent no report is a stranger's.
void CellNode::on_lease(const CellTurn& turn, const Endpoint& from, const cell::Lease& lease) {
  if (lease.member != local_.endpoint.id) {
    HostedReplica* hosted = host_.find(lease.member.cell());
    if (hosted == nullptr || !hosted->manager || !hosted->above) return;
    if (!links_.receive(turn, from, lease, *hosted)) ++strangers_;
    return;
  }
  if (!asks(member_, from.id)) {
    ++strangers_;
    return;
  }
  if (lease.standing == cell::Standing::full) gossip_.full(lease.cell);
  const auto period = member_.period();
  (void)member_.receive(turn, lease);
  // Use is reported by grants: from now on it counts under the new ones.
  if (member_.period() != period) (void)turn.workload.take(turn.now, local_.tickets);
  gossip_.on_lease(turn, from, lease, member_.cell());
}

void CellNode::spread_classes(const CellTurn& turn) {
  for (const auto& hosted : host_.all()) {
    if (!hosted->manager) continue;
    hosted->manager->set_classes(turn, hosted->context(gossip_.hints()), classes());
    host_.settle(turn, *hosted);
  }
}

Result<void> CellNode::set_classes(const CellTurn& turn, const books::Classes& classes) {
  if (auto may = gossip_.table().may_follow(classes); !may) return may;
  gossip_.adopt(turn, classes);
  observe(turn);
  spread_classes(turn);
  if (member_.contacts().empty()) return {};
  turn.out.send(endpoint_of(member_.contacts().front()),
      cell::SetClasses{.cell = member_.cell(), .classes = this->classes()});
  return {};
}

Result<void> CellNode::write_off(const CellTurn& turn, CellId cell, CellId lost, bool reissue) {
  HostedReplica* hosted = host_.find(cell);
  if (hosted == nullptr || !hosted->manager) {
    return failure(ErrorKind::not_found, "cell " + hex_text(cell.value) + " is not managed here");
  }
  const LeaderContext context = hosted->context(gossip_.hints());
  auto asked = hosted->manager->write_off(turn, context, lost, reissue);
  host_.settle(turn, *hosted);
  return asked;
}

ClassTickets CellNode::tickets(Time now) const {
  return gossip_.table().weights(local_.tickets, member_.grants(now));
}

}  // namespace dunlin::sched
