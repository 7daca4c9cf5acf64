// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sched/raft/raft_engine_changes.h"
#include "sched/raft/raft_engine_io.h"
#include "sched/raft/raft_engine_machine.h"
#include "sched/raft/raft_group.h"
#include "sched/raft/raft_library.h"
#include "sched/raft/snapshot_pieces.h"

namespace dunlin::sched {

/// The inside of a RaftGroup: libraft's struct raft, which must not move, and all it points to.
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
  /// Lets `request` ask for a change of members or of the leader, within `turn`.
  Result<void> change(
      const RaftTurn& turn, const std::function<Result<void>(RaftEngineChanges&)>& request);

  /// True from the request for a change of members until it is committed or overruled.
  bool changing() const { return changes_.pending(); }
  Time deadline() const;
  std::optional<Epoch> epoch() const { return changes_.epoch(); }
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
  /// Runs `call` within `turn`, and completes all that follows from it.
  void act(const RaftTurn& turn, auto&& call) {
    io_.enter(turn);
    call();
    io_.complete();
    claim();
    io_.complete();
    io_.leave();
  }
  void receive_vote_request(raft_message& message);
  /// Cuts off entries that `message` contradicts, where libraft would fail at them.
  void make_way(const raft::AppendEntries& message);
  /// Begins the term of an election that this replica wins alone.
  void begin_term();
  void claim();
  int submit(std::uint64_t id, const std::string& bytes, bool is_claim);

  RaftParams params_;
  Endpoint self_;
  RaftLog log_;
  RaftEngineIo io_;
  RaftEngineMachine machine_;
  ::raft raft_{};
  RaftEngineChanges changes_;
  /// A silent tracer. libraft's own would write to stderr if an environment variable says so.
  raft_tracer tracer_{.impl = nullptr,
      .enabled = false,
      .emit = [](raft_tracer*, const char*, int, const char*) {}};
  bool open_ = false;
  RaftTerm claimed_ = 0;       ///< The term of the claim last proposed.
  std::size_t proposals_ = 0;  ///< Requests under way.
  raft_time woken_ = 0;        ///< The time of libraft's last tick.
  SnapshotPieces pieces_;
  std::vector<Resolution> outcomes_;
};

}  // namespace dunlin::sched
