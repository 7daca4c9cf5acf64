// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <vector>

#include "sched/worker/worker.h"

// A log of jobs may get another home while tasks of these run here. Each answer of a frontend names
// the standbys, a new home speaks for itself, and a home that is silent for long is looked for.
namespace dunlin::sched {
namespace {

/// The home of a log is looked for again after so long.
constexpr Duration kSearchAgain = std::chrono::seconds(10);

}  // namespace

void Worker::on_message(Turn& turn, const Endpoint&, const HomeIs& told) {
  const auto home = std::ranges::find(told.set, told.home, &LogReplica::replica);
  // A log without tasks here is nothing to this node.
  if (home == told.set.end() || homes_.find(told.log) == nullptr) return;
  TaskLog log{.log = told.log, .epoch = told.epoch, .standbys = {}, .version = told.version};
  for (const LogReplica& replica : told.set) {
    if (replica.replica != told.home) log.standbys.push_back(replica);
  }
  learn_home(turn.now, log, {home->node, home->address});
  follow_home(turn.now, told.log);
  running_.reassure(turn.now, told.log);
  schedule(turn.now);
}

std::vector<FindHome> Worker::take_lost_homes(Time now) {
  if (now < next_search_) return {};
  std::vector<FindHome> lost = running_.lost_homes(now);
  if (!lost.empty()) next_search_ = now + kSearchAgain;
  return lost;
}

void Worker::learn_home(Time now, const TaskLog& log, const Endpoint& home) {
  const LogHomes::Home* const before = homes_.find(log.log);
  const bool is_new = before == nullptr || before->log.epoch < log.epoch;
  if (!homes_.learn(log, home)) return;
  if (is_new) heard(now, home.id);
  follow_home(now, log.log);
}

void Worker::follow_home(Time now, std::uint64_t log) {
  const LogHomes::Home* const home = homes_.find(log);
  if (!running_.follow(now, *home)) return;
  deadlines_.no_later(Timer::renew, now);
  deadlines_.no_later(Timer::outbox, outbox().next());
}

}  // namespace dunlin::sched
