// SPDX-License-Identifier: MIT
#include "node/store/jobs/changes_blob.h"

#include <iterator>

#include "node/fields.h"

// The changes of users to a job after its submit, beside the blob of its submit, which never
// changes. It is empty as long as nothing was changed, and written in the oldest version that can
// say it: an agent that goes back to an older build then reads it.
namespace dunlin::node {
namespace {

/// 1: nothing of jobs that it waits for, nor of a command for its end. What an older Dunlin could
/// have made is written as it would have.
constexpr std::uint16_t kChangesVersion = 2;
/// Stands for a priority that was not set.
constexpr std::int16_t kAsSubmitted = -1;

}  // namespace

std::string encode_changes(const sched::JobProgress& progress) {
  std::string bytes;
  const sched::NewTerms& terms = progress.terms;
  const sched::EndCommand& command = progress.end_command;
  const bool has_news =
      progress.after_met != 0 || progress.after_missed != 0 || command != sched::EndCommand{};
  if (!progress.held && terms == sched::NewTerms{} && !has_news) return bytes;
  FieldWriter write(bytes);
  write(has_news ? kChangesVersion : std::uint16_t{1}, progress.held,
      terms.priority.value_or(kAsSubmitted), terms.deadline.has_value(),
      std::int64_t{sched::to_wire(terms.deadline.value_or(std::nullopt))});
  if (has_news) {
    write(progress.after_met, progress.after_missed, command.run, command.outcome, command.status,
        command.detail);
  }
  return bytes;
}

Result<void> decode_changes(std::string_view bytes, sched::JobProgress& progress) {
  if (bytes.empty()) return {};
  FieldReader read(bytes);
  std::uint16_t version = 0;
  std::int16_t priority = 0;
  bool is_deadline_set = false;
  std::int64_t deadline = 0;
  read(version);
  if (read.ok() && version > kChangesVersion) {
    return failure(ErrorKind::corrupt, "it was changed by a newer Dunlin");
  }
  read(progress.held, priority, is_deadline_set, deadline);
  sched::EndCommand& command = progress.end_command;
  if (version > 1) {
    read(progress.after_met, progress.after_missed, command.run, command.outcome, command.status,
        command.detail);
  }
  const bool known = command.run <= sched::EndRun::ended &&
      static_cast<std::size_t>(command.outcome) < std::size(sched::kOutcomeWords) &&
      command.detail.size() <= sched::EndCommand::kDetailMax;
  sched::OptionalDuration set;
  const bool timely = sched::from_wire(deadline, set);
  if (priority != kAsSubmitted) progress.terms.priority = priority;
  if (is_deadline_set) progress.terms.deadline = set;
  const bool ranked = priority >= kAsSubmitted && priority <= sched::kPriorityMax;
  if (read.finished() && timely && ranked && known && version > 0) return {};
  return failure(ErrorKind::corrupt, "what changed of it is malformed");
}

}  // namespace dunlin::node
