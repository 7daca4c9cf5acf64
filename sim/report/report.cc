// SPDX-License-Identifier: MIT
#include "sim/report/report.h"

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "config/percentile.h"
#include "sched/cell/plan_member.h"
#include "sim/measure/lateness.h"
#include "sim/measure/units.h"
#include "sim/report/master_counts.h"
#include "sim/report/resource_report.h"
#include "sim/report/write_file.h"

// A run for a person: what was asked first (delays and completions), then what became of jobs, then
// what it cost. A line is left out where its figure means nothing for the run, and whatever is
// missing from the figures is said in words, because a mean without the jobs that never ended
// flatters.
namespace dunlin::sim {
namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...) {
  std::array<char, 256> text;
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string row(const char* name, const Sample& sample) {
  std::string line = format("%-24s", name);
  const auto add = [&](std::optional<Duration> value) {
    line += format("%9s", short_or_dash(value).c_str());
  };
  add(sample.mean());
  for (const double percent : {50.0, 90.0, 95.0, 99.0}) add(sample.percentile(percent));
  add(sample.max());
  return line + "\n";
}

std::string row(const char* name, const std::string& text) {
  return format("%-24s  ", name) + text + "\n";
}

/// "placement adaptive", "scheduler omniscient".
std::string scheduler_of(const Scenario& scenario) {
  const auto word = [](const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    return std::string(overlay::kWords<Value>[static_cast<std::size_t>(value)]);
  };
  // Under these words manuals and results speak of them.
  if (scenario.baseline.scheduler != Scheduler::dunlin) {
    return "scheduler " + word(scenario.baseline.scheduler);
  }
  return "placement " + word(scenario.peer.frontend.placement);
}

/// The shares that classes got of the cluster, and the messages that this cost.
std::string sharing_rows(const Simulation& run) {
  if (!run.sharing().watches()) return "";
  const auto shared = run.shared();
  const auto classes = classes_of(run.scenario().classes);
  std::string text;
  for (std::size_t j = 0; j < classes->size(); ++j) {
    text += (j > 0 ? ", " : "") +
        format("%s %.1f %% (%.1f %%)", (*classes)[j].name.c_str(), 100 * shared.occupied[j],
            100 * shared.desired[j]);
  }
  std::string rows = row("occupied (share)", text);
  rows += row("cells",
      format("%.1f messages/s of a peer, %.0f of the busiest", shared.mean_messages_per_s,
          shared.busiest_messages_per_s));
  return rows;
}

/// What became of deadlines, and of priorities if plans are measured.
std::string deadline_rows(const Simulation& run) {
  std::string rows;
  const Lateness late = lateness_of(run.recorder(), run.ended());
  if (late.jobs > 0) {
    rows += row("deadlines",
        format("%s of %s missed, %s by more than 1 s, the latest by %.1f s; penalty %.1f",
            grouped(late.missed).c_str(), grouped(late.jobs).c_str(),
            grouped(late.missed_1s).c_str(), late.max_s, late.penalty));
  }
  if (!run.recorder().plans().measures()) return rows;
  const PlanMeter::Result plans = run.recorder().plans().result();
  const std::string by_plan = plans.by_plan ? format("%.4f by plan, ", *plans.by_plan) : "";
  rows += row("priorities violated", by_plan + format("%.4f by what ran", plans.by_running));
  if (plans.plans == 0) return rows;
  return rows +
      row("plans",
          format("%s, %s slots moved, %s tasks preempted (%.1f %% of run time lost)",
              grouped(plans.plans).c_str(), grouped(plans.moved).c_str(),
              grouped(plans.preemptions).c_str(), 100 * plans.lost_share));
}

/// What became of the jobs.
std::string job_rows(const Simulation& run) {
  const auto& counts = run.recorder().counts();
  const Fates& all = run.fates_of_all();
  const Fates& fates = run.fates();
  const Offered offered = run.offered();
  std::string text = grouped(counts.jobs) + ", of which " +
      grouped(fates.finished + fates.cancelled) + " measured, " + grouped(all.unfinished) +
      " unfinished";
  if (all.lost > 0) text += ", " + grouped(all.lost) + " lost";
  std::string rows = row("jobs", text);
  const std::uint64_t missing =
      fates.unfinished + fates.lost + counts.measured_refused + offered.measured_held;
  // Those that ended are the quick ones: a mean of them alone flatters.
  if (missing > 0) {
    rows += row("not in these figures",
        grouped(missing) + " measured jobs: " + grouped(fates.unfinished) + " unfinished, " +
            grouped(fates.lost) + " lost, " + grouped(counts.measured_refused) + " refused, " +
            grouped(offered.measured_held) + " held back");
  }
  if (counts.jobs_refused > 0) {
    rows +=
        row("refused", grouped(counts.jobs_refused) + " jobs; the first: " + counts.first_refusal);
  }
  return rows;
}

/// How the percentiles above it were taken.
std::string rule_of_percentiles(const Recorder& recorder) {
  const Measures& all = recorder.of(JobClass::all);
  const bool exact = all.queueing_delay.exact() && all.completion.exact();
  return std::string("p50 to p99: ") + config::kPercentileRule + (exact ? "" : ", exact to 0.4 %") +
      "\n";
}

/// What masters did, and the parts of allocations, if there are masters.
std::string master_rows(const Simulation& run) {
  const auto counts = master_counts(run);
  if (!counts) return "";
  const std::uint64_t tasks = run.recorder().counts().tasks;
  std::string rows = row("masters",
      format("%s global, %s local; %.3f of matches missed; %.4f inconsistencies per task",
          grouped(counts->masters).c_str(), grouped(counts->local_masters).c_str(),
          ratio(counts->misses, counts->matches + counts->misses),
          ratio(counts->inconsistencies(), tasks)));
  rows += row("",
      format("%s internal, %s external; %s repairs, %s repartitions",
          grouped(counts->internal).c_str(), grouped(counts->external).c_str(),
          grouped(counts->repairs).c_str(), grouped(counts->repartitions).c_str()));
  if (counts->preemption_attempts > 0) {
    rows += row("",
        format("%s of %s preemptions granted", grouped(counts->preemptions).c_str(),
            grouped(counts->preemption_attempts).c_str()));
  }
  const AllocationSamples& parts = run.recorder().allocations();
  if (parts.framework_queue.count() == 0) return rows;
  return rows +
      row("allocation (means)",
          "framework queue " + short_or_dash(parts.framework_queue.mean()) + ", local queue " +
              short_or_dash(parts.local_queue.mean()) + ", processing " +
              short_or_dash(parts.processing.mean()) + ", worker queue " +
              short_or_dash(parts.worker_queue.mean()) + ", communication " +
              short_or_dash(parts.communication.mean()));
}

std::string heading(const Scenario& scenario) {
  const auto& cluster = scenario.cluster;
  std::string text = scenario.title.empty() ? "" : scenario.title + "\n";
  const auto& workload = scenario.workload;
  std::string demand = scenario.trace.file;
  if (workload.kind == WorkloadKind::classes) {
    demand = "classes that always want more";
  } else if (!is_trace(workload.kind)) {
    demand = "load ";
    demand += overlay::number_text(workload.load);
  }
  text += grouped(cluster.peers) + " peers x " + overlay::number_text(cluster.cpus) + " CPUs, ";
  text += demand + ", " + scheduler_of(scenario) + ", seed " +
      std::to_string(scenario.simulation.seed) + ", dunlin " DUNLIN_VERSION "\n";
  return text;
}

}  // namespace

std::string short_text(Duration duration) {
  constexpr std::array kUnits = {"ns", "us", "ms", "s"};
  double value = static_cast<double>(duration.count());
  std::size_t unit = 0;
  // At 999.5 and not 1000, because three digits round up there.
  while (std::abs(value) >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  const double size = std::abs(value);
  const int digits = unit == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return format("%.*f %s", digits, value, kUnits[unit]);
}

std::string short_or_dash(std::optional<Duration> duration) {
  return duration ? short_text(*duration) : "-";
}

std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t i = text.size(); i > 3;) text.insert(i -= 3, 1, ',');
  return text;
}

/// What the peers of a run sent each other, and what cells cost.
std::string message_rows(const Simulation& run) {
  const auto& counts = run.recorder().counts();
  const auto work = run.cluster().traffic().work();
  const auto gossip = run.cluster().traffic().gossip();
  // As if all peers lived from the first moment on: joining is short beside a run.
  const double peer_seconds =
      run.scenario().cluster.peers * in_seconds(run.ended().time_since_epoch());
  std::string text = row("messages",
      format("%.2f per task (%.0f bytes each), all but gossip", ratio(work.messages, counts.tasks),
          ratio(work.bytes(), work.messages)));
  text += row("gossip",
      format("%.2f messages per peer and second (%.0f bytes each)",
          static_cast<double>(gossip.messages) / peer_seconds,
          ratio(gossip.bytes(), gossip.messages)));
  text += row("reservations",
      format("%.2f sent, %.2f forwarded, %.2f queued per task; %s lost",
          ratio(counts.probes_sent, counts.tasks),
          ratio(counts.reservations_forwarded, counts.tasks),
          ratio(counts.reservations_queued, counts.tasks), grouped(counts.probes_lost).c_str()));
  return text + sharing_rows(run);
}

std::string table_of(const Simulation& run) {
  const Recorder& recorder = run.recorder();
  const auto& counts = recorder.counts();
  std::string text = heading(run.scenario()) + "\n";
  text += format("%-24s%9s%9s%9s%9s%9s%9s\n", "", "mean", "p50", "p90", "p95", "p99", "max");
  text += row("queueing delay", recorder.all().queueing_delay);
  text += row("job response", recorder.all().response);
  text += row("  over longest", recorder.all().excess);
  for (std::size_t i = 0; i < kJobClasses; ++i) {
    const auto which = static_cast<JobClass>(i);
    if (!recorder.tells(which)) continue;
    const std::string word(overlay::kWords<JobClass>[i]);
    text += row((word + ": completion").c_str(), recorder.of(which).completion);
    text += row((word + ": delay").c_str(), recorder.of(which).delay);
  }
  text += rule_of_percentiles(recorder) + "\n";
  text += job_rows(run);
  if (run.left_out() > 0) {
    text += row("left out", grouped(run.left_out()) + " jobs: no machine can run them");
  }
  text += row("tasks",
      grouped(counts.tasks) + ", of which " + grouped(counts.tasks_succeeded) + " succeeded; " +
          grouped(counts.attempts_lost) + " attempts lost");
  if (const auto used = recorder.utilisation()) {
    text += row("utilisation", format("%.1f %%", 100 * *used));
  }
  text += deadline_rows(run) + resource_rows(run);
  if (const auto nodes = recorder.nodes()) {
    const std::string balance =
        nodes->load_balance ? format("; load balance %.3f", *nodes->load_balance) : "";
    text += row("served by a machine",
        format(
            "%.2f tasks/s (%.2f to %.2f)", nodes->mean_per_s, nodes->min_per_s, nodes->max_per_s) +
            balance);
  }
  text += master_rows(run);
  // A baseline sends no gossip and has no cells: there is nothing more to say of it.
  if (run.baseline() != nullptr) {
    text +=
        row("messages", format("%.2f per task", ratio(run.baseline()->messages(), counts.tasks)));
    return text;
  }
  return text + message_rows(run);
}

std::string cost_of(const Simulation& run) {
  const Cost& cost = run.cost();
  const double simulated = in_seconds(run.ended().time_since_epoch());
  return format(
      "%.1f simulated seconds in %.2f s (%.2f s of CPU: %s events, %.2f M/s), %.0f MB, "
      "%.1f KB a peer\n",
      simulated, cost.wall_s, cost.cpu_s, grouped(cost.events).c_str(), cost.events_per_s() / 1e6,
      static_cast<double>(cost.peak_bytes) / 1e6,
      static_cast<double>(cost.peak_bytes) / 1e3 / run.scenario().cluster.peers);
}

}  // namespace dunlin::sim
