// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "overlay/message_fwd.h"
#include "sched/cell/message_fwd.h"
#include "sched/kernel.h"
#include "sched/logs/log_parts.h"
#include "sched/logs/promise.h"
#include "sched/message_fwd.h"

namespace dunlin::sched {

class Frontend;
struct Host;
struct Job;
struct PeerParts;
struct Turn;
namespace logs {
class LogPart;
}  // namespace logs
namespace replica {
struct StoredLog;
}

/// A node's part in logs of jobs with replicas: those that its own frontend began, and those of
/// other nodes that it is a standby of, or has taken over. Asleep until the first such job.
///
/// A frontend has a log for its jobs with standbys. What it stores is copied to them, and what it
/// promises waits until they have it; the books of its cell say which of them drives the jobs. See
/// sched/replica/ for the protocol. Contract: as Peer's.
class PeerLogs {
 public:
  /// Copies of logs of other nodes that a node keeps. A home that is refused chooses another node.
  static constexpr std::size_t kCopiesMax = 16;
  /// New jobs go to a new log when the last one has so many bytes: a log keeps all its records as
  /// long as it has one job that is not history.
  static constexpr std::size_t kLogBytesMax = 16 << 20;

  PeerLogs();
  ~PeerLogs();

  /// Goes on with what an earlier incarnation stored.
  void restore(PeerParts& parts, const Host& host, std::vector<replica::StoredLog> stored);
  /// Accepts a job with replicas, whose id is `job.id`. Jobs that require other numbers of standbys
  /// are in other logs: words leave a log in their order, so one that waits for standbys which do
  /// not come would hold up all.
  void submit(const PeerParts& parts, const Host& host, Job job);

  /// True if the message was for a log, or about a job of one: then it is dealt with.
  bool receive(
      const PeerParts& parts, const Host& host, const Endpoint& from, const Message& message);
  void receive(
      PeerParts& parts, const Host& host, const Endpoint& from, const cell::LogAnswer& answer);
  /// Calls the frontend that drives the job; false if none here does.
  bool drive(const PeerParts& parts,
      const Host& host,
      const JobId& job,
      const std::function<void(Frontend&, Turn&)>& act);
  /// Calls all frontends of logs.
  void drive_all(
      const PeerParts& parts, const Host& host, const std::function<void(Frontend&, Turn&)>& act);
  void wake(PeerParts& parts, const Host& host);
  /// Whatever this node is, or has, has changed: the logs look at once.
  void hurry(Time now) { next_ = parts_.all().empty() ? kNever : now; }
  /// No log needs this node any more, or no other could take its place.
  bool departed(Time now) const;
  /// This node is to drive a log by what its copy has, though the set of the log may have more: an
  /// administrator has decided so, because all of the set are lost, or home and books. Fails
  /// (`not_found`) if it has no copy of the job's log, and with `conflict` if it drives it, or is
  /// in sync: then it needs no help.
  Result<void> lose(const PeerParts& parts, const Host& host, const JobId& job);
  /// Gossip spoke of a node, or says that it is gone: see Frontend::hear().
  void hear(Time now, const overlay::Descriptor& node);
  void forget(PeerId node);
  Time deadline() const;

  /// False if this node may have given numbers that it does not know of: its disk is new, and what
  /// the books say of its logs was not heard yet.
  bool knows_numbers() const { return knows_numbers_ && first_ == 0; }
  /// All that was said of that job up to now may be told once may_tell() holds for this.
  Promise promise(const JobId& job) const;
  bool may_tell(const Promise& promise) const;
  /// It was given in an office that ended before it might be told: it never will be, and what it
  /// was about may be lost. The home of today knows.
  bool is_void(const Promise& promise) const;
  /// The logs, to look at.
  const logs::LogParts& parts() const { return parts_; }

 private:
  /// True if a log may have the job that is asked after: then it is answered.
  bool answer(const PeerParts& parts, const Host& host, const Endpoint& from, const EndRequest&);
  /// What a copy here says of the home of a log or of a job; empty if there is none.
  std::optional<Message> home_by_copy(Time now, const FindHome& asked) const;
  /// The log for a new job of this node that requires so many standbys.
  logs::LogPart& own(const PeerParts& parts, const Host& host, std::size_t required);
  void receive_append(
      const PeerParts& parts, const Host& host, const Endpoint& from, const LogAppend& append);
  /// For words of workers: passes them to the frontend of the job, or says which node drives it.
  template <typename Word>
  bool pass(const PeerParts& parts, const Host& host, const Endpoint& from, const Word& word);

  logs::LogParts parts_;
  /// The log that this node began as its first: the books may know of jobs that its disk does not.
  std::uint64_t first_ = 0;
  bool knows_numbers_ = false;  ///< The disk has an own log, or the first has begun.
  Time next_ = kNever;
};

}  // namespace dunlin::sched
