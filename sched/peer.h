// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "overlay/overlay.h"
#include "overlay/shared.h"
#include "sched/cell/message.h"
#include "sched/message.h"

namespace dunlin::sched {

// Most of the program includes this header: it names the parts of a peer, and needs none of them.
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
struct Job;
struct NodeSpec;
struct PeerParams;
struct SharedParams;
struct StoredJob;
struct StoredRaft;
struct Turn;

/// All that a driver lends to a peer for one call.
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
/// The one class that drivers hold; the agent, the simulator and the tests drive it alike. Bytes
/// are a driver's business: see codec.h. A part that has nothing to do yet takes no memory: many
/// peers of a large simulation never get a job or a task.
///
/// Sharing sleeps until this node hears of a class table, from set_classes() or by gossip. From
/// then on the node is a member of a cell, may keep books and may manage cells (see CellNode);
/// after each call its worker goes by what classes have here. Books are what must survive beside
/// jobs: a driver stores them by Host::books and gives them back to restore_books().
///
/// Contract: after every call the driver reads deadline() again and calls wake() then.
class Peer {
 public:
  /// `contacts` are where to join; their ids may be 0. `self` says who, where, and which life.
  Peer(const SharedParams& params, const NodeSpec& self, std::span<const Endpoint> contacts);
  /// One of many that differ only in where they are and in which life.
  Peer(const SharedParams& params,
      const overlay::Shared<NodeSpec>& like,
      const Endpoint& where,
      std::uint32_t incarnation,
      std::span<const Endpoint> contacts);
  Peer(Peer&&) noexcept;
  Peer& operator=(Peer&&) noexcept;
  ~Peer();

  /// Peers to start from besides the contacts. Before the first wake() only.
  void seed(std::span<const overlay::Neighbour> known) { overlay_.seed(known); }
  /// Takes over what an earlier life of this frontend stored. Before the first wake() only.
  void restore(const Host& host, std::vector<StoredJob> jobs);
  /// Goes on with the books of cells that an earlier life kept. Before the first wake() only. Fails
  /// (`corrupt`) if some are damaged: the others go on.
  Result<void> restore_books(const Host& host, std::vector<StoredRaft> replicas);

  void wake(const Host& host);
  void receive(const Host& host, const Endpoint& from, const overlay::Message& message);
  void receive(const Host& host, const Endpoint& from, const Message& message);
  void receive(const Host& host, const Endpoint& from, const cell::Message& message);
  /// Attempts that the executor was given have ended. Those of one moment belong in one call.
  void on_exits(const Host& host, std::span<const Exit> exits);

  /// Accepts a job: `job.id` is chosen here. Fails, and changes nothing, if the job is malformed
  /// or no node known could ever run it (unless `allow_unsatisfiable`).
  Result<JobId> submit(const Host& host, Job job, bool allow_unsatisfiable = false);
  /// Ends a job, or only some of its tasks. Fails if there is no such job here.
  Result<void> cancel(
      const Host& host, const JobId& job, std::span<const std::uint32_t> tasks = {});
  /// Says who shares the cluster: the table reaches every node. Fails (`usage`) if it makes no
  /// sense or nodes share nothing (cell.sharing = none), (`refused`) if classes() has its version.
  Result<void> set_classes(const Host& host, books::Classes classes);
  /// An operator says that cell `lost` is lost for good, in the books of `cell`, which is managed
  /// here: see CellNode::write_off(). Fails likewise.
  Result<void> write_off(const Host& host, CellId cell, CellId lost, bool reissue);
  /// Accepts no more tasks, or accepts them again. Running ones go on.
  void drain(const Host& host, bool on);
  /// This node will stop: accepts no more tasks, and hands over what it manages and keeps for its
  /// cells. That takes a while: see departed().
  void depart(const Host& host);
  /// True when no cell needs this node any more, or none can be helped.
  bool departed(Time now) const;
  /// Says good-bye to the neighbours. The driver stops afterwards.
  void leave(const Host& host);
  /// Asks every node of the directory for fresh facts; answers arrive as they come.
  void refresh_directory(const Host& host);

  /// A hint that the next call is near; changes nothing.
  void prefetch() const { overlay_.prefetch(); }
  /// When wake() should be called next.
  Time deadline() const;

  NodeSpec self() const;
  const overlay::Overlay& overlay() const { return overlay_; }
  // A part that has nothing to do yet is not there: nullptr.
  const Frontend* frontend() const { return frontend_.get(); }
  const Worker* worker() const { return worker_.get(); }
  const Directory* directory() const { return directory_.get(); }
  /// Who shares the cluster, as far as is known here; version 0: nobody ever said.
  const books::Classes& classes() const;
  /// This node's part in sharing; nullptr as long as no classes were heard of.
  const CellNode* cells() const { return cells_.get(); }

 private:
  static Turn turn(const Host& host);
  /// Lets the overlay act, and tells scheduling who left.
  void gossip(const Host& host, auto&& call);
  Surroundings around(Time now) const;
  overlay::Capacity capacity() const;
  overlay::Descriptor own_descriptor() const;
  /// The truth about this node, for people.
  Facts facts() const;
  void update_self(const Host& host);

  /// Runs `call(turn, cells)`; then the worker goes by the tickets that hold.
  auto in_cells(const Host& host, auto&& call);
  void wake_cells(const Host& host);
  void drain_cells(const Host& host, bool on);
  void leave_cells(const Host& host);
  CellNode& ensure_cells(Time now);
  Result<void> check_class(const Job& job) const;

  Frontend& ensure_frontend();
  Worker& ensure_worker();
  Directory& ensure_directory();
  Load load() const;
  bool draining() const;
  Endpoint endpoint() const { return {overlay_.self().id, overlay_.self().address}; }

  overlay::Shared<PeerParams> params_;
  overlay::Shared<NodeSpec> spec_;  ///< Where, and in which life, the overlay knows.
  overlay::Overlay overlay_;
  // Empty until needed.
  std::unique_ptr<Directory> directory_;
  std::unique_ptr<Frontend> frontend_;
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<CellNode> cells_;
};

}  // namespace dunlin::sched
