// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <uv.h>
#include <vector>

#include "node/entry.h"
#include "node/loop/handle.h"
#include "overlay/result.h"

namespace dunlin::node {

/// One agent of `dunlin dev`.
struct DevAgent {
  std::string name;
  std::string directory;
  std::string socket;
  std::string address;
  int pid = 0;
  Handle<uv_process_t> process;
};

/// Agents of one machine, as child processes that die with this one.
class DevCluster {
 public:
  DevCluster(uv_loop_t& loop, const DevCommand& command, std::string home, std::string key);
  ~DevCluster();
  DevCluster(const DevCluster&) = delete;
  DevCluster& operator=(const DevCluster&) = delete;

  /// Spawns all agents, and waits until each listens. Fails if one does not: the caller then calls
  /// stop() and runs the loop.
  Result<void> start();
  /// Asks all to stop; the second time, at once. The loop ends when the last has.
  void stop();

  const std::vector<DevAgent>& agents() const { return agents_; }
  /// 0, or 1 if an agent ended by itself.
  int status() const { return status_; }

 private:
  std::vector<std::string> arguments_of(const DevAgent& agent) const;
  Result<void> spawn(DevAgent& agent);
  Result<void> wait_until_ready();
  void on_exit(uv_process_t& process, std::int64_t status, int signal);

  uv_loop_t& loop_;
  DevCommand command_;
  std::string home_;
  std::string key_;
  std::vector<DevAgent> agents_;
  std::size_t running_ = 0;
  int stops_ = 0;
  int status_ = 0;
  Handle<uv_signal_t> interrupt_ = make_handle<uv_signal_t>();
  Handle<uv_signal_t> term_ = make_handle<uv_signal_t>();
};

}  // namespace dunlin::node
