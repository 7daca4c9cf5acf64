// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "node/net/transport_counters.h"
#include "sched/observer.h"

namespace dunlin::node {

/// Counts what happens: one counter for each kind of event, and a few of the agent's own.
class Metrics {
 public:
  using Snapshot = std::map<std::string, std::uint64_t>;

  void count(const overlay::Event& event) { ++overlay_[event.index()]; }
  void count(const sched::Event& event) { ++sched_[event.index()]; }

  /// How often the node looked for a way back in, because too few neighbours were left.
  std::uint64_t rejoins() const { return overlay_[overlay::Event(overlay::Rejoining{}).index()]; }

  std::uint64_t malformed = 0;  ///< Sealed well, but no message of ours.
  std::uint64_t commits = 0;
  std::uint64_t commits_failed = 0;
  std::uint64_t messages_held_back = 0;  ///< Not sent: a record before them is not durable.
  std::uint64_t requests = 0;            ///< Requests of clients, ...
  std::uint64_t requests_failed = 0;     ///< ... that met a fault of this agent.
  std::uint64_t cell_messages_sent = 0;  ///< Between members, managers and replicas of books.
  std::uint64_t cell_messages_received = 0;
  std::uint64_t cell_messages_malformed = 0;
  std::uint64_t cell_questions = 0;          ///< Questions of agents about cells, answered ...
  std::uint64_t cell_questions_dropped = 0;  ///< ... or too many at once.
  std::uint64_t cell_answers_dropped = 0;    ///< Nobody had asked, or it came too late.

  /// Every counter by name, the transport's and its drop reasons among them.
  Snapshot snapshot(const TransportCounters& transport) const;

 private:
  std::array<std::uint64_t, std::variant_size_v<overlay::Event>> overlay_{};
  std::array<std::uint64_t, std::variant_size_v<sched::Event>> sched_{};
};

}  // namespace dunlin::node
