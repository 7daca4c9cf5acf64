// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sched/turn.h"
#include "sim/baseline/turn_server.h"
#include "sim/engine/held_ports.h"
#include "sim/engine/members.h"
#include "sim/measure/recorder.h"
#include "sim/scenario/processing_params.h"

namespace dunlin::sim {

/// Peers as single servers, if ProcessingParams say that turns take time: each takes one turn after
/// the other. What a turn does to the world shows when it ends; what it changes of the peer holds
/// from its beginning, as nothing looks at that in between but the next turn.
class PeerServers {
 public:
  /// What a turn is for.
  enum class For : std::uint8_t {
    message,  ///< Or a job that a user submits.
    itself,   ///< An alarm, or the end of a task.
  };

  /// What turns do to the world goes on to `world`. All but `params` must outlive this.
  PeerServers(const ProcessingParams& params,
      Members& members,
      const WorldPorts& world,
      Recorder& recorder);

  /// True if turns take time. Else nothing is to be posted.
  bool are_busy() const { return takes_time(params_); }
  /// The peer takes the turn once it is free. `take` should use ports() and effort().
  void post(std::uint32_t peer, For what, std::function<void()> take);
  /// The peer wants to be woken. False if that waits for its turn already.
  bool post_alarm(std::uint32_t peer, std::function<void()> take);
  /// True if an alarm of the peer waits for its turn.
  bool has_alarm(std::uint32_t peer) const {
    return peer < servers_.size() && servers_[peer] && servers_[peer]->alarm;
  }
  /// The peer dies, and all that waited for it or was to leave.
  void crash(std::uint32_t peer);
  /// All that waits is forgotten.
  void clear();

  /// True within a turn that was posted.
  bool in_turn() const { return in_turn_; }
  /// The ports of a turn that was posted: what they are told waits for its end.
  const WorldPorts& ports() { return held_.ports(); }
  /// What the turn looked at so far: it is charged for that.
  sched::Effort& effort() { return effort_; }
  /// At the end of the turn, before all that it does next, `act` is called.
  void at_end(std::function<void()> act) { held_.hold(std::move(act)); }

 private:
  struct Server {
    TurnServer turns;
    std::uint32_t life = 0;
    bool alarm = false;
  };

  Server& server(std::uint32_t peer);
  /// Takes the turn now, holding back what it does; returns how long it takes.
  Duration take(std::uint32_t peer, For what, const std::function<void()>& take);
  /// The turn that began then is over: does what it held back.
  void release(std::uint32_t peer, Time begun, const HeldPorts::Acts& acts);

  ProcessingParams params_;
  Members& members_;
  Recorder& recorder_;
  HeldPorts held_;
  sched::Effort effort_;
  bool in_turn_ = false;
  std::vector<std::unique_ptr<Server>> servers_;  ///< By peer; null until its first turn.
};

}  // namespace dunlin::sim
