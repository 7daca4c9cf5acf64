// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/surroundings.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Decides which silent workers are dead before the leases of their tasks end.
///
/// The word of one node is not enough: it would run tasks twice whenever its own network fails. So
/// a frontend asks up to three other nodes, and itself, to ask the worker (Witness). The worker is
/// dead if none of them gets an answer, and at least two others, or the only other one there is,
/// say so. In all other cases the leases decide.
class DeathWatch {
 public:
  /// Other nodes that are asked about one worker.
  static constexpr std::size_t kWitnesses = 3;
  /// Of them, so many must have found it silent.
  static constexpr std::size_t kSilentMin = 2;
  /// Without a verdict by then, there is none: witnesses are gone, too.
  static constexpr Duration kPatience = std::chrono::seconds(10);
  /// Workers asked after at a time.
  static constexpr std::size_t kCasesMax = 64;

  explicit DeathWatch(const Endpoint& self) : self_(self) {}

  /// `worker` should have been heard by now. Asks after it, unless that is under way.
  void suspect(Turn& turn, const Surroundings& around, const Endpoint& worker);
  /// Asks after the workers that did not confirm tasks of `jobs` for `patience`.
  void look(Turn& turn,
      const Surroundings& around,
      std::span<const JobState* const> jobs,
      Duration patience);
  /// It was heard.
  void clear(PeerId worker) { cases_.erase(worker); }
  /// True if the worker that the testimony is about is dead. Testimonies of nodes that were not
  /// asked, and second ones, change nothing.
  bool on_testimony(const Endpoint& from, const Testimony& testimony);

 private:
  struct Asked {
    PeerId witness;
    bool silent = false;  ///< It says that the worker does not answer.
  };
  struct Case {
    std::uint64_t request = 0;
    Time opened{};
    std::vector<Asked> asked;  ///< This node is the first.
  };

  Endpoint self_;
  std::map<PeerId, Case> cases_;
};

}  // namespace dunlin::sched
