// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sched/federation/message.h"
#include "sched/job.h"
#include "sched/kernel.h"
#include "sched/turn.h"

namespace dunlin::sched {
class Worker;
struct NodeSpec;
}  // namespace dunlin::sched

namespace dunlin::sched::federation {

/// A node as a member of its cell: it tells its row to the local master that called the roll,
/// whenever that changes, and answers its starts. A start is answered once and for all: it gets the
/// same answer if it comes again, and no attempt starts twice. A number that was another start's is
/// declined.
class MemberDesk {
 public:
  /// Starts of one local master of which the answers are remembered, and the local masters.
  static constexpr std::size_t kStartsMax = 4096;
  static constexpr std::size_t kBooksMax = 8;
  /// Global masters of which launches are remembered, by cell.
  static constexpr std::size_t kLaunchersMax = 1024;
  /// Attempts that are known to have started lately.
  static constexpr std::size_t kAttemptsMax = 512;

  /// `born` is the incarnation of the node when its process began.
  explicit MemberDesk(std::uint32_t born) : born_(born) {}

  /// The manager of the cell calls; its lease begins anew, and lasts for `lease`.
  void call(Time now, const Endpoint& from, const RollCall& call, Duration lease);
  /// False if the starts are not its local master's, or for another process of this node.
  bool start(Turn& turn, const Endpoint& from, const StartTasks& starts, Worker& worker);
  /// A global master sent this node tasks to start. What cannot start goes to its local master.
  void launch(Turn& turn, const Endpoint& from, const LaunchTasks& launch, Worker& worker);
  /// The worker asks for tasks that wait, if it would serve them next. False as with start().
  bool offer(Turn& turn, const Endpoint& from, const Offer& offer, Worker& worker);
  /// Tells the row if there is anything new in it, or to answer.
  /// `standbys` get the row as well, if it is news: with federation.standby.
  void tell(Turn& turn,
      const Worker& worker,
      const NodeSpec& spec,
      std::uint32_t incarnation,
      std::span<const Endpoint> standbys = {});

  /// Global masters wait for tell(), too.
  bool owes_answers() const { return !replies_.empty(); }
  /// True while a local master wants to know the row.
  bool called(Time now) const { return now < until_; }
  CellId cell() const { return cell_; }
  std::uint64_t version() const { return version(count_); }

 private:
  struct Told {
    Resources free;
    std::uint32_t queued = 0;
    bool draining = false;
    std::uint32_t incarnation = 0;
    std::vector<ClassUse> uses;
    std::vector<FrontendHold> held;
    friend bool operator==(const Told&, const Told&) = default;
  };

  std::uint64_t version(std::uint32_t count) const { return std::uint64_t{born_} << 32 | count; }
  /// True if that is the word of its local master, for this process of the node.
  bool is_ours(
      Time now, const Endpoint& from, CellId cell, std::uint64_t epoch, std::uint64_t born) const;
  bool started_lately(const TaskId& task, AttemptNumber attempt) const;
  /// The starts of one local master, by number.
  struct Answered {
    TaskId task;
    AttemptNumber attempt = 0;
    bool started = false;
  };
  struct Book {
    std::map<std::uint64_t, Answered> answered;
    std::uint64_t forgotten = 0;  ///< Numbers up to that one may have been answered.
    void trim();
  };
  Book& book();
  /// What became of a task that a global master sent straight to this node: once and for all.
  enum class Fate : std::uint8_t {
    started,
    refused,
    passed,  ///< To the local master, which may start it elsewhere.
  };
  struct Launched {
    std::map<std::uint64_t, Fate> fates;  ///< By number, at most kStartsMax.
    std::uint64_t forgotten = 0;          ///< Numbers up to that one are settled.

    /// Those below `floor` are settled.
    void forget_below(std::uint64_t floor);
  };
  Launched& launched_by(PeerId master, std::uint32_t incarnation, CellId cell);
  /// Empty if it is nothing to speak of.
  std::optional<Fate> take(
      Turn& turn, const LaunchTasks& launch, std::size_t index, Launched& launched, Worker& worker);
  bool start_once(Turn& turn,
      const Reserve& group,
      const Tasks& one,
      std::optional<ClassId> over,
      Worker& worker);

  std::uint32_t born_;
  CellId cell_;
  std::uint64_t epoch_ = 0;
  Endpoint master_;
  Time until_{};
  std::uint32_t count_ = 0;  ///< Counts the rows that differ.
  std::optional<Told> told_;
  bool asked_ = false;      ///< The local master waits for a row ...
  bool asks_kind_ = false;  ///< ... and for the kind.
  std::map<std::pair<CellId, std::uint64_t>, Book> books_;  ///< By cell and epoch.
  struct Launcher {
    std::uint32_t incarnation = 0;
    std::uint64_t used = 0;  ///< Counts with `uses_`.
    Launched launched;
  };
  std::map<std::pair<PeerId, CellId>, Launcher> launchers_;
  std::uint64_t uses_ = 0;
  std::vector<std::pair<Endpoint, LaunchReply>> replies_;  ///< To be told.
  std::deque<std::pair<TaskId, AttemptNumber>> attempts_;
  std::vector<StartAnswer> answers_;  ///< To be told.
};

}  // namespace dunlin::sched::federation
