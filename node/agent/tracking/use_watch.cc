// SPDX-License-Identifier: MIT
#include "node/agent/tracking/use_watch.h"

#include <string>

#include "node/machine.h"
#include "node/task/executor.h"
#include "sched/peer_maintenance.h"

// Watches what the machine is used for besides tasks, if the node is to track that. The demands of
// tasks are known; what others take shows only in the counters of the machine, so where one of them
// is missing an operator is told once what will not be seen.
namespace dunlin::node {
namespace {

/// What the machine has beyond what its node offers. Where the node declares no rate there is
/// nothing to compare.
sched::Resources spare_of(const sched::Resources& offered) {
  const Machine machine = detect_machine();
  sched::Resources spare;
  spare.cpu = machine.cpu - std::min(machine.cpu, offered.cpu);
  spare.memory = machine.memory_mib - std::min(machine.memory_mib, offered.memory);
  return spare;
}

bool is_to_follow(const sched::TrackerParams& params, const sched::Resources& offered) {
  if (params.watch == sched::Tracked::all) return true;
  return params.watch == sched::Tracked::rates && sched::has_rates(offered);
}

}  // namespace

UseWatch::UseWatch(AgentParts& parts) : parts_(parts) {
  const sched::Resources& offered = parts.peer->self().total;
  if (!is_to_follow(parts.configuration.peer.tracker, offered)) return;
  counters_.emplace(parts.configuration.agent.data_dir);
  rates_.emplace(spare_of(offered));
  wakeup_.emplace(parts.loop, [this] { look(); });
  wakeup_->at(parts.now());
}

void UseWatch::look() {
  // First: whatever comes below, the next look is certain.
  wakeup_->at(parts_.now() + parts_.configuration.peer.tracker.period);
  const NodeReading reading = counters_->read();
  tell_missing(reading);
  const auto measured = rates_->look(parts_.now(), reading, parts_.executor->uses());
  if (measured) parts_.peer->maintenance().set_use(parts_.host(), *measured);
}

void UseWatch::tell_missing(const NodeReading& reading) {
  if (told_) return;
  told_ = true;
  const sched::Resources& offered = parts_.peer->self().total;
  const auto tell = [&](const char* what, const std::string& why) {
    parts_.log.say(overlay::Level::warn, "use_not_counted",
        {{"what", what}, {"why", why},
            {"effect", "what else uses it is not seen: only what tasks demand counts"}});
  };
  if ((offered.disk_read != 0 || offered.disk_write != 0) && !reading.disk) {
    tell("disk",
        "/proc/diskstats has no device " + counters_->disk_text() + ", on which agent.data_dir is");
  }
  if ((offered.net_in != 0 || offered.net_out != 0) && !reading.net) {
    tell("network", "there is no default route, or /proc/net/dev does not count its device");
  }
}

}  // namespace dunlin::node
