// SPDX-License-Identifier: MIT
#include "tests/swarm/plan_params.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "overlay/param_entries.h"

namespace dunlin::test {
namespace {

using overlay::ParamEntry;
using overlay::Rng;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Where a parameter's whole legal range would make a run too long, or promise nothing.
struct Safe {
  std::string_view key;
  std::string_view min;
  std::string_view max;
};
constexpr std::array kSafe = {
    Safe{"cyclon.period", "500ms", "3s"},
    Safe{"cyclon.view_size", "4", "30"},
    Safe{"cyclon.sample_size", "2", "4"},
    Safe{"cyclon.timeout", "50ms", "400ms"},
    Safe{"cyclon.silence_max", "20", "100"},
    Safe{"cyclon.graveyard_chance", "0.05", "1"},
    Safe{"cyclon.graveyard_size", "8", "64"},
    Safe{"cyclon.rejoin_max", "1s", "10s"},
    Safe{"gradient.period", "500ms", "3s"},
    Safe{"gradient.timeout", "50ms", "400ms"},
    Safe{"liveness.period", "500ms", "3s"},
    Safe{"liveness.timeout", "50ms", "400ms"},
    Safe{"frontend.probe_ratio", "1", "4"},
    Safe{"frontend.probes_max", "4", "512"},
    Safe{"frontend.probe_timeout", "200ms", "3s"},
    Safe{"frontend.reprobe_period", "100ms", "2s"},
    Safe{"frontend.queue_lease", "6s", "20s"},
    Safe{"frontend.task_lease", "3s", "15s"},
    Safe{"frontend.recovery_wait", "500ms", "6s"},
    Safe{"frontend.home_lease", "1s", "8s"},
    Safe{"frontend.history_max", "1000", "1000000"},
    Safe{"frontend.history_age", "24h", "8760h"},
    Safe{"frontend.history_bytes", "268435456", "1099511627776"},
    Safe{"frontend.history_standbys", "24h", "8760h"},
    Safe{"worker.ageing", "100ms", "1m"},
    Safe{"worker.patience", "0.1", "10"},
    Safe{"worker.overtake", "1ms", "30s"},
    Safe{"worker.queue_max", "8", "2048"},
    Safe{"worker.queue_renew", "500ms", "2s"},
    Safe{"worker.ask_timeout", "20ms", "1s"},
    Safe{"worker.ask_tries", "1", "6"},
    Safe{"worker.renew", "200ms", "1s"},
    Safe{"worker.resend", "50ms", "2s"},
    Safe{"worker.orphan_after", "5s", "12s"},
    Safe{"worker.reattach_within", "1s", "12s"},
    Safe{"worker.tasks_max", "4", "512"},
    Safe{"worker.trial_period", "100ms", "10s"},
    Safe{"worker.preempt_exempt", "1ms", "5s"},
    Safe{"worker.preempt_max", "0", "8"},
    Safe{"worker.suspend_max", "1s", "30s"},
    Safe{"worker.loan_lease", "1s", "1m"},
    Safe{"worker.loan_rest", "100ms", "5s"},
    Safe{"directory.tick", "250ms", "10s"},
    Safe{"federation.stale_max", "2s", "30s"},
    Safe{"federation.launch_timeout", "50ms", "1s"},
};

/// A number, or a duration in seconds.
double value_of(std::string_view text) {
  if (const auto number = overlay::parse_number(text)) return *number;
  if (const auto duration = overlay::parse_duration(text)) {
    return std::chrono::duration<double>(*duration).count();
  }
  return 0;
}

/// Draws from the legal range until the safe one is hit.
void draw_safely(ParamEntry& entry, Rng& rng) {
  const auto safe = std::ranges::find(kSafe, entry.key(), &Safe::key);
  for (int i = 0; i < 200; ++i) {
    entry.draw(rng);
    if (safe == kSafe.end()) return;
    const double value = value_of(entry.get());
    if (value_of(safe->min) <= value && value <= value_of(safe->max)) return;
  }
  overlay::ensure(entry.set(entry.fallback).has_value(), "a default is legal");
}

/// Each parameter keeps its default in half of the runs: most faults need but a few oddities.
std::string draw_entries(std::vector<ParamEntry> entries, Rng& rng) {
  std::string drawn;
  for (ParamEntry& entry : entries) {
    if (rng.chance(0.5)) continue;
    draw_safely(entry, rng);
    drawn += " " + entry.key() + "=" + entry.get();
  }
  return drawn;
}

}  // namespace

std::string draw_params(sched::PeerParams& params, Rng& rng) {
  // Those of sharing hang together: see draw_sharing().
  sched::PeerParams others = params;
  std::vector<ParamEntry> entries;
  overlay::append_entries(others.cyclon, entries);
  overlay::append_entries(others.gradient, entries);
  overlay::append_entries(others.liveness, entries);
  overlay::append_entries(others.frontend, entries);
  overlay::append_entries(others.worker, entries);
  overlay::append_entries(others.directory, entries);
  const std::string drawn = draw_entries(std::move(entries), rng);
  params = others;
  return drawn;
}

std::string draw_sharing(sched::SharingParams& params, Rng& rng) {
  std::vector<ParamEntry> entries;
  overlay::append_entries(params.bank, entries);
  overlay::append_entries(params.reserves, entries);
  overlay::append_entries(params.transfer, entries);
  std::string drawn = draw_entries(std::move(entries), rng);
  auto& cell = params.cell;
  cell.sharing = rng.chance(0.7) ? sched::SharingMode::bank : sched::SharingMode::cluster_reserves;
  cell.cell_size = static_cast<std::uint16_t>(2 + rng.below(15));
  cell.fan_out = static_cast<std::uint16_t>(2 + rng.below(15));
  cell.voters = rng.chance(0.7) ? 3 : 5;
  cell.period = rng.between(seconds(1), seconds(3));
  cell.lease = cell.period * (3 + rng.below(5));
  cell.grant_life = cell.period * (2 + rng.below(6));
  cell.retry = cell.period / 2;
  cell.patience = rng.between(seconds(1), seconds(5));
  cell.voter_lost = rng.between(seconds(5), seconds(40));
  cell.gossip = rng.between(seconds(1), seconds(4));
  overlay::ensure(validate(params).has_value(), "drawn so that it makes sense");
  return drawn + (cell.sharing == sched::SharingMode::bank ? " bank" : " reserves") +
      " cell_size=" + std::to_string(cell.cell_size) + " period=" + overlay::to_string(cell.period);
}

std::string draw_federation(sched::PeerParams& params, Rng& rng) {
  params.frontend.placement = sched::PlacementName::federated;
  auto& federation = params.federation;
  std::vector<ParamEntry> entries;
  overlay::append_entries(federation, entries);
  std::string drawn = draw_entries(std::move(entries), rng);
  federation.heartbeat = rng.between(milliseconds(500), seconds(4));
  federation.lease = federation.heartbeat * (2 + rng.below(4));
  return " federated" + drawn + " heartbeat=" + overlay::to_string(federation.heartbeat);
}

}  // namespace dunlin::test
