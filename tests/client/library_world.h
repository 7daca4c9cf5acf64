// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdio>
#include <dunlin/client.hpp>
#include <gmock/gmock.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include "tests/node/agent_world.h"

namespace dunlin::node {

/// A real agent, and programs that speak to it by the library.
class LibraryWorld : public AgentWorld {
 protected:
  LibraryWorld() { add("a").wait_until_up(); }

  TestAgent& agent() { return *agents.front(); }
  /// A client of that agent.
  dunlin::Client open() { return dunlin::Client({agent().socket()}); }
  /// A job of `count` tasks of `sh -c script`, with more members of its group.
  static std::string job_of(const std::string& script, const std::string& group = "") {
    const std::vector<std::string> command = {"/bin/sh", "-c", script};
    return dunlin::command_job(command, group);
  }
  /// The agent dies, and is back.
  void restart() {
    agent().kill9();
    agent().start();
  }
  /// What a line of shell prints to both streams.
  static std::string shell(const std::string& line) {
    std::FILE* const pipe = ::popen((line + " 2>&1").c_str(), "r");
    std::string text;
    std::array<char, 4096> piece;
    for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) {
      text.append(piece.data(), size);
    }
    ::pclose(pipe);
    return text;
  }
  /// All jobs of the agent.
  Json jobs() { return agent().client().ok(request("jobs", {{"all", true}}))["jobs"]; }

  static constexpr std::chrono::seconds kLong{60};
};

}  // namespace dunlin::node
