// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_ticks.h"

#include <array>
#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

/// libraft's state of three voters, of which this replica is the first.
struct Group {
  std::array<raft_server, 3> servers{};
  std::array<raft_progress, 3> progress{};
  ::raft raft{};

  explicit Group(unsigned short state) {
    for (std::size_t i = 0; i < servers.size(); ++i) {
      servers[i] = {.id = i + 1, .address = nullptr, .role = RAFT_VOTER};
    }
    raft.id = 1;
    raft.state = state;
    raft.configuration.servers = servers.data();
    raft.configuration.n = 3;
    raft.election_timeout = 1000;
    raft.heartbeat_timeout = 100;
    raft.election_timer_start = 5000;
    if (state == RAFT_LEADER) raft.leader_state.progress = progress.data();
  }
};

TEST(RaftEngineTicks, AFollowerWaitsForItsElectionIfItVotes) {
  Group group(RAFT_FOLLOWER);
  group.raft.follower_state.randomized_election_timeout = 1300;
  EXPECT_EQ(next_tick(group.raft), 6300u);
  group.servers[0].role = RAFT_STANDBY;
  EXPECT_EQ(next_tick(group.raft), std::nullopt) << "a stand-by never stands for election";
  group.raft.configuration.n = 0;
  EXPECT_EQ(next_tick(group.raft), std::nullopt) << "nor does a replica that is no member";
}

TEST(RaftEngineTicks, ALeaderWaitsForTheFirstHeartbeat) {
  Group group(RAFT_LEADER);
  group.progress[1].last_send = 7040;
  group.progress[2].last_send = 7010;
  EXPECT_EQ(next_tick(group.raft), 7110u);
  group.servers[2].role = RAFT_SPARE;
  EXPECT_EQ(next_tick(group.raft), 7140u) << "a leader does not write to spares";
}

TEST(RaftEngineTicks, ATransferEndsAfterAnElectionTimeout) {
  Group group(RAFT_LEADER);
  group.progress[1].last_send = group.progress[2].last_send = 9000;
  struct raft_transfer transfer{};
  transfer.start = 7000;
  group.raft.transfer = &transfer;
  EXPECT_EQ(next_tick(group.raft), 8000u);
}

TEST(RaftEngineTicks, HeartbeatsThatAreNearlyDueGoTogether) {
  Group group(RAFT_LEADER);
  group.progress[1].last_send = 7000;
  group.progress[2].last_send = 7045;
  align_heartbeats(group.raft, 7099);
  EXPECT_EQ(group.progress[2].last_send, 7045u) << "none is due";
  align_heartbeats(group.raft, 7100);
  EXPECT_EQ(group.progress[2].last_send, 7000u) << "more than half its period is over";
  group.progress[2].last_send = 7060;
  align_heartbeats(group.raft, 7100);
  EXPECT_EQ(group.progress[2].last_send, 7060u) << "written to a moment ago";
}

}  // namespace
}  // namespace dunlin::sched
