// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "overlay/deadlines.h"
#include "sched/directory/known_node.h"
#include "sched/directory/params.h"
#include "sched/node_spec.h"
#include "sched/resources.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The number of nodes that could serve a demand, and the number left after each test.
struct Census {
  /// A node that could serve it and takes no tasks now.
  struct Aside {
    PeerId node;
    NodeState state = NodeState::down;
    Duration since{0};  ///< It has been so for so long.
  };
  static constexpr std::size_t kAsideMax = 8;

  std::uint32_t known = 0;
  std::uint32_t up = 0;         ///< In the state `up` ...
  std::uint32_t matching = 0;   ///< ... and satisfying the constraints ...
  std::uint32_t could_fit = 0;  ///< ... and large enough when idle ...
  std::uint32_t fit_now = 0;    ///< ... and believed free enough now.
  std::uint32_t cpu_short = 0;  ///< Nodes that could fit, with too little free of ...
  std::uint32_t memory_short = 0;
  std::array<std::uint32_t, kRates.size()> rate_short{};  ///< By rate, as in kRates.
  std::uint32_t custom_short = 0;
  Duration oldest{0};        ///< Age of the oldest entry used.
  std::string largest_name;  ///< The largest node in the dimension that the demand exceeds ...
  Resources largest;         ///< ... and what it has.
  std::vector<std::string> failed_constraints;  ///< Constraints that no node satisfies at all.
  std::uint32_t aside_count = 0;
  std::vector<Aside> aside;  ///< The first kAsideMax of them.
};

/// Every node that this one has heard of: for people, and to refuse jobs that can never run. It is
/// bounded, and entries fade. Placement does not depend on it.
class Directory {
 public:
  Directory(const DirectoryParams& params, const NodeSpec& self);

  void hear(Time now, const overlay::Descriptor& descriptor);
  /// A neighbour was found dead, or said good-bye. Its entry stays: people look for such nodes.
  void on_down(Time now, PeerId peer, bool farewell);
  /// The peer said good-bye in that incarnation, whether or not it is a neighbour.
  void on_farewell(Time now, PeerId peer, std::uint32_t incarnation) {
    const auto it = nodes_.find(peer);
    if (it == nodes_.end() || it->second.descriptor.incarnation > incarnation) return;
    on_down(now, peer, true);
  }
  /// An exchange with the peer failed. It is asked, and is down if it never answers.
  void suspect(Turn& turn, PeerId peer);
  void on_message(Turn& turn, const Endpoint& from, const Facts& facts);
  void wake(Turn& turn);
  Time deadline() const;

  /// Asks every node for fresh facts now, or `only` that one.
  void refresh(Turn& turn, PeerId only = {});
  /// Sets our own entry, which is always the truth.
  void set_own_facts(Time now, const Facts& facts, const overlay::Descriptor& descriptor);

  /// All nodes, sorted by id; our own is among them.
  const std::map<PeerId, KnownNode>& nodes() const { return nodes_; }
  Census census(Time now, const Resources& demand, std::span<const Constraint> constraints) const;
  /// "no node of 4 can ever fit 900 GiB; largest: osprey, 62.6 GiB". Empty if one could.
  std::optional<std::string> why_never(
      Time now, const Resources& demand, std::span<const Constraint> constraints) const;
  /// The same of a group of tasks. Those that start together need room for all of them.
  std::optional<std::string> why_never(Time now, const TaskGroup& group) const;
  /// "2 required replicas need 5 machines ...; this cluster has 2", if `what` is "required
  /// replica". Empty if the nodes that are known could be on so many, or there are no replicas.
  std::optional<std::string> why_never_safe(std::size_t replicas, std::string_view what) const;
  /// The node's name, or its id in hex.
  std::string name_of(PeerId peer) const;

 private:
  void ask(Turn& turn, KnownNode& node);
  void make_room();
  /// Drops the nodes that nothing was heard of for too long.
  void forget(Time now);
  /// The entry has changed.
  void note(PeerId peer, const KnownNode& node);

  DirectoryParams params_;
  PeerId self_;
  std::map<PeerId, KnownNode> nodes_;
  std::set<PeerId> open_;      ///< Those of which KnownNode::is_open() is true.
  Time none_before_ = kNever;  ///< No entry was born before this, but perhaps our own.
  Time next_tick_ = kNever;
};

}  // namespace dunlin::sched
