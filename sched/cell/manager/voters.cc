// SPDX-License-Identifier: MIT
#include "sched/cell/manager/voters.h"

#include <algorithm>

// Voters change one at a time, so that two majorities always have a node in common. A new manager
// first waits for reports: it knows which nodes vote, but only their reports tell which others
// could. Books that lose a voter for good are safe while a majority lives, so a lost voter is
// replaced after voter_lost, which is longer than a restart takes. A node that came back without
// its disk reports another replica: the one that voted is no more.
namespace dunlin::sched {
namespace {

/// Periods in which all members report to a new manager, if they can.
constexpr int kHearing = 2;

bool votes(const RaftMember& replica) {
  return replica.role == MemberRole::voter;
}

/// A change of voters takes about so long, if those that vote on it answer at once ...
constexpr Duration kSoon = std::chrono::milliseconds(20);
/// ... and is looked at so often in a period.
constexpr int kLooksMax = 20;

/// A member reports at least so often; in periods.
constexpr int kHeard = 2;

/// Looks in a row that find less voters wanted by logs before there are less.
constexpr int kCalm = 120;

}  // namespace

Voters::Voters(const CellParams& params, const Endpoint& self, Time now, const Membership& members)
    : params_(&params),
      self_(self),
      began_(now),
      members_(&members) {}

bool Voters::has_resigned(ReplicaId replica, Time now) const {
  const auto at = resigned_.find(replica);
  return at != resigned_.end() && now - at->second < params_->lease;
}

const KnownMember* Voters::heard(PeerId node, Time now) const {
  for (const auto& [id, member] : members_->all()) {
    const bool lately = member.sequence && now - member.heard < kHeard * params_->period;
    if (member.from.id == node && lately) return &member;
  }
  return nullptr;
}

// A manager that just took office knows of none, so it waits for their reports. Otherwise nodes
// that all stop would let each other lead until the last one is gone.
std::optional<ReplicaId> Voters::successor(const RaftGroup& group, Time now) const {
  for (const RaftMember& replica : group.members()) {
    if (!votes(replica) || replica.node == self_.id || has_resigned(replica.replica, now)) continue;
    const KnownMember* const member = heard(replica.node, now);
    if (member && !member->report.draining && !member->report.leaving) return replica.replica;
  }
  return std::nullopt;
}

// A member that leaves asks until it is told that it is gone, which is after the books know.
bool Voters::is_leaving(Time now) const {
  return std::ranges::any_of(members_->all(), [&](const auto& each) {
    const KnownMember& member = each.second;
    return member.sequence && member.report.leaving && member.from.id != self_.id &&
        now - member.heard < params_->retry / 2;
  });
}

bool Voters::holds_back(const RaftGroup& group, Time now) const {
  if (is_leaving(now)) return true;
  return std::ranges::any_of(group.members(), [&](const RaftMember& replica) {
    return votes(replica) && has_resigned(replica.replica, now) && replica.node != self_.id &&
        heard(replica.node, now) && !excused_.contains(replica.replica);
  });
}

bool Voters::has_substitute(const LeaderTurn& turn, std::span<const RaftMember> replicas) const {
  const bool few = std::ranges::count_if(replicas, votes) < 3;
  return std::ranges::any_of(turn.books.roster().members, [&](const books::Entrance& entrance) {
    const PeerId node = entrance.contact.node;
    const auto replica = std::ranges::find(replicas, node, &RaftMember::node);
    // Of two voters the other one may keep the books alone.
    if (replica != replicas.end() && (!few || has_resigned(replica->replica, turn.now))) {
      return false;
    }
    const KnownMember* const member = heard(node, turn.now);
    return !member || (!member->report.draining && !member->report.leaving);
  });
}

Voters::Speakers Voters::speakers_of(const CellBooks& books) const {
  Speakers speakers;
  for (const auto& [id, member] : members_->all()) {
    if (member.sequence && books.ledger().node(id) != nullptr) {
      speakers[member.from.id] = &member;
    }
  }
  return speakers;
}

// This node is never lost to itself: as long as it leads, its replica works.
VoterCandidate Voters::candidate_of(
    PeerId node, const KnownMember& member, Time now, std::span<const RaftMember> replicas) const {
  const cell::MemberReport& report = member.report;
  VoterCandidate candidate{.node = node,
      .score = voter_score(report.uptime, report.capacity),
      .lost = node != self_.id && now - member.heard >= params_->voter_lost,
      .draining = report.draining || report.leaving,
      .machine = report.machine};
  for (const RaftMember& replica : replicas) {
    if (replica.node == node) candidate.spare = !votes(replica);
    if (!votes(replica) || replica.node != node) continue;
    // Back without its disk: the replica that votes is no more.
    if (report.replica != replica.replica) candidate.lost = node != self_.id;
    if (has_resigned(replica.replica, now)) candidate.draining = true;
  }
  return candidate;
}

// A voter that is no member sends no reports. It is lost when it was so for voter_lost, and counts
// as the worst of all until then.
std::vector<VoterCandidate> Voters::candidates(
    const LeaderTurn& turn, std::span<const RaftMember> replicas, const Speakers& speakers) {
  const Time now = turn.now;
  std::vector<VoterCandidate> candidates;
  for (const RaftMember& replica : replicas) {
    if (!votes(replica)) continue;
    const bool speaks = speakers.contains(replica.node);
    if (replica.node == self_.id || speaks) silent_.erase(replica.replica);
    if (speaks) continue;
    const Time since = silent_.try_emplace(replica.replica, now).first->second;
    candidates.push_back({.node = replica.node,
        .score = 0,
        .lost = replica.node != self_.id && now - since >= params_->voter_lost,
        .draining = has_resigned(replica.replica, now)});
  }
  for (const auto& [node, member] : speakers) {
    candidates.push_back(candidate_of(node, *member, now, replicas));
  }
  // Where several are lost each is tried in its turn: one may be kept by the majority it makes.
  if (!candidates.empty()) {
    const auto first = static_cast<std::ptrdiff_t>(rounds_ % candidates.size());
    std::ranges::rotate(candidates, candidates.begin() + first);
  }
  return candidates;
}

void Voters::on_period(const LeaderTurn& turn) {
  ++rounds_;
  looks_ = 0;
  step(turn);
}

void Voters::on_deadline(const LeaderTurn& turn) {
  if (hurry_ <= turn.now) step(turn);
}

// What follows a change need not wait for the next period.
void Voters::step(const LeaderTurn& turn) {
  if (!turn.ending && !turn.group.changing()) change(turn);
  const bool looks = turn.group.changing() && ++looks_ < kLooksMax;
  hurry_ = looks ? turn.now + kSoon : kNever;
}

void Voters::change(const LeaderTurn& turn) {
  const bool heard_all = members_->all_reported(turn.books);
  if (!heard_all && turn.now - began_ < kHearing * params_->period) return;
  const Speakers speakers = speakers_of(turn.books);
  const auto replicas = turn.group.members();
  std::vector<PeerId> voters;
  for (const RaftMember& replica : replicas) {
    if (votes(replica)) voters.push_back(replica.node);
  }
  // A new manager found those that an earlier one told.
  if (!told_.empty() && voters != told_) members_->answer_all(turn);
  told_ = voters;
  const bool root = turn.level() > 0 && !turn.books.roster().parent;
  const std::size_t usual = root ? params_->root_voters : params_->voters;
  const auto step = choice_.next(*params_, std::max(usual, wanted_by_logs(turn.books)), voters,
      candidates(turn, replicas, speakers));
  follow(turn, step, speakers);
}

// A log with K standbys outlives K nodes, so the books that tell which of them drives it must, too.
// A set that is small for a moment, while a standby is replaced, moves no books.
std::size_t Voters::wanted_by_logs(const CellBooks& books) {
  std::size_t members = 1;
  for (const books::LogEntry& log : books.roster().logs) {
    if (!log.moved_to) members = std::max(members, log.set.size());
  }
  const std::size_t wanted = 2 * members - 1;
  calm_ = wanted < log_voters_ ? calm_ + 1 : 0;
  if (calm_ == 0 || calm_ > kCalm) log_voters_ = wanted;
  return log_voters_;
}

// A step that fails now is tried again next period.
void Voters::follow(const LeaderTurn& turn, const VoterStep& step, const Speakers& speakers) {
  RaftGroup& group = turn.group;
  const auto replicas = group.members();
  const auto hosted = std::ranges::find(replicas, step.node, &RaftMember::node);
  switch (step.what) {
    case VoterStep::What::none: {
      const auto spare = std::ranges::find_if_not(replicas, votes);
      if (spare != replicas.end()) (void)group.remove(turn.raft(), spare->replica);
      return;
    }
    case VoterStep::What::remove:
      if (step.node == self_.id) {
        const auto next = successor(group, turn.now);
        if (next) (void)group.transfer(turn.raft(), *next);
      } else if (hosted != replicas.end()) {
        (void)group.remove(turn.raft(), hosted->replica);
      }
      return;
    case VoterStep::What::add:
      if (step.also) return add_pair(turn, *speakers.at(step.node), *speakers.at(step.also));
      return add(turn, *speakers.at(step.node));
  }
}

// A spare that never reports itself as this very replica was lost before it had the log: it makes
// way for another.
bool Voters::is_ready(const LeaderTurn& turn, const KnownMember& speaker) {
  RaftGroup& group = turn.group;
  const auto replicas = group.members();
  const auto hosted = std::ranges::find(replicas, speaker.from.id, &RaftMember::node);
  if (hosted == replicas.end()) {
    turn.out.send(speaker.from, cell::Enlist{.cell = turn.cell()});
    return false;
  }
  if (speaker.report.replica == hosted->replica) return true;
  if (++spare_rounds_ > params_->voter_rounds) {
    spare_rounds_ = 0;
    (void)group.remove(turn.raft(), hosted->replica);
  }
  return false;
}

void Voters::add(const LeaderTurn& turn, const KnownMember& speaker) {
  if (!is_ready(turn, speaker)) return;
  (void)turn.group.assign(turn.raft(), speaker.report.replica, MemberRole::voter);
}

// Between the two changes there are two voters, and the books need both. That is for as long as a
// change takes, and not for a period.
void Voters::add_pair(const LeaderTurn& turn, const KnownMember& first, const KnownMember& second) {
  const bool ready = is_ready(turn, first);
  if (!is_ready(turn, second) || !ready) return;
  (void)turn.group.assign(turn.raft(), first.report.replica, MemberRole::voter);
}

Handling Voters::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  if (const auto* answer = std::get_if<cell::Enlisted>(&message)) {
    enlisted(turn, from, *answer);
    return Handling::handled;
  }
  if (const auto* resign = std::get_if<cell::Resign>(&message)) {
    on_resign(turn, from, *resign);
    return Handling::handled;
  }
  return Handling::passed;
}

void Voters::enlisted(
    const LeaderTurn& turn, const Endpoint& from, const cell::Enlisted& enlisted) const {
  const auto replicas = turn.group.members();
  const bool known = std::ranges::count(replicas, from.id, &RaftMember::node) > 0;
  const bool speaks = std::ranges::any_of(
      members_->all(), [&](const auto& each) { return each.second.from == from; });
  if (enlisted.replica == 0 || known || !speaks || turn.group.changing()) return;
  if (turn.books.roster().dissolving) return;
  (void)turn.group.add(turn.raft(), enlisted.replica, from);
}

// A replica that is no member of the group any more counts no more, up to all that is committed.
// While a change is under way that is not sure, so it has to ask again.
void Voters::on_resign(const LeaderTurn& turn, const Endpoint& from, const cell::Resign& resign) {
  const auto replicas = turn.group.members();
  const auto replica = std::ranges::find(replicas, resign.replica, &RaftMember::replica);
  if (replica == replicas.end()) {
    if (turn.group.changing()) return;
    turn.out.send(from,
        cell::Discharge{
            .cell = resign.cell, .replica = resign.replica, .index = turn.group.commit_index()});
    return;
  }
  if (replica->node != from.id) return;
  this->resign(turn.now, resign.replica);
  if (has_substitute(turn, replicas) || is_leaving(turn.now)) return;
  excused_.insert(resign.replica);
  turn.out.send(from, cell::Excuse{.cell = resign.cell, .replica = resign.replica});
}

}  // namespace dunlin::sched
