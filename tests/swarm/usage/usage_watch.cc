// SPDX-License-Identifier: MIT
#include "tests/swarm/usage/usage_watch.h"

#include <algorithm>
#include <string>
#include <variant>

#include "sched/logs/log_part.h"
#include "sched/logs/part_view.h"
#include "sched/logs/peer_logs.h"
#include "sched/peer_view.h"
#include "sched/replica/codec_record.h"
#include "sched/usage/usage_report.h"

namespace dunlin::test {
namespace {

using sched::UsageSums;

/// What may depend on estimates is left out.
UsageSums counted(UsageSums sums) {
  sums.cpu_held = sums.cpu_wasted = sums.memory_held = sums.gpu_held = 0;
  return sums;
}

std::string text_of_sums(const UsageSums& sums) {
  return std::to_string(sums.jobs) + " jobs, " + std::to_string(sums.tasks) + " tasks, " +
      std::to_string(sums.failed) + " failed, " + std::to_string(sums.preempted) + " preempted, " +
      std::to_string(sums.lost) + " lost, " + std::to_string(sums.cpu_used) + " us of CPU";
}

/// A job of it is history: then the store of its home has its records no more.
bool has_forgotten(const sched::replica::Log& log) {
  for (std::uint64_t i = 1; i <= log.end(); ++i) {
    const auto records = sched::replica::decode_records(log.at(i).records);
    if (!records) continue;
    const auto forgets = [](const sched::replica::Record& record) {
      return std::holds_alternative<sched::replica::ForgetJob>(record);
    };
    if (std::ranges::any_of(*records, forgets)) return true;
  }
  return false;
}

}  // namespace

void UsageWatch::look() {
  if (!world_.failure().empty()) return;
  for (std::size_t node = 0; node < world_.size(); ++node) {
    const MemoryStore& store = world_.store(node);
    const auto apart = store.usage().find(0);
    const UsageSums told =
        apart == store.usage().end() ? UsageSums{} : counted(apart->second.table.total());
    const UsageSums truth = store.used_without_replicas();
    if (told != truth) {
      return world_.fail("the usage of node " + std::to_string(node + 1) + " is " +
          text_of_sums(told) + "; its records say " + text_of_sums(truth));
    }
    look_at_logs(node);
  }
}

void UsageWatch::look_at_logs(std::size_t node) {
  if (!world_.up(node) || world_.peer(node).logs() == nullptr) return;
  for (const auto& part : world_.peer(node).logs()->parts().all()) {
    const sched::Frontend* const home = part->frontend();
    if (home == nullptr || !may_tell(*part, part->copy().log().end())) continue;
    if (has_forgotten(part->copy().log())) continue;
    // All nodes answer, those with sums of an earlier office of theirs, too.
    sched::UsageReport report;
    for (std::size_t other = 0; other < world_.size(); ++other) {
      const auto& usage = world_.store(other).usage();
      const auto found = usage.find(part->facts().log);
      if (found == usage.end()) continue;
      report.add({.log = found->first,
          .epoch = found->second.epoch,
          .lines = {{"all", found->second.table.total()}}});
    }
    const auto lines = report.lines();
    UsageSums told = lines.empty() ? UsageSums{} : counted(lines.begin()->second);
    UsageSums truth;
    bool any_retried = false;
    for (const auto& [number, job] : home->jobs()) {
      sched::add(truth, world_.store(node).used(job.id()));
      any_retried = any_retried || deeds_.is_retried(job.id());
    }
    // A store that was made of a log knows the last retry of a task alone, and no loss of the
    // attempt whose result it was.
    if (any_retried) {
      told.tasks = truth.tasks;
      told.lost = truth.lost;
    }
    if (home->office().epoch > 1) ++taken_over_;
    if (told == truth) continue;
    return world_.fail("the usage of log " + std::to_string(part->facts().log) + " is " +
        text_of_sums(told) + "; the records of its home, node " + std::to_string(node + 1) +
        ", say " + text_of_sums(truth));
  }
}

}  // namespace dunlin::test
