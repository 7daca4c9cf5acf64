// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "sched/raft/raft_library.h"
#include "sched/raft/raft_log.h"
#include "sched/raft/state_machine.h"

namespace dunlin::sched {

/// The bytes of a command in the log: its epoch, and the command.
std::string command_of(Epoch epoch, std::string_view bytes);
/// The entry with which a leader takes office.
std::string claim_of(Epoch epoch);

/// libraft's view of a StateMachine. It leaves out commands of managers not in office, and applies
/// no entry twice when the log is read again.
class RaftEngineMachine {
 public:
  /// Bytes that each command takes besides its own.
  static constexpr std::size_t kOverhead = 9;

  RaftEngineMachine(std::unique_ptr<StateMachine> machine, const RaftLog& log);
  RaftEngineMachine(const RaftEngineMachine&) = delete;
  RaftEngineMachine& operator=(const RaftEngineMachine&) = delete;

  raft_fsm* library() { return &fsm_; }
  /// `replica` has the last applied index, which tells the entry that apply() is about.
  void serve(const ::raft& replica) { raft_ = &replica; }

  StateMachine& machine() const { return *machine_; }
  /// The last claim applied.
  Epoch epoch() const { return epoch_; }
  /// The index of the last command given to it, or of the snapshot it was restored from.
  RaftIndex applied() const { return applied_; }
  /// The result of the command applied last.
  const std::string& result() const { return result_; }
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  void apply(std::string_view bytes);
  Result<void> restore(std::string_view bytes);
  /// False if this is no moment for a snapshot.
  bool snapshot(std::string& out);

  raft_fsm fsm_{};
  const ::raft* raft_ = nullptr;
  std::unique_ptr<StateMachine> machine_;
  const RaftLog& log_;
  RaftIndex applied_ = 0;  ///< The machine has all entries up to here.
  Epoch epoch_ = 0;
  std::string result_;
  std::optional<Error> trouble_;
};

}  // namespace dunlin::sched
