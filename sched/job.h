// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sched/end_facts.h"
#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// A task of a job, for its whole life: all its attempts.
struct TaskId {
  JobId job;
  std::uint32_t index = 0;  ///< In [0, Job::task_count()), across all groups.
  friend bool operator==(const TaskId&, const TaskId&) = default;
};

/// Names one attempt of a task, in an order for maps.
using AttemptKey =
    std::tuple<std::uint64_t, std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t>;
inline AttemptKey key_of(const TaskId& task, std::uint32_t attempt) {
  return {task.job.home.value, task.job.number, task.job.lineage, task.index, attempt};
}

/// The bounds of the priority that a user may ask for. Larger runs first.
inline constexpr std::int16_t kPriorityMin = 0;
inline constexpr std::int16_t kPriorityMax = 100;
inline constexpr std::int16_t kPriorityDefault = 50;

/// "0123456789abcdef.12": the name of a job that means the same at every node. Texts for people
/// name jobs so, as nobody knows where they are read; drivers that know nodes by name put those in.
std::string label_of(const JobId& job);

/// The bounds of one job: a record of each task stays in memory.
inline constexpr std::uint64_t kJobTasksMax = 4'000'000;
inline constexpr std::size_t kJobGroupsMax = 256;
/// Standbys of a job at most.
inline constexpr std::uint8_t kReplicasMax = 4;
/// The machines that a job needs which requires so many replicas: the books that say which node
/// drives it have as many voters, of which any `required` may be lost.
constexpr std::size_t machines_needed(std::size_t required) {
  return required == 0 ? 1 : 2 * required + 1;
}
/// The bytes of the name of a job, a group or an owner at most.
inline constexpr std::size_t kJobNameMax = Tasks::kNameMax;

/// The bound of a task's run time: sums of a few such times are still integers.
inline constexpr Duration kTaskTimeMax = std::chrono::hours(24 * 365 * 10);
/// Clamps the run time that a peer claims: it may be malicious or mistaken.
constexpr Duration sane_task_time(Duration said) {
  return std::clamp(said, Duration{0}, kTaskTimeMax);
}

/// Many lines in one block of memory, with 4 bytes of overhead each: a job may have millions.
struct Lines {
  std::string text;
  std::vector<std::uint32_t> ends;  ///< The end of line i in `text`.

  std::size_t size() const { return ends.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(text).substr(begin, ends[i] - begin);
  }
  void push_back(std::string_view line) {
    text += line;
    ends.push_back(static_cast<std::uint32_t>(text.size()));
  }
  friend bool operator==(const Lines&, const Lines&) = default;
};

/// The tasks of a gang at most.
inline constexpr std::uint32_t kGangTasksMax = 1024;
/// The lines of its tasks, together.
inline constexpr std::size_t kGangLinesMax = std::size_t{256} * 1024;

/// Nodes that may have the input of one task.
inline constexpr std::size_t kInputNodesMax = 4;
/// Different nodes that have inputs of one group.
inline constexpr std::size_t kGroupInputNodesMax = 4096;

/// A node that has inputs of tasks.
struct InputNode {
  static constexpr std::size_t kNameMax = Facts::kNameMax;
  std::string name;   ///< As the user wrote it.
  PeerId id;          ///< 0: no node of that name was known at the submit.
  Address address{};  ///< Where it was then.
  friend bool operator==(const InputNode&, const InputNode&) = default;
};

/// The input of one task: which nodes have it. No other node does.
struct PlacedInput {
  std::uint32_t size = 0;  ///< MiB, rounded up; for people.
  std::uint32_t set = 0;   ///< Into GroupInputs::sets.
  friend bool operator==(const PlacedInput&, const PlacedInput&) = default;
};

/// Where the inputs of the tasks of a group are. Memory: 8 bytes for each task, and 8 for each
/// different set of nodes.
struct GroupInputs {
  /// Indices of nodes, kNone behind the last of them.
  using Set = std::array<std::uint16_t, kInputNodesMax>;
  static constexpr std::uint16_t kNone = UINT16_MAX;

  std::vector<InputNode> nodes;  ///< Of different names.
  std::vector<Set> sets;
  std::vector<PlacedInput>
      tasks;  ///< One for each task, or one for all; none: no input has a place.
  /// The rates at which a task reads its input, in KiB/s, where the input is and elsewhere: see
  /// input_rates.h.
  std::uint32_t disk_read = 0;
  std::uint32_t net_in = 0;

  bool empty() const { return tasks.empty(); }
  /// The input of the `i`-th task of the group. Requires that it has any.
  const PlacedInput& of(std::size_t i) const { return tasks.size() == 1 ? tasks[0] : tasks[i]; }
  friend bool operator==(const GroupInputs&, const GroupInputs&) = default;
};

/// Tasks of equal demand. Scheduling never reads `spec` and `entries`.
struct TaskGroup {
  std::string name;  ///< Empty for the only group of a job.
  std::uint32_t count = 1;
  Resources demand;
  bool cpu_unsaid = false;     ///< Its user did not say its CPU, or memory: `demand` has what such
  bool memory_unsaid = false;  ///< groups get, and estimates may take its place.
  std::vector<Constraint> constraints;
  std::int16_t priority = kPriorityDefault;
  std::uint16_t retries = 0;  ///< Failed attempts forgiven per task. Lost workers do not count.
  std::uint32_t at_once = 0;  ///< Tasks of it bound at a time at most; 0: as many as fit.
  bool gang = false;          ///< Its tasks start together, or none of them does.
  /// Its stage: groups of the job, by index and ascending, all tasks of which must succeed before
  /// one of this group starts. If one ends otherwise those of this group are cancelled.
  std::vector<std::uint16_t> after{};
  /// Its tasks read what a client gives, which cannot be read again: no attempt follows one that
  /// may have begun.
  bool once = false;
  GroupInputs inputs{};    ///< With some, `demand` is that of a task with its input elsewhere.
  Duration time_limit{0};  ///< The limit of one attempt; 0 is none.
  Duration duration{0};    ///< The run time of a task, as its user expects; 0 is unknown.
  std::string spec;        ///< The work itself, in the driver's own words.
  Lines entries;           ///< One line for each task, or none at all.
  friend bool operator==(const TaskGroup&, const TaskGroup&) = default;
};

/// What becomes of a job that misses its deadline.
enum class PastDeadline : std::uint8_t {
  run,     ///< It goes on.
  cancel,  ///< It is cancelled: late, its results are of no use.
};
inline constexpr std::string_view kPastDeadlineWords[] = {"run", "cancel"};

/// If a task runs again after an attempt that came to nothing by no fault of its own.
enum class Rerun : std::uint8_t {
  always,
  /// No task runs twice, whatever happens: one with an attempt that may have begun, and of which no
  /// end is known, ends as Outcome::lost. So it has no retries, and never yields to others.
  never,
};
inline constexpr std::string_view kRerunWords[] = {"always", "never"};

/// A job that another one waits for: that one starts no task before this one has ended, or begun.
struct AfterJob {
  JobId job;
  bool any = false;           ///< However it ends; else all its tasks must succeed.
  bool has_replicas = false;  ///< Another node may drive it some day.
  Address address;            ///< Where its home was at the submit.
  bool failed = false;        ///< It must end, and not all its tasks succeed. Not with `any`.
  /// Its first task must have begun so long ago; or it must have ended without. Not with the
  /// others.
  OptionalDuration begun_for{};
  friend bool operator==(const AfterJob&, const AfterJob&) = default;
};
/// "ok", "any" or "failed": how that one must end; or "started".
constexpr std::string_view when_word(const AfterJob& after) {
  if (after.begun_for) return "started";
  if (after.any) return "any";
  return after.failed ? "failed" : "ok";
}
/// Jobs that one job waits for.
inline constexpr std::size_t kAfterJobsMax = 32;
/// The labels of a job.
inline constexpr std::size_t kLabelsMax = 16;
/// The bytes of its comment.
inline constexpr std::size_t kCommentMax = 1023;
/// The bytes of a command for the end of a job at most, in the driver's own words.
inline constexpr std::size_t kEndCommandMax = Tasks::kSpecMax;

/// A client draws it by chance for one submission: said twice, it is the same job. All 0: none.
struct SubmitKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool empty() const { return high == 0 && low == 0; }
  friend auto operator<=>(const SubmitKey&, const SubmitKey&) = default;
};

/// The record of a submission, one however many tasks. Immutable once accepted.
struct Job {
  JobId id;
  std::string name;
  std::vector<TaskGroup> groups;
  std::int64_t submitted_at = 0;  ///< Wall clock, ns since 1970, where the driver has one; else 0.
  std::string owner;              ///< The user that submitted it, for people.
  std::string service_class;      ///< The name of its class; empty if the user named none.
  OptionalDuration deadline;  ///< After the submit: when it should have ended. It may be missed.
  PastDeadline past_deadline = PastDeadline::run;  ///< Means nothing without a deadline.
  SubmitKey key;
  bool held = false;  ///< It is submitted on hold. From then on JobProgress::held says it.
  /// Standbys that shall have its records, on other machines; 0: none, and see sched/replica/.
  std::uint8_t replicas = 0;
  /// No word of it is given before so many of them have it. At most `replicas`.
  std::uint8_t replicas_required = 0;
  /// It starts no task before these have ended, and is cancelled if one of them ends otherwise than
  /// it must. JobProgress says which of them have.
  std::vector<AfterJob> after_jobs;
  /// What becomes of its tasks when others may take their room.
  OnPreempt on_preempt = OnPreempt::requeue;
  /// To be run by its home when it has ended, at most once, in the driver's own words; empty: none.
  std::string end_command;
  std::string comment;        ///< What its user says of it, for people.
  std::vector<Label> labels;  ///< By which it is found again: ascending by key, of different keys.
  OptionalDuration begin;     ///< After the submit: it starts no task before.
  Rerun rerun = Rerun::always;

  std::uint32_t task_count() const;
  friend bool operator==(const Job&, const Job&) = default;
};

/// By whom a job was cancelled.
enum class CancelledBy : std::uint8_t {
  user,      ///< Somebody asked for it.
  deadline,  ///< It missed its deadline: see PastDeadline.
  after,     ///< A job that it waited for ended otherwise than it must: see Job::after_jobs.
};
inline constexpr std::string_view kCancelledByWords[] = {"user", "deadline", "after"};

/// The terms of a job that its user sets after the submit. Empty: as they were.
struct NewTerms {
  std::optional<std::int16_t> priority;      ///< Of all its groups.
  std::optional<OptionalDuration> deadline;  ///< Counted from the submit; within: it has none.
  friend bool operator==(const NewTerms&, const NewTerms&) = default;
};

/// Takes the place of what the job was submitted with.
void set_terms(Job& job, const NewTerms& terms);

/// How far the command for the end of a job has come.
enum class EndRun : std::uint8_t {
  none,     ///< It has not begun.
  started,  ///< It may have begun, so it never begins again.
  ended,    ///< It has ended, or it is known that it will not.
};

struct EndCommand {
  static constexpr std::size_t kDetailMax = Report::kDetailMax;
  EndRun run = EndRun::none;
  // These mean nothing before it has ended; as in a Report.
  Outcome outcome = Outcome::exited;
  std::int32_t status = 0;
  std::string detail{};
  friend bool operator==(const EndCommand&, const EndCommand&) = default;
};

/// The part of a job as a whole that changes and must survive.
struct JobProgress {
  std::uint32_t restarts = 0;  ///< Restarts of its frontend: attempts count on from there.
  bool cancelled = false;
  CancelledBy cancelled_by = CancelledBy::user;  ///< Means nothing unless it was cancelled.
  bool held = false;                             ///< No task of it starts.
  NewTerms terms;
  // Bit i is of Job::after_jobs[i].
  std::uint32_t after_met = 0;     ///< It has ended as it must.
  std::uint32_t after_missed = 0;  ///< It has ended otherwise.
  EndCommand end_command{};
  std::optional<EndFacts> ended{};  ///< It has, and how. Unknown of one of an older store.
  friend bool operator==(const JobProgress&, const JobProgress&) = default;
};

/// What the user of an attempt wants: that it ends, and ...
enum class Wished : std::uint8_t {
  cancel,   ///< ... its task with it.
  requeue,  ///< ... its task runs again.
  /// It need not end; but no other one is made, whatever becomes of it: see Rerun. Said before the
  /// attempt is handed out.
  only,
};
inline constexpr std::string_view kWishedWords[] = {"cancel", "requeue", "only"};

/// A task that had left its first attempt behind when its frontend died, or whose user had a wish.
struct StoredTask {
  std::uint32_t index = 0;
  /// Its user had it run again after a result. Attempts up to this one count no more, neither as
  /// results nor below; 0: never.
  std::uint32_t retried = 0;
  std::uint16_t failures = 0;     ///< Attempts that failed and did not count as its result.
  std::uint16_t losses = 0;       ///< Attempts lost with their workers, stopped or failed by them.
  std::uint16_t preemptions = 0;  ///< Those of them that were preempted.
  std::uint32_t ended = 0;  ///< The last attempt with a report that is not its result; 0: none.
  std::uint32_t lost = 0;   ///< The last attempt lost without a report; 0: none.
  bool finished = false;    ///< Its one result is recorded: `outcome` and `status`.
  Outcome outcome = Outcome::exited;
  std::int32_t status = 0;
  Duration wall{0};             ///< Run time of its result.
  std::int64_t started_at = 0;  ///< When that attempt started, ns since 1970; 0: unknown, or never.
  // The last attempts that were to end at its user's word, by what was wished; 0: none.
  std::uint32_t to_cancel = 0;
  std::uint32_t to_requeue = 0;
  std::uint32_t only = 0;  ///< The last attempt that was to be the only one; 0: none.
  /// Workers that failed it by their own fault, or could not start it; oldest first.
  std::vector<PeerId> avoided{};
};

/// The member that says which attempt this is wished of.
constexpr std::uint32_t& attempt_of(StoredTask& task, Wished wished) {
  if (wished == Wished::cancel) return task.to_cancel;
  return wished == Wished::requeue ? task.to_requeue : task.only;
}

/// The record of one job that a driver found in its store.
struct StoredJob {
  Job job;
  /// The time of its submit, by the clock of the peer's turns; it may lie before the clock's zero.
  /// The driver works it out from `job.submitted_at`, and is wrong if the wall clock was set
  /// meanwhile. Empty if the driver cannot say: the job then counts as new.
  std::optional<Time> submitted;
  JobProgress progress;
  std::vector<StoredTask> tasks;  ///< Ascending by index. Tasks without a record are left out.
};

}  // namespace dunlin::sched
