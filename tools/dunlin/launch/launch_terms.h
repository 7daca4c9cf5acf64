// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "overlay/result.h"

namespace dunlin::cli {

/// What is done with hosts.
enum class LaunchVerb { launch, status, stop, upgrade, remove };

/// One of the programs that travel.
struct LaunchProgram {
  std::string name;
  std::string sum;    ///< SHA-256, in hex.
  std::string bytes;  ///< The file itself: it goes to many hosts at once.
};

/// The programs of this build: dunlin, dunlin-agent and dunlin-warden.
struct LaunchPrograms {
  std::string hash;  ///< Of all of them: the name of their directory on a host.
  std::string arch;  ///< As uname -m tells it.
  std::string libc;  ///< "glibc 2.36" of this machine.
  std::vector<LaunchProgram> files;
};

/// What a launch says to all hosts alike.
struct LaunchTerms {
  LaunchVerb verb = LaunchVerb::launch;
  std::string cluster;
  std::string directory;              ///< As --dir says; empty: each host chooses.
  std::vector<std::string> settings;  ///< KEY=VALUE of every agent.
  LaunchPrograms programs;
  std::string key;       ///< The text of the key file; empty: hosts must have it already.
  std::string key_file;  ///< Where this desk keeps it.
  /// Addresses of agents that were up before, between commas: the first agent that is started asks
  /// them, too, since some that cannot be reached by ssh may live.
  std::string known;
  bool drain = false;                ///< `stop` lets tasks end.
  bool dry_run = false;              ///< Look, and say what would be done.
  std::chrono::seconds timeout{30};  ///< Of each step on a host.
};

/// Reads the programs in `folder` or, if it is empty, those beside this one. Fails with
/// `not_found`, naming the cure.
Result<LaunchPrograms> read_programs(const std::string& folder);

}  // namespace dunlin::cli
