// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "sched/observer.h"

namespace dunlin::sim {

/// Writes each event on a line: its time, the peer (by id), and the event.
///
///     5.000731022 17>4 reserve
///     5.000731022 4 task_started job=17/1 index=0 attempt=1
class Trace {
 public:
  /// `out` must outlive this. The caller checks it for failures when all is done.
  explicit Trace(std::ostream& out) : out_(out) {}

  /// A message of a kind (message_kind.h) arrives.
  void arrival(overlay::Time now, std::uint32_t from, std::uint32_t to, std::size_t kind);
  void event(overlay::Time now, std::uint32_t peer, const overlay::Event& event);
  void event(overlay::Time now, std::uint32_t peer, const sched::Event& event);

 private:
  /// Lines begin alike: the time and the peer. `line_` is kept.
  void begin(overlay::Time now, std::uint32_t peer);
  void end();

  std::ostream& out_;
  std::string line_;
};

}  // namespace dunlin::sim
