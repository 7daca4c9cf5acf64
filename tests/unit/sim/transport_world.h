// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <ns3/simulator.h>
#include <string>
#include <vector>

#include "sim/clock.h"
#include "sim/scenario/faults.h"
#include "sim/transport/context.h"
#include "sim/transport/fabric.h"
#include "sim/transport/latency.h"
#include "sim/transport/medium.h"
#include "sim/transport/udp.h"

namespace dunlin::sim {

/// A message that is to be sent, and of how many bytes.
struct Sending {
  Time at{};
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::size_t bytes = 100;
};

/// One that arrived: the `number`-th of what was to be sent.
struct Arrived {
  std::uint32_t number = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::size_t bytes = 0;
  Time at{};
};

/// Sends messages over a transport without peers, and keeps what comes out of it.
class TransportWorld final : private Receiver {
 public:
  TransportWorld(const NetworkParams& params, std::uint32_t peers, const FaultParams& faults = {}) {
    Receiver& receiver = *this;
    const Faults bad(faults, 9);
    const Medium medium(params, LatencyModel(params, 7), 8, bad);
    if (params.transport == TransportKind::udp) {
      transport_ = std::make_unique<UdpTransport>(receiver, params, bad, 8);
    } else if (params.transport == TransportKind::fabric) {
      transport_ = std::make_unique<FabricTransport>(receiver, medium, params.pcap);
    } else {
      transport_ = std::make_unique<ContextTransport>(receiver, medium, params.codec);
    }
    for (std::uint32_t i = 0; i < peers; ++i) transport_->add();
    transport_->ready();
  }
  ~TransportWorld() { ns3::Simulator::Destroy(); }

  Transport& transport() { return *transport_; }

  /// All that arrived, in the order in which it was sent.
  std::vector<Arrived> run(const std::vector<Sending>& sendings) {
    for (std::uint32_t i = 0; i < sendings.size(); ++i) {
      const Sending& each = sendings[i];
      ns3::Simulator::ScheduleWithContext(
          each.from, to_ns3(each.at.time_since_epoch()), [this, &each, i] {
            const sched::Tasks tasks{.request = i, .spec = std::string(each.bytes, 'x')};
            transport_->send(each.from, each.to, tasks);
          });
    }
    ns3::Simulator::Stop(to_ns3(std::chrono::seconds(1000)));
    ns3::Simulator::Run();
    transport_->settle();
    std::ranges::sort(arrived_, {}, &Arrived::number);
    return arrived_;
  }

 private:
  void receive(std::uint32_t, std::uint32_t, const overlay::Message&) override {}
  void receive(std::uint32_t, std::uint32_t, const sched::cell::Message&) override {}
  void receive(std::uint32_t to, std::uint32_t from, const sched::Message& message) override {
    const auto& tasks = std::get<sched::Tasks>(message);
    arrived_.push_back({tasks.request, from, to, tasks.spec.size(), now()});
  }

  std::unique_ptr<Transport> transport_;
  std::vector<Arrived> arrived_;
};

/// So many messages, between peers drawn by chance, at times drawn by chance within `span`.
inline std::vector<Sending> sendings_by_chance(
    std::size_t count, std::uint32_t peers, Duration span, std::size_t bytes) {
  Rng rng{5};
  std::vector<Sending> sendings;
  while (sendings.size() < count) {
    const std::uint32_t from = rng.below(peers), to = rng.below(peers);
    const auto at = static_cast<Duration::rep>(rng.uniform() * static_cast<double>(span.count()));
    if (from != to) sendings.push_back({Time{Duration{at}}, from, to, bytes});
  }
  return sendings;
}

}  // namespace dunlin::sim
