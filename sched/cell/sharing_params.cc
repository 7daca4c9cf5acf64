// SPDX-License-Identifier: MIT
#include "sched/cell/sharing_params.h"

#include "overlay/params/clash.h"

// Each parameter has its range in its table; these rules hold between parameters. Their point is
// the same each time: one message that is lost must not end a lease, a grant, a hint or a leader.
namespace dunlin::sched {

Result<void> validate(const SharingParams& params) {
  using overlay::clash;
  const CellParams& cell = params.cell;
  if (cell.lease < 2 * cell.period)
    return clash("cell.lease", cell.lease, "must be at least twice", "cell.period", cell.period);
  if (cell.grant_life < 2 * cell.period)
    return clash(
        "cell.grant_life", cell.grant_life, "must be at least twice", "cell.period", cell.period);
  if (cell.retry > cell.period)
    return clash("cell.retry", cell.retry, "must not exceed", "cell.period", cell.period);
  if (cell.hint_life < 2 * cell.gossip) {
    return clash(
        "cell.hint_life", cell.hint_life, "must be at least twice", "cell.gossip", cell.gossip);
  }
  if (params.raft.heartbeat >= params.raft.election_timeout) {
    return clash("raft.heartbeat", params.raft.heartbeat, "must be shorter than",
        "raft.election_timeout", params.raft.election_timeout);
  }
  return {};
}

}  // namespace dunlin::sched
