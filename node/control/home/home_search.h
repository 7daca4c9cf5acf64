// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include "overlay/address.h"
#include "overlay/result.h"
#include "overlay/time.h"
#include "sched/message.h"

namespace dunlin::node {

class AgentServices;

/// Looks for the node that drives a job, among all nodes that are known: its origin may be dead, or
/// a standby may have taken the job over. It soon gives up, unless a standby answers that has the
/// job and may take it over yet.
class HomeSearch {
 public:
  /// A home is looked for so long if no such standby answers, ...
  static constexpr overlay::Duration kShort = std::chrono::milliseconds(300);
  /// ... and so long if one does.
  static constexpr overlay::Duration kLong = std::chrono::seconds(60);
  /// In all, if a copy has yet to be looked through. That takes a second, and then it is asked
  /// again.
  static constexpr overlay::Duration kLinger = std::chrono::seconds(2);

  /// `job.home` and `job.number` count: its lineage need not be known.
  explicit HomeSearch(const sched::JobId& job) : job_(job) {}

  /// Begins. `error` says why, and is told if it ends in vain.
  void begin(AgentServices& agent, Error error);
  bool under_way() const { return request_ != 0; }
  overlay::Time due() const;
  /// Asks those that are to be asked. True while it goes on.
  bool advance(AgentServices& agent);
  void on_home_is(overlay::Time now, overlay::PeerId from, const sched::HomeIs& told);
  void give_up() { until_ = {}; }

  /// The node that drives the job; none if none was found.
  overlay::PeerId found() const { return found_; }
  /// Why it ended in vain, and which node could go on with the job if an administrator wishes it.
  Error error(const AgentServices& agent) const;

 private:
  void ask(AgentServices& agent);
  /// A standby is there, this node or another: it may take the job over yet.
  void hope(overlay::Time now);
  /// There is a copy of that worth.
  void weigh(overlay::Time now, sched::CopyStanding copy);
  /// That node has records of the job, which no node drives by itself.
  void note_orphan(overlay::Time now, overlay::PeerId node, sched::OrphanCause cause);
  /// What this node has of the job itself.
  void look_here(const AgentServices& agent);

  sched::JobId job_;
  Error error_;
  std::uint64_t request_ = 0;
  overlay::Time begun_{};
  overlay::Time until_{};
  overlay::Time next_{};
  overlay::Duration wait_{0};  ///< Between the last two questions.
  bool hopeful_ = false;
  overlay::PeerId found_;
  overlay::PeerId orphan_at_;  ///< A node that has records of the job, which no node drives.
  sched::OrphanCause orphan_cause_{};
};

}  // namespace dunlin::node
