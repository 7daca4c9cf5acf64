// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sched/federation/global_view.h"
#include "sched/federation/local/member_table.h"
#include "sim/baseline/baseline.h"
#include "sim/baseline/turn_server.h"
#include "sim/baseline/wish_queue.h"
#include "sim/measure/allocation.h"

namespace dunlin::sim {
namespace megha {

/// The view counts nodes by peers, of which 0 means none; machines count from 0. So they differ by
/// one, and so do cells and local masters.
inline sched::PeerId peer_of(std::uint32_t machine) {
  return {machine + 1};
}
inline sched::CellId cell_of(std::uint32_t local) {
  return sched::CellId{local + 1};
}

}  // namespace megha

/// Megha by the paper alone: global masters match tasks with their views of all machines, local
/// masters verify. What has no match, or is refused, goes to the end of its queue, until news come;
/// views are as new as the last heartbeat or answer. View and verification are Dunlin's own
/// (GlobalView, MemberTable), but nothing is repaired or parked. Masters are single servers with
/// ProcessingParams. Source: Megha, section IV; algorithm 2 is lost in its text, and reconstructed.
///
/// With classes each global master has a queue of each. A task without a match, of a class below
/// its share, preempts one of the class that is furthest above: see Megha::prey().
class Megha final : public Baseline {
 public:
  Megha(const Options& options, Recorder& recorder);

  std::optional<MasterCounts> master_counts() const override { return counts_; }

 private:
  /// The tasks of each class, by machine of a local master and then by class, and what all of a
  /// class take: parts of the cluster by their dominant resource.
  struct Crowd {
    std::vector<std::uint16_t> tasks;
    std::vector<double> use;
  };
  /// A task that waits, is under way or runs.
  struct Task {
    Task(Work what, std::size_t class_index, std::uint32_t wanted, Time begun)
        : work(std::move(what)),
          queue(class_index),
          wish(wanted),
          clock(begun) {}

    Work work;
    std::size_t queue;
    std::uint32_t wish;  ///< Equal for tasks that want the same.
    AllocationClock clock;
    double part = 0;  ///< Of the cluster, by its dominant resource.
    std::uint32_t global = 0;
    std::uint32_t machine = 0;
    std::uint64_t start = 0;  ///< Its number at the local master, once that has verified it.
    std::set<std::size_t> prey_tried;
  };
  using TaskPtr = std::shared_ptr<Task>;
  struct Global {
    explicit Global(sched::PeerId self) : view(self) {}
    sched::federation::GlobalView view;
    TurnServer server;
    std::vector<WishQueue<TaskPtr>> queues;  ///< By class.
    /// The queue from which the next task comes, counted without end: taken modulo their number.
    std::size_t next_queue = 0;
    std::set<std::uint32_t> missed;  ///< Wishes without a match since news last came.
    bool seeks = false;              ///< A match waits for its turn.
    std::vector<double> used;        ///< By class: what its own tasks take.
    std::vector<std::shared_ptr<const Crowd>> crowds;  ///< By local master, as last told.

    void enqueue(const TaskPtr& task) { queues[task->queue].push(task->wish, task); }
    /// What a class takes; of one that is pinned to this master, all of it is its own.
    double used_by(std::size_t queue, bool is_pinned) const;
  };
  struct Local {
    std::uint32_t at = 0;  ///< Its machine.
    sched::federation::MemberTable table;
    TurnServer server;
    std::vector<std::vector<TaskPtr>> running;  ///< By member: verified, and not ended.
    std::vector<std::uint64_t> told;            ///< By global master: the version of the rows ...
    std::vector<std::uint64_t> handled;         ///< ... and its last launch.
    std::shared_ptr<const Crowd> crowd;         ///< Null: it has changed.
  };
  /// What a local master tells.
  struct News {
    std::uint32_t local = 0;
    std::vector<sched::CellView> views;
    std::shared_ptr<const Crowd> crowd;
    /// The rows for which the turn that takes the news in is charged.
    std::uint64_t rows = 0;
  };
  struct LaunchOrder {
    TaskPtr task;
    sched::PeerId node;
    /// The view's number of the launch: settle() names it.
    std::uint64_t number = 0;
  };
  /// A task of that class is to yield on a machine.
  struct Prey {
    std::size_t queue = 0;
    std::uint32_t machine = 0;
  };

  /// A job comes to the global master of its frontend, which is fixed.
  void place(const PlacedJob& job) override;
  void on_end(std::uint32_t machine, const Work& work, Duration ran) override;
  void on_room(std::uint32_t, const PlacedJob&) override {}

  // The global masters.
  /// News came: all that waits is tried once more.
  void retry(std::uint32_t global);
  /// A match for the next task, if one is to be tried.
  void seek(std::uint32_t global);
  /// One task of its queues against its view. Returns how long the turn takes, as all turns here
  /// do.
  Duration match(std::uint32_t global);
  /// Of the class whose turn it is; none if all that wait have missed in this pass.
  std::optional<TaskPtr> next_task(Global& global);
  /// Sends it to the local master of that node, `took` after now.
  void launch(const TaskPtr& task, const sched::federation::Place& place, Duration took);
  /// Takes in what a local master tells of its nodes.
  void hear(std::uint32_t global, const News& news);
  /// The local master has verified the launch, or found its node taken: then the task waits again.
  Duration answer(const LaunchOrder& order, bool placed, const News& news);

  // The local masters.
  Duration verify(std::uint32_t local, const LaunchOrder& order);
  /// A task of that part of the cluster has ended.
  Duration end(std::uint32_t local, const TaskPtr& task);
  /// The heartbeat: tells all global masters what has changed since they were told.
  void beat(std::uint32_t local);
  /// What that global master was not told yet.
  News news(std::uint32_t local, std::uint32_t global);
  void tell(std::uint32_t local, std::uint32_t global, Duration after);
  /// A turn of the local master, at the end of which it tells that global one.
  void report(std::uint32_t local, std::uint32_t global);
  /// With `news = "all"`: the other local masters tell that global one, too.
  void report_elsewhere(std::uint32_t local, std::uint32_t global);
  /// Counts the task on that machine, which it is on its way to.
  void take_in(std::uint32_t local, const TaskPtr& task, std::uint32_t machine);
  /// The task starts at its machine, as soon as that has room.
  void begin(const TaskPtr& task);

  // Shares: megha_shares.cc.
  std::shared_ptr<const Crowd> crowd(std::uint32_t local);
  /// A task of another class that may be stopped for this one; none if that would be unfair.
  std::optional<Prey> prey(std::uint32_t global, const TaskPtr& task);
  bool preempts(std::uint32_t global, const TaskPtr& task, Duration took);
  Duration verify(std::uint32_t local, const TaskPtr& task, const Prey& prey);
  Duration answer(const TaskPtr& task, bool granted, const News& news);
  /// The victim stops, and waits again at its own master.
  void yield(const TaskPtr& victim, const TaskPtr& task);

  std::uint32_t local_of(std::uint32_t machine) const { return machine % locals(); }
  std::uint32_t locals() const { return static_cast<std::uint32_t>(locals_.size()); }
  Duration turn_time(std::uint64_t rows, std::uint64_t words = 0) const {
    return sim::turn_time(options().processing, rows, words);
  }

  std::vector<std::unique_ptr<Global>> globals_;
  std::vector<std::unique_ptr<Local>> locals_;
  std::map<std::string, std::uint32_t> wishes_;
  std::map<std::pair<const Placed*, std::uint32_t>, TaskPtr> running_;  ///< By job and index.
  std::vector<double> shares_;                                          ///< By class; their sum: 1.
  sched::Resources total_;
  std::uint64_t start_last_ = 0;
  MasterCounts counts_;
};

}  // namespace dunlin::sim
