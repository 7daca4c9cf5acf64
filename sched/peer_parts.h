// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "overlay/overlay.h"
#include "overlay/shared.h"
#include "sched/host.h"
#include "sched/node_spec.h"
#include "sched/peer/seldom_parts.h"
#include "sched/replica/entry.h"

namespace dunlin::sched {

// Most of the program includes this header. It declares the parts of a peer and needs none of them.
class CellNode;
class Directory;
class Frontend;
class Surroundings;
class Worker;
enum class HealthJudge : std::uint8_t;
struct PeerParams;
struct SharedParams;
struct Turn;

/// The parts of one peer, and what they say of the node together. Peer and the classes that it
/// hands out (Sharing, Maintenance) work on them. A part that has nothing to do yet takes no
/// memory, because many peers of a large simulation never get a job or a task.
struct PeerParts {
  PeerParts(const SharedParams& params,
      const overlay::Shared<NodeSpec>& like,
      const Endpoint& where,
      std::uint32_t incarnation,
      std::span<const Endpoint> contacts);
  PeerParts(PeerParts&&) noexcept;
  PeerParts& operator=(PeerParts&&) noexcept;
  ~PeerParts();

  /// The half of a host that scheduling may see.
  static Turn turn(const Host& host);

  Endpoint endpoint() const { return {overlay.self().id, overlay.self().address}; }
  NodeSpec self() const;
  /// The facts about this node, for people.
  Facts facts() const;
  /// The name of its disk for copies of logs; 0: it keeps none. Peers of one make share a spec, so
  /// the node's id is part of it.
  std::uint64_t replica() const {
    return spec->replica == 0 ? 0 : spec->replica ^ overlay.self().id.value;
  }
  /// This node as one that keeps copies of logs.
  replica::Member as_member() const { return {{replica()}, endpoint()}; }
  /// What is free here.
  Load load() const;
  /// The number of jobs that are driven here and have not finished.
  std::uint32_t active_jobs() const;
  /// The node drains, or is about to stop for good.
  bool is_leaving() const;
  /// The number of tasks that run here.
  std::uint32_t running() const;
  /// The nodes that this one knows now, itself among them.
  Surroundings around(Time now) const;

  /// True if the node is to form cells whatever happens, and has not begun yet: as its
  /// configuration says, or because its frontend needs local masters.
  bool begins_cells() const;

  Frontend& ensure_frontend();
  Worker& ensure_worker();
  Directory& ensure_directory();

  /// Gives the directory fresh facts about this node.
  void update_self(const Host& host);
  /// Gossip says from now on what is free here, and so hears the local master of this node.
  void publish(const Host& host);
  /// One of the judges of the node's health has found it sick, and says why; empty: well.
  void on_verdict(const Host& host, HealthJudge judge, std::string_view why);

  overlay::Shared<PeerParams> params;
  overlay::Shared<NodeSpec> spec;  ///< The overlay knows address and incarnation.
  overlay::Overlay overlay;
  // Empty until needed.
  std::unique_ptr<Directory> directory;
  std::unique_ptr<Frontend> frontend;
  std::unique_ptr<Worker> worker;
  std::unique_ptr<CellNode> cells;
  SeldomParts seldom;
};

}  // namespace dunlin::sched
