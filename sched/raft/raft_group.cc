// SPDX-License-Identifier: MIT
#include "sched/raft/raft_group.h"

#include <algorithm>
#include <utility>

#include "overlay/params/clash.h"
#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine.h"
#include "sched/raft/raft_members.h"

// A group begins by convention, not by vote: its first replicas are all given the same entry 1,
// which names them, so their logs agree before the first message. Replicas that come later start
// without a log and learn it from the manager.
// This class keeps libraft's header out of the rest of the program; RaftEngine does the work.
namespace dunlin::sched {

// The id is durable before any message tells it, so a replica never goes by two ids.
StoredRaft new_replica(const RaftTurn& turn, GroupId group) {
  StoredRaft made;
  made.state.group = group;
  while (made.state.replica == 0) made.state.replica = turn.rng();
  made.state.checksum = checksum_of(made.state);
  turn.store.put_state(made.state);
  return made;
}

void establish(const RaftTurn& turn, StoredRaft& replica, std::span<const RaftMember> members) {
  ensure(
      replica.state.term == 0 && replica.entries.empty(), "a replica that began a group already");
  ensure(well_formed(members) &&
          std::ranges::count(members, replica.state.replica, &RaftMember::replica) == 1,
      "founders that cannot be members of a group");
  RaftState& state = replica.state;
  state.term = 1;
  state.checksum = checksum_of(state);
  RaftEntry first{
      .index = 1, .term = 1, .kind = EntryKind::change, .data = encode_members(members)};
  first.checksum = checksum_of(state.group, first);
  replica.entries.push_back(first);
  turn.store.put_state(state);
  turn.store.append(state.group, replica.entries);
}

RaftGroup::RaftGroup(std::unique_ptr<RaftEngine> engine) : engine_(std::move(engine)) {}
RaftGroup::RaftGroup(RaftGroup&&) noexcept = default;
RaftGroup& RaftGroup::operator=(RaftGroup&&) noexcept = default;
RaftGroup::~RaftGroup() = default;

Result<RaftGroup> RaftGroup::restore(const RaftTurn& turn,
    const RaftParams& params,
    const Endpoint& self,
    StoredRaft stored,
    std::unique_ptr<StateMachine> machine) {
  // Followers would ask for an election between any two heartbeats of a healthy leader.
  if (params.heartbeat >= params.election_timeout) {
    return overlay::clash("raft.heartbeat", params.heartbeat, "must be shorter than",
        "raft.election_timeout", params.election_timeout);
  }
  if (auto fine = verify(stored); !fine) return tl::unexpected(fine.error());
  auto engine = std::make_unique<RaftEngine>(params, self, std::move(stored), std::move(machine));
  if (auto started = engine->start(turn); !started) return tl::unexpected(started.error());
  return RaftGroup(std::move(engine));
}

void RaftGroup::wake(const RaftTurn& turn) {
  engine_->wake(turn);
}
void RaftGroup::receive(const RaftTurn& turn, const Endpoint& from, raft::Rpc rpc) {
  engine_->receive(turn, from, std::move(rpc));
}
Result<void> RaftGroup::propose(const RaftTurn& turn, std::uint64_t id, std::string_view command) {
  return engine_->propose(turn, id, command);
}
std::vector<Resolution> RaftGroup::take_outcomes() {
  return engine_->take_outcomes();
}
Result<void> RaftGroup::add(const RaftTurn& turn, ReplicaId replica, const Endpoint& where) {
  return engine_->change(turn, [&](auto& changes) { return changes.add(replica, where); });
}
Result<void> RaftGroup::assign(const RaftTurn& turn, ReplicaId replica, MemberRole role) {
  return engine_->change(turn, [&](auto& changes) { return changes.assign(replica, role); });
}
Result<void> RaftGroup::remove(const RaftTurn& turn, ReplicaId replica) {
  return engine_->change(turn, [&](auto& changes) { return changes.remove(replica); });
}
bool RaftGroup::changing() const {
  return engine_->changing();
}
Result<void> RaftGroup::transfer(const RaftTurn& turn, ReplicaId replica) {
  return engine_->change(turn, [&](auto& changes) { return changes.transfer(replica); });
}
Time RaftGroup::deadline() const {
  return engine_->deadline();
}
ReplicaId RaftGroup::replica() const {
  return engine_->log().state().replica;
}
GroupId RaftGroup::group() const {
  return engine_->log().state().group;
}
RaftRole RaftGroup::role() const {
  return engine_->role();
}
RaftTerm RaftGroup::term() const {
  return engine_->log().state().term;
}
std::optional<Epoch> RaftGroup::epoch() const {
  return engine_->epoch();
}
Epoch RaftGroup::last_epoch() const {
  return engine_->machine().epoch();
}
std::optional<RaftMember> RaftGroup::leader() const {
  return engine_->leader();
}
std::vector<RaftMember> RaftGroup::members() const {
  return engine_->members();
}
RaftIndex RaftGroup::last_index() const {
  return engine_->log().last();
}
RaftIndex RaftGroup::commit_index() const {
  return engine_->library().commit_index;
}
RaftIndex RaftGroup::applied_index() const {
  return std::max<RaftIndex>(engine_->library().last_applied, engine_->machine().applied());
}
std::optional<Error> RaftGroup::trouble() const {
  return engine_->trouble();
}
StateMachine& RaftGroup::machine() const {
  return engine_->machine().machine();
}

}  // namespace dunlin::sched
