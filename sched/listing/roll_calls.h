// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sched/listing/node_jobs.h"

namespace dunlin::sched {

struct HostedReplica;

/// A manager's part in lists of jobs: it asks the members of its cells of nodes what they have, and
/// tells the node that wants to know when all have answered, or had time enough to. Soft: nothing
/// of it must survive.
class RollCalls {
 public:
  /// Cells asked at once. More questions are not answered; they come again.
  static constexpr std::size_t kOpenMax = 64;
  /// A member is asked so many times, so far apart. Then it counts as silent.
  static constexpr int kTries = 3;
  static constexpr Duration kAskAgain = std::chrono::milliseconds(100);
  /// What was found is kept for so long, in case that the answer is lost.
  static constexpr Duration kKeep = std::chrono::seconds(1);

  /// `from` asks for all cells of nodes that are managed here. Asked again for the same list, it is
  /// the same roll call.
  void begin(const ListingTurn& turn, const Endpoint& from, const ListJobs& asked);
  /// A member answers. False if it was not asked.
  bool on_answer(const ListingTurn& turn, const Endpoint& from, const NodesListed& answer);
  void wake(const ListingTurn& turn);
  Time deadline() const;

 private:
  struct Roll {
    Endpoint asker;
    std::uint64_t list = 0;
    std::uint64_t request = 0;  ///< The asker's last.
    CellId cell;
    JobFilter filter;
    std::uint64_t question = 0;          ///< Ours, the same each time: a late answer counts.
    std::map<PeerId, Endpoint> waiting;  ///< Members that have not answered.
    std::vector<NodeJobs> heard;
    int asked = 0;
    bool told = false;
    Time due{};
  };

  void begin(const ListingTurn& turn,
      const Endpoint& from,
      const ListJobs& asked,
      const HostedReplica& hosted);
  static void ask(const ListingTurn& turn, Roll& roll);
  static void tell(const ListingTurn& turn, Roll& roll);
  bool make_room();

  std::vector<Roll> rolls_;
};

}  // namespace dunlin::sched
