// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node/control/listing/job_listing.h"
#include "tests/unit/node/control/client_test.h"

namespace dunlin::node {

inline Json summary(std::uint32_t number, const char* state, std::int64_t submitted) {
  return {{"number", number}, {"state", state}, {"owner", "ann"}, {"class", "default"},
      {"name", "train-" + std::to_string(number)}, {"tasks", number},
      {"submitted_at_ns", submitted}, {"finished", std::string_view(state) == "done"}};
}

inline Json answer(std::vector<Json> jobs, Json totals, int matching) {
  return {{"jobs", std::move(jobs)}, {"totals", std::move(totals)}, {"matching", matching}};
}

/// "2.7", the home and the number of each.
inline std::vector<std::string> names_of(const Json& jobs) {
  std::vector<std::string> names;
  for (const Json& job : jobs) {
    const JobLine line = line_of(job);
    names.push_back(std::to_string(line.home.value) + "." + std::to_string(line.number));
  }
  return names;
}

/// An agent that knows the nodes 2 to 4.
class ListingTest : public ClientTest {
 protected:
  ListingTest() {
    for (std::uint64_t node = 2; node <= 4; ++node) {
      agent.hear_of(node, 4000);
      agent.hear_facts(node, "n" + std::to_string(node), 4000);
    }
    agent.dial = [this](const overlay::Endpoint& to) {
      return homes[to.id.value] = std::make_shared<FakeConnection>();
    };
  }
  void answer_from(std::uint64_t node, std::uint32_t number) {
    Json ok = answer({summary(number, "running", 10)}, {{"running", 1}}, 1);
    homes.at(node)->say(Json{{"id", 1}, {"ok", ok}, {"end", true}}.dump());
  }

  std::map<std::uint64_t, std::shared_ptr<FakeConnection>> homes;
};

}  // namespace dunlin::node
