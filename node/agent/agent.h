// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <uv.h>

#include "node/agent/address_watch.h"
#include "node/agent/agent_parts.h"
#include "node/agent/contact_watch.h"
#include "node/agent/disk_watch.h"
#include "node/agent/end_commands.h"
#include "node/agent/free_memory.h"
#include "node/agent/inbox.h"
#include "node/agent/live/live_services.h"
#include "node/agent/net_watch.h"
#include "node/agent/output/output_keeper.h"
#include "node/agent/own_address.h"
#include "node/agent/plan_recorder.h"
#include "node/agent/reach/reach_watch.h"
#include "node/agent/self_watch.h"
#include "node/agent/shutdown.h"
#include "node/agent/tracking/gone_watch.h"
#include "node/agent/tracking/past_watch.h"
#include "node/agent/tracking/use_watch.h"
#include "node/agent/troubles.h"
#include "node/control/control_server.h"
#include "node/loop/handle.h"
#include "node/loop/wakeup.h"
#include "node/task/health_command.h"
#include "sched/peer_view.h"

namespace dunlin::node {

/// The exit status of an agent that found another one of its identity, which began earlier. A
/// supervisor should not start it again. As EX_CONFIG of sysexits.h.
inline constexpr int kExitCopy = 78;
/// The exit status of an agent that must begin anew, at another address, and could not do so by
/// itself. A supervisor should start it again. As EX_TEMPFAIL of sysexits.h.
inline constexpr int kExitMoved = 75;

/// One node of a cluster, in one process: drives a sched::Peer with a libuv loop, a network, a disk
/// and processes.
///
/// Everything but disk work happens in the callbacks of one loop. Their work is settled once per
/// iteration of it, before the loop sleeps: exits of tasks are told to the peer, and a thread
/// begins to commit the records in one transaction, if it is free. When a commit has ended, the
/// messages that rest on it leave, and clients get their answers. If it fails (a full disk), those
/// messages are dropped as a network would do, new jobs are refused, and the commit is tried again
/// each second.
class Agent {
 public:
  /// Nothing happens before start(). Tasks get the settings of `user`.
  Agent(uv_loop_t& loop, Configuration configuration, const UserSettings& user);
  /// The loop must have run to its end after stop().
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Takes over what an earlier incarnation left, listens and joins. Fails, saying in one line what
  /// to do, if a directory, the key, the database, the port or the socket is not as it must be.
  Result<void> start();
  /// Takes no more tasks and hands over what it manages. Stops when running tasks have ended and
  /// others have taken over, or at the deadlines (agent.drain_deadline, then agent.leave_deadline).
  /// The second call stops at once.
  void drain_and_stop();
  /// Stops within two seconds, without a good-bye: tasks run on, and the next agent of this data
  /// directory takes them back. Frontends are told how long that may take.
  void keep_and_stop();
  /// The one of the two that agent.stop names.
  void stop_as_configured();
  /// Reads the key file again. A bad one is told, and changes nothing. Looks names up again.
  void reload();

  Log& log() { return parts_.log; }
  /// The status to exit with once the loop has ended, or start() has failed: kExitCopy if a twin of
  /// this agent goes on instead, kExitMoved if this program is to be started again.
  int exit_status() const { return is_copy_ || parts_.copy ? kExitCopy : moved_ ? kExitMoved : 0; }

 private:
  /// Says good-bye, kills what still runs unless tasks are kept, and lets the loop end.
  void stop();
  /// True if nothing is waited for any more of what a stop waits for.
  bool may_stop();
  /// Names may stand for other machines by now, and this one may have another address.
  void look_at_addresses();
  /// Others reach this node there: begins anew, since all parts rest on the address.
  void move_to(const overlay::Address& to);
  /// True if no task runs here, and no result waits for its frontend.
  bool idle() const;
  /// A task has its one result, which is about to be stored.
  void on_result(const sched::JobId& job, const sched::Report& report, overlay::PeerId worker) {
    if (control_) control_->on_result(job, report, worker);
    if (end_commands_) end_commands_->on_result(job);
    if (const sched::JobState* const state = sched::find_job(*parts_.peer, job)) {
      parts_.figures.on_result(
          *state, sched::frontend_of(*parts_.peer, job).office().epoch, report);
    }
  }
  /// Logs what this node did not hand over in time.
  void tell_haste();
  void start_timers();
  /// The end of each iteration of the loop: see above.
  void settle();
  /// Begins a commit if it can, and lets go of what rests on those that have ended.
  void commit_and_release();
  /// Ends of tasks reach the peer once an iteration, outside of the warden's callbacks.
  void tell_exits();
  /// Does what is due at the peer, up to a bound: it may set the next deadline to now.
  void wake_peer();
  /// Sets the one timer of the peer to its next deadline.
  void arm();
  /// Each second: what no event tells of.
  void run_periodic();
  /// Says why no contact answers, if none does.
  void look_lonely(bool lonely);

  AgentParts parts_;
  Troubles troubles_{parts_};
  NetWatch net_watch_{parts_.log};
  DiskWatch disk_watch_{parts_};
  PlanRecorder plan_recorder_;
  OutputKeeper output_keeper_{parts_};
  FreeMemory free_memory_;
  GoneWatch gone_watch_;
  PastWatch past_watch_{parts_};
  std::optional<SelfWatch> watch_;
  std::optional<ContactWatch> contacts_;
  std::optional<OwnAddress> own_address_;
  std::optional<ReachWatch> reach_watch_;
  std::optional<AddressWatch> address_watch_;
  Shutdown shutdown_;
  std::optional<LiveServices> services_;
  std::optional<EndCommands> end_commands_;
  std::optional<ControlServer> control_;
  std::optional<Inbox> inbox_;
  std::optional<Wakeup> wakeup_;
  /// What the timer is set to.
  overlay::Time wakeup_at_ = overlay::kNever;
  std::optional<Wakeup> housekeeping_;
  std::optional<HealthCommand> health_;
  std::optional<UseWatch> use_watch_;
  overlay::Time lonely_told_{};
  std::optional<overlay::Time> lonely_since_;
  bool is_copy_ = false;  ///< A twin that began earlier goes on.
  bool moved_ = false;    ///< Others must be told another address.
  /// When this machine's addresses were looked at last.
  overlay::Time looked_{};
  bool stopped_ = false;
  std::optional<overlay::Time> kept_by_;  ///< Tasks are kept, and the agent stops by then.
  Handle<uv_prepare_t> settle_ = make_handle<uv_prepare_t>();
};

}  // namespace dunlin::node
