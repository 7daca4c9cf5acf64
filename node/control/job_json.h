// SPDX-License-Identifier: MIT
#pragma once

#include "node/control/json.h"
#include "node/message.h"
#include "sched/job.h"

namespace dunlin::node {

/// Reads a Job of docs/design/control-protocol.md: all but its id and time. Fails with `usage`,
/// naming the member and what is wrong with it. Groups without entries have none; see add_line().
Result<sched::Job> parse_job(const Json& request, const std::string& owner = {});

/// Reads "key", the key of a submission; none if there is none.
sched::SubmitKey parse_submit_key(Args& args);

/// Adds a line, bytes_json() of it, to a group: its number of tasks becomes that of its lines.
/// Fails if it is too long or holds a zero byte, or the job has too many tasks or bytes; `bytes`
/// counts them over all groups.
Result<void> add_line(sched::TaskGroup& group, const Json& line, std::size_t& bytes);

/// Tells the tasks of each group, in its spec, where in the job they stand. Once all groups have
/// their tasks.
void number_groups(sched::Job& job);

/// Fails if the job as a whole has no task, or too many.
Result<void> check_size(const sched::Job& job);

}  // namespace dunlin::node
