// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_machine.h"

#include <utility>

#include "sched/raft/raft_engine_wire.h"

// A command in the log carries the epoch of the manager that proposed it. A manager that lost its
// office may still get old commands committed by its successor's log; they are skipped here, on
// every replica alike, so that from a claim on only one manager's commands count.
// After a restart libraft reads the log from its snapshot again, and the machine may be further.
// Entries that it has applied already are skipped by their index.
namespace dunlin::sched {
namespace {

constexpr char kClaim = 0;
constexpr char kCommand = 1;

void put_epoch(Epoch epoch, std::string& out) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(epoch >> shift);
}

/// Reads the epoch at the front of `bytes`. Requires 8 bytes.
Epoch epoch_at(std::string_view bytes) {
  Epoch epoch = 0;
  for (std::size_t i = 8; i-- > 0;) epoch = epoch << 8 | static_cast<unsigned char>(bytes[i]);
  return epoch;
}

RaftEngineMachine& of(raft_fsm* fsm) {
  return *static_cast<RaftEngineMachine*>(fsm->data);
}

}  // namespace

std::string command_of(Epoch epoch, std::string_view bytes) {
  std::string command(1, kCommand);
  put_epoch(epoch, command);
  return command.append(bytes);
}

std::string claim_of(Epoch epoch) {
  std::string claim(1, kClaim);
  put_epoch(epoch, claim);
  return claim;
}

RaftEngineMachine::RaftEngineMachine(std::unique_ptr<StateMachine> machine, const RaftLog& log)
    : machine_(std::move(machine)),
      log_(log) {
  fsm_.version = 1;
  fsm_.data = this;
  fsm_.apply = [](raft_fsm* fsm, const raft_buffer* buffer, void** result) {
    of(fsm).apply(view_of(*buffer));
    *result = nullptr;
    return 0;
  };
  fsm_.snapshot = [](raft_fsm* fsm, raft_buffer** buffers, unsigned* count) {
    std::string bytes;
    if (!of(fsm).snapshot(bytes)) return RAFT_BUSY;
    *buffers = static_cast<raft_buffer*>(raft_malloc(sizeof(raft_buffer)));
    ensure(*buffers != nullptr, "out of memory");
    **buffers = make_buffer(bytes);
    *count = 1;
    return 0;
  };
  fsm_.restore = [](raft_fsm* fsm, raft_buffer* buffer) {
    auto restored = of(fsm).restore(view_of(*buffer));
    if (!restored) {
      of(fsm).trouble_ = std::move(restored.error());
      return RAFT_CORRUPT;
    }
    raft_free(buffer->base);
    return 0;
  };
}

// The epoch in the command must be that of the latest claim, else the command is of a manager that
// had lost its office when the command was committed.
void RaftEngineMachine::apply(std::string_view bytes) {
  result_.clear();
  const RaftIndex index = raft_->last_applied + 1;
  if (index <= applied_) return;
  applied_ = index;
  if (bytes.size() < kOverhead) return;
  const Epoch epoch = epoch_at(bytes.substr(1));
  if (bytes.front() == kClaim && epoch > epoch_) {
    epoch_ = epoch;
    machine_->claim(epoch);
  }
  if (bytes.front() != kCommand || epoch != epoch_) return;
  result_ = machine_->apply(epoch, bytes.substr(kOverhead));
}

bool RaftEngineMachine::snapshot(std::string& out) {
  // A snapshot must show the state where libraft is. A machine that is ahead, after the log was
  // read again, cannot give that. Neither are the members known while a change of them may fail.
  if (raft_->last_applied < applied_ || log_.last_change() > raft_->last_applied) return false;
  put_epoch(epoch_, out);
  out += machine_->snapshot();
  if (out.size() <= kSnapshotMax) return true;
  trouble_ = Error{ErrorKind::refused,
      "raft: a snapshot of " + std::to_string(out.size()) +
          " bytes is beyond the most there can "
          "be, " +
          std::to_string(kSnapshotMax) + "; the log grows until the state gets smaller"};
  return false;
}

Result<void> RaftEngineMachine::restore(std::string_view bytes) {
  const RaftIndex index = log_.snapshot() ? log_.snapshot()->index : 0;
  if (index != 0 && index <= applied_) return {};
  if (bytes.size() < 8) return failure(ErrorKind::corrupt, "raft: a snapshot without its epoch");
  auto restored = machine_->restore(bytes.substr(8));
  if (!restored) return restored;
  epoch_ = epoch_at(bytes);
  applied_ = index;
  return {};
}

}  // namespace dunlin::sched
