// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "sched/raft/params.h"
#include "sched/raft/raft_store.h"
#include "sched/raft/raft_turn.h"
#include "sched/raft/state_machine.h"

namespace dunlin::sched {

class RaftEngine;

enum class RaftRole : std::uint8_t { follower, candidate, leader, failed };

/// The fate of a command proposed here.
struct Resolution {
  std::uint64_t id = 0;    ///< The id given to propose().
  bool committed = false;  ///< If not, it may have been lost, or may be committed yet: ask again.
  std::string result;      ///< The result of StateMachine::apply().
};

/// Makes a replica without members, with an id drawn anew. It waits until a manager adds it.
StoredRaft new_replica(const RaftTurn& turn, GroupId group);
/// Makes a replica the first of a group. Every first replica is given the same `members`, itself
/// among them; a group of one may grow. Requires that `replica` comes from new_replica() and was
/// not used since.
void establish(const RaftTurn& turn, StoredRaft& replica, std::span<const RaftMember> members);

/// One replica of one Raft group: the consensus of libraft on the ports of a turn.
///
/// The leader takes office by a claim, an entry of its own term. When a majority has it, and all
/// that came before, epoch() says the term and propose() accepts commands. Epoch = term, and each
/// has at most one manager. A later manager may be in office already, so a node that acts on a
/// manager's word must refuse epochs lower than the highest it has seen.
///
/// Contract: after every call the driver reads deadline() again and calls wake() then. A follower
/// wakes when it has heard nothing for too long, a leader once in a heartbeat, and nothing polls.
class RaftGroup {
 public:
  /// Continues where `stored` ended, or begins. `self` is the address of this node. Fails
  /// (`corrupt`) if the log is damaged, or does not belong to the machine.
  static Result<RaftGroup> restore(const RaftTurn& turn,
      const RaftParams& params,
      const Endpoint& self,
      StoredRaft stored,
      std::unique_ptr<StateMachine> machine);
  RaftGroup(RaftGroup&&) noexcept;
  RaftGroup& operator=(RaftGroup&&) noexcept;
  ~RaftGroup();

  void wake(const RaftTurn& turn);
  /// Ignores messages that are malformed, for another replica or group, or from the wrong node.
  void receive(const RaftTurn& turn, const Endpoint& from, raft::Rpc rpc);

  /// Asks for `command` to be committed; take_outcomes() tells its fate under `id`. Fails
  /// (`refused`) if this is no manager (leader() may know the manager) or too much waits already,
  /// and (`usage`) if the command is empty or too long.
  Result<void> propose(const RaftTurn& turn, std::uint64_t id, std::string_view command);
  std::vector<Resolution> take_outcomes();

  // Members change one at a time: the next change is refused until changing() is false. A change
  // that is accepted may still fail; members() shows which members hold. Only managers may change
  // members.

  /// Adds a spare. One node has one replica: the replica of a lost disk is removed first.
  Result<void> add(const RaftTurn& turn, ReplicaId replica, const Endpoint& where);
  /// Assigns a role. A replica gets the whole log before it becomes a voter.
  Result<void> assign(const RaftTurn& turn, ReplicaId replica, MemberRole role);
  Result<void> remove(const RaftTurn& turn, ReplicaId replica);
  bool changing() const;
  /// Asks `replica`, or with 0 any voter that is up to date, to lead instead.
  Result<void> transfer(const RaftTurn& turn, ReplicaId replica = 0);

  /// The time at which wake() should be called next.
  Time deadline() const;

  ReplicaId replica() const;
  GroupId group() const;
  RaftRole role() const;
  RaftTerm term() const;
  /// This node's term of office, if it is the manager.
  std::optional<Epoch> epoch() const;
  /// The latest claim applied here, of any manager.
  Epoch last_epoch() const;
  /// The leader, as far as is known here.
  std::optional<RaftMember> leader() const;
  /// The members as of the last entry here, committed or not.
  std::vector<RaftMember> members() const;
  RaftIndex last_index() const;
  RaftIndex commit_index() const;
  RaftIndex applied_index() const;
  /// The reason why the replica does not work; with RaftRole::failed for good.
  std::optional<Error> trouble() const;
  StateMachine& machine() const;

 private:
  explicit RaftGroup(std::unique_ptr<RaftEngine> engine);

  std::unique_ptr<RaftEngine> engine_;
};

}  // namespace dunlin::sched
