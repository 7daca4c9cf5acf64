// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "sched/federation/local/local_master.h"
#include "sched/federation/peer/member_desk.h"
#include "sched/host.h"

namespace dunlin::sched {
struct PeerParts;
}  // namespace dunlin::sched

namespace dunlin::sched::federation {

/// A peer's part in federated placement besides its frontend: the local masters of cells that it
/// manages, and the node as a member of its own cell. A local master exists while global masters
/// need it, and a member tells it nothing else; so a cluster without global masters pays nothing.
class PeerMasters {
 public:
  /// A message for a local master, or a member. `parts` is the peer that it belongs to.
  void receive(PeerParts& parts, const Host& host, const Endpoint& from, const Message& message);
  void wake(PeerParts& parts, const Host& host);
  Time deadline() const;
  /// Gossip says that the node is dead.
  void on_down(Time now, PeerId node);
  /// Tells the local master of this node what has changed of it.
  void tell_row(PeerParts& parts, const Host& host);

  /// By cell.
  const std::map<CellId, LocalMaster>& masters() const { return masters_; }
  /// Empty until a local master has called the roll.
  const std::optional<MemberDesk>& member() const { return member_; }
  /// Messages that were dropped: their sender is not the manager or member that may send them.
  std::uint64_t ignored() const { return ignored_; }

 private:
  void attach(PeerParts& parts, const Host& host, const Endpoint& from, const Attach& attach);
  void call(PeerParts& parts, const Host& host, const Endpoint& from, const RollCall& call);
  void start(PeerParts& parts, const Host& host, const Endpoint& from, const StartTasks& starts);
  void launch(PeerParts& parts, const Host& host, const Endpoint& from, const LaunchTasks& launch);
  void offer(PeerParts& parts, const Host& host, const Endpoint& from, const Offer& offer);
  void follow_cells(PeerParts& parts, Time now);
  /// Keeps the row for the time when this node manages the cell. False if it keeps no books of it.
  bool keep(const PeerParts& parts, const Host& host, const Endpoint& from, const MemberRow& row);
  /// The local master, which is new, hears what members said before.
  void hand_over(PeerParts& parts, const Host& host, LocalMaster& master);
  LocalMaster* find(const PeerParts& parts, CellId cell);
  /// No global master needs it, or the cell is not managed here any more.
  void drop(CellId cell);

  std::map<CellId, LocalMaster> masters_;
  /// The last number that local masters gave which are gone. One that is made anew in the same
  /// epoch goes on with it: members answer a number that they know as they did before.
  std::uint64_t number_last_ = 0;
  Time look_at_ = kNever;  ///< When to look which members the cells have.
  /// What members of cells said to this node, which keeps their books and may be the next local
  /// master: with federation.standby.
  struct Heard {
    Endpoint member;
    Time at{};
    MemberRow row;
  };
  std::map<CellId, std::map<PeerId, Heard>> heard_;
  std::optional<MemberDesk> member_;
  std::uint64_t ignored_ = 0;
};

/// Hands a message of federated placement to the part of the peer that it is for. False if it is
/// none.
bool receive_masters(
    PeerParts& parts, const Host& host, const Endpoint& from, const Message& message);
/// Wakes local masters, and has the frontend, as a global master, look for some, if it is time.
void wake_masters(PeerParts& parts, const Host& host);
/// When to call it next.
Time masters_deadline(const PeerParts& parts);

}  // namespace dunlin::sched::federation
