// SPDX-License-Identifier: MIT
#include "tests/node/sharing_world.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace dunlin::node {
namespace {

double seconds_of(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}
double seconds_of(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

/// A flag is given once: those of `others` replace the same ones of `words`.
void replace_flags(std::vector<std::string>& words, const std::vector<std::string>& others) {
  for (const std::string& word : others) {
    const std::string flag = word.substr(0, word.find('=') + 1);
    std::erase_if(words, [&](const std::string& each) { return each.starts_with(flag); });
    words.push_back(word);
  }
}

}  // namespace

void SharingWorld::start(std::size_t count, const std::vector<std::string>& arguments) {
  // As fast as a busy machine lets elections be.
  const std::vector<std::string> impatient = {"--cell.cell_size=3", "--cell.period=400ms",
      "--cell.retry=200ms", "--cell.lease=6s", "--cell.grant_life=6s", "--cell.margin=200ms",
      "--cell.patience=1s", "--cell.gossip=200ms", "--cell.hint_life=8s", "--cell.voter_lost=6s",
      "--cell.merge_rounds=2", "--raft.election_timeout=1500ms", "--raft.heartbeat=250ms",
      "--cyclon.period=300ms"};
  // A long run is a measurement: a busy machine must not cost anybody his membership.
  const std::vector<std::string> patient = {"--cell.lease=10s", "--cell.grant_life=10s",
      "--cell.hint_life=15s", "--cell.voter_lost=15s", "--raft.election_timeout=2s",
      "--raft.heartbeat=300ms"};
  const bool measured = window() >= std::chrono::seconds(60);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> words = impatient;
    if (measured) replace_flags(words, patient);
    replace_flags(words, arguments);
    add("n" + std::to_string(i), words);
  }
  wait_for_nodes(*agents.front(), count);
}

TestAgent& SharingWorld::agent_named(const std::string& name) {
  const auto at = std::ranges::find(agents, name, [](const auto& agent) { return agent->name(); });
  EXPECT_NE(at, agents.end()) << name;
  return at == agents.end() ? *agents.front() : **at;
}

TestAgent& SharingWorld::living() {
  return **std::ranges::find_if(agents, [](const auto& agent) { return agent->running(); });
}

Json SharingWorld::set_shares(const Shares& shares) {
  Json set = Json::array();
  for (const auto& [name, weight] : shares) set.push_back({{"name", name}, {"weight", weight}});
  return living().client().ok(request("share_set", {{"set", std::move(set)}}));
}

Json SharingWorld::standing_cells(TestClient client) {
  Json standing = Json::array();
  const Json all = client.ok(request("cells", {{"members", true}}));
  for (const Json& cell : all["cells"]) {
    if (cell["closed"] == false) standing.push_back(cell);
  }
  return standing;
}

bool SharingWorld::wait_for_tree(std::size_t cells, std::uint64_t nodes) {
  return eventually(
      [&] {
        const Json tree = standing_cells(living().client());
        std::size_t of_nodes = 0;
        std::uint64_t members = 0;
        std::size_t roots = 0;
        for (const Json& cell : tree) {
          if (cell["level"] == 0) {
            ++of_nodes;
            members += cell["size"].get<std::uint64_t>();
          }
          const bool has_parent = std::any_of(tree.begin(), tree.end(),
              [&](const Json& other) { return other["cell"] == cell["parent"]; });
          if (!has_parent) ++roots;
        }
        return of_nodes >= cells && members == nodes && roots == 1;
      },
      std::chrono::seconds(60));
}

TestAgent* SharingWorld::manager_of_all() {
  for (const Json& cell : standing_cells(living().client())) {
    if (cell["members"].size() != agents.size()) continue;
    for (const auto& agent : agents) {
      if (agent->running() && cell["manager_name"] == agent->name()) return agent.get();
    }
  }
  return nullptr;
}

bool SharingWorld::wait_until_granted(const std::vector<std::string>& names) {
  return eventually(
      [&] {
        const Json classes = living().client().ok(request("shares"))["classes"];
        return std::ranges::all_of(names, [&](const std::string& name) {
          return std::any_of(classes.begin(), classes.end(), [&](const Json& each) {
            return each["name"] == name && each["granted"].get<std::int64_t>() > 0;
          });
        });
      },
      std::chrono::seconds(60));
}

std::vector<TestAgent*> SharingWorld::followers() {
  const Json cells = living().client().ok(request("cells"))["cells"];
  std::vector<TestAgent*> found;
  for (const auto& agent : agents) {
    const bool manages = std::ranges::any_of(
        cells, [&](const Json& cell) { return cell["manager_name"] == agent->name(); });
    if (agent->running() && !manages) found.push_back(agent.get());
  }
  return found;
}

SharingWorld::Load SharingWorld::load(const std::string& name, TestAgent& at, int tasks) {
  const Json group = {{"command", {"sleep", std::to_string(task_seconds())}}, {"count", tasks},
      {"demand", {{"cpu_milli", 1000}, {"memory_mib", 16}}}, {"retries", 100}};
  const Json job = at.client().ok(
      request("submit", {{"name", name}, {"class", name}, {"groups", Json::array({group})}}));
  return {.name = name, .at = &at, .job = job.value("number", 0u)};
}

double SharingWorld::occupied(const Load& load, WallTime from, WallTime to) {
  TestClient client = load.at->client();
  double sum = 0;
  for (Json next = 0; next.is_number();) {
    const Json page = client.ok(request(
        "tasks", {{"number", load.job}, {"state", "done"}, {"from", next}, {"limit", 500}}));
    if (!page.contains("tasks")) break;
    for (const Json& task : page["tasks"]) {
      if (!task.contains("started_at_ns")) continue;
      const double start = seconds_of(task["started_at_ns"].get<std::int64_t>());
      const double end = start + seconds_of(task["wall_ns"].get<std::int64_t>());
      sum += std::max(0.0, std::min(end, seconds_of(to)) - std::max(start, seconds_of(from)));
    }
    next = page["next"];
  }
  return sum;
}

std::vector<double> SharingWorld::parts(
    const std::vector<Load>& loads, std::chrono::seconds window) {
  const WallTime from = std::chrono::system_clock::now();
  std::this_thread::sleep_for(window);
  const WallTime to = std::chrono::system_clock::now();
  // The tasks that run now are reported when they have ended.
  std::this_thread::sleep_for(std::chrono::duration<double>(4 * task_seconds()));
  std::vector<double> parts;
  double sum = 0;
  for (const Load& load : loads) {
    parts.push_back(occupied(load, from, to));
    sum += parts.back();
  }
  for (double& part : parts) part /= std::max(sum, 1e-9);
  return parts;
}

std::chrono::seconds SharingWorld::window() {
  const char* const told = std::getenv("DUNLIN_SHARING_WINDOW");
  return std::chrono::seconds(told == nullptr ? 4 : std::max(1, std::atoi(told)));
}

double SharingWorld::task_seconds() {
  return window() >= std::chrono::seconds(60) ? 1.0 : 0.25;
}

double SharingWorld::tolerance() {
  return window() >= std::chrono::seconds(60) ? 0.05 : 0.75;
}

}  // namespace dunlin::node
