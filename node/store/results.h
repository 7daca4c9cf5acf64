// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "overlay/address.h"
#include "overlay/result.h"
#include "sched/job.h"
#include "sched/message.h"
#include "sched/turn.h"
#include "sched/usage/usage.h"

// Records of tasks that ended, in the form in which people ask for them.
namespace dunlin::node {

/// One task's result, as people ask for it.
struct ResultRow {
  sched::Report report;
  sched::PeerId worker;
};

/// One attempt that did not count: it failed and was made again, or its worker was lost.
struct AttemptRow {
  sched::Report report;  ///< A lost one has only index and attempt.
  sched::PeerId worker;
  bool lost = false;
};

/// One action that a user asked this agent for.
struct ActionRow {
  std::int64_t number = 0;    ///< Counts from 1; the store gives it.
  std::int64_t at = 0;        ///< ns since 1970.
  std::string user;           ///< Empty: a holder of the cluster key that gave no name.
  std::string delegate = {};  ///< The Unix user that spoke for that one; empty: the user itself.
  bool remote = false;        ///< It came on a sealed stream.
  std::string verb;
  std::string object;
  bool refused = false;
  friend bool operator==(const ActionRow&, const ActionRow&) = default;
};

/// The log of who did what.
class ActionLog {
 public:
  /// Queues an action, to be durable with all that is recorded this turn.
  virtual void put(ActionRow action) = 0;
  /// The last `limit` actions, newest first; of `user` alone unless it is empty.
  virtual Result<std::vector<ActionRow>> list(const std::string& user, std::uint32_t limit) = 0;

 protected:
  ~ActionLog() = default;
};

/// A profile, for people.
struct ProfileRow {
  sched::ProfileKey key;
  sched::Profile profile;
  std::int64_t learned_at = 0;  ///< ns since 1970.
  friend bool operator==(const ProfileRow&, const ProfileRow&) = default;
};

/// The profiles of groups that ran here, and what users may do with them.
class ProfileBook : public sched::Profiles {
 public:
  /// By owner, job and group; of `owner` alone unless it is empty.
  virtual std::vector<ProfileRow> list(const std::string& owner) const = 0;
  /// Forgets those of `owner`, or of all if that is empty, with that name of a job, or with any if
  /// `job` is empty. Returns how many.
  virtual std::uint32_t forget(const std::string& owner, const std::string& job) = 0;

 protected:
  ~ProfileBook() = default;
};

/// A node that left without a good-bye.
struct GoneNode {
  std::string name;  ///< Empty if it never said it.
  overlay::Address address;
  std::int64_t heard_at = 0;  ///< ns since 1970.
  bool forgotten = false;     ///< Somebody said that it does not come back: nothing lists it.
  friend bool operator==(const GoneNode&, const GoneNode&) = default;
};

/// The nodes that left without a good-bye, by id: a directory drops them after a while, and people
/// look for such machines for longer than that.
class GoneNodes {
 public:
  virtual const std::map<overlay::PeerId, GoneNode>& all() const = 0;
  virtual void put(overlay::PeerId id, const GoneNode& node) = 0;
  /// It is back, or said good-bye after all.
  virtual void drop(overlay::PeerId id) = 0;

 protected:
  ~GoneNodes() = default;
};

/// The results to list, by the state that they gave their task.
enum class Listed : std::uint8_t { all, failed, cancelled };

/// Which results to list: at most `limit` of `job` with index >= `first`, ascending.
struct ResultQuery {
  sched::JobId job;
  std::uint32_t first = 0;
  std::uint32_t limit = 1000;
  Listed listed = Listed::all;
};

/// The place of a row of usage: a log (0: of jobs without replicas), and the key in it. Rows are in
/// the order of their hours first.
struct UsageMark {
  std::uint64_t log = 0;
  sched::UsageKey key;
};

/// What was used in one hour, of one user and class.
struct StoredUsage {
  UsageMark at;
  std::uint32_t epoch = 0;  ///< Of the home of the log that added it up.
  sched::UsageSums sums;
};

/// Which rows of usage to read: at most `limit` after that mark, of hours before `until_hour`. A
/// mark of an hour alone stands before all rows of that hour.
struct UsageQuery {
  UsageMark after;
  std::int64_t until_hour = 0;
  std::uint32_t limit = 1000;
};

/// Which attempts to list: at most `limit` of `job` behind that attempt of that task, by task and
/// attempt. Attempts count from 1, so behind attempt 0 of task 0 are all.
struct AttemptQuery {
  sched::JobId job;
  std::uint32_t task = 0;
  std::uint32_t attempt = 0;
  std::uint32_t limit = 1000;
};

}  // namespace dunlin::node
