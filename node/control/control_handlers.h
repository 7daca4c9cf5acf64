// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "node/agent.h"
#include "node/control/control_session.h"
#include "node/control/json.h"

namespace dunlin::sched {
class JobState;
}

// One function for each verb of control_protocol.h. Those that return Json answer at once; the
// others leave something that answers later. All fail like a request does.
namespace dunlin::node {

using PendingResult = Result<std::unique_ptr<Pending>>;

// control_nodes.cc
Result<Json> handle_status(Agent& agent, Args& args);
Result<Json> handle_params(Agent& agent, Args& args);
PendingResult handle_nodes(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_drain(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_top(Agent& agent, ControlSession& session, Args& args);

// control_submit.cc
PendingResult handle_submit(Agent& agent, ControlSession& session, Args& args);
Result<Json> handle_submit_begin(Agent& agent, ControlSession& session, Args& args);
Result<Json> handle_submit_lines(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_submit_end(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_cancel(Agent& agent, ControlSession& session, Args& args);

// control_jobs.cc
Result<Json> handle_jobs(Agent& agent, Args& args);
Result<Json> handle_job(Agent& agent, Args& args);
Result<Json> handle_tasks(Agent& agent, Args& args);

// control_explain.cc
Result<Json> handle_explain(Agent& agent, Args& args);

// control_watch.cc
PendingResult handle_wait(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_watch(Agent& agent, ControlSession& session, Args& args);

// control_output.cc
PendingResult handle_output(Agent& agent, ControlSession& session, Args& args);

// control_share.cc
PendingResult handle_share_set(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_share_list(Agent& agent, ControlSession& session, Args& args);

// control_cells.cc
PendingResult handle_cells(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_shares(Agent& agent, ControlSession& session, Args& args);
PendingResult handle_audit(Agent& agent, ControlSession& session, Args& args);

// control_write_off.cc
PendingResult handle_cells_write_off(Agent& agent, ControlSession& session, Args& args);

/// The job that the request names. Fails with `not_found`.
Result<const sched::JobState*> find_job(const Agent& agent, Args& args);

// control_summary.cc

/// Why a job's tasks are not running, in one line; empty if there is nothing to say. The same in
/// `jobs`, the progress line and `explain`.
std::string reason_of(Agent& agent, const sched::JobState& job);
/// waiting, running, done, failed or cancelled.
std::string_view state_word(const sched::JobState& job);
/// A SUMMARY.
Json summary_of(Agent& agent, const sched::JobState& job);
/// A TASK whose result is recorded.
Json task_of(Agent& agent, const ResultRow& row);
/// A TASK that has none yet.
Json task_of(Agent& agent, const sched::JobState& job, std::uint32_t index);
std::string constraints_text(const std::vector<sched::Constraint>& constraints);

}  // namespace dunlin::node
