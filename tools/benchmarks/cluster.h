// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <sys/types.h>
#include <vector>

#include "tools/benchmarks/process.h"

namespace dunlin::bench {

/// The path of a program that was built along with this one.
std::string beside_this(const std::string& name);

/// As config/percentile.h has it. Requires a value.
double percentile(std::vector<double> values, double percent);
double median(std::vector<double> values);

/// The agents of `dunlin dev`, which run as long as this lives. Throws std::runtime_error.
class Cluster {
 public:
  /// Starts `nodes` agents with so many CPUs each; `settings` as for `dunlin dev --set`. Returns
  /// when they know each other. It sets DUNLIN_ADDRESS of this process, so one cluster at a time is
  /// asked.
  Cluster(unsigned nodes, unsigned cpus, const std::vector<std::string>& settings);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  const std::string& dunlin() const { return dunlin_; }
  const std::string& directory() const { return directory_; }
  pid_t dev() const { return dev_; }
  /// The socket of the first agent.
  std::string address() const;
  /// What `dunlin WORDS --json` prints. Throws if it fails.
  nlohmann::json ask(Command words) const;

 private:
  /// Nodes that the first agent holds for up; 0 while it does not answer.
  std::size_t up() const;

  std::string dunlin_;
  std::string directory_;
  std::string log_;
  pid_t dev_ = 0;
};

}  // namespace dunlin::bench
