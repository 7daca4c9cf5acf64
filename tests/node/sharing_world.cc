// SPDX-License-Identifier: MIT
#include "tests/node/sharing_world.h"

#include <algorithm>

namespace dunlin::node {

void SharingWorld::start(std::size_t count, const std::vector<std::string>& arguments) {
  // As fast as a busy machine lets elections be.
  const std::vector<std::string> impatient = {"--cell.cell_size=3", "--cell.period=300ms",
      "--cell.retry=150ms", "--cell.lease=3s", "--cell.term=3s", "--cell.margin=200ms",
      "--cell.patience=500ms", "--cell.gossip=200ms", "--cell.hint_life=4s", "--cell.voter_lost=3s",
      "--cell.merge_rounds=2", "--raft.election_timeout=800ms", "--raft.heartbeat=150ms",
      "--cyclon.period=200ms"};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> words = impatient;
    for (const std::string& word : arguments) {
      const std::string flag = word.substr(0, word.find('=') + 1);
      std::erase_if(words, [&](const std::string& each) { return each.starts_with(flag); });
      words.push_back(word);
    }
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

bool SharingWorld::wait_for_tree(std::size_t cells, std::uint64_t nodes) {
  return eventually(
      [&] {
        const Json tree = living().client().ok(request("cells"))["cells"];
        std::size_t of_nodes = 0;
        std::uint64_t members = 0;
        std::size_t roots = 0;
        for (const Json& cell : tree) {
          if (cell["level"] == 0) {
            ++of_nodes;
            members += cell["size"].get<std::uint64_t>();
          }
          if (cell["parent"].is_null()) ++roots;
        }
        return of_nodes == cells && members == nodes && roots == 1;
      },
      std::chrono::seconds(60));
}

bool SharingWorld::wait_until_granted() {
  return eventually(
      [&] {
        const Json classes = living().client().ok(request("shares"))["classes"];
        return !classes.empty() && std::ranges::all_of(classes, [](const Json& each) {
          return each["granted"].get<std::int64_t>() > 0;
        });
      },
      std::chrono::seconds(60));
}

}  // namespace dunlin::node
