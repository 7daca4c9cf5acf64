// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/frontend/packing/extent.h"
#include "sched/frontend/placement/placement.h"
#include "sched/frontend/probe.h"
#include "sched/job.h"

namespace dunlin::sched {

/// The reservations of one task group that are out, and what they came back with.
class GroupProbes {
 public:
  /// The group is `spec`.
  explicit GroupProbes(const TaskGroup& spec);

  const std::vector<Probe>& out() const { return out_; }
  const Signature& signature() const { return signature_; }
  /// The class that the demand had when reservations were last sent.
  DemandClass demand_class() const { return demand_class_; }
  /// True if so many reservations were turned away in a row that all nodes which could hold the
  /// tasks may be kept for shorter ones.
  bool shunned() const;
  /// The group as a placement sees it.
  Need need(const TaskGroup& spec, DemandClass demand_class, std::uint32_t waiting) const;
  /// The nodes where reservations wait, each once.
  std::vector<Endpoint> holders() const;

  /// Drops the reservations not heard of for too long; returns their ids.
  std::vector<std::uint32_t> expire(Time now);
  /// True while no more are to be sent.
  bool rests(Time now) const { return now < probe_again_ && !out_.empty(); }
  /// A placement chose for such a demand, and wants no more before `again`.
  void chosen(DemandClass demand_class, Time again);
  void sent(Probe probe) { out_.push_back(probe); }

  /// A reservation waits at `queued.holder`, and its lease begins anew. One that is not known was
  /// thought lost, or sent by an earlier incarnation of ours, and is welcome.
  void queued(const Probe& queued);
  /// The cluster is full. True the first time: more nodes are to know of the group now.
  bool crowd(Time now);
  /// A reservation came back. False if it is not known.
  bool bounced(std::uint32_t probe, BounceReason reason, Time now, Duration reprobe_period);
  /// The worker where reservation `served.id` waits got tasks. It waits on, if it is known.
  void served(const Probe& served);
  void erase(std::uint32_t probe);
  void erase_at(PeerId holder);
  /// All are withdrawn.
  void clear();
  /// The holders of those that wait. None is known any more.
  std::vector<Endpoint> take_holders();

  /// So many tasks wait and take so long each, as the holders of reservations will hear with them.
  void will_tell(std::uint32_t waiting, Duration task_time);
  /// True if that changed so much that holders are to be told: they are, from now on. Lengths that
  /// a user told do not change.
  bool tell(std::uint32_t waiting, Duration task_time);
  /// The holders that pack and are to be told this of the job, from now on; none if it is no news.
  std::vector<Endpoint> tell(const Extent& extent, Time now);

 private:
  std::vector<Probe> out_;
  Signature signature_;
  ExtentNews extent_;
  DemandClass demand_class_ = DemandClass::small;
  std::uint32_t told_ = 0;         ///< Tasks waiting, as far as holders of reservations know, ...
  Duration told_time_{0};          ///< ... and the length of each; 0: none was told.
  bool learns_time_ = false;       ///< The user did not tell how long its tasks take.
  std::uint16_t turned_away_ = 0;  ///< Reservations since one was taken in, anywhere.
  bool crowded_ = false;           ///< A reservation had to queue.
  Time probe_again_{};             ///< No more reservations before this.
  Duration pause_{0};              ///< Grows while they only find others of their group.
};

/// The nodes that no waiting task of the group may go to, because each task has failed there: see
/// Setbacks. A node that one of them may still go to is worth a reservation.
std::vector<PeerId> avoided_by_all(const JobState& job, std::uint16_t group_index, Time now);

}  // namespace dunlin::sched
