// SPDX-License-Identifier: MIT
#include "node/control/control_verbs.h"

#include <vector>

// Every request there is: its handler, who may make it, and where it is served. `owner` means the
// owner of the job that it names, and `home` that another agent serves it if the job is driven
// there. The page of the protocol is held to this table by a test.
namespace dunlin::node {
namespace {

const Verb kVerbs[] = {
    {"hello", &handle_hello},
    {"whoami", &handle_whoami},
    {"status", &handle_status},
    {"params", &handle_params},
    {"nodes", &handle_nodes},
    {"node_bins", &handle_node_bins},
    {"node", &handle_node},
    {"node_tasks", &handle_node_tasks, Access::everyone, Goes::where},
    {"past", &handle_past, Access::everyone, Goes::where},
    {"overlay", &handle_overlay, Access::everyone, Goes::where},
    {"drain", &handle_drain, Access::administrator},
    {"node_forget", &handle_node_forget, Access::administrator},
    {"top", &handle_top},
    {"submit", &handle_submit, Access::everyone, Goes::where},
    {"submit_begin", &handle_submit_begin},
    {"submit_lines", &handle_submit_lines},
    {"submit_end", &handle_submit_end},
    {"submitted", &handle_submitted, Access::everyone, Goes::where},
    {"find", &handle_find},
    {"cancel", &handle_cancel, Access::owner, Goes::home},
    {"hold", &handle_hold, Access::owner, Goes::home},
    {"release", &handle_release, Access::owner, Goes::home},
    {"retry", &handle_retry, Access::owner, Goes::home},
    {"requeue", &handle_requeue, Access::owner, Goes::home},
    {"set", &handle_set, Access::owner, Goes::home},
    {"jobs", &handle_jobs, Access::everyone, Goes::home},
    {"job", &handle_job, Access::owner, Goes::home},
    {"tasks", &handle_tasks, Access::owner, Goes::home},
    {"timeline", &handle_timeline, Access::owner, Goes::home},
    {"task_bins", &handle_task_bins, Access::owner, Goes::home},
    {"explain", &handle_explain, Access::owner, Goes::home},
    {"wait", &handle_wait, Access::everyone, Goes::home},
    {"watch", &handle_watch, Access::owner, Goes::home},
    {"subscribe", &handle_subscribe},
    {"subscribe_more", &handle_subscribe_more},
    {"output", &handle_output, Access::owner, Goes::home},
    {"attach", &handle_attach, Access::owner, Goes::home},
    {"attach_here", &handle_attach_here, Access::administrator},
    {"input", &handle_input},
    {"share_set", &handle_share_set, Access::administrator},
    {"share_list", &handle_share_list},
    {"plan_set", &handle_plan_set, Access::administrator},
    {"plan", &handle_plan},
    {"masters", &handle_masters},
    {"cells", &handle_cells},
    {"shares", &handle_shares},
    {"audit", &handle_audit},
    {"cells_write_off", &handle_cells_write_off, Access::administrator},
    {"take_over", &handle_take_over, Access::administrator},
    {"audit_log", &handle_audit_log, Access::administrator, Goes::home},
    {"profiles", &handle_profiles, Access::everyone, Goes::where},
    {"profile_forget", &handle_profile_forget, Access::everyone, Goes::where},
    {"usage", &handle_usage, Access::everyone, Goes::where},
    {"events", &handle_events, Access::everyone, Goes::home},
};

}  // namespace

std::span<const Verb> all_verbs() {
  return kVerbs;
}

std::vector<std::string_view> control_verbs() {
  std::vector<std::string_view> verbs = {"stop"};
  for (const Verb& verb : kVerbs) verbs.push_back(verb.name);
  return verbs;
}

}  // namespace dunlin::node
