// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "node/agent/agent_parts.h"
#include "node/control/agent_services.h"
#include "sched/frontend/job_state.h"

namespace dunlin::node {

/// Runs the commands for the ends of jobs that this node drives, each at most once: that it begins
/// is on disk, and with the job's standbys, before it does. So many run at a time as there are
/// places of Place::end_command; users with fewer of them have the next ones.
class EndCommands {
 public:
  /// Both must outlive this. Goes on with the commands of earlier agents that the executor kept.
  EndCommands(AgentParts& parts, AgentServices& services);

  /// Looks for jobs that have ended, and for commands that take too long. Each second. `begin`:
  /// more may begin.
  void look(bool begin);
  /// A task of the job has its result: it may have been the last one, and then its command begins
  /// before anybody can act upon that.
  void on_result(const sched::JobId& job);
  /// Begins and forgets commands whose records are on disk. After each commit.
  void advance();
  /// The command has ended, or could not be started. Recorded, and forgotten once that is on disk.
  void on_exit(const sched::JobId& job, const sched::Report& report);

 private:
  /// That it begins is recorded; it runs; that it ended is recorded, and may not be on disk yet.
  enum class Phase { recorded, running, ended };
  struct Command {
    sched::JobId job;
    Phase phase = Phase::recorded;
    RecordMark mark{};      ///< Of the record that it begins, or has ended.
    overlay::Time until{};  ///< It is stopped then.
    /// It ran too long, and was told to end.
    bool stopped = false;
    HeldPlace place{};  ///< None at first, if an earlier agent began it.
  };

  Command* find(const sched::JobId& job);
  void put(const sched::JobId& job, const sched::EndCommand& command);
  /// Begins commands for jobs that have ended, in turns by user.
  void begin_some(const std::vector<std::pair<sched::JobId, std::string>>& ended);
  void start(const sched::JobState& job);
  /// The run of the command of a job that has ended, as long as it is this agent's to see to.
  std::optional<sched::EndRun> due(const sched::JobState& job);
  sched::Duration time_max() const { return parts_.configuration.agent.on_end_timeout; }

  AgentParts& parts_;
  AgentServices& services_;
  std::vector<Command> commands_;
  std::set<sched::JobId> may_have_ended_;  ///< Since the last advance().
  bool may_begin_ = true;                  ///< As look() was told last.
};

/// The order in which the commands of those jobs, each with its owner, begin: the first one of the
/// user with fewest that run, then again so; of each user in the order given.
std::vector<std::size_t> turns_of(
    const std::vector<std::pair<sched::JobId, std::string>>& ended, Accounts& accounts);

/// The variables that tell a command for the end of a job of that job, beside those that it has in
/// common with tasks.
std::vector<Variable> end_variables(const sched::JobState& job);

}  // namespace dunlin::node
