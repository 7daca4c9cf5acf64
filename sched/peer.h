// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/overlay.h"
#include "overlay/shared.h"
#include "sched/cell/message.h"
#include "sched/message.h"

namespace dunlin::sched {

// Most of the program includes this header. It declares the parts of a peer and needs none of them.
class CellNode;
class Directory;
class Executor;
class Frontend;
class Observer;
class RaftStore;
class Store;
class Surroundings;
class Worker;
struct Exit;
enum class HealthJudge : std::uint8_t;
struct Job;
struct NodeSpec;
struct PeerParams;
struct SharedParams;
struct StoredJob;
struct StoredRaft;
struct Turn;

/// Everything that a driver lends to a peer for one call.
struct Host {
  Time now;
  Rng& rng;
  overlay::Port<overlay::Message>& gossip;
  overlay::Port<Message>& out;
  Observer& events;
  Store& store;
  Executor& executor;
  overlay::Port<cell::Message>& cells;
  RaftStore& books;
};

/// One node of the cluster: overlay, frontend, worker and, where classes share, its part in cells.
/// It is the one class that drivers hold; the agent, the simulator and the tests drive it alike.
/// Encoding is a driver's business: see codec.h. A part that has nothing to do yet takes no memory,
/// because many peers of a large simulation never get a job or a task.
///
/// Sharing sleeps until this node hears of a class table, from set_classes() or by gossip. From
/// then on the node is a member of a cell, may keep books and may manage cells (see CellNode);
/// after each call its worker gets the tickets that classes have here. Books must survive beside
/// jobs: a driver stores them by Host::books and gives them back to restore_books().
///
/// Contract: after every call the driver reads deadline() again and calls wake() then.
class Peer {
 public:
  /// `contacts` are where to join; their ids may be 0. `self` names the node, its address and its
  /// incarnation.
  Peer(const SharedParams& params, const NodeSpec& self, std::span<const Endpoint> contacts);
  /// One of many peers that differ only in address and incarnation.
  Peer(const SharedParams& params,
      const overlay::Shared<NodeSpec>& like,
      const Endpoint& where,
      std::uint32_t incarnation,
      std::span<const Endpoint> contacts);
  Peer(Peer&&) noexcept;
  Peer& operator=(Peer&&) noexcept;
  ~Peer();

  /// Adds peers to start from besides the contacts. Before the first wake() only.
  void seed(std::span<const overlay::Neighbour> known) { overlay_.seed(known); }
  /// Joins by these contacts from now on: the names of the old ones stand for other addresses now.
  void set_contacts(Time now, std::span<const Endpoint> contacts) {
    overlay_.set_contacts(now, contacts);
  }
  /// Takes over the jobs that an earlier incarnation of this frontend stored. No job gets a number
  /// up to `number_last` again, stored or not. Before the first wake() only.
  void restore(const Host& host, std::vector<StoredJob> jobs, std::uint32_t number_last = 0);
  /// Goes on with the books of cells that an earlier incarnation kept. Before the first wake()
  /// only. Fails (`corrupt`) if some are damaged: the others go on.
  Result<void> restore_books(const Host& host, std::vector<StoredRaft> replicas);

  void wake(const Host& host);
  void receive(const Host& host, const Endpoint& from, const overlay::Message& message);
  void receive(const Host& host, const Endpoint& from, const Message& message);
  void receive(const Host& host, const Endpoint& from, const cell::Message& message);
  /// Tells the peer which attempts have ended. Ends of one moment belong in one call.
  void on_exits(const Host& host, std::span<const Exit> exits);
  /// The trial that the executor was asked for is over. `failure` says why no task could start;
  /// empty: one did.
  void on_trial(const Host& host, std::string_view failure);

  /// Accepts a job. The driver draws `job.id.lineage`, 64 bits by chance which it never draws
  /// again, whatever becomes of its disk; the rest of `job.id` is chosen here. Fails, and changes
  /// nothing, if the job is malformed or no node known could ever run it (unless
  /// `allow_unsatisfiable`).
  Result<JobId> submit(const Host& host, Job job, bool allow_unsatisfiable = false);
  /// Ends a job, or only some of its tasks. Fails if there is no such job here.
  Result<void> cancel(
      const Host& host, const JobId& job, std::span<const std::uint32_t> tasks = {});
  /// Sets the class table, which then reaches every node. Fails (`usage`) if it makes no sense or
  /// nodes share nothing (cell.sharing = none), (`refused`) if classes() has its version.
  Result<void> set_classes(const Host& host, books::Classes classes);
  /// Declares, for an operator, that cell `lost` is lost for good, in the books of `cell`, which
  /// this node manages. Fails as CellNode::write_off() does.
  Result<void> write_off(const Host& host, CellId cell, CellId lost, bool reissue);
  /// Makes the node a later incarnation; tasks and jobs go on. Requires that it is later.
  void raise(const Host& host, std::uint32_t incarnation);
  /// Makes a sentence part of the node's facts: what an operator should see to. Empty: nothing.
  void set_trouble(const Host& host, std::string_view trouble);
  /// The operator's health command found the node sick, and says why; empty: it is well. A sick
  /// node offers nothing, and running tasks go on.
  void set_health(const Host& host, std::string_view why_sick);
  /// Stops accepting tasks, or accepts them again. Running ones go on.
  void drain(const Host& host, bool on);
  /// Prepares the node to stop: it accepts no more tasks, and hands over what it manages and keeps
  /// for its cells. That takes a while: see departed().
  void depart(const Host& host);
  /// True when no cell needs this node any more, or none can be helped.
  bool departed(Time now) const;
  /// Says good-bye to the neighbours. The driver stops afterwards.
  void leave(const Host& host);
  /// Asks every node of the directory for fresh facts; answers arrive as they come.
  void refresh_directory(const Host& host);

  /// A hint that the next call is near; changes nothing.
  void prefetch() const { overlay_.prefetch(); }
  /// The time at which wake() should be called next.
  Time deadline() const;

  NodeSpec self() const;
  const overlay::Overlay& overlay() const { return overlay_; }
  // These are nullptr as long as the part has nothing to do.
  const Frontend* frontend() const { return frontend_.get(); }
  const Worker* worker() const { return worker_.get(); }
  const Directory* directory() const { return directory_.get(); }
  /// The class table, as far as it is known here; version 0 if none was ever set.
  const books::Classes& classes() const;
  /// The node's part in sharing; nullptr as long as it has heard of no classes.
  const CellNode* cells() const { return cells_.get(); }

 private:
  static Turn turn(const Host& host);
  /// Lets the overlay act, and tells scheduling which neighbours left.
  void gossip(const Host& host, auto&& call);
  Surroundings around(Time now) const;
  overlay::Capacity capacity() const;
  overlay::Descriptor own_descriptor() const;
  /// The facts about this node, for people.
  Facts facts() const;
  void update_self(const Host& host);

  /// Runs `call(turn, cells)`. Then the worker gets the tickets that hold.
  auto in_cells(const Host& host, auto&& call);
  void wake_cells(const Host& host);
  void drain_cells(const Host& host, bool on);
  void leave_cells(const Host& host);
  CellNode& ensure_cells(Time now);

  Frontend& ensure_frontend();
  Worker& ensure_worker();
  Directory& ensure_directory();
  Load load() const;
  void on_verdict(const Host& host, HealthJudge judge, std::string_view why);
  bool closed() const;
  Endpoint endpoint() const { return {overlay_.self().id, overlay_.self().address}; }

  overlay::Shared<PeerParams> params_;
  overlay::Shared<NodeSpec> spec_;  ///< The overlay knows address and incarnation.
  overlay::Overlay overlay_;
  // Empty until needed.
  std::unique_ptr<Directory> directory_;
  std::unique_ptr<Frontend> frontend_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<CellNode> cells_;
  std::unique_ptr<std::string> trouble_;
};

}  // namespace dunlin::sched
