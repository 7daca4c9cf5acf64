// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "node/control/control_session.h"
#include "node/control/json.h"
#include "overlay/result.h"
#include "sched/frontend/job_state.h"

// Jobs that wait for others, as clients speak of them.
namespace dunlin::node {

class AgentServices;

/// Reads "after_jobs" of a job. Remembers in `args` what is wrong.
std::vector<AfterWish> parse_after(Args& args);

/// Finds the jobs that a job is to wait for, each at its home, before that job is accepted: a
/// mistake must be told now, not when the job has waited for a week.
class AfterSearch {
 public:
  /// A home that has not answered is asked again after so long, ...
  static constexpr overlay::Duration kAgain = std::chrono::milliseconds(400);
  /// ... from here on all nodes are asked, for one that has taken the job over, ...
  static constexpr overlay::Duration kAskAll = std::chrono::milliseconds(700);
  /// ... and after this it has failed.
  static constexpr overlay::Duration kPatience = std::chrono::milliseconds(1900);

  /// Reads the names. Fails with `usage` or `not_found`, naming the job and the cure.
  static Result<AfterSearch> begin(AgentServices& agent, const std::vector<AfterWish>& wishes);

  /// Asks those that are to be asked. True once all are known. Fails if one is not there, or no
  /// node that knows it answers in time.
  Result<bool> advance(AgentServices& agent);
  overlay::Time due() const { return due_; }
  void on_job_end(const overlay::Endpoint& from, const sched::JobEnd& told);
  std::vector<sched::AfterJob> take();

 private:
  struct Sought {
    sched::AfterJob after;
    std::string name;  ///< As the client gave it.
    std::uint64_t request = 0;
    bool known = false;
    bool absent = false;
  };
  void ask(AgentServices& agent, const Sought& sought, bool all) const;

  std::vector<Sought> sought_;
  overlay::Time begun_{};
  overlay::Time next_{};
  overlay::Time due_{};
};

/// "n2.7", or "7" for a job that this node took.
std::string after_name(const AgentServices& agent, const sched::JobId& job);
/// What the job waits for, and which homes do not answer. Requires that it waits.
std::string after_text(const AgentServices& agent, const sched::JobState& job);
/// Why it was cancelled, if a job that it waited for did not end as it must.
std::string missed_text(const AgentServices& agent, const sched::JobState& job);
/// All jobs that it waits for, or waited for.
Json after_json(const AgentServices& agent, const sched::JobState& job);

}  // namespace dunlin::node
