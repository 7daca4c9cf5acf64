// SPDX-License-Identifier: MIT
#include "node/store/changes_blob.h"

#include "node/fields.h"

namespace dunlin::node {
namespace {

constexpr std::uint16_t kChangesVersion = 1;
/// Stands for a priority that was not set.
constexpr std::int16_t kAsSubmitted = -1;

}  // namespace

std::string encode_changes(const sched::JobProgress& progress) {
  std::string bytes;
  const sched::NewTerms& terms = progress.terms;
  if (!progress.held && terms == sched::NewTerms{}) return bytes;
  FieldWriter write(bytes);
  write(kChangesVersion, progress.held, terms.priority.value_or(kAsSubmitted),
      terms.deadline.has_value(),
      std::int64_t{sched::to_wire(terms.deadline.value_or(std::nullopt))});
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
  sched::OptionalDuration set;
  const bool timely = sched::from_wire(deadline, set);
  if (priority != kAsSubmitted) progress.terms.priority = priority;
  if (is_deadline_set) progress.terms.deadline = set;
  const bool ranked = priority >= kAsSubmitted && priority <= sched::kPriorityMax;
  if (read.finished() && timely && ranked && version == kChangesVersion) return {};
  return failure(ErrorKind::corrupt, "what changed of it is malformed");
}

}  // namespace dunlin::node
