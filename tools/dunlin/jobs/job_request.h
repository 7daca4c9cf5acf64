// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "node/message.h"
#include "overlay/result.h"
#include "sched/job.h"
#include "tools/dunlin/json.h"
#include "tools/dunlin/words/said_words.h"

namespace dunlin::cli {

/// Tasks of equal demand, as a user asks for them.
struct GroupRequest {
  std::string name;
  std::uint32_t count = 1;
  sched::Resources demand = {.cpu = 1000, .memory = 0, .custom = {}};
  bool cpus_said = false;    ///< Else the frontend may learn what such tasks take.
  bool memory_said = false;  ///< Likewise: 0 that was said is no limit.
  std::vector<sched::Constraint> constraints;
  std::int16_t priority = sched::kPriorityDefault;
  std::uint16_t retries = 0;
  std::uint32_t at_once = 0;        ///< Tasks that run at once at most; 0: as many as fit.
  bool gang = false;                ///< Its tasks start together, or not at all.
  overlay::Duration time_limit{0};  ///< 0: none.
  overlay::Duration duration{0};    ///< The expected run time of a task. 0: unknown.
  node::TaskSpec spec;              ///< With a script, `command` are its arguments.
  std::string script_file;          ///< The file that its script was read from; empty: none.
  std::string each_line;            ///< A file with a task on each line; "-": stdin; empty: none.
  std::string array;  ///< Indices of its tasks, as node::parse_array() reads them; empty: none.
  std::vector<std::string> entries;  ///< Its lines, if the job file itself has them.
  std::vector<std::string> after;    ///< Groups that it waits for, by name.
  /// Where the inputs of its tasks are, as sched::parse_input() reads it: one for all tasks or one
  /// for each; none: not told.
  std::vector<std::string> inputs;
  std::string input_list;  ///< A file that has them; empty: none.
  std::string where;       ///< Its place in a job file: "job.toml:9: ". Empty: the command line.

  /// The beginning of an error about its lines: "--each-line: ", "job.toml:9: each_line: ".
  std::string lines_place() const {
    return where.empty() ? "--each-line: " : where + "each_line: ";
  }
};

/// A job as a user asks for it, before an agent has seen it.
struct JobRequest {
  std::string name;
  std::string service_class;             ///< Its class; empty: none.
  overlay::OptionalDuration deadline;    ///< From now on: when the job should have ended.
  std::string past_deadline;             ///< "run" or "cancel" if it misses that; empty: none said.
  std::string on_preempt;                ///< A word of the control protocol; empty: none said.
  int checkpoint_signal = 0;             ///< 0: none said.
  overlay::Duration checkpoint_time{0};  ///< 0: none said.
  std::uint8_t replicas = 0;             ///< As Job::replicas, unless the agent's own are more.
  std::uint8_t replicas_required = 0;
  std::vector<GroupRequest> groups;
  bool held = false;  ///< It starts no task until it is released.
  std::vector<AfterRequest> after;
  node::TaskSpec on_end;  ///< To be run when it has ended; without a command: nothing.
  bool allow_unsatisfiable = false;
  std::string comment;
  std::vector<sched::Label> labels;  ///< Ascending by key.
  overlay::OptionalDuration begin;   ///< From now on: it starts no task before.
  std::string rerun;                 ///< A word of sched::kRerunWords; empty: none said.
};

/// Fills in the parts that users may leave out (the job's name, %{ENTRY} at the end of the command
/// of an each-line group) and checks as much as it can without an agent. Fails with `usage`.
Result<void> complete(JobRequest& request);

/// Fails with `usage` if so many tasks are too many for one job.
Result<void> check_tasks(std::uint64_t tasks);

/// The request in the words of the control protocol, without its verb and without lines.
Json to_json(const JobRequest& request);

}  // namespace dunlin::cli
