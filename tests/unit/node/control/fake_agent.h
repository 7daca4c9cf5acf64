// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "node/access/accounts.h"
#include "node/agent_options.h"
#include "node/control/agent_services.h"
#include "node/control/overlay/round_trips.h"
#include "node/control/past/past_ring.h"
#include "node/control/usage/day_usage.h"
#include "node/control/use/figure_book.h"
#include "node/events/event_feed.h"
#include "node/message.h"
#include "node/net/control_connection.h"
#include "node/reach/unreached.h"
#include "node/store/results.h"
#include "node/task/output/output_copies.h"
#include "sched/frontend/job_state.h"
#include "sched/ledger/books.h"
#include "sched/listing/job_query.h"
#include "sched/listing/listing.h"
#include "sched/node_spec.h"
#include "sched/peer.h"
#include "sched/peer/peer_orders.h"
#include "sched/peer_maintenance.h"
#include "sched/peer_sharing.h"
#include "sched/task.h"
#include "tests/support/memory_raft_store.h"
#include "tests/support/memory_store.h"
#include "tests/support/solo.h"
#include "tests/unit/node/control/kept_rows.h"
#include "tests/unit/node/control/kept_tasks.h"

namespace dunlin::node {

/// Keeps what it is told to run.
class KeptLaunches final : public sched::Executor {
 public:
  void start(const sched::Launch& launch) override { launches.push_back(launch); }
  void kill(const sched::TaskId&, std::uint32_t, sched::Outcome) override {}
  void suspend(const sched::TaskId&, std::uint32_t) override {}
  void resume(const sched::TaskId&, std::uint32_t) override {}
  void forget(const sched::TaskId&, std::uint32_t) override {}
  void try_start() override { ++trials; }

  std::vector<sched::Launch> launches;
  int trials = 0;
};

/// Where an agent hears of that node.
inline overlay::Address address_of(std::uint64_t node) {
  return overlay::Address::v4(0x0a000000 + static_cast<std::uint32_t>(node), 7700);
}

/// An agent as control handlers see it: a real peer, "merlin" with 4 CPUs and 8 GiB, and around
/// it nothing real. Tests set the clock, what is durable, and what is recorded.
class FakeAgent final : public AgentServices {
 public:
  overlay::Time now() const override { return time; }
  const sched::Peer& peer() const override { return self; }
  const Configuration& configuration() const override { return config; }
  AgentStatus status() const override {
    return {.cluster = "test",
        .uptime = uptime,
        .disk = disk,
        .not_joined = alone,
        .address_notes = notes,
        .counters = {{"commits", 3}}};
  }
  const std::map<overlay::PeerId, Unreached>& unreachable() const override { return unreached; }
  std::string remembered_name(overlay::PeerId node) const override {
    const auto found = remembered.find(node);
    return found == remembered.end() ? "" : found->second;
  }
  const std::map<std::string, overlay::PeerId>& former_names() const override { return former; }
  bool asks_names() const override { return asking_names; }
  Recorded recorded() const override {
    return {.last = 1, .on_disk = error.empty() && !writing ? 1u : 0u};
  }
  const std::string& store_error() const override { return error; }
  std::uint64_t draw() override { return 4; }

  Result<sched::JobId> submit(sched::Job job, bool allow_unsatisfiable) override {
    return self.orders().submit(host(), std::move(job), allow_unsatisfiable);
  }
  Result<void> cancel(const sched::JobId& job, std::span<const std::uint32_t> tasks) override {
    return self.orders().cancel(host(), job, tasks);
  }
  Result<void> change(const sched::JobId& job, const sched::JobChange& change) override {
    return self.orders().change(host(), job, change);
  }
  Result<void> retry(const sched::JobId& job, std::span<const std::uint32_t> tasks) override {
    store.commit(store.take_turn());
    return self.orders().retry(host(), job, tasks, store.job(job));
  }
  Result<std::uint32_t> requeue(
      const sched::JobId& job, std::span<const std::uint32_t> tasks) override {
    return self.orders().requeue(host(), job, tasks);
  }
  void drain(const std::optional<sched::DrainTerms>& terms) override {
    self.maintenance().set_drain(host(), terms);
  }
  Result<void> set_classes(const sched::books::Classes& classes) override {
    return self.sharing().set_classes(host(), classes);
  }
  Result<void> write_off(sched::CellId cell, sched::CellId lost, bool reissue) override {
    return self.sharing().write_off(host(), cell, lost, reissue);
  }
  Result<void> take_over(const sched::JobId& job) override {
    return self.maintenance().take_over(host(), job);
  }
  void ask_for_facts() override { self.refresh_directory(host()); }
  void ask_for_facts_of(overlay::PeerId node) override { self.refresh_directory(host(), node); }
  /// The operator's health command finds this node sick, or well by nothing.
  void fall_sick(const std::string& why) { self.maintenance().set_health(host(), why); }

  Result<std::vector<ResultRow>> results(const ResultQuery& query) override {
    std::vector<ResultRow> found;
    for (const ResultRow& row : rows) {
      const bool cancelled = row.report.outcome == sched::Outcome::killed;
      const bool failed = !cancelled && !sched::is_success(row.report);
      const bool listed = row.report.index >= query.first &&
          (query.listed == Listed::all || (query.listed == Listed::failed ? failed : cancelled));
      if (listed && found.size() < query.limit) found.push_back(row);
    }
    rows_read.push_back(found.size());
    return found;
  }
  Result<std::vector<AttemptRow>> attempts(const sched::JobId&, std::uint32_t index) override {
    return earlier[index];
  }
  Result<std::vector<AttemptRow>> attempts_page(const AttemptQuery& query) override {
    std::vector<AttemptRow> page;
    for (const auto& [index, attempts] : earlier) {
      for (const AttemptRow& row : attempts) {
        const bool behind =
            std::pair(index, row.report.attempt) > std::pair(query.task, query.attempt);
        if (behind && page.size() < query.limit) page.push_back(row);
      }
    }
    rows_read.push_back(page.size());
    return page;
  }
  std::shared_ptr<const sched::Job> record(const sched::JobId& job) override {
    store.commit(store.take_turn());
    const auto* const stored = store.job(job);
    return stored == nullptr ? nullptr : std::make_shared<const sched::Job>(*stored);
  }
  Result<std::vector<StoredUsage>> usage(const UsageQuery& query) override {
    return used.page(query);
  }
  void send(const overlay::Endpoint& to, const sched::Message& message) override {
    scheduling.send(to, message);
  }
  void send(const overlay::Endpoint& to, const Message& message) override {
    to_agents.send(to, message);
  }

  std::uint64_t begin_list(const sched::JobQuery& query) override {
    listed.push_back(query);
    return listed.size();
  }
  std::optional<sched::ClusterJobs> take_list(std::uint64_t) override {
    return std::exchange(found, std::nullopt);
  }
  void drop_list(std::uint64_t) override {}

  std::shared_ptr<ControlConnection> call(const overlay::Endpoint& to) override {
    return dial ? dial(to) : nullptr;
  }

  OutputChunk read_output(const OutputRequest&) override { return own_output; }
  std::optional<KeptOutput> read_output_copy(const OutputRequest&) override { return output_copy; }
  std::uint64_t ask_output(const overlay::Endpoint& node, const OutputRequest&) override {
    output_asked.push_back(node.id);
    return output_asked.size();
  }
  std::optional<OutputChunk> take_output(std::uint64_t asked) override {
    return output_answers.contains(asked) ? std::optional(output_answers[asked]) : std::nullopt;
  }
  void abandon_output(std::uint64_t asked) override { output_answers.erase(asked); }
  LocalParts local() override {
    return {.actions = noted,
        .inputs = fed,
        .tasks = tasks_here,
        .events = feed,
        .suspends = suspends,
        .profiles = profiles,
        .gone = gone,
        .accounts = accounts,
        .past = past,
        .round_trips = round_trips,
        .day = day,
        .figures = figures};
  }

  /// Gossip tells of another node of that size.
  void hear_of(std::uint64_t node, std::uint32_t cpu, std::uint32_t memory = 8192) {
    overlay::Descriptor peer;
    peer.id = {node};
    peer.address = address_of(node);
    peer.incarnation = 1;
    peer.cpu_total = peer.cpu_free = cpu;
    peer.memory_total = peer.memory_free = memory;
    self.receive(host(), {peer.id, peer.address}, overlay::Message(overlay::JoinOffer{peer}));
  }
  /// That node says what it is called, and that it has 1 CPU free.
  void hear_facts(std::uint64_t node, const std::string& name, std::uint32_t cpu) {
    sched::Facts facts{.request = 1, .name = name, .incarnation = 1};
    facts.total = {.cpu = cpu, .memory = 8192, .custom = {}};
    facts.free = {.cpu = 1000, .memory = 4096, .custom = {}};
    self.receive(host(), {{node}, address_of(node)}, sched::Message(facts));
  }
  /// That node says good-bye.
  void hear_farewell(std::uint64_t node) {
    self.receive(host(), {{node}, address_of(node)}, overlay::Message(overlay::Leave{1}));
  }
  /// That node sends a message.
  void hear(std::uint64_t node, const sched::Message& message) {
    self.receive(host(), {{node}, address_of(node)}, message);
  }
  /// Messages of the peer to itself arrive, until it has nothing more to say to itself.
  void deliver() {
    std::vector<std::pair<overlay::Endpoint, sched::Message>> others;
    while (!scheduling.sent.empty()) {
      for (const auto& [to, message] : std::exchange(scheduling.sent, {})) {
        if (to.id == id()) {
          self.receive(host(), to, message);
        } else {
          others.emplace_back(to, message);
        }
      }
    }
    scheduling.sent = std::move(others);
  }

  std::function<std::shared_ptr<ControlConnection>(const overlay::Endpoint&)> dial;
  overlay::Time time{std::chrono::seconds(100)};
  overlay::Duration uptime = std::chrono::minutes(1);
  std::string error;
  std::optional<DiskFigures> disk;
  std::map<overlay::PeerId, Unreached> unreached;
  std::vector<std::string> notes;
  std::string alone;  ///< Why it has not joined; empty: it has.
  std::map<overlay::PeerId, std::string> remembered;
  std::map<std::string, overlay::PeerId> former;
  bool asking_names = false;
  bool writing = false;  ///< A commit is under way.
  Configuration config;
  std::vector<ResultRow> rows;
  KeptUsage used;
  DayUsage day;
  std::vector<std::size_t> rows_read;  ///< By each query for a page.
  /// The clock by which work is charged to users: so much later at each look.
  overlay::Duration pace{0};
  overlay::Duration worked{0};
  Accounts accounts{[this] { return worked += pace; }};
  KeptActions noted;
  KeptProfiles profiles;
  KeptGone gone;
  KeptInputs fed;
  KeptTasks tasks_here;
  PastRing past;
  RoundTrips round_trips;
  FigureBook figures;
  EventFeed feed;
  bool suspends = true;
  std::map<std::uint32_t, std::vector<AttemptRow>> earlier;  ///< By the task's index.
  std::optional<KeptOutput> output_copy;                     ///< What is kept of a lost worker's.
  std::vector<overlay::PeerId> output_asked;                 ///< In order; asked from 1 on.
  std::map<std::uint64_t, OutputChunk> output_answers;       ///< By the number of the question.
  std::vector<sched::JobQuery> listed;                       ///< Lists begun, ...
  std::optional<sched::ClusterJobs> found;  ///< ... and what the next one finds; empty: not yet.
  test::KeptPort<sched::Message> scheduling;
  test::KeptPort<Message> to_agents;
  KeptLaunches executor;

  sched::Host host() {
    return {.now = time,
        .rng = rng,
        .gossip = gossip,
        .out = scheduling,
        .events = feed,
        .store = store,
        .executor = executor,
        .cells = cells,
        .books = books,
        .logs = logs};
  }

  OutputChunk own_output;  ///< What a task of this node wrote.
  overlay::Rng rng{1};
  test::KeptPort<overlay::Message> gossip;
  test::KeptPort<sched::cell::Message> cells;
  test::MemoryStore store;
  test::MemoryRaftStore books;
  test::MemoryLogStore logs;
  sched::Peer self{config.peer,
      sched::NodeSpec{.endpoint = {{1}, address_of(1)},
          .incarnation = 1,
          .name = "merlin",
          .total = {.cpu = 4000, .memory = 8192, .custom = {}}},
      {}};
};

}  // namespace dunlin::node
