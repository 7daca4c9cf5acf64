// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/frontend/keys/spent_keys.h"
#include "sched/logs/log_part.h"
#include "sched/message.h"

// Conclusions from what a part in a log shows, for those that ask and change nothing.
namespace dunlin::sched::logs {

/// The knowledge of this node about the log's home and its standbys, for one that asked.
Message home_is(const LogPart& part, std::uint64_t request = 0);
/// True if all that was promised when the log ended there may be told.
bool may_tell(const LogPart& part, std::uint64_t position);
/// When the frontend wants wake(), whatever the copy wants; never during a handover.
Time frontend_deadline(const LogPart& part);

/// A worker asks for tasks of a job that cannot have any: its submit may not be told before other
/// nodes are standbys.
bool waits_for_standbys(const LogPart& part, const Site& site, Time now, const JobId& job);
/// The things that the acknowledgement of a job with required standbys waits for.
Shortfall shortfall_of(const LogPart& part, const Site& site, Time now, const JobId& job);

/// The keys of all jobs of the log, where a submission of them may be said again: at the node that
/// took them, and at the one that drives them. Empty elsewhere.
std::vector<SpentKey> keys_of(const LogPart& part, const PeerParts& parts, Time now);

/// True if a standby would take over should this home die now: it has all, and books that bear the
/// loss of a node have the log.
bool may_be_taken_over(const LogPart& part);
/// Nothing of the log needs this node any more, or no node could take its place.
bool may_leave(const LogPart& part, Time now);

}  // namespace dunlin::sched::logs
