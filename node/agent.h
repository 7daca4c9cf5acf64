// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <uv.h>
#include <vector>

#include "node/agent_options.h"
#include "node/control/control_server.h"
#include "node/log.h"
#include "node/loop/wakeup.h"
#include "node/machine.h"
#include "node/metrics.h"
#include "node/net/identity.h"
#include "node/net/keyring.h"
#include "node/net/outgoing.h"
#include "node/net/rate_limit.h"
#include "node/net/transport.h"
#include "node/store/store.h"
#include "node/task/executor.h"
#include "node/task/output.h"
#include "node/task/output_service.h"
#include "sched/peer.h"
#include "sched/turn.h"

namespace dunlin::node {

/// One node of a cluster, in one process: drives a sched::Peer with a libuv loop, a network, a disk
/// and processes.
///
/// Everything happens in the callbacks of one loop. What they did is settled once per iteration of
/// it, before the loop sleeps: exits of tasks are told to the peer, records are committed in one
/// transaction, and only then do the messages that rest on them leave, and clients get their
/// answers. If the commit fails (a full disk), scheduling messages are dropped as a network would
/// do, new jobs are refused, and the commit is tried again each second.
class Agent final : private overlay::Port<overlay::Message>,
                    private overlay::Port<sched::Message>,
                    private overlay::Port<sched::cell::Message>,
                    private sched::Store {
 public:
  /// Nothing happens before start().
  Agent(uv_loop_t& loop, Configuration configuration);
  /// The loop must have run to its end after stop().
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  /// Takes over what an earlier life left, listens and joins. Fails, saying in one line what to do,
  /// if a directory, the key, the database, the port or the socket is not as it must be.
  Result<void> start();
  /// Takes no more tasks and hands over what it manages. Stops when running tasks have ended and
  /// others have taken over, or at the deadlines (agent.drain_deadline, then agent.leave_deadline).
  void drain_and_stop();
  /// Says good-bye, kills what still runs, and lets the loop end.
  void stop();
  /// Reads the key file again. A bad one is told, and changes nothing.
  void reload();

  // For the handlers of clients' requests (control_*.cc).

  Result<sched::JobId> submit(sched::Job job, bool allow_unsatisfiable);
  Result<void> set_classes(sched::books::Classes classes);
  Result<void> write_off(sched::CellId cell, sched::CellId lost, bool reissue);
  Result<void> cancel(const sched::JobId& job, std::span<const std::uint32_t> tasks);
  void drain(bool on);
  void ask_for_facts();
  void send(const overlay::Endpoint& to, const sched::Message& message) override;
  void send(const overlay::Endpoint& to, const Message& message);

  /// Asks another node for a task's output; see OutputService.
  std::uint64_t ask_output(const overlay::Endpoint& node, const OutputRequest& request) {
    return output_service_->ask(node, request);
  }
  std::optional<OutputChunk> take_output(std::uint64_t asked) {
    return output_service_->take(asked);
  }
  void abandon_output(std::uint64_t asked) { output_service_->abandon(asked); }

  /// True if all that was recorded is on disk.
  bool durable() const { return !store_->dirty(); }
  /// Why it is not; empty if commits succeed.
  const std::string& store_error() const { return store_error_; }

  /// Something by chance.
  std::uint64_t draw() { return (*rng_)(); }
  overlay::Time now() const { return node::now(loop_); }
  overlay::Duration uptime() const { return now() - started_; }
  uv_loop_t& loop() { return loop_; }
  Configuration& configuration() { return configuration_; }
  const sched::Peer& peer() const { return *peer_; }
  SqliteStore& store() { return *store_; }
  OutputStore& output() { return *output_; }
  Log& log() { return log_; }
  Metrics& metrics() { return metrics_; }
  Metrics::Snapshot counters() const;
  const std::string& cluster() const { return keyring_->cluster(); }
  overlay::PeerId id() const { return peer_->self().endpoint.id; }
  /// What people call that node; its id if that is not known.
  std::string name_of(overlay::PeerId node) const;

 private:
  Result<void> open_state();
  Result<void> open_executor();
  Result<void> open_network();
  Result<void> open_peer(const Offer& offer);

  void receive(const overlay::Endpoint& from, Layer layer, std::span<const std::byte> bytes);
  void receive(const overlay::Endpoint& from, const Message& message);
  void on_message(const overlay::Endpoint& from, const CellQuestion& question);
  void on_message(const overlay::Endpoint& from, const CellAnswer& answer);
  void on_message(const overlay::Endpoint& from, const WriteOff& asked);
  void on_message(const overlay::Endpoint& from, const WriteOffAnswer& answer);
  void on_message(const overlay::Endpoint& from, const auto& about_output) {
    output_service_->on_message(from, about_output);
  }

  void send(const overlay::Endpoint& to, const overlay::Message& message) override;
  void send(const overlay::Endpoint& to, const sched::cell::Message& message) override;
  void put_job(const sched::Job& job) override { store_->put_job(job); }
  void put_progress(const sched::JobId& job, const sched::JobProgress& progress) override {
    store_->put_progress(job, progress);
  }
  void put_report(const sched::JobId& job,
      const sched::Report& report,
      overlay::PeerId worker,
      bool final) override;
  void put_loss(
      const sched::JobId& job, const sched::Attempt& lost, overlay::PeerId worker) override {
    store_->put_loss(job, lost, worker);
  }
  void forget_job(const sched::JobId& job) override { store_->forget_job(job); }

  sched::Host host();
  void settle();
  void tell_exits();
  void wake_peer();
  void commit();
  void release();
  void release_free();
  void hand_over(Outgoing& messages);
  void arm();
  void run_periodic();
  bool idle() const;
  bool may_stop();

  uv_loop_t& loop_;
  Configuration configuration_;
  Metrics metrics_;
  Log log_;
  overlay::Time started_;
  std::optional<Identity> identity_;
  std::optional<Keyring> keyring_;
  std::unique_ptr<SqliteStore> store_;
  std::optional<OutputStore> output_;
  std::unique_ptr<ProcessExecutor> executor_;
  std::unique_ptr<Transport> transport_;
  std::optional<overlay::Rng> rng_;
  std::optional<sched::Peer> peer_;
  std::optional<OutputService> output_service_;
  std::optional<ControlServer> control_;
  TokenBucket questions_;

  std::vector<sched::Exit> exits_;
  Outgoing scheduling_;  ///< May leave only after the records before them.
  Outgoing free_;        ///< Gossip, output, reservations: no record depends on them.
  std::string store_error_;
  overlay::Time commit_again_{};
  std::optional<Wakeup> wakeup_;
  overlay::Time wakeup_at_ = overlay::kNever;
  std::optional<Wakeup> housekeeping_;
  overlay::Time lonely_told_{};
  overlay::Time stop_at_ = overlay::kNever;
  overlay::Time leave_at_ = overlay::kNever;  ///< Cells have until then to take over.
  std::uint32_t incarnation_ = 0;
  bool stopped_ = false;
  Handle<uv_prepare_t> settle_ = make_handle<uv_prepare_t>();
};

}  // namespace dunlin::node
