// SPDX-License-Identifier: MIT
#include "sched/federation/peer/peer_masters.h"

#include <algorithm>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/cell/manager_places.h"
#include "sched/frontend/frontend.h"
#include "sched/listing/told_cells.h"
#include "sched/overloaded.h"
#include "sched/peer_params.h"
#include "sched/peer_parts.h"
#include "sched/turn.h"
#include "sched/worker/worker.h"

// The books say which node manages a cell, and which nodes are its members. Each epoch has its own
// local master: the next manager begins with an empty table.
namespace dunlin::sched::federation {
namespace {

/// Members of a cell that a standby keeps the rows of.
constexpr std::size_t kHeardMax = 8192;
/// The books of cells are looked at so often.
constexpr Duration kLook = std::chrono::milliseconds(500);

/// True if a cell of nodes is managed here. One that has ended has a manager for a while, for what
/// it owes to others, and no members.
bool is_led(const HostedReplica& hosted) {
  return hosted.manager && hosted.level() == 0 && !hosted.books().roster().closed;
}

/// The cell of nodes that is managed here; nullptr if that one is not.
const HostedReplica* managed(const PeerParts& parts, CellId cell) {
  const HostedReplica* const hosted = parts.cells ? parts.cells->hosted(cell) : nullptr;
  return hosted != nullptr && is_led(*hosted) ? hosted : nullptr;
}

std::vector<Endpoint> members_of(const HostedReplica& hosted) {
  std::vector<Endpoint> members;
  for (const auto& each : hosted.books().ledger().state().nodes) {
    const books::Contact* const contact = hosted.books().contact(each.node);
    if (contact != nullptr) members.push_back({each.node.node(), contact->address});
  }
  return members;
}

CellShares::Shares shares_of(const books::Classes& table) {
  CellShares::Shares shares;
  for (const books::Class& each : table.classes) shares.emplace_back(each.class_id, each.share);
  return shares;
}

/// True if that node manages the cell of this one, as far as this one knows.
bool is_manager(const PeerParts& parts, PeerId node, CellId cell, std::uint64_t epoch) {
  if (!parts.cells) return false;
  const CellMember& member = parts.cells->member();
  return member.is_member() && member.cell() == cell && epoch >= member.epoch() &&
      asks(member, node);
}

MastersTurn masters_turn(const Host& host) {
  return {host.now, host.rng, host.out, host.effort};
}

}  // namespace

LocalMaster* PeerMasters::find(const PeerParts& parts, CellId cell) {
  const auto found = masters_.find(cell);
  if (found == masters_.end()) return nullptr;
  const HostedReplica* const hosted = managed(parts, cell);
  const bool holds = hosted != nullptr && hosted->manager->epoch() == found->second.epoch();
  return holds ? &found->second : nullptr;
}

void PeerMasters::drop(CellId cell) {
  const auto gone = masters_.extract(cell);
  if (gone) number_last_ = std::max(number_last_, gone.mapped().number_last());
}

void PeerMasters::follow_cells(PeerParts& parts, Time now) {
  std::vector<CellId> idle;
  for (const auto& [cell, master] : masters_) {
    if (find(parts, cell) == nullptr || master.masters().empty()) idle.push_back(cell);
  }
  for (const CellId cell : idle) drop(cell);
  for (auto& [cell, master] : masters_) {
    master.set_members(members_of(*managed(parts, cell)));
    master.shares().set_shares(shares_of(parts.cells->classes()));
  }
  look_at_ = masters_.empty() ? kNever : now + kLook;
}

bool PeerMasters::keep(
    const PeerParts& parts, const Host& host, const Endpoint& from, const MemberRow& row) {
  const bool keeps = parts.params->federation.standby && parts.cells &&
      parts.cells->hosted(row.cell) != nullptr && !row.kind.empty();
  if (!keeps) return false;
  masters_turn(host).count_rows(1);
  auto& cell = heard_[row.cell];
  const auto known = cell.find(from.id);
  if (known == cell.end() ? cell.size() < kHeardMax : known->second.row.version <= row.version) {
    cell[from.id] = {from, host.now, row};
  }
  std::erase_if(
      heard_, [&](const auto& each) { return parts.cells->hosted(each.first) == nullptr; });
  return true;
}

void PeerMasters::hand_over(PeerParts& parts, const Host& host, LocalMaster& master) {
  const auto kept = heard_.extract(master.cell());
  if (!kept) return;
  for (auto& [node, heard] : kept.mapped()) {
    if (heard.at + parts.params->federation.lease <= host.now) continue;
    heard.row.epoch = master.epoch();
    heard.row.answers.clear();  // They were for the one before.
    master.receive(masters_turn(host), heard.member, heard.row);
  }
}

void PeerMasters::attach(
    PeerParts& parts, const Host& host, const Endpoint& from, const Attach& attach) {
  const CellNode* const cells = parts.cells.get();
  if (!attach.leave) {
    host.out.send(from,
        Attached{.request = attach.request,
            .cells = told_cells(cells, Attached::kCellsMax),
            .places = told_places(cells, host.now, Attached::kPlacesMax)});
  }
  if (cells == nullptr) return;
  for (const auto& hosted : cells->hosted()) {
    if (!is_led(*hosted)) continue;
    const CellId cell = hosted->cell();
    if (find(parts, cell) == nullptr) {
      if (attach.leave) continue;
      drop(cell);
      masters_.try_emplace(cell, parts.params->federation, cell, hosted->manager->epoch(),
          parts.params->worker, number_last_);
      masters_.at(cell).set_members(members_of(*hosted));
      masters_.at(cell).shares().set_shares(shares_of(cells->classes()));
      hand_over(parts, host, masters_.at(cell));
      look_at_ = std::min(look_at_, host.now + kLook);
    }
    const auto known = std::ranges::find(attach.known, cell, &KnownView::cell);
    masters_.at(cell).receive(
        masters_turn(host), from, attach, known == attach.known.end() ? nullptr : &*known);
  }
}

void PeerMasters::call(
    PeerParts& parts, const Host& host, const Endpoint& from, const RollCall& call) {
  if (!is_manager(parts, from.id, call.cell, call.epoch)) {
    ++ignored_;
    return;
  }
  if (!member_) member_.emplace(parts.overlay.self().incarnation);
  member_->call(host.now, from, call, parts.params->federation.lease);
}

void PeerMasters::start(
    PeerParts& parts, const Host& host, const Endpoint& from, const StartTasks& starts) {
  Turn turn = PeerParts::turn(host);
  const bool is_ours = member_ && is_manager(parts, from.id, starts.cell, starts.epoch) &&
      member_->start(turn, from, starts, parts.ensure_worker());
  if (!is_ours) ++ignored_;
}

void PeerMasters::launch(
    PeerParts& parts, const Host& host, const Endpoint& from, const LaunchTasks& launch) {
  if (!member_) member_.emplace(parts.overlay.self().incarnation);
  Turn turn = PeerParts::turn(host);
  member_->launch(turn, from, launch, parts.ensure_worker());
}

void PeerMasters::offer(
    PeerParts& parts, const Host& host, const Endpoint& from, const Offer& offer) {
  Turn turn = PeerParts::turn(host);
  const bool is_ours = member_ && is_manager(parts, from.id, offer.cell, offer.epoch) &&
      member_->offer(turn, from, offer, parts.ensure_worker());
  if (!is_ours) ++ignored_;
}

void PeerMasters::receive(
    PeerParts& parts, const Host& host, const Endpoint& from, const Message& message) {
  const auto to_local = [&](CellId cell, const auto& m) {
    if (LocalMaster* const master = find(parts, cell)) {
      master->receive(masters_turn(host), from, m);
    } else {
      ++ignored_;
    }
  };
  std::visit(Overloaded{
                 [&](const Attach& m) { attach(parts, host, from, m); },
                 [&](const LaunchTasks& m) {
                   if (m.direct) return launch(parts, host, from, m);
                   to_local(m.known.cell, m);
                 },
                 [&](const PassedLaunch& m) { to_local(m.launch.known.cell, m); },
                 [&](const Park& m) { to_local(m.cell, m); },
                 [&](const MemberRow& m) {
                   if (find(parts, m.cell) == nullptr && keep(parts, host, from, m)) return;
                   to_local(m.cell, m);
                 },
                 [&](const RollCall& m) { call(parts, host, from, m); },
                 [&](const StartTasks& m) { start(parts, host, from, m); },
                 [&](const Offer& m) { offer(parts, host, from, m); },
                 [](const auto&) {},
             },
      message);
}

void PeerMasters::wake(PeerParts& parts, const Host& host) {
  if (look_at_ <= host.now) follow_cells(parts, host.now);
  for (auto& [cell, master] : masters_) {
    if (master.deadline() <= host.now) master.wake(masters_turn(host));
  }
}

Time PeerMasters::deadline() const {
  Time earliest = look_at_;
  for (const auto& [cell, master] : masters_) earliest = std::min(earliest, master.deadline());
  return earliest;
}

void PeerMasters::on_down(Time now, PeerId node) {
  for (auto& [cell, master] : masters_) master.on_down(now, node);
}

void PeerMasters::tell_row(PeerParts& parts, const Host& host) {
  if (!member_) return;
  const bool called = member_->called(host.now);
  if (called || parts.worker) parts.ensure_worker().for_masters().set_led(called);
  if (!called && !member_->owes_answers()) return;
  std::vector<Endpoint> standbys;
  if (parts.params->federation.standby && parts.cells) {
    const auto contacts = parts.cells->member().contacts();
    for (std::size_t i = 1; i < contacts.size(); ++i) {
      standbys.push_back({contacts[i].node, contacts[i].address});
    }
  }
  Turn turn = PeerParts::turn(host);
  member_->tell(
      turn, parts.ensure_worker(), *parts.spec, parts.overlay.self().incarnation, standbys);
}

bool receive_masters(
    PeerParts& parts, const Host& host, const Endpoint& from, const Message& message) {
  const auto to_frontend = [&](const auto& m) {
    Turn turn = PeerParts::turn(host);
    if (parts.frontend) parts.frontend->on_message(turn, parts.around(host.now), from, m);
    return true;
  };
  const auto to_masters = [&](const auto&) {
    parts.seldom.ensure_masters().receive(parts, host, from, message);
    return true;
  };
  return std::visit(Overloaded{
                        [&](const Attached& m) { return to_frontend(m); },
                        [&](const CellView& m) { return to_frontend(m); },
                        [&](const LaunchReply& m) { return to_frontend(m); },
                        [&](const Attach& m) { return to_masters(m); },
                        [&](const LaunchTasks& m) { return to_masters(m); },
                        [&](const MemberRow& m) { return to_masters(m); },
                        [&](const RollCall& m) { return to_masters(m); },
                        [&](const StartTasks& m) { return to_masters(m); },
                        [&](const Park& m) { return to_masters(m); },
                        [&](const Offer& m) { return to_masters(m); },
                        [&](const PassedLaunch& m) { return to_masters(m); },
                        [](const auto&) { return false; },
                    },
      message);
}

Time masters_deadline(const PeerParts& parts) {
  Time earliest = parts.seldom.masters() != nullptr ? parts.seldom.masters()->deadline() : kNever;
  if (parts.frontend) earliest = std::min(earliest, parts.frontend->launches().follow_at());
  return earliest;
}

void wake_masters(PeerParts& parts, const Host& host) {
  if (parts.seldom.masters() != nullptr && parts.seldom.masters()->deadline() <= host.now) {
    parts.seldom.masters()->wake(parts, host);
  }
  if (!parts.frontend || parts.frontend->launches().follow_at() > host.now) return;
  std::vector<ManagerPlace> own;
  std::vector<ManagerPlace> known;
  if (parts.cells) {
    own = own_places(*parts.cells, parts.endpoint());
    known = known_places(*parts.cells, host.now, Attached::kPlacesMax);
  }
  Turn turn = PeerParts::turn(host);
  if (parts.cells) parts.frontend->launches().set_classes(parts.cells->classes());
  parts.frontend->launches().follow(turn, own, known);
}

}  // namespace dunlin::sched::federation
