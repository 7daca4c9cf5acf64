// SPDX-License-Identifier: MIT
#pragma once

#include "sched/listing/listing.h"
#include "sim/engine/cluster.h"
#include "sim/measure/listing_meter.h"
#include "sim/scenario/scenario.h"

namespace dunlin::sim {

/// Users who list the cluster's jobs, one after the other, each at a peer drawn by chance, as
/// measures.list_at and list_period say. It measures what an agent waits for before it asks nodes
/// for lines: see sched/listing/.
class JobLister {
 public:
  /// Both must outlive this.
  JobLister(const Scenario& scenario, Cluster& cluster, Rng rng)
      : scenario_(scenario),
        cluster_(cluster),
        rng_(rng) {}

  /// Does nothing if no user lists.
  void start();

  const ListingMeter& meter() const { return meter_; }

 private:
  /// A user begins a list, at a peer that is up; the next user is set for a period later.
  void begin();
  /// Asks the peer for the list again and again until it is there.
  void look(std::uint32_t peer, std::uint64_t number, Time began);
  /// Counts what the list has, and what it lacks of the nodes that are up.
  void record(const sched::ClusterJobs& jobs);

  const Scenario& scenario_;
  Cluster& cluster_;
  Rng rng_;
  ListingMeter meter_;
};

}  // namespace dunlin::sim
