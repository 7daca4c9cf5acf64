// SPDX-License-Identifier: MIT
#include "tools/benchmarks/client.h"

#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <dunlin/client.hpp>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <set>
#include <signal.h>
#include <stdexcept>
#include <stdlib.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tools/benchmarks/cluster.h"
#include "tools/benchmarks/process.h"

// What the client library promises, measured: a submit never waits for the agent, many jobs go
// faster than by a loop of the command line, and with an agent that is killed over and over each
// job is there once and tells each result once.
namespace dunlin::bench {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string job_of_true() {
  const std::vector<std::string> command = {"true"};
  return command_job(command, R"("demand":{"cpu_milli":100})");
}

/// The agent of a cluster of one, among the processes of `dunlin dev`: its warden has another line.
pid_t agent_of(const Cluster& cluster) {
  const std::string socket = "--socket=" + cluster.address();
  for (const pid_t process : descendants_of(cluster.dev())) {
    const std::string words = read_file("/proc/" + std::to_string(process) + "/cmdline");
    if (words.find(socket) != std::string::npos) return process;
  }
  throw std::runtime_error("the agent is not found");
}

/// Microseconds that submits take, one each millisecond, while the agent stands still.
std::vector<double> measure_submits(const ClientOptions& options) {
  const Cluster cluster(1, 8, {});
  dunlin::Client client({cluster.address()});
  // The first one, so that the conversation stands before the agent is stopped.
  client.submit(job_of_true()).wait();
  const pid_t agent = agent_of(cluster);
  // Stopped, not slow: a submit that waits for a reply in any way would take for ever, and be seen.
  kill(agent, SIGSTOP);
  std::vector<double> micros;
  std::vector<dunlin::Job> jobs;
  for (unsigned i = 0; i < options.submits; ++i) {
    const std::string text = job_of_true();
    const auto begin = Clock::now();
    jobs.push_back(client.submit(text));
    micros.push_back(seconds_since(begin) * 1e6);
    std::this_thread::sleep_for(1ms);
  }
  kill(agent, SIGCONT);
  for (const dunlin::Job& job : jobs) job.wait();
  return micros;
}

/// Of one run on one cluster, so that they may be divided by each other.
struct Rates {
  double acknowledged = 0;  ///< Jobs a second until all are acknowledged.
  double ended = 0;         ///< Jobs a second until all have ended.
  double loop = 0;          ///< Jobs a second of a loop of the command line, acknowledged.
  double bare = 0;          ///< Commands a second that xargs runs: no agent ends more jobs.
};

// One machine in one run: the loop, xargs and the library meet the same hour, so that the ratio of
// them says something even where the machine is slow.
Rates measure_rates(const ClientOptions& options) {
  const Cluster cluster(1, 8, {});
  Rates rates;
  auto begin = Clock::now();
  for (unsigned i = 0; i < options.loop; ++i) {
    // The same demand as the library's jobs.
    run({cluster.dunlin(), "submit", "--quiet", "--cpus", "0.1", "true"});
  }
  rates.loop = options.loop / seconds_since(begin);
  begin = Clock::now();
  const std::string cores = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
  run({"sh", "-c", "seq " + std::to_string(options.jobs) + " | xargs -n 1 -P " + cores + " true"});
  rates.bare = options.jobs / seconds_since(begin);
  dunlin::Client client({cluster.address()});
  begin = Clock::now();
  const std::vector<dunlin::Job> jobs =
      client.submit(std::vector<std::string>(options.jobs, job_of_true()));
  // All are acknowledged then, so this is the rate at which an agent takes jobs.
  client.flush();
  rates.acknowledged = options.jobs / seconds_since(begin);
  for (const dunlin::Job& job : jobs) job.wait();
  rates.ended = options.jobs / seconds_since(begin);
  return rates;
}

/// A port of loopback that nothing listens on: the kernel's choice, given back at once. Another
/// program might take it before the agent does, and then the agent tells so.
unsigned free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  const bool bound = ::bind(socket, plain, size) == 0 && ::getsockname(socket, plain, &size) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

/// An agent of its own that is killed and started again every 2 s.
class DyingAgent {
 public:
  explicit DyingAgent(const std::string& directory) : socket_(directory + "/agent.sock") {
    const std::string key = directory + "/key";
    run({beside_this("dunlin"), "keygen", "--output", key});
    command_ = {beside_this("dunlin"), "agent", "--die-with-parent", "--name=a",
        // With the benchmark, however that ends, the agent goes.
        "--data-dir=" + directory + "/data", "--socket=" + socket_, "--key-file=" + key,
        "--bind=127.0.0.1:" + std::to_string(free_port()), "--cpus=8", "--log-level=error"};
    agent_ = spawn(command_);
    // A thread of its own: the client's calls must meet an agent that dies in the midst of them.
    killer_ = std::thread([this] { live(); });
  }
  ~DyingAgent() {
    // First the word, then the thread: it may be about to start the agent once more.
    over_ = true;
    killer_.join();
    kill(agent_, SIGTERM);
    wait_for(agent_);
  }
  DyingAgent(const DyingAgent&) = delete;
  DyingAgent& operator=(const DyingAgent&) = delete;

  const std::string& socket() const { return socket_; }
  unsigned deaths() const { return deaths_; }
  /// It lives on from now on.
  void spare() { spared_ = true; }

 private:
  void live() {
    // Looked at a hundred times a second, so that the end of the benchmark is not 2 s late.
    for (auto next = Clock::now() + 2s; !over_; std::this_thread::sleep_for(10ms)) {
      if (Clock::now() < next || spared_) continue;
      kill(agent_, SIGKILL);
      wait_for(agent_);
      agent_ = spawn(command_);
      ++deaths_;
      next += 2s;
    }
  }

  std::string socket_;
  Command command_;
  pid_t agent_ = 0;
  std::atomic<bool> over_ = false;
  std::atomic<bool> spared_ = false;
  std::atomic<unsigned> deaths_ = 0;
  std::thread killer_;
};

/// `jobs`, `stored` and `results` are equal if nothing is lost and nothing is done twice.
struct Kills {
  unsigned deaths = 0;
  std::size_t jobs = 0;     ///< That the program knows, by their ids.
  std::size_t stored = 0;   ///< That the agent has.
  std::size_t results = 0;  ///< That were told.
};

Kills measure_kills(const ClientOptions& options) {
  char name[] = "/tmp/dunlin-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("no temporary directory");
  Kills kills;
  {
    DyingAgent agent(name);
    dunlin::Client client({agent.socket()});
    std::vector<dunlin::Job> jobs;
    for (unsigned i = 0; i < options.submits; ++i) {
      jobs.push_back(client.submit(job_of_true(), /*with_results=*/true));
      // Spread over several lives of the agent: 2000 submits take 10 s.
      std::this_thread::sleep_for(5ms);
    }
    client.flush();
    // On a busy machine 2 s may be too short a life to place what is left.
    agent.spare();
    std::set<std::string> ids;
    for (const dunlin::Job& job : jobs) {
      job.wait();
      ids.insert(job.id());
      while (job.next_result()) ++kills.results;
    }
    kills.deaths = agent.deaths();
    kills.jobs = ids.size();
    // `--here` and a limit of 1: the number of jobs is wanted, not a list of them from all nodes.
    const json told = json::parse(output_of({beside_this("dunlin"), "jobs", "--address",
        agent.socket(), "--all", "--here", "--limit", "1", "--json"}));
    kills.stored = told.at("matching").get<std::size_t>();
  }
  // After the scope above: the agent has ended, and writes there no more.
  std::filesystem::remove_all(name);
  return kills;
}

}  // namespace

void measure_client(const ClientOptions& options) {
  std::fprintf(stderr, "%u submits to an agent that stands still ...\n", options.submits);
  const std::vector<double> micros = measure_submits(options);
  std::fprintf(stderr, "%u jobs against a loop of `dunlin submit` ...\n", options.jobs);
  const Rates rates = measure_rates(options);
  std::fprintf(stderr, "%u submits while the agent is killed every 2 s ...\n", options.submits);
  const Kills kills = measure_kills(options);

  const double p50 = percentile(micros, 50);
  const double p99 = percentile(micros, 99);
  const double ratio = rates.acknowledged / rates.loop;
  std::printf("a submit while the agent is stopped, p50   %8.1f us\n", p50);
  std::printf("                                     p99   %8.1f us goal <= 100\n", p99);
  std::printf("jobs of one task, acknowledged             %8.0f /s\n", rates.acknowledged);
  std::printf("jobs of one task, ended                    %8.0f /s\n", rates.ended);
  std::printf("a loop of `dunlin submit --quiet`          %8.0f /s\n", rates.loop);
  std::printf("ratio, of those acknowledged               %8.1f    goal >= 10\n", ratio);
  std::printf("xargs, the same commands without an agent  %8.0f /s\n", rates.bare);
  std::printf("kills of the agent                         %8u\n", kills.deaths);
  std::printf(
      "jobs, of %-6u submitted meanwhile         %8zu    goal: all\n", options.submits, kills.jobs);
  std::printf("jobs that the agent has                    %8zu    goal: no more\n", kills.stored);
  std::printf("results that were told                     %8zu    goal: as many\n", kills.results);
  if (options.json.empty()) return;
  const json figures = {{"schema", "dunlin.bench.client/1"},
      {"submit_us", {{"p50", p50}, {"p99", p99}}}, {"acknowledged_per_s", rates.acknowledged},
      {"ended_per_s", rates.ended}, {"loop_per_s", rates.loop}, {"ratio", ratio},
      {"xargs_per_s", rates.bare},
      {"kills",
          {{"deaths", kills.deaths}, {"jobs", kills.jobs}, {"stored", kills.stored},
              {"results", kills.results}}}};
  std::ofstream file(options.json);
  file << figures.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("can't write " + options.json);
}

}  // namespace dunlin::bench
