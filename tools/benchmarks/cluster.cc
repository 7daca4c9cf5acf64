// SPDX-License-Identifier: MIT
#include "tools/benchmarks/cluster.h"

#include <algorithm>
#include <filesystem>
#include <signal.h>
#include <stdexcept>
#include <stdlib.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "config/percentile.h"

// A cluster of agents on this machine, as `dunlin dev` makes it, in a directory of its own. It
// measures the programs beside this one, whatever is installed, and leaves nothing behind: agents
// end with the object, and so does their data.
namespace dunlin::bench {

using namespace std::chrono_literals;
using nlohmann::json;

// The programs of this very build: what is installed may be another.
std::string beside_this(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

double percentile(std::vector<double> values, double percent) {
  std::ranges::sort(values);
  return config::percentile_of(values, percent);
}

double median(std::vector<double> values) {
  return percentile(std::move(values), 50);
}

Cluster::Cluster(unsigned nodes, unsigned cpus, const std::vector<std::string>& settings)
    : dunlin_(beside_this("dunlin")) {
  char name[] = "/tmp/dunlin-bench-XXXXXX";
  if (mkdtemp(name) == nullptr) throw std::runtime_error("no temporary directory");
  directory_ = name;
  log_ = directory_ + "/dev.log";
  Command command = {dunlin_, "dev", "--nodes", std::to_string(nodes), "--cpus",
      std::to_string(cpus), "--data", directory_ + "/data"};
  for (const auto& setting : settings) command.insert(command.end(), {"--set", setting});
  // Its output, errors too, is read if it does not start.
  command.insert(command.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"});
  dev_ = spawn(command, "/dev/null", log_);
  // For all commands that are run from here on.
  setenv("DUNLIN_ADDRESS", address().c_str(), 1);
  setenv("USER", "bench", 0);  // Every terminal sets it.
  // The agents are up when they know each other, which takes gossip a while.
  for (int i = 0; i < 200; ++i, std::this_thread::sleep_for(100ms)) {
    if (up() == nodes) return;
  }
  throw std::runtime_error("the agents did not find each other within 20 s");
}

Cluster::~Cluster() {
  // Twice: the first has agents drain, the second ends that. Nothing here is worth waiting for.
  kill(dev_, SIGTERM);
  std::this_thread::sleep_for(100ms);
  kill(dev_, SIGTERM);
  wait_for(dev_);
  std::filesystem::remove_all(directory_);
}

json Cluster::ask(Command words) const {
  words.insert(words.begin(), dunlin_);
  words.push_back("--json");
  return json::parse(output_of(words));
}

std::string Cluster::address() const {
  for (int i = 0; i < 100; ++i, std::this_thread::sleep_for(100ms)) {
    const std::string text = read_file(log_);
    // As it prints for people to copy.
    const std::string mark = "DUNLIN_ADDRESS=";
    const std::size_t at = text.find(mark);
    // The line may be half written.
    if (at == std::string::npos || text.find('\n', at) == std::string::npos) continue;
    const std::size_t begin = at + mark.size();
    return text.substr(begin, text.find_first_of(" \n", begin) - begin);
  }
  throw std::runtime_error("`dunlin dev` did not start:\n" + read_file(log_));
}

std::size_t Cluster::up() const {
  try {
    const json nodes = ask({"nodes"});
    return static_cast<std::size_t>(std::ranges::count_if(
        nodes.at("nodes"), [](const json& node) { return node.at("state") == "up"; }));
  } catch (const std::exception&) {
    return 0;  // The first agent is not there yet.
  }
}

}  // namespace dunlin::bench
