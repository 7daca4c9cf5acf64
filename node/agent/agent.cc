// SPDX-License-Identifier: MIT
#include "node/agent/agent.h"

#include <algorithm>
#include <string>
#include <utility>

#include "node/agent/kept_drain.h"
#include "node/agent/lonely.h"
#include "node/agent/output/output_copier.h"
#include "node/ids.h"
#include "node/loop/notify.h"
#include "node/net/resolve.h"
#include "node/wall_clock.h"
#include "overlay/param_entries.h"
#include "sched/cell/cell_node.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_sharing.h"
#include "sched/peer_view.h"
#include "sched/resources.h"

// The loop of an agent. The work of callbacks is settled once per iteration: exits, timers, then
// what a commit that has ended brings: the messages that rest on it, and the next commit; then the
// clients. A client that gets an answer may cause records and messages of its own, so commit and
// messages are done once more.
namespace dunlin::node {
namespace {

using overlay::Level;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr overlay::Duration kHousekeeping = seconds(1);
/// A node that finds no way in looks at its own address so often.
constexpr overlay::Duration kLookPeriod = seconds(10);
/// Answers to questions of this node's worker come sooner, or not at all.
constexpr overlay::Duration kPauseMax = seconds(2);
/// A peer with deadlines that do not move on must not hold up the loop.
constexpr int kWakesPerTurn = 16;

}  // namespace

// libuv calls a prepare handle once per iteration, before it waits: all is settled there.
Agent::Agent(uv_loop_t& loop, Configuration configuration, const UserSettings& user)
    : parts_(loop, std::move(configuration), user) {
  uv_prepare_init(&loop, settle_.get());
  settle_->data = this;
}

Agent::~Agent() {
  // One that could not start has not begun to answer for the tasks that it found.
  if (!stopped_ && parts_.executor != nullptr) parts_.executor->leave();
  if (!stopped_ && parts_.transport != nullptr) parts_.transport->close();
}

Result<void> Agent::start() {
  const auto receive = [this](const overlay::Endpoint& from, Layer layer,
                           std::span<const std::byte> bytes) {
    if (!stopped_) inbox_->receive(from, layer, bytes);
  };
  const auto notice = [this](const PeerNotice& about) {
    if (stopped_ || net_watch_.on_notice(parts_.now(), about)) return;
    watch_->on_notice(about);
  };
  // Before anything is opened: what is wrong in a setting is told without a trace left.
  const auto contacts = Contacts::parse(parts_.configuration.agent.join, kDefaultPort);
  if (!contacts) return tl::unexpected(contacts.error());
  if (auto opened = open_parts(parts_, receive, notice); !opened) return opened;
  troubles_.tell_damage();
  watch_.emplace(parts_, troubles_);

  services_.emplace(parts_, shutdown_);
  parts_.accounts.on_fault(
      [this](const Account& account, std::string_view verb, std::string_view fault) {
        troubles_.tell_fault(account.user, verb, fault);
      });
  end_commands_.emplace(parts_, *services_);
  control_.emplace(parts_.loop, *services_, parts_.metrics.requests);
  const std::string& socket = parts_.configuration.agent.socket;
  if (auto listening = control_->listen(socket); !listening) return listening;
  inbox_.emplace(
      parts_, *services_, *control_,
      [this](const overlay::Endpoint& from, const Message& message) {
        return watch_->receive(from, message);
      },
      [this](const overlay::Endpoint& from, const Message& message) {
        return reach_watch_->receive(from, message);
      });
  parts_.transport->on_control([this](std::shared_ptr<ControlConnection> connection) {
    control_->adopt(std::move(connection));
  });
  parts_.records->tell_results(
      [this](const auto& job, const auto& report, auto worker) { on_result(job, report, worker); });
  parts_.records->tell_retries([this](const auto& job) { parts_.figures.on_retry(job); });
  start_timers();
  contacts_.emplace(parts_, *contacts);
  own_address_.emplace(parts_, [this](const overlay::Address& to) { move_to(to); });
  reach_watch_.emplace(parts_, troubles_, [this](const overlay::Address& to) { move_to(to); });
  address_watch_.emplace(parts_.loop, [this] { look_at_addresses(); });

  const sched::NodeSpec& self = parts_.peer->self();
  parts_.log.say(Level::info, "started",
      {{"node", to_string(self.endpoint.id)}, {"name", self.name},
          {"address", overlay::to_string(self.endpoint.address)},
          {"address_by",
              parts_.own_address ? std::string(to_string(parts_.own_address->reason)) : "settings"},
          {"cluster", parts_.keyring->cluster()}, {"incarnation", std::to_string(self.incarnation)},
          {"offers", sched::to_string(self.total)}, {"limits", self.limits}, {"socket", socket},
          {"version", self.version}});
  return {};
}

void Agent::start_timers() {
  wakeup_.emplace(parts_.loop, [this] { wakeup_at_ = overlay::kNever; });
  housekeeping_.emplace(parts_.loop, [this] { run_periodic(); });
  housekeeping_->at(parts_.now() + kHousekeeping);
  const AgentOptions& options = parts_.configuration.agent;
  if (!options.health.empty()) {
    health_.emplace(parts_.loop,
        HealthCommand::Options{.command = options.health,
            .period = options.health_period,
            .timeout = options.health_timeout},
        [this](const auto& why) { parts_.peer->maintenance().set_health(parts_.host(), why); });
  }
  use_watch_.emplace(parts_);
  lonely_told_ = parts_.now() - kLonelyReminder + kLonelyFirst;
  uv_prepare_start(
      settle_.get(), [](uv_prepare_t* prepare) { static_cast<Agent*>(prepare->data)->settle(); });
}

// A second call, here and below, says that there is no patience left.
void Agent::drain_and_stop() {
  if (shutdown_.begun()) return stop();
  const AgentOptions& options = parts_.configuration.agent;
  shutdown_.begin(parts_.now() + options.drain_deadline, options.leave_deadline);
  parts_.log.say(Level::info, "stopping",
      {{"running", std::to_string(sched::running_of(*parts_.peer))},
          {"at_most", overlay::to_string(options.drain_deadline)}});
  notify_service_manager("STOPPING=1");
  parts_.peer->maintenance().depart(parts_.host());
}

void Agent::keep_and_stop() {
  if (kept_by_) return stop();
  kept_by_ = parts_.now() + kPauseMax;
  parts_.log.say(Level::info, "restarting",
      {{"running", std::to_string(sched::running_of(*parts_.peer))},
          {"back_within", overlay::to_string(parts_.configuration.peer.worker.reattach_within)}});
  // One that begins anew elsewhere keeps its process.
  if (!moved_) notify_service_manager("STOPPING=1");
  parts_.peer->maintenance().pause(parts_.host());
}

void Agent::look_at_addresses() {
  looked_ = parts_.now();
  contacts_->look();
  own_address_->look();
  reach_watch_->look_at_host();
}

// Descriptors, sessions and sockets all rest on the address. To begin anew is the one way in which
// no part keeps the old one; tasks run on under the warden meanwhile.
void Agent::move_to(const overlay::Address& to) {
  if (kept_by_ || shutdown_.begun()) return;
  parts_.log.say(Level::warn, "address_changed",
      {{"from", overlay::to_string(parts_.transport->self().address)},
          {"to", overlay::to_string(to)}});
  moved_ = true;
  keep_and_stop();
}

void Agent::stop_as_configured() {
  const bool keeps = parts_.configuration.agent.stop == StopMode::keep && !shutdown_.begun();
  keeps ? keep_and_stop() : drain_and_stop();
}

// The outbox counts: a report that no frontend has acknowledged goes with this process.
bool Agent::idle() const {
  if (parts_.executor->running() > 0) return false;
  const sched::Worker* worker = parts_.peer->worker();
  return worker == nullptr ||
      (worker->running().empty() && worker->asking().empty() && worker->outbox().items().empty());
}

bool Agent::may_stop() {
  const overlay::Time now = parts_.now();
  if (kept_by_) {
    // A task that comes in answer now would be lost: none starts it.
    const sched::Worker* worker = parts_.peer->worker();
    return worker == nullptr || worker->asking().empty() || now >= *kept_by_;
  }
  if (!shutdown_.begun()) return false;
  const sched::PeerLogs* const logs = parts_.peer->logs();
  const bool departed =
      parts_.peer->sharing().departed(now) && (logs == nullptr || logs->departed(now));
  const auto verdict = shutdown_.verdict(now, idle(), departed);
  if (verdict == Shutdown::Verdict::haste) tell_haste();
  return verdict != Shutdown::Verdict::wait;
}

void Agent::tell_haste() {
  std::string left;
  const sched::CellNode* const cells = parts_.peer->cells();
  for (const sched::CellId cell :
      cells == nullptr ? std::vector<sched::CellId>{} : cells->left_behind(parts_.now())) {
    left += (left.empty() ? "" : " ") + to_string(cell);
  }
  parts_.log.say(Level::warn, "left_in_haste",
      {{"waited", overlay::to_string(parts_.configuration.agent.leave_deadline)},
          {"books_not_handed_over", left.empty() ? "none" : left},
          {"cure",
              left.empty() ? "its cell notices within a lease"
                           : "start this node again before its disk is given up"}});
}

void Agent::stop() {
  if (std::exchange(stopped_, true)) return;
  Records& records = *parts_.records;
  // A copy says and stores nothing, because its twin would have to unsay it.
  if (!is_copy_) {
    if (kept_by_) {
      parts_.peer->maintenance().pause(parts_.host());
      parts_.executor->leave();
    } else {
      parts_.peer->leave(parts_.host());
    }
    records.store().actions().settle(wall_clock_ns(), true);
    // The one commit that the loop waits for: the last words below rest on it.
    records.commit_and_wait(parts_.now());
    parts_.outbox.mark(records.jobs_mark(), records.books_mark());
    parts_.outbox.release(*parts_.transport, records.durable_mark());
    parts_.transport->flush();
  }
  // Whatever calls back goes before what it calls. libuv closes handles later: the loop runs on.
  control_->close();
  parts_.transport->close();
  uv_prepare_stop(settle_.get());
  settle_.reset();
  wakeup_.reset();
  housekeeping_.reset();
  contacts_.reset();
  own_address_.reset();
  reach_watch_.reset();
  address_watch_.reset();
  health_.reset();
  use_watch_.reset();
  watch_.reset();
  control_.reset();
  parts_.output_service.reset();
  parts_.executor.reset();
  // Asked while the records are there; told as the last line of all.
  const bool durable = records.durable();
  parts_.log.say(durable ? Level::info : Level::error, "stopped",
      {{"stored", durable ? "all" : records.error()}});
  parts_.records.reset();  // Its thread may still turn the loop.
  parts_.committed.reset();
}

void Agent::settle() {
  is_copy_ = watch_->is_copy();
  if (is_copy_) return stop();
  // Exits first: a task that has ended must not be found overdue in the same turn.
  tell_exits();
  wake_peer();
  commit_and_release();
  // Before the clients, who may ask how such a command ended.
  end_commands_->advance();
  control_->advance();
  reach_watch_->ask_names();
  // Answering clients may have made records (a job undone) and messages (output asked for).
  if (!parts_.records->durable() || !parts_.outbox.empty()) commit_and_release();
  parts_.transport->flush();
  if (may_stop()) return stop();
  arm();
}

void Agent::commit_and_release() {
  Records& records = *parts_.records;
  Outbox& outbox = parts_.outbox;
  records.commit(parts_.now());
  outbox.mark(records.jobs_mark(), records.books_mark());
  outbox.release(*parts_.transport, records.durable_mark());
  // The disk refused what those messages rest on: they would promise what is not kept.
  if (!records.error().empty() && !records.busy()) outbox.drop_waiting();
}

void Agent::tell_exits() {
  if (!parts_.exits.empty()) {
    copy_output(parts_, parts_.exits);
    disk_watch_.on_ends(parts_.exits);
    if (use_watch_) use_watch_->on_ends(parts_.exits);
    past_watch_.on_ends(parts_.exits);
    parts_.peer->on_exits(parts_.host(), parts_.exits);
  }
  parts_.exits.clear();
  for (const sched::Exit& exit : std::exchange(parts_.end_exits, {})) {
    end_commands_->on_exit(exit.job, exit.report);
  }
  if (parts_.trial) parts_.peer->on_trial(parts_.host(), *parts_.trial);
  parts_.trial.reset();
}

void Agent::wake_peer() {
  sched::Peer& peer = *parts_.peer;
  for (int i = 0; i < kWakesPerTurn && peer.deadline() <= parts_.now(); ++i) {
    peer.wake(parts_.host());
  }
}

void Agent::arm() {
  // At least a millisecond ahead: what is due now was done above, as far as one turn may go.
  const overlay::Time deadline = parts_.peer->deadline();
  const overlay::Time next = std::max(deadline, parts_.now() + milliseconds(1));
  const overlay::Time when = deadline == overlay::kNever ? overlay::kNever : next;
  if (when == wakeup_at_) return;
  wakeup_at_ = when;
  wakeup_->at(when);
}

void Agent::run_periodic() {
  troubles_.tell_damage();
  troubles_.tell_failing_disk();
  troubles_.tell_stuck();
  troubles_.tell_socket(control_->restore());
  output_keeper_.look();
  free_memory_.look(parts_.now());
  past_watch_.look(kHousekeeping);
  disk_watch_.look();
  if (!shutdown_.begun()) end_drain_in_time(parts_);
  parts_.records->store().actions().settle(wall_clock_ns());
  end_commands_->look(!shutdown_.begun() && !kept_by_);
  net_watch_.look(parts_.now(), parts_.transport->counters());
  gone_watch_.look(sched::directory_of(*parts_.peer),
      {.now = parts_.now(), .wall_ns = wall_clock_ns()}, parts_.records->store().gone());
  plan_recorder_.look(parts_.peer->cells(), {.now = parts_.now(), .wall_ns = wall_clock_ns()},
      parts_.records->store().plans());
  const std::string& join = parts_.configuration.agent.join;
  const bool lonely = !join.empty() && parts_.peer->overlay().cyclon().view().empty();
  if (contacts_->run_periodic(lonely) && parts_.now() - looked_ >= kLookPeriod) {
    looked_ = parts_.now();
    own_address_->look();
  }
  reach_watch_->look(contacts_->addresses());
  look_lonely(lonely);
  housekeeping_->at(parts_.now() + kHousekeeping);
}

}  // namespace dunlin::node
