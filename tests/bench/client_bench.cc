// SPDX-License-Identifier: MIT
// How long a submit takes, and how many jobs a client gets through. By hand, with an agent that the
// caller started: client_bench SOCKET latency PID | jobs COUNT
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dunlin/client.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string job() {
  const std::vector<std::string> command = {"true"};
  return dunlin::command_job(command, R"("demand":{"cpu_milli":100})");
}

/// The times that submits take while the agent stands still, one each millisecond.
int measure_latency(dunlin::Client& client, pid_t agent) {
  constexpr std::size_t kSubmits = 2000;
  client.submit(job()).wait();
  ::kill(agent, SIGSTOP);
  std::vector<double> micros;
  std::vector<dunlin::Job> jobs;
  for (std::size_t i = 0; i < kSubmits; ++i) {
    const std::string text = job();
    const auto begin = Clock::now();
    jobs.push_back(client.submit(text));
    micros.push_back(seconds_since(begin) * 1e6);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(agent, SIGCONT);
  std::ranges::sort(micros);
  std::printf("submit: p50 %.1f us, p99 %.1f us, max %.1f us\n", micros[kSubmits / 2],
      micros[kSubmits * 99 / 100], micros.back());
  client.flush();
  for (const dunlin::Job& each : jobs) each.cancel();
  return 0;
}

/// Jobs of one task, from the first submit until all are acknowledged, and until all have ended.
int measure_jobs(dunlin::Client& client, std::size_t count) {
  const auto begin = Clock::now();
  const std::vector<dunlin::Job> jobs = client.submit(std::vector<std::string>(count, job()));
  client.flush();
  const double submitted = seconds_since(begin);
  for (const dunlin::Job& each : jobs) each.wait();
  const double ended = seconds_since(begin);
  std::printf("%zu jobs: acknowledged in %.2f s (%.0f/s), ended in %.2f s (%.0f/s)\n", count,
      submitted, static_cast<double>(count) / submitted, ended, static_cast<double>(count) / ended);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    dunlin::Client client({argv[1]});
    const std::string what = argv[2];
    if (what == "latency") return measure_latency(client, std::atoi(argv[3]));
    if (what == "jobs") return measure_jobs(client, std::strtoul(argv[3], nullptr, 10));
  } catch (const dunlin::ClientError& error) {
    std::fprintf(stderr, "client_bench: %s\n", error.what());
    return 1;
  }
  return 2;
}
