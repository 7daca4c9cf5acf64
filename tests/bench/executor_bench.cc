// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "node/codec.h"
#include "node/store/store.h"
#include "node/task/executor.h"
#include "node/task/warden_process.h"

// The rate at which executors start and reap `true`, against xargs in the same run, and the cost of
// a commit of the store. CPU per task is the steadier figure on a machine that does other things
// too.
//
//     executor_bench [tasks] [directory]
namespace dunlin::node {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double cpu_of(int who) {
  rusage used{};
  ::getrusage(who, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Speed {
  double per_second = 0;
  double cpu_us = 0;  ///< Per task: starter, agent's side and task together.
};

Speed measure(int tasks, const std::function<void()>& run) {
  const double cpu = cpu_of(RUSAGE_CHILDREN) + cpu_of(RUSAGE_SELF);
  const auto begin = Clock::now();
  run();
  const double took = seconds_since(begin);
  const double used = cpu_of(RUSAGE_CHILDREN) + cpu_of(RUSAGE_SELF) - cpu;
  return {.per_second = tasks / took, .cpu_us = used * 1e6 / tasks};
}

/// `count` executors, each with its warden and `slots` tasks at a time, on one loop.
void run_executors(
    const std::string& directory, int count, int slots, int tasks, const std::string& limits) {
  uv_loop_t loop;
  uv_loop_init(&loop);
  TaskSpec spec;
  spec.command = {{"true"}};
  sched::Launch launch{.task = {.job = {.home = {1}, .number = 1}},
      .demand = {.cpu = 1000},
      .job_name = {},
      .spec = {},
      .entry = {}};
  encode(spec, launch.spec);
  std::vector<std::unique_ptr<OutputStore>> outputs;
  std::vector<std::unique_ptr<ProcessExecutor>> executors;
  int started = 0;
  int ended = 0;
  const auto start = [&](std::size_t executor) {
    if (started == tasks) return;
    launch.task.index = static_cast<std::uint32_t>(started++);
    executors[executor]->start(launch);
  };
  for (int i = 0; i < count; ++i) {
    const auto place = directory + "/" + limits + std::to_string(i);
    std::filesystem::create_directories(place);
    outputs.push_back(
        std::make_unique<OutputStore>(OutputStore::open({.directory = place + "/output"}).value()));
    auto executor = ProcessExecutor::open(loop, *outputs.back(),
        {.node_name = "bench",
            .directory = place + "/scratch",
            .warden = find_warden().value(),
            .warden_directory = place + "/warden",
            .label = "bench-" + std::to_string(::getpid()) + "-" + std::to_string(i),
            .limits = limits},
        {.exited = [&, i](const sched::JobId& job, const sched::Report& report) {
          ensure(report.outcome == sched::Outcome::exited && report.status == 0, "true failed");
          ++ended;
          executors[static_cast<std::size_t>(i)]->forget({job, report.index}, report.attempt);
          start(static_cast<std::size_t>(i));
        }});
    if (!executor) {
      std::printf("%s\n", executor.error().text.c_str());
      std::exit(1);
    }
    executors.push_back(std::move(*executor));
  }
  for (int slot = 0; slot < slots; ++slot) {
    for (std::size_t i = 0; i < executors.size(); ++i) start(i);
  }
  while (ended < tasks) uv_run(&loop, UV_RUN_ONCE);
  executors.clear();
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
}

void run_xargs(int parallel, int tasks) {
  const auto line =
      "seq " + std::to_string(tasks) + " | xargs -n1 -P" + std::to_string(parallel) + " true";
  if (std::system(line.c_str()) != 0) std::exit(1);
}

void bench_commits(const std::string& directory) {
  for (const auto& [word, mode] :
      {std::pair{"full", Synchronous::full}, std::pair{"normal", Synchronous::normal}}) {
    const auto place = directory + "/store-" + word;
    auto store = SqliteStore::open(place, mode).value();
    sched::Job job;
    job.id = {.home = {1}, .number = 1};
    job.groups.resize(1);
    job.groups[0].count = 1'000'000;
    store->jobs().put_job(job);
    ensure(store->commit().has_value(), "commit");
    std::vector<double> costs;
    std::uint32_t index = 0;
    for (int turn = 0; turn < 300; ++turn) {
      for (int i = 0; i < 8; ++i) {
        store->jobs().put_report(job.id, {.index = index++, .attempt = 1, .detail = {}}, {2}, true);
      }
      const auto begin = Clock::now();
      ensure(store->commit().has_value(), "commit");
      costs.push_back(seconds_since(begin) * 1e3);
    }
    std::ranges::sort(costs);
    std::printf("commit of 8 reports, synchronous %-6s  p50 %6.2f ms  p99 %6.2f ms\n", word,
        costs[costs.size() / 2], costs[costs.size() * 99 / 100]);
  }
}

int bench(int tasks, const std::string& directory) {
  double best = 0;
  double cheapest = 1e9;
  for (const int parallel : {2, 4, 8}) {
    const Speed speed = measure(tasks, [&] { run_xargs(parallel, tasks); });
    best = std::max(best, speed.per_second);
    cheapest = std::min(cheapest, speed.cpu_us);
    std::printf("xargs -P%d                    %6.0f tasks/s  %5.0f us CPU/task\n", parallel,
        speed.per_second, speed.cpu_us);
  }
  for (const std::string limits : {"auto", "rlimit"}) {
    for (const int count : {1, 2, 4, 8}) {
      const Speed speed =
          measure(tasks, [&] { run_executors(directory, count, 2, tasks, limits); });
      std::printf(
          "%d wardens x 2, limits %-6s  %6.0f tasks/s  %5.0f us CPU/task   %.2f x, CPU %.2f x\n",
          count, limits.c_str(), speed.per_second, speed.cpu_us, speed.per_second / best,
          cheapest / speed.cpu_us);
    }
  }
  bench_commits(directory);
  return 0;
}

}  // namespace
}  // namespace dunlin::node

int main(int count, char** arguments) {
  const int tasks = count > 1 ? std::atoi(arguments[1]) : 5000;
  std::string directory =
      (count > 2 ? std::filesystem::path(arguments[2]) : std::filesystem::temp_directory_path()) /
      "dunlin-bench-XXXXXX";
  if (tasks <= 0 || ::mkdtemp(directory.data()) == nullptr) return 2;
  const int status = dunlin::node::bench(tasks, directory);
  std::filesystem::remove_all(directory);
  return status;
}
