// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/frontend/job_table.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Asks how the jobs end that jobs here wait for, each at its home.
///
/// A home that has answered tells of the end by itself, and is asked again now and then because
/// that word may be lost. One that is silent is asked again and again: as long as it stays so, the
/// jobs wait. Which jobs wait for which others is stored with them, so a frontend that restarts
/// asks anew; nothing here need survive.
///
/// A job of this frontend itself is not asked after while it goes on: its end tells. But nobody
/// tells of a begin, so a job is asked after that one here waits for to begin, or to have begun for
/// long enough. Of the others each is asked after once, however many wait for it. What waits costs
/// nothing between questions, and the more of them there are, the more seldom each is asked.
class EndWatch {
 public:
  /// A home that has not answered is asked again after so long, twice as late each time, ...
  static constexpr Duration kAgain = std::chrono::milliseconds(500);
  /// ... up to this. One that has answered is asked again after this, ...
  static constexpr Duration kAgainMax = std::chrono::seconds(8);
  /// ... or after so long for each job that is asked after, if that is longer.
  static constexpr Duration kAgainEach = std::chrono::milliseconds(4);
  /// One that must begin, and has not, is asked again after this, or as said of kAgainEach.
  static constexpr Duration kAgainBegin = std::chrono::seconds(1);
  /// Questions in one turn; the others come after the pause.
  static constexpr std::size_t kQuestionsMax = 256;
  static constexpr Duration kPause = std::chrono::milliseconds(100);
  /// Nodes by chance that are asked, too, after a job that another node may have taken over.
  static constexpr std::size_t kOthers = 3;

  /// What is known of one job that others wait for.
  struct Awaited {
    Endpoint home;  ///< The node that is asked: its origin, or the one said to drive it.
    std::uint64_t request = 0;
    Time since{};          ///< The first question, or the last answer.
    Time next{};           ///< The next question; kNever while its end is going to tell.
    Duration wait{0};      ///< Between the last two.
    int unanswered = 0;    ///< Questions since the last answer.
    bool unknown = false;  ///< Its home says that it has no such job.
    /// True if its home should have answered by now.
    bool silent() const { return unanswered > 1; }
  };

  /// `self` is the node.
  explicit EndWatch(const Endpoint& self) : self_(self) {}
  const Endpoint& self() const { return self_; }

  /// What jobs wait for now is asked after from now on, and nothing else: call it before next(). It
  /// costs what has changed.
  void follow(Time now, JobTable& jobs);
  /// Asks the homes that are due.
  void look(Turn& turn, const Surroundings& around, JobTable& jobs);
  /// A home told how a job stands. False if it was not asked: then its word counts for nothing.
  bool hear(Time now, const Endpoint& from, const JobEnd& told);
  /// Asks again as soon as what the home told of the begin may decide more: once it has begun for
  /// as long as a job here wants. Call it when what was told is done.
  void await_begin(Time now, const JobTable& jobs, const JobEnd& told);
  /// A job of this frontend has ended. True if others wait for it: then this node is to be told as
  /// any that asked. That word may be lost, too, so its home is asked soon.
  bool on_end(Time now, const JobId& job);
  Time next() const;
  /// Nullptr if no job here waits for that one.
  const Awaited* find(const JobId& job) const;
  /// What does not hold, in words: it knows each job that is awaited and no other, and asks after
  /// each, or that goes on here. Empty if all does.
  std::optional<std::string> broken_invariant(const JobTable& jobs) const;

 private:
  using Jobs = std::map<JobId, Awaited>;

  void ask(Turn& turn, const Surroundings& around, const AfterJob& after, Awaited& awaited);
  /// It is asked after at its `next` no more, ...
  void put_aside(const Jobs::value_type& of);
  /// ... or will be.
  void put_back(const Jobs::value_type& of);
  /// So long it takes to ask after all that are asked after, at the rate that is fair.
  Duration round() const;
  /// The longest time between two questions about one job.
  Duration wait_max() const { return std::max(kAgainMax, round()); }

  Endpoint self_;
  Jobs awaited_;
  std::set<std::pair<Time, JobId>> timers_;  ///< By Awaited::next.
  /// Those that are due. The ones that were asked least come first: many silent homes must not hide
  /// the others.
  std::set<std::pair<int, JobId>> due_;
  Time paused_until_{};  ///< While any is due it is asked after then.
};

/// The nodes that asked after jobs here, to be told when they end. They ask again, so nothing here
/// need survive, and one that finds no room loses no more than time.
class EndAskers {
 public:
  /// As many as may wait at one node, for there each is asked the more seldom the more there are.
  static constexpr std::size_t kAskersMax = 1 << 17;
  static constexpr std::size_t kAskersOfJobMax = 64;

  void add(const JobId& job, const Endpoint& asker);
  /// Those of that job; they are forgotten.
  std::vector<Endpoint> take(const JobId& job);

 private:
  std::map<std::uint32_t, std::vector<Endpoint>> askers_;  ///< By the job's number.
  std::size_t count_ = 0;
};

/// What the first of the jobs that wait for that one says of it. Requires that there is one.
const AfterJob& said_of(const JobTable& jobs, const JobId& awaited);

/// How a job stands now, for a node that asks.
JobEnd end_of(const JobState& job, Time now, std::uint64_t request = 0);

/// True if the news decide anything for a job that waits.
bool decides(const JobEnd& told);

/// What the news of another job decide for `job`; nothing if it does not wait for that one, or the
/// other one has not ended, or not begun for as long as it must.
JobChange news_of(const JobState& job, const JobEnd& told);

}  // namespace dunlin::sched
