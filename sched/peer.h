// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "sched/peer_parts.h"

namespace dunlin::sched {

class Comeback;
class JobLists;
class Maintenance;
class PeerLogs;
class PeerOrders;
class Sharing;
struct Exit;

/// One node of the cluster: overlay, frontend, worker and, where classes share, its part in cells.
/// It is the one class that drivers hold; the agent, the simulator and the tests drive it alike.
/// Encoding is a driver's business: see codec.h.
///
/// What users ask goes through orders(), what an operator asks of the node through maintenance(),
/// what concerns sharing alone through sharing(). A driver that stored what must survive gives it
/// back through comeback(), and the books of Host::books to Sharing::restore_books().
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
  /// Adds peers to start from besides the contacts. Before the first wake() only.
  void seed(std::span<const overlay::Neighbour> known) { parts_.overlay.seed(known); }
  /// Joins by these contacts from now on: the names of the old ones stand for other addresses now.
  void set_contacts(Time now, std::span<const Endpoint> contacts) {
    parts_.overlay.set_contacts(now, contacts);
  }
  void wake(const Host& host);
  void receive(const Host& host, const Endpoint& from, const overlay::Message& message);
  void receive(const Host& host, const Endpoint& from, const Message& message);
  void receive(const Host& host, const Endpoint& from, const cell::Message& message);
  /// Tells the peer which attempts have ended. Ends of one moment belong in one call.
  void on_exits(const Host& host, std::span<const Exit> exits);
  /// The trial that the executor was asked for is over. `failure` says why no task could start;
  /// empty: one did.
  void on_trial(const Host& host, std::string_view failure);

  /// Says good-bye to the neighbours. The driver stops afterwards.
  void leave(const Host& host);
  /// Asks every node of the directory for fresh facts, or `only` that one; answers arrive as they
  /// come.
  void refresh_directory(const Host& host, PeerId only = {});

  /// The node's part in sharing, to act on; see cells() to read it.
  Sharing sharing();
  /// The node's part in lists of the cluster's jobs.
  JobLists lists();
  /// What users may order of jobs.
  PeerOrders orders();
  /// What it takes over from earlier incarnations. Before the first wake() only.
  Comeback comeback();
  /// What an operator may do to the node.
  Maintenance maintenance();

  /// A hint that the next call is near; changes nothing.
  void prefetch() const { parts_.overlay.prefetch(); }
  /// The time at which wake() should be called next.
  Time deadline() const;

  NodeSpec self() const;
  const overlay::Overlay& overlay() const { return parts_.overlay; }
  // These are nullptr as long as the part has nothing to do.
  const Frontend* frontend() const { return parts_.frontend.get(); }
  const Worker* worker() const { return parts_.worker.get(); }
  const Directory* directory() const { return parts_.directory.get(); }
  /// The node's part in sharing; nullptr as long as it has heard of no classes.
  const CellNode* cells() const { return parts_.cells.get(); }
  /// The jobs with replicas; nullptr as long as none was heard of.
  const PeerLogs* logs() const { return parts_.seldom.logs(); }
  /// Its part in federated placement but for its frontend; nullptr as long as it has none.
  const federation::PeerMasters* masters() const { return parts_.seldom.masters(); }
  /// The class table, as far as it is known here; version 0 if none was ever set.
  const books::Classes& classes() const;

 private:
  /// Lets the overlay act, and tells scheduling which neighbours left.
  void gossip(const Host& host, auto&& call);

  PeerParts parts_;
};

}  // namespace dunlin::sched
