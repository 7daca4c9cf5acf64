// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The bytes that a job which has ended takes, about: of memory or on disk, whichever is more.
struct HistorySize {
  /// A job without its texts, and the record of one attempt of a task.
  static constexpr std::uint64_t kRecord = 3072;
  static constexpr std::uint64_t kTask = 256;

  std::uint64_t record = 0;  ///< Of the job itself.
  std::uint64_t tasks = 0;   ///< Of the records of its tasks, which may go before it.
  friend bool operator==(const HistorySize&, const HistorySize&) = default;
};

/// The jobs that have ended, by the times of their ends: which of them is to be forgotten next.
/// Each call takes a time that grows with the logarithm of their number.
class JobHistory {
 public:
  /// Requires that the job is not here.
  void add(std::uint32_t number, const std::string& user, Time ended, const HistorySize& size);
  /// Nothing if it is not here.
  void remove(std::uint32_t number);
  /// The records of its tasks are gone. Requires that the job is here.
  void prune(std::uint32_t number);

  std::size_t count() const { return jobs_.size(); }
  std::uint64_t bytes() const { return bytes_; }
  /// Requires that the job is here.
  const HistorySize& size_of(std::uint32_t number) const { return jobs_.at(number).size; }

  /// The one that ended first, if that was before `until`; never `spared`.
  std::optional<std::uint32_t> first(Time until, std::uint32_t spared) const;

  /// When the last of them ended; empty if there is none.
  std::optional<Time> last_end() const;

  struct Choice {
    std::uint32_t number = 0;
    bool tasks = false;  ///< The records of its tasks are enough.
  };
  /// Of the user whose jobs take most: the first that ended and has records of tasks, if these are
  /// enough, else the first. Those that ended at `until` or later stay, and so does `spared`, but
  /// not its tasks. Where the users that take most have no other ones, the first of all; empty if
  /// there is none.
  std::optional<Choice> of_largest(Time until, std::uint32_t spared, bool tasks_are_enough) const;

 private:
  using Place = std::pair<Time, std::uint32_t>;  ///< An end and a number.
  using Places = std::set<Place>;
  struct Kept {
    std::string user;
    Time ended;
    HistorySize size;
  };
  struct OfUser {
    Places all;
    Places whole;  ///< Those whose tasks have records.
    std::uint64_t bytes = 0;
  };
  /// The user takes so much more; or less, by a negative number.
  void weigh(const std::string& user, OfUser& of, std::int64_t more);
  static std::optional<std::uint32_t> first_of(
      const Places& places, Time until, std::uint32_t spared);

  std::map<std::uint32_t, Kept> jobs_;  ///< By number.
  Places by_end_;
  std::map<std::string, OfUser> users_;
  std::set<std::pair<std::uint64_t, std::string>> by_bytes_;  ///< The users.
  std::uint64_t bytes_ = 0;
};

}  // namespace dunlin::sched
