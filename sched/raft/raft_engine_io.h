// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
#include <map>

#include "sched/raft/raft_library.h"
#include "sched/raft/raft_log.h"
#include "sched/raft/raft_turn.h"

namespace dunlin::sched {

/// libraft's view of the world: its raft_io, on the ports of a turn. Everything is done at once, in
/// the turn, and told to libraft when it is not in the middle of something: by complete(). Between
/// two turns nothing is under way.
class RaftEngineIo {
 public:
  RaftEngineIo(RaftLog& log, const Endpoint& self);
  RaftEngineIo(const RaftEngineIo&) = delete;
  RaftEngineIo& operator=(const RaftEngineIo&) = delete;

  raft_io* library() { return &io_; }

  /// From here until leave() calls of libraft find `turn`.
  void enter(const RaftTurn& turn) { turn_ = &turn; }
  void leave() { turn_ = nullptr; }
  const RaftTurn& turn() const;

  void tick() { tick_(&io_); }
  /// Takes what libraft owns of `message`. It answers for entries up to `reached` alone.
  void receive(raft_message& message, RaftIndex reached);
  /// Tells libraft what is done, until nothing is left to tell.
  void complete();

  /// Where a replica was last heard from. Forgets others when they get too many.
  void learn(ReplicaId replica, const Endpoint& endpoint, const raft_configuration& members);
  /// As learned, or as the text of its address says; empty id if that says nothing.
  Endpoint endpoint_of(ReplicaId replica, const char* address) const;

 private:
  int load(raft_term* term,
      raft_id* vote,
      raft_snapshot** snapshot,
      raft_index* start,
      raft_entry** entries,
      std::size_t* count);
  void send(const raft_message& message);
  void append(std::span<const raft_entry> entries);
  void put_snapshot(const raft_snapshot& snapshot, RaftIndex trailing);
  template <typename Call>
  void later(Call&& call) {
    done_.emplace_back(std::forward<Call>(call));
  }
  void set_lifecycle_calls();
  void set_log_calls();
  void set_message_and_snapshot_calls();

  raft_io io_{};
  raft_io_tick_cb tick_ = nullptr;
  raft_io_recv_cb receive_ = nullptr;
  const RaftTurn* turn_ = nullptr;
  RaftLog& log_;
  Endpoint self_;
  RaftIndex reached_ = 0;
  std::deque<std::function<void()>> done_;
  std::map<ReplicaId, Endpoint> heard_;
};

}  // namespace dunlin::sched
