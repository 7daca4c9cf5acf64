// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/warden/door.h"
#include "node/warden/frames.h"
#include "node/warden/protocol.h"
#include "node/warden/reception.h"
#include "node/warden/supervisor.h"
#include "node/warden/task_record.h"
#include "node/warden/use/open_limiter.h"

namespace dunlin::node::warden {

/// Serves one agent after the other, and keeps the tasks in between.
///
/// It *serves* while an agent is connected, *waits* when that one is gone, for as long as the agent
/// asked for, and *ends* when no other came: then its tasks are asked to end, then killed. It ends
/// at once if it has nothing to keep. Starts and ends of tasks are Supervisor's business.
class Warden {
 public:
  /// Of a `service` another program takes care, and starts the next one: it waits for its first
  /// agent without end, and keeps its standard error.
  Warden(Door door, bool service);
  ~Warden();
  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;

  /// Runs until the end. Returns the exit status.
  int run();

 private:
  bool step();
  int timeout();
  void on_signals();

  void receive_guests();
  void meet(Reception::Greeted guest);
  void serve(Reception::Greeted guest);
  /// Starts what the first agent is served with. False, and `guest` is told why, if it cannot be.
  bool prepare(int guest, const Hello& hello, std::vector<std::string>& notes);

  /// Takes in what the agent has sent. False if there is no more.
  bool receive();
  void handle_frames();
  bool handle(const FrameReader::Frame& frame);
  void flush();
  /// The agent is gone, for whatever reason.
  void part();
  /// Ends all tasks: after the grace for which the agent asked, or at once.
  void end(bool grace);
  void tick(Clock::time_point now);

  Reception reception_;
  const bool service_;
  int signals_ = -1;
  int agent_ = -1;
  FrameReader frames_;
  TaskRecord record_;
  std::unique_ptr<Supervisor> supervisor_;  ///< From the first agent on.
  Unenforced unenforced_;
  Settings settings_;
  std::uint32_t incarnation_ = 0;  ///< Of the last agent.
  Welcome welcome_;                ///< For every agent, from the first on.
  /// While it waits for an agent: the end of its patience.
  std::optional<Clock::time_point> wait_until_;
  bool ending_ = false;
  std::optional<Clock::time_point> kill_at_;  ///< The end of the grace, while it ends.
};

}  // namespace dunlin::node::warden
