// SPDX-License-Identifier: MIT
#include "sched/replica/record_writer.h"

#include <algorithm>

#include "sched/inputs/input_bytes.h"
#include "sched/replica/codec_record.h"
#include "sched/replica/end_fields.h"
#include "sched/replica/word_flags.h"
#include "sched/resources.h"

namespace dunlin::sched::replica {
namespace {

/// Text of the lines in one record, but for one that is longer alone.
constexpr std::size_t kLinesBytes = 60 << 10;

// What is said of jobs in code, and of their records in the schema, is the same.
static_assert(PutGroup::kPriorityMax == kPriorityMax && kPriorityMin == 0);
static_assert(PutGroup::kPriorityDefault == kPriorityDefault);
static_assert(PutGroup::kDurationMax == kTaskTimeMax.count());
static_assert(PutJob::kDeadlineMax == kTaskTimeMax.count());
static_assert(PutJob::kBeginMax == kTaskTimeMax.count());
static_assert(PutJob::kReplicasMax == kReplicasMax);
static_assert(PutJob::kLabelsMax == kLabelsMax && PutJob::kCommentMax == kCommentMax);
static_assert(PutJob::kReplicasRequiredMax == kReplicasMax);
static_assert(Resources::kDiskReadMax == kRateMax && Resources::kDiskWriteMax == kRateMax);
static_assert(Resources::kNetInMax == kRateMax && Resources::kNetOutMax == kRateMax);

PutProgress record_of(const JobId& job, const JobProgress& progress) {
  PutProgress put{.job = job,
      .restarts = progress.restarts,
      .cancelled = progress.cancelled,
      .held = progress.held,
      .new_priority = progress.terms.priority.has_value(),
      .priority = progress.terms.priority.value_or(std::int16_t{0}),
      .new_deadline = progress.terms.deadline.has_value(),
      .deadline = progress.terms.deadline.value_or(std::nullopt),
      .after_met = progress.after_met,
      .after_missed = progress.after_missed,
      .end_run = static_cast<std::uint8_t>(progress.end_command.run),
      .end_outcome = progress.end_command.outcome,
      .end_status = progress.end_command.status,
      .end_detail = progress.end_command.detail};
  put_cancelled_by(progress.cancelled_by, put);
  put_end(progress.ended, put);
  return put;
}

}  // namespace

void RecordWriter::add(const Record& record) {
  std::string bytes;
  append(bytes, record);
  const bool fits = !batches_.empty() && batches_.back().size() + bytes.size() <= kBatchMax;
  if (fits) {
    batches_.back() += bytes;
  } else {
    batches_.push_back(std::move(bytes));
  }
}

void RecordWriter::put_lines(const JobId& job, const Lines& lines) {
  PutLines piece{.job = job, .sizes = {}, .text = {}};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const bool full = piece.sizes.size() == PutLines::kSizesMax ||
        (!piece.sizes.empty() && piece.text.size() + line.size() > kLinesBytes);
    if (full) {
      add(piece);
      piece.sizes.clear();
      piece.text.clear();
    }
    piece.sizes.push_back(static_cast<std::uint32_t>(line.size()));
    piece.text += line;
  }
  if (!piece.sizes.empty()) add(piece);
}

void RecordWriter::put_inputs(const JobId& job, std::string_view inputs) {
  for (; !inputs.empty(); inputs.remove_prefix(std::min(inputs.size(), kLinesBytes))) {
    add(PutInputs{.job = job, .bytes = std::string(inputs.substr(0, kLinesBytes))});
  }
}

void RecordWriter::put_job(const Job& job) {
  std::vector<PutAfter> after;
  for (const AfterJob& each : job.after_jobs) {
    after.push_back({.job = each.job,
        .any = each.any,
        .has_replicas = each.has_replicas,
        .address = each.address,
        .failed = each.failed,
        .begun_for = each.begun_for ? each.begun_for->count() + 1 : 0});
  }
  PutJob put{.job = job.id,
      .name = job.name,
      .groups = static_cast<std::uint16_t>(job.groups.size()),
      .submitted_at = job.submitted_at,
      .owner = job.owner,
      .service_class = job.service_class,
      .deadline = job.deadline,
      .cancelled_late = job.past_deadline == PastDeadline::cancel,
      .key_high = job.key.high,
      .key_low = job.key.low,
      .held = job.held,
      .replicas = job.replicas,
      .replicas_required = job.replicas_required,
      .after_jobs = {after.begin(), after.end()},
      .end_command = job.end_command,
      .comment = job.comment,
      .labels = job.labels,
      .begin = job.begin,
      .rerun_never = job.rerun == Rerun::never};
  put_on_preempt(job.on_preempt, put);
  add(std::move(put));
  for (const TaskGroup& group : job.groups) {
    const std::string inputs = input_bytes(group.inputs);
    add(PutGroup{.job = job.id,
        .name = group.name,
        .count = group.count,
        .demand = group.demand,
        .constraints = group.constraints,
        .priority = group.priority,
        .retries = group.retries,
        .time_limit = group.time_limit,
        .duration = group.duration,
        .spec = group.spec,
        .lines = static_cast<std::uint32_t>(group.entries.size()),
        .at_once = group.at_once,
        .after = {group.after.begin(), group.after.end()},
        .inputs = static_cast<std::uint32_t>(inputs.size()),
        .cpu_unsaid = group.cpu_unsaid,
        .memory_unsaid = group.memory_unsaid,
        .once = group.once,
        .gang = group.gang});
    put_inputs(job.id, inputs);
    put_lines(job.id, group.entries);
  }
}

void RecordWriter::put_progress(const JobId& job, const JobProgress& progress) {
  add(record_of(job, progress));
}

void RecordWriter::put_wishes(const JobId& job,
    const JobProgress& progress,
    Wished wished,
    std::span<const Attempt> attempts) {
  while (!attempts.empty()) {
    const auto part = attempts.first(std::min(attempts.size(), PutProgress::kToCancelMax));
    attempts = attempts.subspan(part.size());
    PutProgress put = record_of(job, progress);
    auto& wishes = wished == Wished::cancel ? put.to_cancel
        : wished == Wished::requeue         ? put.to_requeue
                                            : put.only;
    wishes.assign(part.begin(), part.end());
    add(std::move(put));
  }
}

void RecordWriter::put_report(const JobId& job, const Report& report, PeerId worker, bool final) {
  add(PutReport{.job = job, .report = report, .worker = worker, .final = final});
}

void RecordWriter::put_loss(const JobId& job, const Attempt& lost, PeerId worker) {
  add(PutLoss{.job = job, .lost = lost, .worker = worker});
}

void RecordWriter::put_retry(const JobId& job, const Attempt& last) {
  add(PutRetry{.job = job, .last = last});
}

void RecordWriter::forget_job(const JobId& job) {
  add(ForgetJob{.job = job});
}

void RecordWriter::put_holder(const StoredHolder& holder) {
  add(PutBindings{.job = {},
      .tasks = {},
      .holder = holder.worker.id,
      .address = holder.worker.address,
      .away = holder.away});
}

void RecordWriter::forget_holder(PeerId worker) {
  add(PutBindings{.job = {}, .tasks = {}, .holder = worker, .holds_none = true});
}

void RecordWriter::put_bindings(const JobId& job, std::span<const HandedTask> bound) {
  PutBindings put{.job = job, .tasks = {}};
  for (const HandedTask& task : bound) {
    if (put.tasks.size() == PutBindings::kTasksMax) {
      add(put);
      put.tasks.clear();
    }
    put.tasks.push_back({.task = task.running,
        .worker = task.holder.worker.id,
        .address = task.holder.worker.address,
        .incarnation = task.holder.incarnation,
        .away = task.holder.away});
  }
  if (!put.tasks.empty()) add(put);
}

void RecordWriter::hand_over(bool on) {
  add(HandOver{.on = on});
}

}  // namespace dunlin::sched::replica
