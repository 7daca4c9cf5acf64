// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

// Which jobs a list is of, and in which order. Pure.
namespace dunlin::sched {

class JobState;

/// The states of a job, in the order in which lists show them.
inline constexpr std::array<std::string_view, 6> kJobStates = {
    "running", "waiting", "held", "failed", "done", "cancelled"};
/// The place of a state among them; their number if it is none.
std::size_t rank_of(std::string_view state);
/// The state that a job is in, one of those.
std::string_view state_word(const JobState& job);
/// The name of its class.
std::string_view class_of(const JobState& job);

/// When its first task started, ns since 1970, as far as is known; 0 if none has.
std::int64_t started_at(const JobState& job);
/// When it ended; 0 if it has not.
std::int64_t ended_at(const JobState& job);

/// The facts of a job that lists are chosen and sorted by. Borrows its texts.
struct JobLine {
  std::string_view state;
  std::string_view user;
  std::string_view service_class;
  std::string_view name;
  std::int64_t submitted_at = 0;  ///< ns since 1970.
  std::uint32_t tasks = 0;
  bool finished = false;
  PeerId home;
  std::uint32_t number = 0;
  PeerId origin;              ///< The node that took it, which never is another one.
  std::int64_t ended_at = 0;  ///< ns since 1970; 0: it has not, or it is not known.
};
/// The line of a job that `home` drives. Borrows from `job`.
JobLine line_of(const JobState& job, PeerId home);

/// The place of a job in a list of that order, and the line of such a place. Borrows from `place`.
FirstJob place_of(const JobLine& job, JobSort sort);
JobLine line_of(const FirstJob& place, JobSort sort);

/// The jobs that a client wants to see.
struct JobQuery {
  bool all = false;  ///< Those that have ended, too. Implied by `state`.
  std::string state;
  std::string user;
  std::string service_class;
  std::string name;        ///< A pattern of the shell: "train*".
  std::int64_t since = 0;  ///< Submitted then or later, in ns since 1970; 0: whenever.
  JobSort sort = JobSort::number;
  std::int64_t ended_since = 0;      ///< Ended then or later, in ns since 1970; 0: at all or not.
  std::vector<ListedJob> ids{};      ///< Only these; none: all. By their origins.
  std::optional<FirstJob> after{};   ///< Only those behind that place are shown.
  std::vector<Label> labels{};       ///< Only jobs that have all of these: see has_labels().
  std::uint32_t limit = UINT32_MAX;  ///< Lines wanted.

  /// True if the job is meant, whether or not it has ended, as far as its line says. What a line
  /// does not have is `labels`.
  bool covers(const JobLine& job) const;
  /// True if the job is meant, and has the labels asked for.
  bool covers(const JobLine& job, std::span<const Label> its_labels) const;
  /// True if it is to be listed as well: see `all`.
  bool lists(const JobLine& job) const { return shows_ended() || !job.finished; }
  bool shows_ended() const { return all || !state.empty() || ended_since > 0 || !ids.empty(); }
  /// True if it stands behind the place where the list goes on.
  bool is_behind(const JobLine& job) const;
  /// True if `a` stands before `b`. A strict order of all jobs of a cluster, which does not look at
  /// which node drives a job: that changes, and a list that is read in pages would leave it out.
  bool before(const JobLine& a, const JobLine& b) const;
};

/// The query as a message carries it, and back. The limit is not part of it: the answer to it
/// counts jobs, and names one.
JobFilter filter_of(const JobQuery& query);
JobQuery query_of(const JobFilter& filter);

/// Numbers of jobs by state, as kJobStates.
using JobTotals = std::array<std::uint64_t, kJobStates.size()>;
void count(JobTotals& totals, std::string_view state);

}  // namespace dunlin::sched
