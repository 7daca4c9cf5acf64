// SPDX-License-Identifier: MIT
// The part of a simulation that shares: who gets which class, and what befalls managers.
#include <ns3/simulator.h>

#include "sched/cell/cell_node.h"
#include "sched/ledger/class_name.h"
#include "sim/engine/clock.h"
#include "sim/engine/simulation.h"

namespace dunlin::sim {

bool Simulation::shares() const {
  return scenario_.peer.sharing.cell.sharing != sched::SharingMode::none;
}

void Simulation::schedule_sharing() {
  if (!sharing_.watches()) return;
  restarts_ = health_rng_.fork();
  const auto at = [](Duration when, std::uint32_t context, auto&& act) {
    ns3::Simulator::ScheduleWithContext(context, to_ns3(when), act);
  };
  if (shares()) {
    at(scenario_.classes.set_at, 0, [this] { cluster_->set_classes(0, table_of(classes_)); });
  }
  at(scenario_.simulation.warm_up, ns3::Simulator::NO_CONTEXT,
      [this] { sharing_.begin(now(), recorder_.classes().total(now()), cluster_->cell_loads()); });
  if (scenario_.faults.managers == 0) return;
  at(scenario_.faults.managers_at, ns3::Simulator::NO_CONTEXT, [this] { kill_managers(); });
}

void Simulation::kill_managers() {
  const auto managers = managers_of(peers_alive(), scenario_.faults.managers_level);
  std::uint32_t killed = 0;
  for (const auto& [cell, peer] : managers) {
    if (killed++ == scenario_.faults.managers) break;
    cluster_->crash(peer);
    if (scenario_.faults.managers_down == Duration{0}) continue;
    ns3::Simulator::ScheduleWithContext(peer, to_ns3(scenario_.faults.managers_down),
        [this, peer = peer, chance = restarts_.fork()] { restart(peer, chance); });
  }
}

// Each job belongs to a class, whatever the workload: one that wants something now.
void Simulation::belong(Submission& submission) {
  if (classes_.empty() || !submission.job.service_class.empty()) {
    if (!submission.job.service_class.empty()) {
      submission.facts.class_id = sched::class_id_of(submission.job.service_class);
    }
    return;
  }
  double sum = 0;
  for (const WorkloadClass& each : classes_) sum += each.wants(now()) ? each.jobs : 0;
  double lot = Rng{submission.facts.key ^ scenario_.chance() << 20}.uniform() * sum;
  for (const WorkloadClass& each : classes_) {
    if (!each.wants(now()) || each.jobs <= 0) continue;
    submission.job.service_class = each.name;
    submission.facts.class_id = each.id;
    lot -= each.jobs;
    if (lot < 0) return;
  }
}

}  // namespace dunlin::sim
