// SPDX-License-Identifier: MIT
#include "sched/cell/cell_node.h"

#include <algorithm>

#include "sched/ledger/wide.h"
#include "sched/sharing/apportion.h"

// What a node does by itself.
namespace dunlin::sched {
namespace {

/// The number of levels that an id of a cell can tell.
/// What one wake-up may make due, again and again, before the rest waits a little.
constexpr int kWakesMax = 8;
constexpr Duration kRest = std::chrono::milliseconds(1);
/// Who was granted less than one part in so many of a node was granted nothing to speak of.
constexpr Tickets kLeastPart = 100;

/// total × part / whole, no more than can be.
Tickets share_of(Tickets total, Tickets part, Tickets whole) {
  return static_cast<Tickets>(std::min<Wide>(Wide{total} * part / whole, kTicketsMax));
}

}  // namespace

CellNode::CellNode(const SharingParams& params, const Endpoint& self, Tickets tickets, Time now)
    : params_(&params),
      self_(self),
      tickets_(tickets),
      born_(now),
      member_(params.cell, 0, self.id) {}

ReplicaId CellNode::replica_of(CellId cell) const {
  const HostedReplica* kept = hosted(cell);
  return kept == nullptr ? 0 : kept->group.replica();
}

cell::MemberReport CellNode::report(const CellTurn& turn) const {
  cell::MemberReport renew;
  renew.draining = draining_;
  renew.uptime = turn.now - born_;
  renew.capacity = tickets_;
  renew.version = classes_.version;
  return renew;
}

// What is done may make more due, but not without end.
void CellNode::wake(const CellTurn& turn) {
  if (!on()) return;
  const Time now = turn.now;
  for (int i = 0; i < kWakesMax && next_due() <= now; ++i) act(turn);
  rest_ = next_due() <= now ? now + kRest : Time{};
  observe(turn);
}

void CellNode::act(const CellTurn& turn) {
  const Time now = turn.now;
  hints_.forget_old(now, params_->cell.hint_life);
  forget_what_ended(turn);
  if (next_gossip_ <= now) gossip(turn);
  if (member_.deadline() <= now) {
    member_.wake(turn, hints_, [&] {
      cell::MemberReport renew = report(turn);
      renew.tickets = tickets_;
      renew.replica = replica_of(member_.cell());
      renew.uses = turn.workload.take(now, tickets_);
      return renew;
    });
    if (member_.founds()) found(turn, 0, member_);
  }
  if (granted_ && !granted(now)) observe(turn);
  // To speak for a cell may found another one, at the end.
  for (std::size_t i = 0; i < hosted_.size(); ++i) wake_seat(turn, *hosted_[i]);
  if (departing_ && departing_at_ <= now) go_on_departing(turn);
}

void CellNode::wake_seat(const CellTurn& turn, HostedReplica& hosted) {
  const Time now = turn.now;
  if (hosted.group.deadline() <= now) hosted.group.wake(turn.raft());
  settle(turn, hosted);
  if (!hosted.manager && draining_) resign(turn, hosted);
  if (!hosted.manager) return;
  if (hosted.manager->deadline() <= now) {
    const LeaderContext context{hosted.group, hosted.books()};
    if (draining_) hand_over(turn, hosted);
    hosted.manager->set_classes(turn, context, classes_);
    hosted.manager->wake(turn, context, hints_);
    hints_.hear(now, params_->cell.hint_life, hosted.manager->hint(context));
    settle(turn, hosted);
  }
  if (hosted.manager) speak_for(turn, hosted);
}

void CellNode::settle(const CellTurn& turn, HostedReplica& hosted) {
  const auto epoch = hosted.group.epoch();
  const LeaderContext context{hosted.group, hosted.books()};
  if (hosted.manager && (!epoch || hosted.manager->epoch() != *epoch)) {
    turn.events.on(ManagerResigned{hosted.group.group(), hosted.manager->epoch()});
    hosted.manager.reset();
    hosted.above.reset();
  }
  if (epoch && !hosted.manager) {
    hosted.manager.emplace(*params_, self_, turn.now, context);
    turn.events.on(ManagerElected{hosted.group.group(), *epoch});
  }
  for (auto outcomes = hosted.group.take_outcomes(); !outcomes.empty();
      outcomes = hosted.group.take_outcomes()) {
    for (const Resolution& outcome : outcomes) {
      if (hosted.manager) hosted.manager->done(turn, context, outcome);
    }
  }
  adopt(turn, hosted.books().roster().classes);
}

bool CellNode::has_siblings(const HostedReplica& hosted) const {
  const auto standing = hints_.standing(level_of(hosted.group.group()));
  return std::ranges::any_of(
      standing, [&](const cell::Hint& hint) { return hint.cell != hosted.group.group(); });
}

// A cell alone needs nobody above it.
void CellNode::speak_for(const CellTurn& turn, HostedReplica& hosted) {
  const Time now = turn.now;
  const auto& directory = hosted.books().roster();
  const auto level = static_cast<std::uint8_t>(level_of(hosted.group.group()) + 1);
  if (level >= kLevels || directory.closed) {
    hosted.above.reset();
    return;
  }
  const bool siblings = has_siblings(hosted);
  if (!siblings) hosted.alone = now;
  if (!hosted.above) {
    const bool has_parent = directory.parent != 0;
    if (!has_parent && (directory.dissolving || !wants_parent(hosted, now))) return;
    hosted.above.emplace(params_->cell, level, PeerId{hosted.group.group()});
    if (has_parent) hosted.above->join(now, directory.parent, directory.parent_contacts);
  }
  CellMember& above = *hosted.above;
  if (directory.dissolving && above.state() != CellMember::State::leaving) {
    above.retire();
    above.leave(now);
  }
  if (above.deadline() > now) return;
  const LeaderContext context{hosted.group, hosted.books()};
  above.wake(turn, hints_, [&] {
    cell::MemberReport renew = report(turn);
    renew.tickets = std::min(hosted.books().tickets(), kTicketsMax);
    renew.replica = replica_of(above.cell());
    renew.size = static_cast<std::uint32_t>(directory.members.size());
    renew.uses = hosted.manager->uses(context);
    return renew;
  });
  if (above.state() != CellMember::State::seeking) return;
  // With one child it is needed no more than the one it would found. Nor is anybody above who is
  // alone, but as long as there is somebody there to join.
  const bool founds = level == 1 || directory.members.size() > 1;
  if (siblings && founds && above.founds()) return found(turn, level, above);
  if (siblings || !hints_.standing(level).empty()) return;
  hosted.above.reset();
  hosted.manager->set_parent(turn, context, {});
  settle(turn, hosted);
}

// Cells that are about to merge need no parent either.
bool CellNode::wants_parent(const HostedReplica& hosted, Time now) const {
  const auto& cell = params_->cell;
  const std::uint8_t level = level_of(hosted.group.group());
  const bool others = has_siblings(hosted) || !hints_.standing(level + 1).empty();
  const auto size = static_cast<double>(hosted.books().roster().members.size());
  const bool small = size <= cell.cell_min * (level == 0 ? cell.cell_size : cell.fan_out);
  const auto rounds = small || (level > 0 && size <= 1) ? 2 * cell.merge_rounds : 2;
  return others && now - std::max(hosted.alone, hosted.made) >= rounds * cell.period;
}

Time CellNode::deadline() const {
  return on() ? std::max(next_due(), rest_) : kNever;
}

Time CellNode::next_due() const {
  Time earliest = std::min(member_.deadline(), next_gossip_);
  if (granted_) earliest = std::min(earliest, member_.until());
  if (departing_) earliest = std::min(earliest, departing_at_);
  for (const auto& hosted : hosted_) {
    earliest = std::min(earliest, hosted->group.deadline());
    if (hosted->manager) earliest = std::min(earliest, hosted->manager->deadline());
    if (!hosted->manager && draining_) earliest = std::min(earliest, hosted->resign);
    if (hosted->manager && hosted->above) earliest = std::min(earliest, hosted->above->deadline());
  }
  return earliest;
}

void CellNode::observe(const CellTurn& turn) {
  const CellId cell = member_.is_member() ? member_.cell() : 0;
  if (joined_ != cell) {
    if (joined_ != 0) turn.events.on(CellLeft{joined_});
    if (cell != 0) turn.events.on(CellJoined{cell, member_.epoch()});
    joined_ = cell;
  }
  const bool granted = this->granted(turn.now);
  if (granted_ && !granted && cell != 0) turn.events.on(GrantsLapsed{cell});
  granted_ = granted;
}

Result<void> CellNode::set_classes(const CellTurn& turn, books::Classes classes) {
  if (auto sound = validate(classes); !sound) return sound;
  if (classes.version <= classes_.version) {
    return failure(ErrorKind::refused,
        "the class table has version " + std::to_string(classes_.version) +
            " already; read it again, and give yours the next one");
  }
  adopt(turn, classes);
  for (const auto& hosted : hosted_) {
    if (hosted->manager)
      hosted->manager->set_classes(turn, {hosted->group, hosted->books()}, classes_);
    settle(turn, *hosted);
  }
  if (member_.contacts().empty()) return {};
  turn.out.send(endpoint_of(member_.contacts().front()),
      cell::SetClasses{.cell = member_.cell(), .classes = classes_});
  return {};
}

std::vector<std::pair<ClassId, Tickets>> CellNode::shares() const {
  std::vector<Tickets> weights;
  for (const auto& each : classes_.classes) weights.push_back(each.share);
  const auto parts = apportion(tickets_, weights);
  std::vector<std::pair<ClassId, Tickets>> shares;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    shares.emplace_back(classes_.classes[j].class_id, parts[j]);
  }
  return shares;
}

// Whoever left its share unused is granted next to nothing, and the others what it left. If it
// comes back in the middle of a period, its worker lets it have its share at once, beside theirs:
// the next grants will.
std::vector<std::pair<ClassId, Tickets>> CellNode::tickets(Time now) const {
  const auto grants = member_.grants(now);
  if (grants.empty()) return shares();
  std::vector<std::pair<ClassId, Tickets>> tickets;
  for (const auto& grant : grants) tickets.emplace_back(grant.class_id, grant.tickets);
  for (const auto& [class_id, share] : shares()) {
    const auto at = std::ranges::find(tickets, class_id, &std::pair<ClassId, Tickets>::first);
    const Tickets granted = at == tickets.end() ? 0 : at->second;
    const Tickets least = tickets_ / kLeastPart;
    // So much that beside all that is granted it makes the share: s / (1 - s) of the whole.
    const Tickets whole = share < tickets_ ? share_of(tickets_, share, tickets_ - share) : tickets_;
    const Tickets has = granted < least ? std::max(granted, whole) : granted;
    if (at == tickets.end()) {
      tickets.emplace_back(class_id, has);
    } else {
      at->second = has;
    }
  }
  std::ranges::sort(tickets);
  return tickets;
}

}  // namespace dunlin::sched
