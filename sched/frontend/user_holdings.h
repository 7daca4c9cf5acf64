// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// What the jobs of one user that have not finished hold of a frontend.
struct UserHolding {
  std::uint64_t jobs = 0;
  std::uint64_t tasks = 0;  ///< Without those that are final.
  std::uint64_t bytes = 0;  ///< Of what was submitted: see bytes_of().
  friend bool operator==(const UserHolding&, const UserHolding&) = default;
};

/// The bytes that a job as submitted takes, in memory and in the store, but for what all jobs take.
std::uint64_t bytes_of(const Job& job);

/// The holdings of all users, by what update() found last. A submit asks for one of them, and there
/// may be ten thousand jobs.
class UserHoldings {
 public:
  /// Takes the place of what was known of the job. One that has finished holds nothing.
  void update(const JobState& job);
  UserHolding of(const std::string& user) const;

 private:
  struct Held {
    std::string user;
    UserHolding holding;
  };

  void add(const std::string& user, const UserHolding& holding);
  void remove(std::map<std::uint32_t, Held>::iterator job);

  std::map<std::uint32_t, Held> jobs_;  ///< By number.
  std::map<std::string, UserHolding> users_;
};

}  // namespace dunlin::sched
