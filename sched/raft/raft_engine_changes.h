// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string_view>

#include "sched/raft/raft_engine_machine.h"
#include "sched/raft/raft_library.h"
#include "sched/raft/raft_log.h"
#include "sched/raft/raft_members.h"

namespace dunlin::sched {

/// Changes of a group's members and of its leader, one at a time. Only a manager makes them: a
/// leader that has seen its own term committed. RaftGroup documents the calls; each is made within
/// a turn of RaftEngine. Its libraft, log and machine must outlive this.
class RaftEngineChanges {
 public:
  RaftEngineChanges(::raft& raft, const RaftLog& log, const RaftEngineMachine& machine)
      : raft_(raft),
        log_(log),
        machine_(machine) {}
  RaftEngineChanges(const RaftEngineChanges&) = delete;
  RaftEngineChanges& operator=(const RaftEngineChanges&) = delete;

  Result<void> add(ReplicaId replica, const Endpoint& where);
  Result<void> assign(ReplicaId replica, MemberRole role);
  Result<void> remove(ReplicaId replica);
  Result<void> transfer(ReplicaId replica);

  /// True from the request until the change is committed or overruled.
  bool pending() const { return pending_ || log_.last_change() > raft_.commit_index; }
  /// Call it when libraft was closed, because it will not call back.
  void forget() { pending_ = false; }

  /// The epoch in which this replica manages; empty if it does not.
  std::optional<Epoch> epoch() const;

 private:
  Result<void> check_free() const;
  /// `request` asks libraft for the change; its argument is the function to call at the end.
  Result<void> change(std::string_view what, const std::function<int(raft_change_cb)>& request);

  ::raft& raft_;
  const RaftLog& log_;
  const RaftEngineMachine& machine_;
  struct raft_change change_{};
  struct raft_transfer transfer_{};
  bool pending_ = false;
};

/// Turns libraft's answer to a request into words; `what` describes it: "add a member".
Result<void> raft_answer(int code, std::string_view what);

}  // namespace dunlin::sched
