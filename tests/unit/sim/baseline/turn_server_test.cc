// SPDX-License-Identifier: MIT
#include "sim/baseline/turn_server.h"

#include <gtest/gtest.h>
#include <vector>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using overlay::Duration;

class TurnServerTest : public ::testing::Test {
 protected:
  ~TurnServerTest() override { ns3::Simulator::Destroy(); }

  TurnServer::Turn turn(Duration takes) {
    return [this, takes] {
      begun.push_back(now().time_since_epoch());
      return takes;
    };
  }

  TurnServer server;
  std::vector<Duration> begun;
};

TEST_F(TurnServerTest, TakesOneTurnAfterTheOther) {
  schedule(10ms, [this] {
    server.post(turn(5ms));
    server.post(turn(0ms));
    server.post(turn(2ms));
  });
  schedule(11ms, [this] { server.post(turn(1ms)); });
  schedule(100ms, [this] { server.post(turn(1ms)); });
  ns3::Simulator::Run();
  EXPECT_EQ(begun, (std::vector<Duration>{10ms, 15ms, 15ms, 17ms, 100ms}));
}

// A turn that asks for another one has it after those that wait.
TEST_F(TurnServerTest, TurnsOfNoTimeComeAtOnceAndInOrder) {
  std::vector<int> order;
  server.post([&] {
    order.push_back(1);
    server.post([&] {
      order.push_back(3);
      return 0ms;
    });
    order.push_back(2);
    return Duration{0};
  });
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

}  // namespace
}  // namespace dunlin::sim
