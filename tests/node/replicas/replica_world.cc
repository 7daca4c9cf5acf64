// SPDX-License-Identifier: MIT
#include "tests/node/replicas/replica_world.h"

#include <chrono>
#include <filesystem>

namespace dunlin::node {

using namespace std::chrono_literals;

std::vector<std::string> ReplicaWorld::arguments_of(int replicas) {
  return {"--frontend.home_lease=2s", "--frontend.replicas=" + std::to_string(replicas)};
}

void ReplicaWorld::form_cell(std::size_t standbys, int books) {
  for (const auto& agent : agents) agent->wait_until_up();
  for (const auto& agent : agents) wait_for_nodes(*agent, agents.size());
  // It takes a while until the nodes have formed a cell, so a first job stays until the end.
  wait_for_standbys(submit(n0(), "sleep 1000", 1), standbys, books);
}

void ReplicaWorld::wait_for_standbys(std::uint32_t number, std::size_t standbys, int books) {
  Json job;
  EXPECT_TRUE(eventually(
      [&] {
        job = n0().client().ok(request("job", {{"number", number}}));
        return job["standbys"].size() == standbys && job.value("books", 0) >= books;
      },
      60s))
      << "standbys " << job["standbys"].dump() << ", books " << job.value("books", 0) << cells();
}

std::string ReplicaWorld::cells() const {
  std::string text;
  for (const auto& agent : agents) {
    text += "\n" + agent->name() + ": " + agent->client().call(request("cells")).dump();
  }
  return text;
}

void ReplicaWorld::lose_home() {
  n0().kill9();
  std::filesystem::remove_all(n0().directory());
}

Json ReplicaWorld::of_n0(std::uint32_t number, Json more) {
  more["job"] = "n0." + std::to_string(number);
  return more;
}

Json ReplicaWorld::job_at(const TestAgent& at, std::uint32_t number) {
  Json reply = at.client().call(request("job", of_n0(number)));
  return reply.contains("ok") ? reply["ok"] : Json::object();
}

std::string ReplicaWorld::home_at(const TestAgent& at, std::uint32_t number) {
  return job_at(at, number).value("home_name", "");
}

bool ReplicaWorld::taken_over(const TestAgent& at, std::uint32_t number) {
  const std::string now = home_at(at, number);
  return !now.empty() && now != "n0";
}

}  // namespace dunlin::node
