// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/control/json.h"
#include "sched/message.h"

namespace dunlin::node {

/// What of a node is counted.
struct NodeFigures {
  std::string_view state;    ///< As of Node. Borrowed for the call.
  std::string_view version;  ///< Empty: it has not told. Borrowed likewise.
  std::uint32_t cpu = 0;     ///< In thousandths of a core, as is the next.
  std::uint32_t cpu_free = 0;
  std::uint32_t memory = 0;  ///< In MiB, as is the next.
  std::uint32_t memory_free = 0;
  std::uint32_t running = 0;  ///< Tasks, as in the next.
  std::uint32_t queued = 0;
  sched::SlotCounts slots{};
  std::int64_t age_ns = 0;  ///< Of the last news of it.
  bool tells = true;        ///< False if it is silent: nobody knows what is free there.
};

/// Counts nodes by how much of their CPU and memory is in use, and adds up what they have. The
/// answer is as large for thousands of nodes as for twenty.
class NodeBins {
 public:
  /// Steps of a share that is in use: 5 % each, the last one with its end.
  static constexpr std::size_t kSteps = 20;
  /// Versions that are told apart; others count as `others`.
  static constexpr std::size_t kVersionsMax = 32;

  void add(const NodeFigures& node);
  /// The members of `node_bins` of docs/design/control-protocol.md that are counts.
  Json json() const;

 private:
  using Place = std::pair<std::size_t, std::size_t>;  ///< By memory, then by CPU.
  using ByWord = std::map<std::string, std::uint32_t, std::less<>>;
  /// Of nodes that are up.
  struct Capacity {
    std::uint64_t cpu = 0;
    std::uint64_t cpu_free = 0;
    std::uint64_t memory = 0;
    std::uint64_t memory_free = 0;
    std::uint64_t running = 0;
    std::uint64_t queued = 0;
    std::array<std::uint64_t, 5> slots{};  ///< In the order of SlotStates.
  };

  Json cells_json() const;
  Json capacity_json() const;
  Json ages_json() const;

  ByWord totals_;
  ByWord versions_;
  std::map<Place, ByWord> cells_;
  Capacity capacity_;
  std::vector<std::int64_t> ages_;
};

}  // namespace dunlin::node
