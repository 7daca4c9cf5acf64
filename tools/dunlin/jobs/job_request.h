// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "node/message.h"
#include "overlay/result.h"
#include "sched/job.h"
#include "tools/dunlin/connection/json.h"

namespace dunlin::cli {

/// Tasks of equal demand, as a user asks for them.
struct GroupRequest {
  std::string name;
  std::uint32_t count = 1;
  sched::Resources demand = {.cpu = 1000, .memory = 0, .custom = {}};
  std::vector<sched::Constraint> constraints;
  std::int16_t priority = sched::kPriorityDefault;
  std::uint16_t retries = 0;
  overlay::Duration time_limit{0};  ///< 0: none.
  overlay::Duration duration{0};    ///< What a task is thought to take. 0: unknown.
  node::TaskSpec spec;
  std::string each_line;  ///< A file of which each line is a task; "-": stdin; empty: none.
};

/// A job as a user asks for it, before an agent has seen it.
struct JobRequest {
  std::string name;
  std::string service_class;  ///< Its class; empty: none was said.
  std::vector<GroupRequest> groups;
  bool allow_unsatisfiable = false;
};

/// Fills in what users may leave out (the job's name, %{ENTRY} at the end of the command of an
/// each-line group) and checks what can be checked here. Fails with `usage`.
Result<void> complete(JobRequest& request);

/// The request in the words of the control protocol, without its verb and without lines.
Json to_json(const JobRequest& request);

/// "NAME=value", or "NAME" for the value it has here. Fails with `usage`.
Result<node::Variable> parse_variable(std::string_view text);

/// The name this user goes by.
std::string user_name();

}  // namespace dunlin::cli
