// SPDX-License-Identifier: MIT
#include "node/store/jobs/job_blob.h"

#include <algorithm>
#include <iterator>
#include <type_traits>

#include "node/fields.h"
#include "sched/frontend/stages/stage_names.h"
#include "sched/inputs/input_bytes.h"
#include "sched/inputs/input_text.h"
#include "sched/labels.h"
#include "sched/ledger/class_name.h"
#include "sched/resources.h"

// Beside the types, so that FieldWriter and FieldReader find them.
namespace dunlin::sched {

template <typename U, typename T>
concept IsA = std::is_same_v<std::remove_const_t<U>, T>;

void fields(auto& archive, IsA<Amount> auto& amount) {
  archive(amount.name, amount.count);
}
void fields(auto& archive, IsA<Resources> auto& resources) {
  archive(resources.cpu, resources.memory, resources.custom);
}
void fields(auto& archive, IsA<Constraint> auto& constraint) {
  archive(constraint.key, constraint.comparison, constraint.value);
}
void fields(auto& archive, IsA<AfterJob> auto& after) {
  archive(after.job.home.value, after.job.number, after.job.lineage, after.any, after.has_replicas,
      after.address.high, after.address.low, after.address.port);
}
void fields(auto& archive, IsA<Label> auto& label) {
  archive(label.key, label.value);
}
void fields(auto& archive, IsA<Lines> auto& lines) {
  archive(lines.text, lines.ends);
}

}  // namespace dunlin::sched

namespace dunlin::node {
namespace {

/// 1: no durations. 2: no class. 3: no deadline. 4: no word on what becomes of a job that misses
/// its own. 5: no key of its submission. 6: groups say not how many tasks run at once. 7: no
/// replicas. 8: no jobs to wait for, and no command for its end. 9: no word on preemption. 10: no
/// tasks that are suspended. 11: no gangs. 12: demands have no rates. 13: no group waits for
/// another. 14: no input has a place. 15: groups say all that they demand, and each task may be
/// attempted again. 16: no comment, no labels, no
/// time to begin at, all
/// tasks may run twice, and no job waits for another to fail. 17: nor for another to begin. A job
/// is written in the oldest form that holds it, so that an older Dunlin can read any job that it
/// could have made.
constexpr std::uint16_t kBlobVersion = 18;

// The newest that the job needs: the questions go from the newest form to the oldest.
std::uint16_t version_for(const std::vector<sched::TaskGroup>& groups, const JobTerms& terms) {
  const auto bounded = [](const sched::TaskGroup& group) { return group.at_once != 0; };
  const auto rated = [](const sched::TaskGroup& group) { return sched::has_rates(group.demand); };
  const auto waits = [](const sched::TaskGroup& group) { return !group.after.empty(); };
  const auto unsaid = [](const sched::TaskGroup& group) {
    return group.cpu_unsaid || group.memory_unsaid || group.once;
  };
  const auto begins = [](const sched::AfterJob& after) { return after.begun_for.has_value(); };
  if (std::ranges::any_of(terms.after_jobs, begins)) return 18;
  const bool new_words = !terms.comment.empty() || !terms.labels.empty() || terms.begin ||
      terms.rerun != sched::Rerun::always ||
      std::ranges::any_of(terms.after_jobs, &sched::AfterJob::failed);
  if (new_words) return 17;
  if (std::ranges::any_of(groups, unsaid)) return 16;
  const auto placed = [](const sched::TaskGroup& group) { return !group.inputs.empty(); };
  if (std::ranges::any_of(groups, placed)) return 15;
  if (std::ranges::any_of(groups, waits)) return 14;
  if (std::ranges::any_of(groups, rated)) return 13;
  if (std::ranges::any_of(groups, &sched::TaskGroup::gang)) return 12;
  if (terms.on_preempt == sched::OnPreempt::suspend) return 11;
  if (terms.on_preempt != sched::OnPreempt::requeue) return 10;
  if (!terms.after_jobs.empty() || !terms.end_command.empty()) return 9;
  if (terms.replicas > 0) return 8;
  if (std::ranges::any_of(groups, bounded)) return 7;
  if (!terms.key.empty()) return 6;
  if (terms.past_deadline != sched::PastDeadline::run) return 5;
  if (terms.deadline) return 4;
  return terms.service_class.empty() ? 2 : 3;
}

/// Everything but times, which are no plain numbers.
void group_fields(auto& archive, auto& group) {
  archive(group.name, group.count, group.demand, group.constraints, group.priority, group.retries,
      group.spec, group.entries);
}

void rates(auto& archive, auto& demand) {
  archive(demand.disk_read, demand.disk_write, demand.net_in, demand.net_out);
}

/// Which of them must fail, one after the other.
std::vector<std::uint8_t> failures_of(const std::vector<sched::AfterJob>& jobs) {
  std::vector<std::uint8_t> failures;
  failures.reserve(jobs.size());
  for (const sched::AfterJob& job : jobs) failures.push_back(job.failed ? 1 : 0);
  return failures;
}

/// For how long each of them must have begun: one more than the ns; 0: it must end.
std::vector<std::int64_t> begins_of(const std::vector<sched::AfterJob>& jobs) {
  std::vector<std::int64_t> begins;
  begins.reserve(jobs.size());
  for (const sched::AfterJob& job : jobs) {
    begins.push_back(job.begun_for ? job.begun_for->count() + 1 : 0);
  }
  return begins;
}

/// False if they are not as many, or one is not from 0 to ten years.
bool set_begins(const std::vector<std::int64_t>& begins, std::vector<sched::AfterJob>& jobs) {
  if (begins.size() != jobs.size()) return false;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (begins[i] < 0 || begins[i] > sched::kTaskTimeMax.count() + 1) return false;
    if (begins[i] > 0) jobs[i].begun_for = sched::Duration{begins[i] - 1};
  }
  return true;
}

/// False if they are not as many.
bool set_failures(const std::vector<std::uint8_t>& failures, std::vector<sched::AfterJob>& jobs) {
  for (std::size_t i = 0; i < std::min(jobs.size(), failures.size()); ++i) {
    jobs[i].failed = failures[i] != 0;
  }
  return failures.size() == jobs.size();
}

constexpr std::uint8_t kCpuUnsaid = 1;
constexpr std::uint8_t kMemoryUnsaid = 2;
constexpr std::uint8_t kOnce = 4;
std::uint8_t bits_of(const sched::TaskGroup& group) {
  return static_cast<std::uint8_t>((group.cpu_unsaid ? kCpuUnsaid : 0) |
      (group.memory_unsaid ? kMemoryUnsaid : 0) | (group.once ? kOnce : 0));
}

bool read_inputs(FieldReader& read, sched::TaskGroup& group) {
  std::string bytes;
  read(bytes);
  auto inputs = sched::inputs_of_bytes(bytes);
  if (inputs) group.inputs = std::move(*inputs);
  return inputs.has_value();
}

/// False for what only damage can have made: lines that end beyond their text, an unknown word.
bool sound(const sched::TaskGroup& group) {
  const auto& ends = group.entries.ends;
  const auto known = [](const sched::Constraint& constraint) {
    return static_cast<std::size_t>(constraint.comparison) < std::size(sched::kComparisonWords);
  };
  return std::ranges::all_of(group.constraints, known) && std::ranges::is_sorted(ends) &&
      sched::has_sound_inputs(group) &&
      (ends.empty() || ends.back() == group.entries.text.size()) &&
      (ends.empty() || ends.size() == group.count);
}

/// False for what only damage can have made.
bool read_terms(FieldReader& read, std::uint16_t version, JobTerms& terms) {
  if (version > 2) read(terms.service_class);
  std::int64_t deadline = 0;
  if (version > 3) read(deadline);
  std::uint8_t past_deadline = 0;
  if (version > 4) read(past_deadline);
  if (version > 5) read(terms.key.high, terms.key.low);
  if (version > 7) read(terms.replicas, terms.replicas_required);
  if (version > 8) read(terms.after_jobs, terms.end_command);
  auto on_preempt = static_cast<std::uint8_t>(sched::OnPreempt::requeue);
  if (version > 9) read(on_preempt);
  std::int64_t begin = 0;
  std::uint8_t rerun = 0;
  std::vector<std::uint8_t> failures(terms.after_jobs.size());
  if (version > 16) read(terms.comment, terms.labels, begin, rerun, failures);
  std::vector<std::int64_t> begins(terms.after_jobs.size());
  if (version > 17) read(begins);
  terms.rerun = static_cast<sched::Rerun>(rerun);
  terms.on_preempt = static_cast<sched::OnPreempt>(on_preempt);
  terms.past_deadline = static_cast<sched::PastDeadline>(past_deadline);
  const bool timely =
      sched::from_wire(deadline, terms.deadline) && sched::from_wire(begin, terms.begin);
  const bool known = past_deadline < std::size(sched::kPastDeadlineWords) &&
      on_preempt < std::size(sched::kOnPreemptWords) && rerun < std::size(sched::kRerunWords);
  const bool named = (version != 6 || !terms.key.empty()) &&
      (terms.service_class.empty() || sched::check_class_name(terms.service_class));
  const bool bounded = terms.replicas <= sched::kReplicasMax &&
      terms.replicas_required <= terms.replicas &&
      terms.after_jobs.size() <= sched::kAfterJobsMax &&
      terms.end_command.size() <= sched::kEndCommandMax &&
      terms.comment.size() <= sched::kCommentMax && sched::check_labels(terms.labels);
  return set_failures(failures, terms.after_jobs) && set_begins(begins, terms.after_jobs) &&
      timely && known && named && bounded;
}

/// False for what only damage can have made: see sound().
bool read_group(FieldReader& read, std::uint16_t version, sched::TaskGroup& group) {
  std::int64_t time_limit = 0;
  std::int64_t duration = 0;
  group_fields(read, group);
  read(time_limit);
  if (version > 1) read(duration);
  if (version > 6) read(group.at_once);
  std::uint8_t gang = 0;
  if (version > 11) read(gang);
  if (version > 12) rates(read, group.demand);
  if (version > 13) read(group.after);
  const bool placed = version <= 14 || read_inputs(read, group);
  std::uint8_t bits = 0;
  if (version > 15) read(bits);
  group.cpu_unsaid = (bits & kCpuUnsaid) != 0;
  group.memory_unsaid = (bits & kMemoryUnsaid) != 0;
  group.once = (bits & kOnce) != 0;
  group.gang = gang != 0;
  group.time_limit = sched::Duration{time_limit};
  group.duration = sched::Duration{duration};
  return placed && sound(group);
}

}  // namespace

JobTerms terms_of(const sched::Job& job) {
  return {.service_class = job.service_class,
      .deadline = job.deadline,
      .past_deadline = job.past_deadline,
      .key = job.key,
      .replicas = job.replicas,
      .replicas_required = job.replicas_required,
      .after_jobs = job.after_jobs,
      .end_command = job.end_command,
      .on_preempt = job.on_preempt,
      .comment = job.comment,
      .labels = job.labels,
      .begin = job.begin,
      .rerun = job.rerun};
}

std::string encode_groups(const std::vector<sched::TaskGroup>& groups, const JobTerms& terms) {
  std::string bytes;
  FieldWriter write(bytes);
  const std::uint16_t version = version_for(groups, terms);
  write(version, static_cast<std::uint16_t>(groups.size()));
  if (version > 2) write(terms.service_class);
  if (version > 3) write(std::int64_t{sched::to_wire(terms.deadline)});
  if (version > 4) write(static_cast<std::uint8_t>(terms.past_deadline));
  if (version > 5) write(terms.key.high, terms.key.low);
  if (version > 7) write(terms.replicas, terms.replicas_required);
  if (version > 8) write(terms.after_jobs, terms.end_command);
  if (version > 9) write(static_cast<std::uint8_t>(terms.on_preempt));
  if (version > 16) {
    write(terms.comment, terms.labels, std::int64_t{sched::to_wire(terms.begin)},
        static_cast<std::uint8_t>(terms.rerun), failures_of(terms.after_jobs));
  }
  if (version > 17) write(begins_of(terms.after_jobs));
  for (const auto& group : groups) {
    group_fields(write, group);
    write(std::int64_t{group.time_limit.count()}, std::int64_t{group.duration.count()});
    if (version > 6) write(group.at_once);
    if (version > 11) write(static_cast<std::uint8_t>(group.gang));
    if (version > 12) rates(write, group.demand);
    if (version > 13) write(group.after);
    if (version > 14) write(sched::input_bytes(group.inputs));
    if (version > 15) write(bits_of(group));
  }
  return bytes;
}

// All or nothing: a job that is half understood would run with other terms than its user was
// promised. The count is not trusted: a damaged one ends the loop as soon as the bytes do.
Result<JobBlob> decode_groups(std::string_view bytes) {
  FieldReader read(bytes);
  std::uint16_t version = 0;
  std::uint16_t count = 0;
  read(version, count);
  if (read.ok() && version > kBlobVersion) {
    return failure(ErrorKind::corrupt, "it was written by a newer Dunlin");
  }
  JobBlob blob;
  bool whole = read_terms(read, version, blob.terms);
  for (std::uint16_t i = 0; i < count && read.ok(); ++i) {
    whole = read_group(read, version, blob.groups.emplace_back()) && whole;
  }
  if (!read.finished() || !whole || !sched::has_sound_stages(blob.groups)) {
    return failure(ErrorKind::corrupt, "its description is malformed");
  }
  return blob;
}

void put_blob(JobBlob blob, sched::Job& job) {
  job.groups = std::move(blob.groups);
  job.service_class = std::move(blob.terms.service_class);
  job.deadline = blob.terms.deadline;
  job.past_deadline = blob.terms.past_deadline;
  job.key = blob.terms.key;
  job.replicas = blob.terms.replicas;
  job.replicas_required = blob.terms.replicas_required;
  job.after_jobs = std::move(blob.terms.after_jobs);
  job.end_command = std::move(blob.terms.end_command);
  job.on_preempt = blob.terms.on_preempt;
  job.comment = std::move(blob.terms.comment);
  job.labels = std::move(blob.terms.labels);
  job.begin = blob.terms.begin;
  job.rerun = blob.terms.rerun;
}

}  // namespace dunlin::node
