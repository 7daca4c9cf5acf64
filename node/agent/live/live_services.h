// SPDX-License-Identifier: MIT
#pragma once

#include "node/agent/agent_parts.h"
#include "node/agent/live/live_history.h"
#include "node/agent/live/live_orders.h"
#include "node/control/agent_services.h"
#include "node/control/usage/day_usage.h"

namespace dunlin::node {

/// The services of an agent that runs: each call goes on to the part that does it.
class LiveServices final : public AgentServices, public LiveOrders, public LiveHistory {
 public:
  /// Both must outlive this. Requires that all parts are open.
  LiveServices(AgentParts& parts, const Shutdown& shutdown)
      : LiveOrders(parts, shutdown),
        LiveHistory(parts),
        parts_(parts) {}

  overlay::Time now() const override { return parts_.now(); }
  const sched::Peer& peer() const override { return *parts_.peer; }
  const Configuration& configuration() const override { return parts_.configuration; }
  AgentStatus status() const override;
  const std::map<overlay::PeerId, Unreached>& unreachable() const override {
    return parts_.unreachable;
  }
  std::string remembered_name(overlay::PeerId node) const override;
  const std::map<std::string, overlay::PeerId>& former_names() const override {
    return parts_.records->store().names().former();
  }
  bool asks_names() const override;
  /// Two marks of one count: the last record that was made, and the last that no crash takes any
  /// more.
  Recorded recorded() const override {
    return {.last = parts_.records->mark(), .on_disk = parts_.records->durable_mark()};
  }
  const std::string& store_error() const override { return parts_.records->error(); }
  /// By chance that is the agent's: no client can know what another one will draw.
  std::uint64_t draw() override { return (*parts_.rng)(); }

  void ask_for_facts() override;
  void ask_for_facts_of(overlay::PeerId node) override;

  void send(const overlay::Endpoint& to, const sched::Message& message) override;
  void send(const overlay::Endpoint& to, const Message& message) override;
  std::uint64_t begin_list(const sched::JobQuery& query) override;
  std::optional<sched::ClusterJobs> take_list(std::uint64_t number) override;
  void drop_list(std::uint64_t number) override;
  std::shared_ptr<ControlConnection> call(const overlay::Endpoint& to) override;

  OutputChunk read_output(const OutputRequest& request) override;
  std::optional<KeptOutput> read_output_copy(const OutputRequest& request) override {
    return parts_.output_copies->read(request);
  }
  std::uint64_t ask_output(const overlay::Endpoint& node, const OutputRequest& request) override;
  std::optional<OutputChunk> take_output(std::uint64_t asked) override;
  void abandon_output(std::uint64_t asked) override;
  LocalParts local() override {
    return {.actions = parts_.records->store().actions(),
        .inputs = parts_.executor->inputs(),
        .tasks = parts_.executor->tasks(),
        .events = parts_.feed,
        .suspends = parts_.executor->suspends(),
        .profiles = parts_.records->store().profiles(),
        .gone = parts_.records->store().gone(),
        .accounts = parts_.accounts,
        .past = parts_.past,
        .round_trips = parts_.round_trips,
        .day = day_,
        .figures = parts_.figures};
  }

 private:
  AgentParts& parts_;
  DayUsage day_;
};

}  // namespace dunlin::node
