// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/address.h"
#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

class AgentServices;

/// A node as it may be named: by `name`, or by its id.
struct NamedNode {
  overlay::PeerId id;
  std::string name;
  std::string state;  ///< "up 1 s ago", "down, last heard of 12 s ago".
};

/// The meaning of a word such as "merlin.12" or "merlin.12.0-9,20".
struct JobName {
  overlay::PeerId node;  ///< The job's home. None: the word is a plain number.
  std::uint32_t number = 0;
  std::string tasks;  ///< The part after the number, unread; empty: none.
  friend bool operator==(const JobName&, const JobName&) = default;
};

/// Reads NUMBER, NODE.NUMBER or, `with_tasks`, NODE.NUMBER.TASKS, where NODE is a name or an id of
/// 16 hexadecimal digits. Fails with `not_found` if no such node is known, and with `usage` if
/// `word` has no such form, or several meanings: then it lists them.
Result<JobName> read_job_name(
    std::string_view word, std::span<const NamedNode> nodes, bool with_tasks);

/// The one node of `nodes` that `word` names. Fails in the same way.
Result<overlay::PeerId> read_node_name(std::string_view word, std::span<const NamedNode> nodes);

/// True if "`name`.12" is read as a job of that node, and not as a task of a job here.
bool names_jobs(std::string_view name);

/// Every node that the agent knows, itself among them.
std::vector<NamedNode> named_nodes(const AgentServices& agent);
/// "merlin.12": the name of a job that means the same at every agent. With the id of its home in
/// place of a name that cannot stand there.
std::string job_text(const AgentServices& agent, const sched::JobId& job);
/// The same, and with the id where this agent would read the name as another job, or as several: a
/// node that began anew has the name of the one before it.
std::string sure_job_text(
    const AgentServices& agent, const sched::JobId& job, std::span<const NamedNode> nodes);
/// The job that "00c0ffee00c0ffee.12" names, by the id of a node that need not be known.
std::optional<JobName> read_job_id(std::string_view word);
/// An error of scheduling that names the job by the id of its home, with this in its place.
Error for_people(const AgentServices& agent, const sched::JobId& job, Error error);

/// "up 1 s ago", "down, last heard of 12 s ago"; "unknown" if the node is not known.
std::string node_state_text(const AgentServices& agent, overlay::PeerId node);
/// "n2 (down, last heard of 12 s ago)".
std::string node_text(const AgentServices& agent, overlay::PeerId node);

}  // namespace dunlin::node
