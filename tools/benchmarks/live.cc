// SPDX-License-Identifier: MIT
#include "tools/benchmarks/live.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tools/benchmarks/cluster.h"
#include "tools/benchmarks/process.h"

// Real agents on this machine, against the cheapest thing that runs the same commands (xargs) in
// the same run: the machine's speed of the hour then falls out of the ratio.
namespace dunlin::bench {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// Processes that compute as long as this lives.
class Load {
 public:
  explicit Load(unsigned processes) {
    for (unsigned i = 0; i < processes; ++i) {
      // A loop of the shell itself: it starts no processes, so it takes CPU alone.
      processes_.push_back(spawn({"/bin/sh", "-c", "while :; do :; done"}));
    }
  }
  ~Load() {
    for (const pid_t process : processes_) {
      kill(process, SIGKILL);
      wait_for(process);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::vector<pid_t> processes_;
};

/// Has managers plan, if that is asked for, and waits for the first plan.
void begin_plan(const Cluster& cluster, const LiveOptions& options) {
  if (options.plan.empty()) return;
  run({cluster.dunlin(), "plan", "set", options.plan});
  // Managers plan once they have heard all members, or after a period.
  // What is measured is the cluster with its plan, not the making of the first one.
  for (int waited = 0; cluster.ask({"plan", "show"}).at("cells").empty(); ++waited) {
    if (waited == 60) throw std::runtime_error("no manager planned within a minute");
    std::this_thread::sleep_for(1s);
  }
}

/// Medians of the same number of runs of both.
struct Throughput {
  double tasks_per_s = 0;
  double xargs_per_s = 0;
  double ratio() const { return tasks_per_s / xargs_per_s; }
};

/// Tasks of `true` a second, and the best that xargs does of them at one of `widths`, in turns.
/// What both run does nothing, so that all of the time is what it costs to start and end tasks.
Throughput measure_throughput(
    const Cluster& cluster, const LiveOptions& options, const std::vector<std::string>& widths) {
  const std::string numbers = cluster.directory() + "/numbers";
  std::ofstream lines(numbers);
  for (unsigned i = 0; i < options.tasks; ++i) lines << i << '\n';
  lines.close();

  const std::string count = std::to_string(options.tasks);
  std::vector<double> ours;
  std::vector<double> theirs;
  // In turns, not one after the other: what else the machine does meets both alike.
  for (unsigned i = 0; i < options.repeat; ++i) {
    ours.push_back(options.tasks / seconds_of({cluster.dunlin(), "run", "--count", count, "true"}));
    // Which width is best depends on the machine, so xargs may choose.
    double best = 0;
    for (const auto& width : widths) {
      const double seconds = seconds_of({"xargs", "-n", "1", "-P", width, "true"}, numbers);
      best = std::max(best, options.tasks / seconds);
    }
    theirs.push_back(best);
    std::fprintf(stderr, "run %u of %u: %.0f tasks/s, xargs %.0f\n", i + 1, options.repeat,
        ours.back(), theirs.back());
  }
  // Medians: one disturbed run of a shared machine does not count.
  return {median(ours), median(theirs)};
}

/// Eight agents of one slot each.
Throughput measure_nodes(const LiveOptions& options) {
  const Cluster cluster(8, 1, options.settings);
  begin_plan(cluster, options);
  return measure_throughput(cluster, options, {"2", "4", "8"});
}

/// One agent of 8 slots: its warden starts them all. Beside `busy` computing processes.
Throughput measure_one_node(const LiveOptions& options, unsigned busy) {
  const Cluster cluster(1, 8, options.settings);
  begin_plan(cluster, options);
  const Load load(busy);
  return measure_throughput(cluster, options, {"8"});
}

json json_of(const Throughput& throughput) {
  return {{"tasks_per_s", throughput.tasks_per_s}, {"xargs_tasks_per_s", throughput.xargs_per_s},
      {"ratio", throughput.ratio()}};
}

/// Milliseconds from before the submit command is started to the first instruction of the task.
std::vector<double> measure_starts(const LiveOptions& options) {
  const Cluster cluster(8, 1, options.settings);
  begin_plan(cluster, options);
  const std::string stamps = cluster.directory() + "/stamps";
  // A program that writes the time first of all: a shell would add its own start.
  const std::string task = beside_this("dunlin-stamp");
  std::vector<double> begun;
  for (unsigned i = 0; i < options.starts; ++i) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    begun.push_back(std::chrono::duration<double, std::milli>(now).count());
    run({cluster.dunlin(), "submit", "--quiet", task, stamps});
    // One task at a time, and the next only when it has begun: it is the start that is measured,
    // not a queue.
    for (int waited = 0; std::ranges::count(read_file(stamps), '\n') <= i; ++waited) {
      // Else a task that is lost would hold up the benchmark for ever.
      if (waited == 5000) throw std::runtime_error("a task did not start within 5 s");
      std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(10ms);
  }
  std::istringstream lines(read_file(stamps));
  std::vector<double> delays;
  double nanoseconds = 0;
  for (const double begin : begun) {
    // In the order of the submits, as each waited for the one before.
    lines >> nanoseconds;
    delays.push_back(nanoseconds / 1e6 - begin);
  }
  return delays;
}

/// Of one agent with its warden: a mean over the cluster, but for what is sent.
struct Rest {
  double cpu_percent = 0;
  double rss_mib = 0;
  double bytes_per_s = 0;
};

/// One agent with its warden among 24, so that gossip messages are as long as in a large cluster.
Rest measure_rest(const LiveOptions& options) {
  constexpr unsigned kNodes = 24;
  const Cluster cluster(kNodes, 1, options.settings);
  begin_plan(cluster, options);
  std::this_thread::sleep_for(15s);  // Past the burst of getting to know each other.
  const auto processes = descendants_of(cluster.dev());
  const auto usage = [&] {
    double seconds = 0;
    for (const pid_t process : processes) seconds += cpu_of(process).count();
    return seconds;
  };
  const auto sent = [&] {
    return cluster.ask({"top"}).at("status").at("counters").at("datagram_bytes_sent").get<double>();
  };
  // Outside of the span of CPU time: the question costs the agent some.
  const double bytes_before = sent();
  const double before = usage();
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(options.rest_seconds));
  const double after = usage();
  const double bytes_after = sent();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double resident = 0;
  for (const pid_t process : processes) resident += resident_of(process);
  return {.cpu_percent = 100 * (after - before) / elapsed / kNodes,
      .rss_mib = resident / (1024 * 1024) / kNodes,
      .bytes_per_s = (bytes_after - bytes_before) / elapsed};
}

}  // namespace

void measure_live(const LiveOptions& options) {
  std::fprintf(stderr, "tasks of `true`: 8 agents against xargs -P 2, 4, 8 ...\n");
  const Throughput throughput = measure_nodes(options);
  std::fprintf(stderr, "1 agent of 8 slots against xargs -P 8 ...\n");
  const Throughput idle = measure_one_node(options, 0);
  std::fprintf(stderr, "the same beside two computing processes ...\n");
  const Throughput busy = measure_one_node(options, 2);
  std::fprintf(stderr, "start of %u single tasks ...\n", options.starts);
  const std::vector<double> starts = measure_starts(options);
  std::fprintf(stderr, "24 agents at rest for %u s ...\n", options.rest_seconds);
  const Rest rest = measure_rest(options);

  // Goals stand beside the figures, which are printed whether or not they are met: a benchmark
  // measures, and a person judges.
  const double p50 = percentile(starts, 50);
  const double p99 = percentile(starts, 99);
  std::printf("tasks of `true` through 8 agents   %8.0f /s\n", throughput.tasks_per_s);
  std::printf("the best of xargs -P 2, 4, 8       %8.0f /s\n", throughput.xargs_per_s);
  std::printf("ratio                              %8.2f    goal >= 1.0\n", throughput.ratio());
  std::printf("1 agent of 8 slots                 %8.0f /s\n", idle.tasks_per_s);
  std::printf("xargs -P 8                         %8.0f /s\n", idle.xargs_per_s);
  std::printf("ratio                              %8.2f    goal >= 1.0\n", idle.ratio());
  std::printf("the same beside 2 that compute     %8.0f /s\n", busy.tasks_per_s);
  std::printf("xargs -P 8                         %8.0f /s\n", busy.xargs_per_s);
  std::printf("ratio                              %8.2f    goal >= 1.0\n", busy.ratio());
  std::printf("submit to first instruction, p50   %8.2f ms goal <= 3\n", p50);
  std::printf("                             p99   %8.2f ms goal <= 10\n", p99);
  std::printf("an agent at rest: processor        %8.2f %%  goal <= 0.5\n", rest.cpu_percent);
  std::printf("                  memory           %8.1f MiB goal <= 20\n", rest.rss_mib);
  std::printf("                  sent             %8.0f B/s goal <= 4096\n", rest.bytes_per_s);
  if (options.json.empty()) return;
  const json figures = {{"schema", "dunlin.bench.live/1"}, {"settings", options.settings},
      {"plan", options.plan}, {"tasks_per_s", throughput.tasks_per_s},
      {"xargs_tasks_per_s", throughput.xargs_per_s}, {"ratio", throughput.ratio()},
      {"one_node", json_of(idle)}, {"one_node_busy", json_of(busy)},
      {"start_ms", {{"p50", p50}, {"p99", p99}}},
      {"rest",
          {{"cpu_percent", rest.cpu_percent}, {"rss_mib", rest.rss_mib},
              {"bytes_per_s", rest.bytes_per_s}}}};
  std::ofstream file(options.json);
  file << figures.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("can't write " + options.json);
}

}  // namespace dunlin::bench
