// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "node/control/agent_services.h"
#include "node/control/control_session.h"
#include "node/control/json.h"
#include "sched/listing/job_query.h"

// One function for each verb of the control protocol. Those that return Json answer at once; the
// others leave something that answers later. All fail like a request does.
namespace dunlin::sched {
class JobState;
struct Census;
}  // namespace dunlin::sched

namespace dunlin::node {

// control_nodes.cc
// The handlers of the verbs: see docs/design/control-protocol.md for what each takes and answers.
// One that returns Result<Json> answers at once. One that returns a PendingResult answers later, by
// the Pending: from Pending::advance(), never from within the call. Rights were asked before
// (Verb::access), but for those that depend on what is asked for.
Result<Json> handle_status(AgentServices& agent, ControlSession& session, Args& args);
Result<Json> handle_params(AgentServices& agent, Args& args);
PendingResult handle_nodes(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_node_bins(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_drain(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_top(AgentServices& agent, ControlSession& session, Args& args);

// nodes/control_node.cc
PendingResult handle_node(AgentServices& agent, ControlSession& session, Args& args);

// nodes/control_node_tasks.cc
Result<Json> handle_node_tasks(AgentServices& agent, ControlSession& session, Args& args);

// past/control_past.cc
Result<Json> handle_past(AgentServices& agent, ControlSession& session, Args& args);

// overlay/control_overlay.cc
Result<Json> handle_overlay(AgentServices& agent, Args& args);

// control_hello.cc
Result<Json> handle_hello(AgentServices& agent, ControlSession& session, Args& args);
Result<Json> handle_whoami(AgentServices& agent, ControlSession& session, Args& args);

// control_submit.cc
PendingResult handle_submit(AgentServices& agent, ControlSession& session, Args& args);
Result<Json> handle_submit_begin(AgentServices& agent, ControlSession& session, Args& args);
Result<Json> handle_submit_lines(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_submit_end(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_submitted(AgentServices& agent, ControlSession& session, Args& args);

// change/control_change.cc
PendingResult handle_cancel(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_hold(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_release(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_retry(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_requeue(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_set(AgentServices& agent, ControlSession& session, Args& args);

// change/control_forget.cc
PendingResult handle_node_forget(AgentServices& agent, ControlSession& session, Args& args);

// change/control_take_over.cc
PendingResult handle_take_over(AgentServices& agent, ControlSession& session, Args& args);

// control_jobs.cc
Result<Json> handle_find(AgentServices& agent, Args& args);
PendingResult handle_job(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_tasks(AgentServices& agent, ControlSession& session, Args& args);

// timeline/control_timeline.cc
PendingResult handle_timeline(AgentServices& agent, ControlSession& session, Args& args);

// bins/control_task_bins.cc
PendingResult handle_task_bins(AgentServices& agent, ControlSession& session, Args& args);

// listing/control_listing.cc
PendingResult handle_jobs(AgentServices& agent, ControlSession& session, Args& args);

// control_explain.cc
Result<Json> handle_explain(AgentServices& agent, ControlSession& session, Args& args);

// control_watch.cc
PendingResult handle_wait(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_watch(AgentServices& agent, ControlSession& session, Args& args);

// subscribe/control_subscribe.cc
PendingResult handle_subscribe(AgentServices& agent, ControlSession& session, Args& args);
Result<Json> handle_subscribe_more(AgentServices& agent, ControlSession& session, Args& args);

// control_output.cc
PendingResult handle_output(AgentServices& agent, ControlSession& session, Args& args);

// control_input.cc
PendingResult handle_attach(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_attach_here(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_input(AgentServices& agent, ControlSession& session, Args& args);

// cells/control_share.cc
PendingResult handle_share_set(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_share_list(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_plan_set(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_plan(AgentServices& agent, ControlSession& session, Args& args);

// cells/control_cells.cc
PendingResult handle_cells(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_shares(AgentServices& agent, ControlSession& session, Args& args);
PendingResult handle_audit(AgentServices& agent, ControlSession& session, Args& args);

// masters/control_masters.cc
PendingResult handle_masters(AgentServices& agent, ControlSession& session, Args& args);

// control_audit.cc
Result<Json> handle_audit_log(AgentServices& agent, Args& args);
/// An action that was taken or refused.
struct Action {
  std::string verb;
  std::string object;  ///< What it was about, such as "job 12 (train), 3 tasks".
  bool refused = false;
};
/// Records what `who` did, to be durable with what the action itself records this turn.
void note_action(AgentServices& agent, const Principal& who, Action action);
/// "job 12", if the request names one by its number.
std::string object_of(Args& args);
/// A principal as one agent tells it to another.
Json speaker_json(const Principal& who);

// profiles/control_profiles.cc
Result<Json> handle_profiles(AgentServices& agent, ControlSession& session, Args& args);
Result<Json> handle_profile_forget(AgentServices& agent, ControlSession& session, Args& args);

// usage/control_usage.cc
PendingResult handle_usage(AgentServices& agent, ControlSession& session, Args& args);

// events/control_events.cc
PendingResult handle_events(AgentServices& agent, ControlSession& session, Args& args);

// cells/control_write_off.cc
PendingResult handle_cells_write_off(AgentServices& agent, ControlSession& session, Args& args);

/// The node that took the jobs which the request names by number: its member `origin`, or this
/// node.
Result<overlay::PeerId> origin_of(const AgentServices& agent, Args& args);
/// The error of a job that is not driven here.
Error no_job(const AgentServices& agent, overlay::PeerId origin, std::uint32_t number);
/// The job that the request names. Fails with `not_found`.
Result<const sched::JobState*> find_job(const AgentServices& agent, Args& args);

// control_summary.cc

/// Why a job's tasks are not running, in one line; empty if there is nothing to say. The same in
/// `jobs`, the progress line and `explain`.
std::string reason_of(AgentServices& agent, const sched::JobState& job);
/// That the job is held, and how it is released. Requires that it is.
std::string held_text(const AgentServices& agent, const sched::JobState& job);
/// That tasks of a group rest, because a start of them failed, and where and why the first of them
/// did; empty if none rests.
std::string resting_text(AgentServices& agent, const sched::JobState& job, std::uint16_t group);
using sched::class_of;
using sched::state_word;
/// A Summary of docs/design/control-protocol.md, as `viewer` may see it: others than its owner and
/// administrators are not told why its tasks failed, because that quotes commands.
/// Why it waits, if only for the time that its user named.
std::string begin_text(const AgentServices& agent, const sched::JobState& job);

Json summary_of(AgentServices& agent, const sched::JobState& job, const Principal& viewer);
/// A Task with a recorded result.
Json task_of(AgentServices& agent, const ResultRow& row);
/// A Task that has none yet.
Json task_of(AgentServices& agent, const sched::JobState& job, std::uint32_t index);
/// An attempt that is not the one that counts.
Json attempt_json(AgentServices& agent, const AttemptRow& row);
/// The tasks of one kind that a job is told with, at most.
inline constexpr std::uint32_t kTasksShown = 20;
/// The first tasks that were preempted, with all attempts that were.
Result<Json> preempted_json(AgentServices& agent, const sched::JobState& job);
/// "osprey (draining for 12s)": nodes that could serve a demand and take no tasks now; empty: there
/// is none.
std::string aside_text(const AgentServices& agent, const sched::Census& census);
std::string constraints_text(const std::vector<sched::Constraint>& constraints);

}  // namespace dunlin::node
