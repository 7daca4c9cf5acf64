// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Asks how the jobs end that jobs here wait for, each at its home.
///
/// A home that has answered tells of the end by itself, and is asked again now and then because
/// that word may be lost. One that is silent is asked again and again: as long as it stays so, the
/// jobs wait. Which jobs wait for which others is stored with them, so a frontend that restarts
/// asks anew; nothing here need survive.
class EndWatch {
 public:
  /// A home that has not answered is asked again after so long, twice as late each time, ...
  static constexpr Duration kAgain = std::chrono::milliseconds(500);
  /// ... up to this. One that has answered is asked again after this.
  static constexpr Duration kAgainMax = std::chrono::seconds(8);
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
    Time next{};           ///< The next question.
    Duration wait{0};      ///< Between the last two.
    int unanswered = 0;    ///< Questions since the last answer.
    bool unknown = false;  ///< Its home says that it has no such job.
    /// True if its home should have answered by now.
    bool silent() const { return unanswered > 1; }
  };

  /// The jobs that `job` waits for are asked after from now on.
  void watch(Time now, const JobState& job);
  /// Asks the homes that are due. `jobs` are all that have not finished.
  void look(Turn& turn, const Surroundings& around, std::span<const JobState* const> jobs);
  /// A home told how a job stands. False if it was not asked: then its word counts for nothing.
  bool hear(Time now, const Endpoint& from, const JobEnd& told);
  Time next() const;
  /// Nullptr if no job here waits for that one.
  const Awaited* find(const JobId& job) const;

 private:
  using Key = std::tuple<PeerId, std::uint32_t, std::uint64_t>;
  static Key key_of(const JobId& job) { return {job.home, job.number, job.lineage}; }
  void ask(Turn& turn, const Surroundings& around, const AfterJob& after, Awaited& awaited);

  std::map<Key, Awaited> awaited_;
};

/// The nodes that asked after jobs here, to be told when they end. They ask again, so nothing here
/// need survive, and one that finds no room loses no more than time.
class EndAskers {
 public:
  static constexpr std::size_t kAskersMax = 4096;
  static constexpr std::size_t kAskersOfJobMax = 64;

  void add(const JobId& job, const Endpoint& asker);
  /// Those of that job; they are forgotten.
  std::vector<Endpoint> take(const JobId& job);

 private:
  std::map<std::uint32_t, std::vector<Endpoint>> askers_;  ///< By the job's number.
  std::size_t count_ = 0;
};

/// How a job stands, for a node that asks.
JobEnd end_of(const JobState& job, std::uint64_t request = 0);

/// What the news of another job decide for `job`; nothing if it does not wait for that one, or the
/// other one has not ended.
JobChange news_of(const JobState& job, const JobEnd& told);

}  // namespace dunlin::sched
