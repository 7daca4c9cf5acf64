// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer.h"
#include "sched/peer_params.h"
#include "sched/turn.h"
#include "tests/support/fake_executor.h"
#include "tests/support/grouped_raft_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/network.h"
#include "tests/support/trace.h"

namespace dunlin::test {

using overlay::Endpoint;
using sched::JobId;
using sched::Peer;

struct NodeConfig {
  sched::Resources total{.cpu = 4000, .memory = 8192, .custom = {}};
  std::vector<sched::Attribute> attributes;
  Duration slowness{0};       ///< It handles what comes up to so much later than it should.
  std::uint64_t machine = 0;  ///< Nodes of one machine say the same; 0: each has its own.
  Duration disk{0};           ///< Its records take up to so much longer to become durable.
  Duration clock{0};          ///< Its wall clock is ahead of the virtual time by so much, ...
  std::uint32_t drift = 0;    ///< ... and gains so many millionths of the time that passes.
};

struct WorldOptions {
  std::uint64_t seed = 1;
  sched::PeerParams params;
  NetworkParams network;
  ExecutorParams executor;
  Duration commit_max{0};  ///< The longest that records take to become durable.
  bool codec = true;       ///< Messages cross the network as bytes.
  bool check = true;       ///< Invariants after every step.
  bool replicas = true;    ///< Disks have names, so nodes may keep copies of logs.
  std::size_t trace_lines = 2000;
};

/// A cluster in one thread and in virtual time: it drives real Peers, and everything else is drawn
/// from one seed. Nodes are numbers from 0; node i has the id i + 1. Same options, same run.
class World {
 public:
  explicit World(const WorldOptions& options);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  /// Starts a node that joins by two of those there are. Returns its number.
  std::size_t add(const NodeConfig& config = {});
  void add(std::size_t count, const NodeConfig& config);
  /// kill -9: memory, running tasks and records not yet durable are gone. Requires up(node).
  void crash(std::size_t node);
  /// kill -9 of the process of the node alone: its tasks run on, and its next life takes them back.
  /// They end if that does not begin within worker.reattach_within. Requires up(node).
  void crash_agent(std::size_t node);
  /// The same after a word to all frontends, as an agent does that is told to restart.
  void pause(std::size_t node);
  /// One of these, drawn.
  void crash_somehow(std::size_t node, overlay::Rng& rng);
  /// The next life of a node, with what its store kept. Requires !up(node).
  void restart(std::size_t node);
  /// Its store and its books are gone; so it counts its jobs from 1 again. Requires !up(node).
  void erase_disk(std::size_t node);
  /// The same, but its books of cells are there yet. Requires !up(node).
  void erase_logs(std::size_t node);

  /// `job.submitted_at` is read from the wall clock of the node.
  Result<JobId> submit(std::size_t node, sched::Job job, bool allow_unsatisfiable = false);
  Result<std::uint32_t> requeue(
      std::size_t node, const JobId& job, const std::vector<std::uint32_t>& tasks);
  Result<void> cancel(
      std::size_t node, const JobId& job, const std::vector<std::uint32_t>& tasks = {});
  Result<void> change(std::size_t node, const JobId& job, const sched::JobChange& change);
  Result<void> retry(std::size_t node, const JobId& job, const std::vector<std::uint32_t>& tasks);
  void drain(std::size_t node, bool on);
  Result<void> set_classes(std::size_t node, const sched::books::Classes& classes);
  /// The node becomes an incarnation later by so much, and goes on.
  void raise(std::size_t node, std::uint32_t by);
  void set_trouble(std::size_t node, std::string_view trouble);
  /// No task can start at the node any more, or again.
  void break_down(std::size_t node, bool on);
  /// The watcher over the tasks of the node dies, and they with it.
  void lose_tasks(std::size_t node);
  /// The operator's health command says so.
  void set_health(std::size_t node, std::string_view why_sick);
  void ask_for_facts(std::size_t node);
  /// Lets a test call the peer in a turn of its own.
  void act(std::size_t node, const std::function<void(Peer&, const sched::Host&)>& call);
  /// A graceful end.
  void leave(std::size_t node);
  /// Calls `action` at `when`, between turns.
  void at(Time when, std::function<void()> action);

  /// Makes the next thing happen. False if nothing is left to happen, or an invariant broke.
  bool step();
  void run_until(Time end);
  void run_for(Duration span) { run_until(now_ + span); }
  /// Runs until `done`, at most for `limit`; returns whether it came.
  bool run_until(const std::function<bool()>& done, Duration limit);

  Time now() const { return now_; }
  std::size_t size() const { return nodes_.size(); }
  bool up(std::size_t node) const { return nodes_[node]->peer != nullptr; }
  /// Requires up(node).
  const Peer& peer(std::size_t node) const;
  const MemoryStore& store(std::size_t node) const { return nodes_[node]->store; }
  /// What the disk of the node has of logs of jobs.
  const MemoryLogStore::Logs& logs(std::size_t node) const { return nodes_[node]->logs.logs(); }
  /// The name of its disk, for copies of logs; 0 while a node has none because it lost it.
  std::uint64_t replica(std::size_t node) const;
  const FakeExecutor& executor(std::size_t node) const { return nodes_[node]->executor; }
  const NodeConfig& config(std::size_t node) const { return nodes_[node]->config; }
  /// By how much its wall clock is ahead of the virtual time now.
  Duration ahead(std::size_t node) const;
  /// True if no record is on its way to a disk.
  bool all_durable() const;
  std::uint32_t incarnation(std::size_t node) const { return nodes_[node]->incarnation; }
  Network& network() { return network_; }
  /// Heals the network; from now on no node is slow and no start fails.
  void calm();
  const Trace& trace() const { return trace_; }
  std::uint64_t steps() const { return steps_; }

  /// Jobs with a durable acceptance, of which a user was told: none of them may be lost. A job with
  /// replicas is among them once its home may tell of it.
  const std::vector<JobId>& acknowledged() const { return acknowledged_; }
  /// The fault, with the last lines of the trace; empty while all is well.
  const std::string& failure() const { return failure_; }
  /// Declares the run broken.
  void fail(const std::string& what);

  /// Sees every message that is about to leave, and says how often it does: 0 loses it.
  using Filter = std::function<unsigned(std::size_t from, std::size_t to, const AnyMessage&)>;
  void filter(Filter filter) { filter_ = std::move(filter); }

  /// Seen by scripts and by tests of single events.
  std::function<void(std::size_t node, const sched::Event&)> on_event;

  static overlay::PeerId id_of(std::size_t node) { return {node + 1}; }
  static std::size_t node_of(overlay::PeerId id) { return id.value - 1; }
  static Endpoint endpoint_of(std::size_t node);

 private:
  struct Outgoing {
    std::size_t to = 0;
    AnyMessage message;
  };
  /// Records on their way to the disk, and the messages that must not leave before them.
  struct Commit {
    Time at{};
    MemoryStore::Batch batch;
    MemoryLogStore::Batch logs;
    RaftBatch books;
    std::vector<Outgoing> then;
    std::vector<sched::TaskBound> bound;  ///< In turns that wait for it with their words.
    /// What rests on records of jobs waits for it.
    bool has_jobs() const { return !batch.empty() || !logs.empty(); }
  };
  struct Node {
    NodeConfig config;
    Endpoint endpoint;
    overlay::Rng rng;
    overlay::Rng driver_rng;
    MemoryStore store;
    RaftBatch books;  ///< The records of the turn.
    GroupedRaftStore disk;
    MemoryLogStore logs;
    std::uint64_t replica = 0;  ///< The name of its disk.
    FakeExecutor executor;
    std::uint32_t incarnation = 0;
    std::uint32_t since = 0;  ///< The incarnation that its executor began with; 0: the next one.
    std::unique_ptr<Peer> peer;
    std::deque<Commit> commits;
    Time deadline = sched::kNever;  ///< As the peer last said.
    Time wake_at = sched::kNever;   ///< When we shall wake it: not before, maybe late.
    Time exits_at = sched::kNever;
    std::uint64_t executor_started = 0;
  };
  struct Delivery {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string bytes;  ///< With the codec; else `message` holds it.
    AnyMessage message;
  };
  struct Wake {
    std::size_t node;
  };
  struct Exits {
    std::size_t node;
  };
  struct Committed {
    std::size_t node;
    std::uint32_t incarnation;
  };
  struct Action {
    std::function<void()> run;
  };
  using What = std::variant<Delivery, Wake, Exits, Committed, Action>;
  struct Happening {
    Time at{};
    std::uint64_t sequence = 0;
    What what;
  };
  class TurnPorts;
  static constexpr std::uint32_t kFirstAddress = 0x0a000001;  // 10.0.0.1

  void push(Time at, What what);
  void happen(Delivery& delivery);
  void happen(const Wake& wake);
  void happen(const Exits& exits);
  void happen(const Committed& committed);
  void happen(const Action& action) { action.run(); }

  /// Runs `call(peer, host)` as one turn of a node and carries out its effects.
  /// Invariants are looked at afterwards if `checked`.
  void turn(std::size_t node,
      const std::function<void(Peer&, const sched::Host&)>& call,
      bool checked = true);
  void start(std::size_t node);
  std::vector<Endpoint> contacts_for(std::size_t node);
  void end_process(std::size_t node);
  /// What its executor kept is gone.
  void lose_kept(std::size_t node);
  void commit(std::size_t node, const Commit& commit);
  /// The longest that records of the node take to become durable.
  Duration commit_max(const Node& node) const { return options_.commit_max + node.config.disk; }
  /// Users hear of submits that may be told by now.
  void acknowledge(std::size_t node);
  void send(std::size_t from, Outgoing out);
  void transmit(std::size_t from, Outgoing out);
  void schedule(std::size_t node);
  void check(std::size_t node);
  void note(std::size_t node, const std::string& what);
  void note_bound(Node& node, const std::vector<sched::TaskBound>& bound);
  void check_number(const sched::TaskBound& bound);

  WorldOptions options_;
  overlay::Rng rng_;
  Network network_;
  Trace trace_;
  Time now_ = Time{std::chrono::seconds(100)};
  std::uint64_t sequence_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Happening> heap_;
  std::vector<JobId> acknowledged_;
  /// Submits of jobs with replicas that are not told yet.
  struct Told {
    JobId job;
    std::size_t node = 0;
    std::uint32_t incarnation = 0;
    sched::Promise promise;
  };
  std::vector<Told> untold_;
  /// Attempts that were ever bound: home, job and its lineage, task and number.
  std::set<std::tuple<overlay::PeerId, std::uint32_t, std::uint64_t, std::uint32_t, std::uint32_t>>
      bound_;
  std::string failure_;
  Filter filter_;
};

}  // namespace dunlin::test
