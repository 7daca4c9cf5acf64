// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "overlay/result.h"
#include "sched/kernel.h"
#include "sched/message_fwd.h"

namespace dunlin::sched {

class Frontend;
enum class CopyStanding : std::uint16_t;
enum class OrphanCause : std::uint16_t;
struct SubmitKey;

/// Jobs of which this node has the records, and which no node drives by itself.
struct Orphan {
  PeerId origin;
  PeerId home;           ///< The node that drove them last, as far as is known.
  bool in_sync = false;  ///< All that the home told of them is here; else perhaps not all.
  std::vector<std::uint32_t> jobs;  ///< Their numbers, ascending.
  OrphanCause cause{};
  std::int64_t submitted_at = 0;  ///< The latest of Job::submitted_at that the copy has.
};

}  // namespace dunlin::sched

namespace dunlin::sched::logs {

class LogPart;
struct MovedSubmit;

/// The logs of which a node has a part, in the order in which it got them, and the ways to find one
/// among them: by its name, by a job, by what a user said. It only looks; PeerLogs acts.
class LogParts {
 public:
  LogParts();
  ~LogParts();

  const std::vector<std::unique_ptr<LogPart>>& all() const { return parts_; }
  LogPart& add(std::unique_ptr<LogPart> part);
  /// Takes out those of which `is_over(part)` is true, each asked once.
  void remove(auto&& is_over) {
    std::erase_if(parts_, [&](const auto& part) { return is_over(*part); });
  }

  /// The part in that log; nullptr if this node has none.
  const LogPart* find(std::uint64_t log) const;
  LogPart* find(std::uint64_t log);
  /// The log of a job that is driven here; nullptr if it has none.
  const LogPart* find(const JobId& job) const;
  LogPart* find(const JobId& job);
  /// The part that drives the job of that origin and number; else one that may have it as a
  /// standby; nullptr if there is neither.
  const LogPart* find_for(const JobId& job) const;

  /// The frontend that drives the job; nullptr if none here does.
  const Frontend* frontend_of(const JobId& job) const;
  /// All frontends of logs that are driven here.
  std::vector<const Frontend*> frontends() const;
  /// The part of this node in a job, by its origin and its number: the copy of a log of that origin
  /// that is worth most. Empty if it has none.
  struct Held {
    const LogPart* part;
    CopyStanding standing;
  };
  std::optional<Held> held(Time now, const JobId& job) const;
  /// Those jobs that an administrator may go on with at this node: see PeerLogs::lose().
  std::vector<Orphan> orphans(Time now) const;
  /// The job of that submission, if this node took it and another one drives it now. Fails with
  /// `timeout` if a copy here does not say for sure that the other one has it.
  Result<std::optional<MovedSubmit>> moved(PeerId self, const SubmitKey& key) const;
  /// The logs of other nodes, of which this one, `self`, keeps copies.
  std::size_t copies(PeerId self) const;

 private:
  std::vector<std::unique_ptr<LogPart>> parts_;
};

}  // namespace dunlin::sched::logs
