// SPDX-License-Identifier: MIT
#include "sched/logs/log_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sched/frontend/frontend.h"
#include "sched/logs/log_part.h"

// A node has a handful of logs (PeerLogs::kCopiesMax of other nodes, and few of its own), so all
// are looked through. The first that fits is taken, in the order in which they came: the same in
// each run.
namespace dunlin::sched::logs {
namespace {

using Parts = std::vector<std::unique_ptr<LogPart>>;

LogPart* with_log(const Parts& parts, std::uint64_t log) {
  const auto found =
      std::ranges::find_if(parts, [&](const auto& part) { return part->facts().log == log; });
  return found == parts.end() ? nullptr : found->get();
}

LogPart* with_job(const Parts& parts, const JobId& job) {
  const auto found = std::ranges::find_if(parts, [&](const auto& part) {
    return part->frontend() != nullptr && part->frontend()->find(job) != nullptr;
  });
  return found == parts.end() ? nullptr : found->get();
}

}  // namespace

LogParts::LogParts() = default;
LogParts::~LogParts() = default;

LogPart& LogParts::add(std::unique_ptr<LogPart> part) {
  parts_.push_back(std::move(part));
  return *parts_.back();
}

const LogPart* LogParts::find(std::uint64_t log) const {
  return with_log(parts_, log);
}

LogPart* LogParts::find(std::uint64_t log) {
  return with_log(parts_, log);
}

const LogPart* LogParts::find(const JobId& job) const {
  return with_job(parts_, job);
}

LogPart* LogParts::find(const JobId& job) {
  return with_job(parts_, job);
}

// The user knows a job by its origin and its number.
const LogPart* LogParts::find_for(const JobId& job) const {
  const LogPart* standby = nullptr;
  for (const auto& part : parts_) {
    if (part->facts().origin != job.home) continue;
    if (part->frontend() == nullptr) {
      standby = part.get();
    } else if (part->frontend()->jobs().contains(job.number)) {
      return part.get();
    }
  }
  return standby;
}

const Frontend* LogParts::frontend_of(const JobId& job) const {
  const LogPart* const part = find(job);
  return part == nullptr ? nullptr : part->frontend();
}

std::vector<Orphan> LogParts::orphans(Time now) const {
  std::vector<Orphan> orphans;
  for (const auto& part : parts_) {
    const std::optional<OrphanCause> cause = part->orphaned(now);
    if (!cause) continue;
    const CopiedJobs& jobs = part->jobs(now);
    orphans.push_back({.origin = part->facts().origin,
        .home = part->copy().entry().home.node.id,
        .in_sync = has(part->copy().entry().set, part->copy().self().replica),
        .jobs = jobs.numbers,
        .cause = *cause,
        .submitted_at = jobs.submitted_at});
  }
  return orphans;
}

std::optional<LogParts::Held> LogParts::held(Time now, const JobId& job) const {
  // A job is in one log: a copy that has it is worth more than one that may turn out to have it.
  const auto worth = [](CopyStanding standing) {
    constexpr CopyStanding kAscending[] = {CopyStanding::untold, CopyStanding::lacks,
        CopyStanding::unread, CopyStanding::behind, CopyStanding::synced};
    return std::ranges::find(kAscending, standing) - std::begin(kAscending);
  };
  std::optional<Held> best;
  for (const auto& part : parts_) {
    if (part->facts().origin != job.home) continue;
    if (part->frontend() != nullptr) {
      if (!part->frontend()->jobs().contains(job.number)) continue;
      return Held{part.get(), CopyStanding::synced};
    }
    const Held each{part.get(), part->standing(now, job.number)};
    if (!best || worth(each.standing) > worth(best->standing)) best = each;
  }
  return best;
}

std::vector<const Frontend*> LogParts::frontends() const {
  std::vector<const Frontend*> all;
  for (const auto& part : parts_) {
    if (part->frontend() != nullptr) all.push_back(part->frontend());
  }
  return all;
}

Result<std::optional<MovedSubmit>> LogParts::moved(PeerId self, const SubmitKey& key) const {
  if (key.empty()) return std::nullopt;
  for (const auto& part : parts_) {
    if (part->facts().origin != self || part->frontend() != nullptr) continue;
    const auto found = part->moved().submits().find(key);
    if (found == part->moved().submits().end()) continue;
    if (part->moved().is_sure()) return found->second;
    return failure(ErrorKind::timeout,
        "this submission was said here before, as job " + label_of(found->second.id) +
            ", and another node drives such jobs by now: whether it has that one is not known here "
            "(dunlin job " +
            label_of(found->second.id) + ")");
  }
  return std::nullopt;
}

std::size_t LogParts::copies(PeerId self) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      parts_, [&](const auto& part) { return part->facts().origin != self; }));
}

}  // namespace dunlin::sched::logs
