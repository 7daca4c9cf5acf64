// SPDX-License-Identifier: MIT
#include "sim/engine/lent_ports.h"

#include <gmock/gmock.h>
#include <sstream>
#include <tuple>
#include <vector>

#include "sched/node_spec.h"
#include "sched/peer_params.h"
#include "sim/engine/raft_disk.h"
#include "sim/transport/addresses.h"
#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::FieldsAre;

/// Keeps between which peers messages travelled.
class KeptTransport final : public Transport {
 public:
  void send(std::uint32_t from, std::uint32_t to, const overlay::Message&) override {
    sent.emplace_back(from, to, 'o');
  }
  void send(std::uint32_t from, std::uint32_t to, const sched::Message&) override {
    sent.emplace_back(from, to, 's');
  }
  void send(std::uint32_t from, std::uint32_t to, const sched::cell::Message&) override {
    sent.emplace_back(from, to, 'c');
  }

  std::vector<std::tuple<std::uint32_t, std::uint32_t, char>> sent;
};

class LentPorts : public ::testing::Test {
 protected:
  LentPorts() {
    const sched::SharedParams params{sched::PeerParams{}};
    for (std::uint32_t i = 0; i < 3; ++i) {
      members.all.push_back({.alarm = {},
          .peer = sched::Peer(params, sched::NodeSpec{.endpoint = endpoint_of(i)}, {}),
          .rng = Rng{i},
          .running = {}});
    }
  }

  Members members;
  KeptTransport transport;
  Recorder recorder{{}, equal_machines(1, 1000)};
};

TEST_F(LentPorts, MessagesLeaveFromThePeerThatActs) {
  PeerCosts costs;
  SendPorts ports(members, transport, costs, recorder);
  members.acting = 1;
  ports.gossip().send(endpoint_of(2), overlay::Ping{});
  members.acting = 2;
  ports.scheduling().send(endpoint_of(0), sched::Reserve{});
  ports.cells().send(endpoint_of(1), sched::cell::Enlist{});
  EXPECT_THAT(transport.sent,
      ElementsAre(FieldsAre(1, 2, 'o'), FieldsAre(2, 0, 's'), FieldsAre(2, 1, 'c')));
  EXPECT_TRUE(costs.sent.empty()) << "nobody wanted it counted";
}

TEST_F(LentPorts, OnlyWhatIsWantedIsCounted) {
  PeerCosts costs{.counts_sent = true, .counts_cells = true};
  for (std::uint32_t i = 0; i < 3; ++i) costs.add();
  SendPorts ports(members, transport, costs, recorder);
  members.acting = 1;
  ports.gossip().send(endpoint_of(0), overlay::Ping{});
  ports.cells().send(endpoint_of(0), sched::cell::Enlist{});
  EXPECT_THAT(costs.sent, ElementsAre(0, 2, 0));
  EXPECT_EQ(costs.cell_loads[1].sum(), 1u);
  EXPECT_EQ(costs.cell_loads[0].sum(), 0u);
}

TEST_F(LentPorts, EventsAreThoseOfThePeerThatActs) {
  std::ostringstream out;
  Trace trace(out);
  Recorder recorder({.from = Time{0s}, .until = Time{10s}}, equal_machines(3, 1000));
  EventTap tap(members, recorder, &trace);
  members.acting = 2;
  members.now = Time{1s};
  tap.on(overlay::Event(overlay::NeighbourDown{.peer = {1}, .graceful = true}));
  EXPECT_EQ(out.str().substr(0, out.str().find(' ', 12)), "1.000000000 3");
  EventTap(members, recorder, nullptr).on(overlay::Event(overlay::NeighbourDown{}));
}

TEST_F(LentPorts, EachPeerHasADiskOfItsOwn) {
  RaftDisks disks(members, true);
  members.acting = 1;
  disks.put_state({.group = 5, .term = 3});
  EXPECT_EQ(disks.of(0), nullptr);
  ASSERT_NE(disks.of(1), nullptr);
  ASSERT_EQ(disks.of(1)->contents().size(), 1u);
  EXPECT_EQ(disks.of(1)->contents().front().state.term, 3u);
  disks.forget_group(5);
  EXPECT_TRUE(disks.of(1)->contents().empty());

  RaftDisks none(members, false);
  none.put_state({.group = 5, .term = 3});
  EXPECT_EQ(none.of(1), nullptr) << "where no node comes back, nothing is kept";
}

TEST(ResultCounter, CountsFinalResults) {
  ResultCounter counter;
  counter.put_report({}, {}, {}, false);
  counter.put_report({}, {}, {}, true);
  counter.put_report({}, {}, {}, true);
  EXPECT_EQ(counter.results(), 2u);
}

}  // namespace
}  // namespace dunlin::sim
