// SPDX-License-Identifier: MIT
#include "sched/cell/sharing_params.h"

// Each parameter has its range in its table; these rules hold between parameters. Their point is
// the same each time: one message that is lost must not end a lease, a grant, a hint or a leader.
namespace dunlin::sched {

Result<void> validate(const SharingParams& params) {
  const auto wrong = [](const char* why) { return failure(ErrorKind::usage, why); };
  const CellParams& cell = params.cell;
  if (cell.lease < 2 * cell.period) return wrong("cell.lease must be twice cell.period or longer");
  if (cell.grant_life < 2 * cell.period)
    return wrong("cell.grant_life must be twice cell.period or longer");
  if (cell.retry > cell.period) return wrong("cell.retry must not be longer than cell.period");
  if (cell.hint_life < 2 * cell.gossip) {
    return wrong("cell.hint_life must be twice cell.gossip or longer");
  }
  if (params.raft.heartbeat >= params.raft.election_timeout) {
    return wrong("raft.heartbeat must be shorter than raft.election_timeout");
  }
  return {};
}

}  // namespace dunlin::sched
