// SPDX-License-Identifier: MIT
#include "sim/engine/peer_servers.h"

#include <gmock/gmock.h>
#include <ns3/simulator.h>
#include <optional>
#include <utility>
#include <vector>

#include "sim/clock.h"
#include "tests/unit/sim/engine/two_members.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using overlay::Duration;
using ::testing::ElementsAre;
using ::testing::Pair;
using For = PeerServers::For;

template <typename Message>
struct NoPort final : overlay::Port<Message> {
  void send(const overlay::Endpoint&, const Message&) override {}
};
struct NoEvents final : sched::Observer {
  void on(const overlay::Event&) override {}
  void on(const sched::Event&) override {}
};

/// Notes when a task of each index starts, and where.
struct StartNotes final : sched::Executor {
  explicit StartNotes(const Members& all) : members(all) {}
  void start(const sched::Launch& launch) override {
    at.emplace_back(launch.task.index, members.now.time_since_epoch());
    peers.push_back(members.acting);
  }
  void kill(const sched::TaskId&, sched::AttemptNumber, sched::Outcome) override {}
  void suspend(const sched::TaskId&, sched::AttemptNumber) override {}
  void resume(const sched::TaskId&, sched::AttemptNumber) override {}
  void forget(const sched::TaskId&, sched::AttemptNumber) override {}
  void try_start() override {}

  const Members& members;
  std::vector<std::pair<std::uint32_t, Duration>> at;
  std::vector<std::uint32_t> peers;
};

class PeerServersTest : public TwoMembers {
 protected:
  /// A turn that starts a task of that index, and looked at so many rows and words.
  std::function<void()> starts(
      std::uint32_t index, std::uint64_t rows = 0, std::uint64_t words = 0) {
    return [=, this] {
      begun.emplace_back(index, now().time_since_epoch());
      servers.effort().rows += rows;
      servers.effort().words += words;
      sched::Launch launch;
      launch.task.index = index;
      servers.ports().executor.start(launch);
    };
  }
  void at(Duration when, std::function<void()> act) { schedule(when, std::move(act)); }

  Recorder recorder{{}, {}};
  NoPort<overlay::Message> gossip;
  NoPort<sched::Message> out;
  NoPort<sched::cell::Message> cells;
  NoEvents events;
  StartNotes tasks{members};
  PeerServers servers{{.message = 10ms, .word = 1us, .row = 1ms}, members,
      {gossip, out, cells, events, tasks}, recorder};
  std::vector<std::pair<std::uint32_t, Duration>> begun;
};

TEST_F(PeerServersTest, WhatATurnDoesShowsAtItsEndAndWhatComesMeanwhileWaits) {
  at(0ms, [&] { servers.post(0, For::message, starts(1)); });
  at(4ms, [&] { servers.post(0, For::message, starts(2, 5)); });
  at(5ms, [&] { servers.post(0, For::message, starts(3)); });
  at(50ms, [&] { servers.post(0, For::message, starts(4)); });
  ns3::Simulator::Run();
  EXPECT_THAT(begun, ElementsAre(Pair(1, 0ms), Pair(2, 10ms), Pair(3, 25ms), Pair(4, 50ms)));
  EXPECT_THAT(tasks.at, ElementsAre(Pair(1, 10ms), Pair(2, 25ms), Pair(3, 35ms), Pair(4, 60ms)));
}

TEST_F(PeerServersTest, PeersAreServersOfTheirOwn) {
  at(0ms, [&] {
    servers.post(0, For::message, starts(1));
    servers.post(1, For::message, starts(2));
  });
  ns3::Simulator::Run();
  EXPECT_THAT(tasks.at, ElementsAre(Pair(1, 10ms), Pair(2, 10ms)));
  EXPECT_THAT(tasks.peers, ElementsAre(0, 1));
}

// An alarm is no message; what it looks at costs as much.
TEST_F(PeerServersTest, AlarmsAndEndsOfTasksTakeWhatTheyLookAt) {
  at(0ms, [&] {
    servers.post(0, For::itself, starts(1));
    servers.post(0, For::itself, starts(2, 3, 500));
    servers.post(0, For::itself, starts(3));
  });
  ns3::Simulator::Run();
  EXPECT_THAT(begun, ElementsAre(Pair(1, 0ms), Pair(2, 0ms), Pair(3, 3500us)));
  EXPECT_THAT(tasks.at, ElementsAre(Pair(1, 0ms), Pair(2, 3500us), Pair(3, 3500us)));
}

TEST_F(PeerServersTest, AnAlarmWaitsOnce) {
  at(0ms, [&] {
    servers.post(0, For::message, starts(1));
    EXPECT_TRUE(servers.post_alarm(0, starts(2)));
    EXPECT_FALSE(servers.post_alarm(0, starts(3)));
    EXPECT_TRUE(servers.has_alarm(0));
  });
  at(20ms, [&] {
    EXPECT_FALSE(servers.has_alarm(0));
    EXPECT_TRUE(servers.post_alarm(0, starts(4)));
  });
  ns3::Simulator::Run();
  EXPECT_THAT(begun, ElementsAre(Pair(1, 0ms), Pair(2, 10ms), Pair(4, 20ms)));
}

// What was to leave at the end of its turn never does, and the next life begins with no debt but
// the rest of that turn.
TEST_F(PeerServersTest, ACrashLosesWhatWaitsAndWhatHasNotLeft) {
  at(0ms, [&] {
    servers.post(0, For::message, starts(1));
    servers.post(0, For::message, starts(2));
    (void)servers.post_alarm(0, starts(3));
  });
  at(5ms, [&] {
    servers.crash(0);
    EXPECT_FALSE(servers.has_alarm(0));
    servers.post(0, For::message, starts(4));
  });
  ns3::Simulator::Run();
  EXPECT_THAT(begun, ElementsAre(Pair(1, 0ms), Pair(4, 10ms)));
  EXPECT_THAT(tasks.at, ElementsAre(Pair(4, 20ms)));
}

}  // namespace
}  // namespace dunlin::sim
