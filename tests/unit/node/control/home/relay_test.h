// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

namespace dunlin::node {

/// An agent that knows osprey, node 2, at which jobs may be.
class RelayTest : public ClientTest {
 protected:
  RelayTest() {
    agent.hear_of(2, 4000);
    agent.hear_facts(2, "osprey", 4000);
    agent.dial = [this](const overlay::Endpoint& to) {
      dialed.push_back(to);
      home = std::make_shared<FakeConnection>();
      return home;
    };
  }
  /// The last request that reached the home.
  Json heard() const { return home->replies.back(); }
  void answer(Json reply) { home->say(reply.dump()); }
  void later(overlay::Duration wait) { agent.time += wait; }
  /// The answer of `node`, which drives the job that is being looked for.
  sched::HomeIs told_by(std::uint64_t node, std::uint32_t epoch) const {
    sched::HomeIs told{.log = 5, .epoch = epoch, .home = 90 + node};
    for (const auto& [to, message] : agent.scheduling.sent) {
      if (const auto* find = std::get_if<sched::FindHome>(&message)) told.request = find->request;
    }
    told.set = {{.replica = 90 + node, .node = {node}}};
    return told;
  }

  std::shared_ptr<FakeConnection> home;  ///< Our end of the conversation with osprey.
  std::vector<overlay::Endpoint> dialed;
};

}  // namespace dunlin::node
