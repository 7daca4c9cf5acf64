// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "overlay/result.h"
#include "sched/host.h"

namespace dunlin::sched {

struct Measured;
struct PeerParts;

/// What an operator, or the agent for the operator, does to a node that runs: drain it, prepare it
/// to stop, call it sick, name its trouble, make it a later incarnation. Peer::maintenance() hands
/// it out for one call: it must not outlive the peer, which must not be moved meanwhile.
class Maintenance {
 public:
  explicit Maintenance(PeerParts& parts) : parts_(parts) {}

  /// Stops accepting tasks, or accepts them again, for as long as this process lives. Running ones
  /// go on.
  void drain(const Host& host, bool on);
  /// The same at the word of an administrator, and stored. Said once more without a reason and an
  /// end, it changes nothing.
  void set_drain(const Host& host, const std::optional<DrainTerms>& terms);
  /// Prepares the node to stop: it accepts no more tasks, and hands over what it manages and keeps
  /// for its cells, and the logs of jobs that it drives. That takes a while: see
  /// Sharing::departed() and PeerLogs::departed().
  void depart(const Host& host);
  /// Prepares the node to restart while its tasks run on: it accepts no more tasks, and frontends
  /// stretch the leases of its tasks by worker.reattach_within. The driver waits until the worker
  /// asks for none any more, calls it once more, and stops without Peer::leave().
  void pause(const Host& host);
  /// Makes the node a later incarnation; tasks and jobs go on. Requires that it is later.
  void raise(const Host& host, std::uint32_t incarnation);
  /// Makes a sentence part of the node's facts: what an operator should see to. Empty: nothing.
  void set_trouble(const Host& host, std::string_view trouble);
  /// Records cannot be stored, or can be again. Logs of jobs move away from such a node.
  void set_disk(const Host& host, bool fails);
  /// An earlier life of the node added up what users used: lists say that it can be asked for it.
  void note_usage();
  /// This node is to drive a job though the set of its log may have more of it: see
  /// PeerLogs::lose().
  Result<void> take_over(const Host& host, const JobId& job);
  /// The operator's health command found the node sick, and says why; empty: it is well. A sick
  /// node offers nothing, and running tasks go on.
  void set_health(const Host& host, std::string_view why_sick);
  /// There is no room for records or for the output of tasks: why the node is sick; empty: there
  /// is.
  void set_room(const Host& host, std::string_view why_sick);
  /// The node and its tasks used this in the last tracker.period: the node offers less while others
  /// use it, see Tracker.
  void set_use(const Host& host, const Measured& measured);

 private:
  PeerParts& parts_;
};

}  // namespace dunlin::sched
