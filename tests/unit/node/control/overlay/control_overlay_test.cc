// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "node/ids.h"
#include "overlay/message.h"
#include "sched/cell/message.h"
#include "sched/peer_sharing.h"
#include "tests/unit/node/control/client_test.h"

// The verb `overlay`.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

class ControlOverlay : public ClientTest {
 protected:
  Json tell() {
    const Json reply = ask("overlay");
    EXPECT_EQ(error_of(reply), "");
    return reply["ok"];
  }
  /// The entry of that node; null if it is no neighbour.
  static Json neighbour(const Json& told, std::uint64_t node) {
    for (const Json& each : told["neighbours"]) {
      if (each["node"] == to_string(overlay::PeerId{node})) return each;
    }
    return nullptr;
  }
  /// That node tells of itself, and has so much CPU free, by an exchange of the gradient.
  void hear_rank(std::uint64_t node, std::uint32_t cpu_free) {
    overlay::Descriptor peer;
    peer.id = {node};
    peer.address = address_of(node);
    peer.incarnation = 1;
    peer.sequence = 9;
    peer.cpu_total = 4000;
    peer.cpu_free = cpu_free;
    peer.memory_total = peer.memory_free = 8192;
    overlay::GradientRequest request{.request = 5};
    request.buffer.push_back(peer);
    agent.self.receive(agent.host(), {peer.id, peer.address}, overlay::Message(request));
  }
};

TEST_F(ControlOverlay, ANodeThatIsAloneKnowsNobody) {
  const Json told = tell();
  EXPECT_EQ(told["node"], "0000000000000001");
  EXPECT_EQ(told["node_name"], "merlin");
  EXPECT_EQ(told["ranking"], "gradient");
  EXPECT_EQ(told["utility_of"], "cpu_memory");
  EXPECT_THAT(told["neighbours"], IsEmpty());
  EXPECT_EQ(told["cell"], nullptr);
  EXPECT_THAT(told["books"], IsEmpty());
}

TEST_F(ControlOverlay, ANeighbourByChanceHasTheAgeOfItsLink) {
  agent.hear_of(2, 4000);
  agent.time += 3s;
  const Json osprey = neighbour(tell(), 2);
  ASSERT_TRUE(osprey.is_object());
  EXPECT_EQ(osprey["link_age_ns"], 3'000'000'000);
  EXPECT_EQ(osprey["rank"], nullptr);
  EXPECT_EQ(osprey["age_ns"], 3'000'000'000);
  EXPECT_EQ(osprey["state"], "up");
  EXPECT_EQ(osprey["total"]["cpu_milli"], 4000);
  EXPECT_EQ(osprey["free"]["memory_mib"], 8192);
  EXPECT_EQ(osprey["utility"], 1.0);
  EXPECT_EQ(osprey["name"], "0000000000000002") << "it has not said its name";
  agent.hear_facts(2, "osprey", 4000);
  EXPECT_EQ(neighbour(tell(), 2)["name"], "osprey");
}

// The rank is the place in the gradient's view, which may have the same peers as the random one.
TEST_F(ControlOverlay, NeighboursOfTheGradientComeFirstByTheirRank) {
  agent.hear_of(5, 4000);
  hear_rank(2, 1000);
  hear_rank(3, 4000);
  hear_rank(4, 2000);
  hear_rank(5, 3000);
  const Json told = tell();
  ASSERT_GE(told["neighbours"].size(), 4u) << told;
  int rank = 0;
  bool ranked = true;
  for (const Json& each : told["neighbours"]) {
    if (each["rank"].is_null()) {
      ranked = false;
    } else {
      EXPECT_TRUE(ranked) << "those without a rank come last: " << told;
      EXPECT_EQ(each["rank"], ++rank);
    }
  }
  EXPECT_EQ(rank, 4);
  const Json both = neighbour(told, 5);
  EXPECT_TRUE(both["rank"].is_number());
  EXPECT_TRUE(both["link_age_ns"].is_number());
  EXPECT_EQ(both["free"]["cpu_milli"], 3000)
      << "the fresher statement counts, whichever view has it";
  EXPECT_EQ(both["utility"], 0.75);
}

TEST_F(ControlOverlay, ATripIsToldWhereOneWasMeasured) {
  agent.hear_of(2, 4000);
  EXPECT_EQ(neighbour(tell(), 2)["rtt_ns"], nullptr);
  EXPECT_EQ(neighbour(tell(), 2)["rtt_age_ns"], nullptr);
  agent.round_trips.on_sent(agent.time, {2}, overlay::Ping{.request = 7});
  agent.round_trips.on_received(agent.time + 400us, {2}, overlay::Pong{.request = 7});
  agent.time += 2s;
  const Json osprey = neighbour(tell(), 2);
  EXPECT_EQ(osprey["rtt_ns"], 400'000);
  EXPECT_EQ(osprey["rtt_age_ns"], 1'999'600'000);
}

TEST_F(ControlOverlay, ANodeThatLeftIsNoNeighbour) {
  agent.hear_of(2, 4000);
  agent.hear_farewell(2);
  EXPECT_EQ(neighbour(tell(), 2), nullptr);
}

// The first node of a cell manages it, and keeps its books alone.
TEST_F(ControlOverlay, ANodeOfACellNamesItsManagerAndTheBooksThatItKeeps) {
  const auto cell = agent.self.sharing().establish(agent.host());
  ASSERT_TRUE(cell) << cell.error().text;
  const Json told = tell();
  EXPECT_EQ(told["cell"]["cell"], to_string(cell->cell));
  EXPECT_EQ(told["cell"]["standing"], "joining");
  EXPECT_EQ(told["cell"]["manager"]["name"], "merlin");
  EXPECT_THAT(told["cell"]["voters"], IsEmpty());
  ASSERT_EQ(told["books"].size(), 1u);
  EXPECT_EQ(told["books"][0]["cell"], told["cell"]["cell"]);
  EXPECT_EQ(told["books"][0]["level"], 0);
  EXPECT_EQ(told["books"][0]["manages"], true);
  EXPECT_EQ(told["books"][0]["parent"], nullptr);
}

// However many nodes gossip names, an answer has no more than the two views hold.
TEST_F(ControlOverlay, AnAnswerIsAsLargeAsTheViews) {
  for (std::uint64_t node = 2; node < 500; ++node) {
    agent.hear_of(node, 4000);
    hear_rank(node, static_cast<std::uint32_t>(node));
  }
  const Json told = tell();
  const auto& params = agent.config.peer;
  EXPECT_GE(told["neighbours"].size(), params.gradient.view_size);
  EXPECT_LE(
      told["neighbours"].size(), std::size_t{params.cyclon.view_size} + params.gradient.view_size);
  std::size_t ranked = 0;
  for (const Json& each : told["neighbours"]) ranked += each["rank"].is_number() ? 1 : 0;
  EXPECT_EQ(ranked, params.gradient.view_size);
}

TEST_F(ControlOverlay, TheQuestionChangesNothingAndAsksNobody) {
  agent.hear_of(2, 4000);
  const std::size_t said = agent.gossip.sent.size();
  tell();
  tell();
  EXPECT_EQ(agent.gossip.sent.size(), said);
  EXPECT_TRUE(agent.scheduling.sent.empty());
}

}  // namespace
}  // namespace dunlin::node
