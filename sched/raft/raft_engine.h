// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sched/raft/raft_engine_io.h"
#include "sched/raft/raft_engine_machine.h"
#include "sched/raft/raft_group.h"
#include "sched/raft/raft_library.h"
#include "sched/raft/snapshot_pieces.h"

namespace dunlin::sched {

/// What a RaftGroup holds: libraft's struct raft, which must not move, and all it points to.
/// RaftGroup documents the calls.
class RaftEngine {
 public:
  RaftEngine(const RaftParams& params,
      const Endpoint& self,
      StoredRaft stored,
      std::unique_ptr<StateMachine> machine);
  ~RaftEngine();
  RaftEngine(const RaftEngine&) = delete;
  RaftEngine& operator=(const RaftEngine&) = delete;

  Result<void> start(const RaftTurn& turn);
  void wake(const RaftTurn& turn);
  void receive(const RaftTurn& turn, const Endpoint& from, raft::Rpc message);
  Result<void> propose(const RaftTurn& turn, std::uint64_t id, std::string_view command);
  Result<void> add(const RaftTurn& turn, ReplicaId replica, const Endpoint& where);
  Result<void> assign(const RaftTurn& turn, ReplicaId replica, MemberRole role);
  Result<void> remove(const RaftTurn& turn, ReplicaId replica);
  Result<void> transfer(const RaftTurn& turn, ReplicaId replica);

  bool changing() const;
  Time deadline() const;
  std::optional<Epoch> epoch() const;
  std::optional<RaftMember> leader() const;
  std::vector<RaftMember> members() const;
  RaftRole role() const;
  std::optional<Error> trouble() const;
  std::vector<Resolution> take_outcomes() { return std::exchange(outcomes_, {}); }

  const RaftLog& log() const { return log_; }
  const ::raft& library() const { return raft_; }
  const RaftEngineMachine& machine() const { return machine_; }

 private:
  struct Proposal;

  int open();
  void close();
  /// Runs `call` within `turn`, and all that follows from it.
  void act(const RaftTurn& turn, auto&& call) {
    io_.enter(turn);
    call();
    io_.complete();
    claim();
    io_.complete();
    io_.leave();
  }
  /// What libraft answered, in words.
  static Result<void> answer(int code, std::string_view what);
  Result<void> may_change() const;
  /// Asks libraft for a change of members: `ask` is given what to call when it is done.
  Result<void> change(const RaftTurn& turn, std::string_view what, auto&& ask);

  bool meant_for_us(const Endpoint& from, const raft::Header& header) const;
  /// Takes from `message` what is older than the log. False if nothing is left to know.
  bool begin_at_log(raft::AppendEntries& message) const;
  void receive_vote_request(raft_message& message);
  /// Cuts off what `message` contradicts, where libraft would fail at it.
  void make_way(const raft::AppendEntries& message);
  bool is_sole_voter(std::span<const RaftMember> members) const;
  /// As of the last entry stored.
  std::vector<RaftMember> stored_members() const;
  /// The term of an election that this replica wins alone.
  void begin_term();
  void claim();
  int submit(std::uint64_t id, const std::string& bytes, bool is_claim);
  raft_server* server(ReplicaId replica) const;
  raft_time leader_deadline() const;
  /// True if a leader writes to it.
  bool replicates(const raft_server& to) const;
  void align_heartbeats(raft_time now);

  RaftParams params_;
  Endpoint self_;
  RaftLog log_;
  RaftEngineIo io_;
  RaftEngineMachine machine_;
  ::raft raft_{};
  /// Silent. libraft's own would write to stderr, if an environment variable says so.
  raft_tracer tracer_{.impl = nullptr,
      .enabled = false,
      .emit = [](raft_tracer*, const char*, int, const char*) {}};
  bool open_ = false;
  struct raft_change change_{};
  struct raft_transfer transfer_{};
  bool change_pending_ = false;
  RaftTerm claimed_ = 0;       ///< The term of the claim last proposed.
  std::size_t proposals_ = 0;  ///< Under way.
  raft_time woken_ = 0;        ///< When libraft last ticked.
  SnapshotPieces pieces_;
  std::vector<Resolution> outcomes_;
};

}  // namespace dunlin::sched
