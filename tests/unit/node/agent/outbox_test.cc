// SPDX-License-Identifier: MIT
#include "node/agent/outbox.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "node/loop/wakeup.h"

namespace dunlin::node {
namespace {

/// Keeps the layers of what is sent, and counts flushes.
class KeptTransport final : public Transport {
 public:
  overlay::Endpoint self() const override { return {}; }
  std::uint16_t port() const override { return 0; }
  Ways& ways() override { return ways_; }
  void send(const overlay::Endpoint& to, Layer layer, std::string_view) override {
    EXPECT_EQ(to.id.value, 2u);
    sent.push_back(layer);
  }
  void send_to_twin(const overlay::Address&, std::string_view) override {}
  std::uint64_t datagrams_sealed() const override { return 0; }
  void raise(std::uint32_t) override {}
  void flush() override { ++flushes; }
  void on_control(Accept) override {}
  std::shared_ptr<ControlConnection> call(const overlay::Endpoint&) override { return nullptr; }
  void rotate(const Keyring&) override {}
  const TransportCounters& counters() const override { return counters_; }
  void close() override {}

  std::vector<Layer> sent;
  int flushes = 0;

 private:
  Ways ways_;
  TransportCounters counters_;
};

class OutboxTest : public ::testing::Test {
 protected:
  OutboxTest() {
    outbox.gossip().send(kTo, overlay::Ping{});
    outbox.scheduling().send(kTo, sched::Reserve{});
    outbox.scheduling().send(kTo, sched::Kill{});
    outbox.cells().send(kTo, sched::cell::Enlist{});
    outbox.send(kTo, Message(OutputRequest{}));
  }

  static constexpr overlay::Endpoint kTo{.id = {2}};
  Metrics metrics;
  RoundTrips trips;
  Outbox outbox{metrics, trips};
  KeptTransport transport;
};

TEST(Outbox, EachKindGoesByItsLayer) {
  Metrics metrics;
  RoundTrips trips;
  Outbox outbox(metrics, trips);
  KeptTransport transport;
  constexpr overlay::Endpoint kTo{.id = {2}};
  outbox.send(kTo, Message(Elsewhere{}));
  outbox.send(kTo, Message(Whereabouts{}));
  outbox.send(kTo, Message(NodeSought{}));
  outbox.send(kTo, Message(NodeFound{}));
  outbox.release(transport, 0);
  EXPECT_EQ(
      transport.sent, (std::vector<Layer>{Layer::link, Layer::reach, Layer::reach, Layer::reach}));
}

TEST_F(OutboxTest, GossipIsTimedFromWhenItIsSaid) {
  outbox.gossip().send(kTo, overlay::Ping{.request = 7});
  EXPECT_FALSE(trips.of(kTo.id));
  trips.on_received(precise_now(), kTo.id, overlay::Pong{.request = 7});
  ASSERT_TRUE(trips.of(kTo.id));
  EXPECT_LT(trips.of(kTo.id)->usual, std::chrono::minutes(1));
}

TEST_F(OutboxTest, WhatRestsOnARecordLeavesFirstWhenTheRecordsAreDurable) {
  outbox.mark(3, 3);
  outbox.release(transport, 3);
  EXPECT_EQ(transport.sent,
      (std::vector<Layer>{Layer::sched, Layer::cell, Layer::overlay, Layer::sched, Layer::node}));
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(metrics.messages_held_back, 0u);
  EXPECT_EQ(metrics.cell_messages_sent, 1u);
}

TEST_F(OutboxTest, WhatRestsOnNoRecordLeavesWhileTheDiskWorks) {
  EXPECT_FALSE(outbox.empty());
  outbox.mark(4, 4);
  outbox.release(transport, 3);
  EXPECT_TRUE(outbox.empty()) << "the rest waits for its records, not for a turn";
  EXPECT_EQ(transport.sent, (std::vector<Layer>{Layer::overlay, Layer::sched, Layer::node}));
  outbox.release(transport, 3);
  EXPECT_EQ(transport.sent.size(), 3u) << "nothing was left to send";
  outbox.release(transport, 4);
  EXPECT_EQ(transport.sent.size(), 5u);
}

TEST_F(OutboxTest, ALaunchWaitsForRecordsIfItIsOfAStage) {
  outbox.mark(3, 3);
  outbox.release(transport, 3);
  transport.sent.clear();
  outbox.scheduling().send(kTo, sched::LaunchTasks{});
  outbox.scheduling().send(kTo, sched::LaunchTasks{.staged = true});
  outbox.mark(4, 3);
  outbox.release(transport, 3);
  EXPECT_EQ(transport.sent.size(), 1u);
  outbox.release(transport, 4);
  EXPECT_EQ(transport.sent.size(), 2u);
}

TEST_F(OutboxTest, ALaunchOfAnAttemptAfterTheFirstWaitsForTheRecordOfThat) {
  outbox.mark(3, 3);
  outbox.release(transport, 3);
  transport.sent.clear();
  const auto launch = [](std::uint32_t attempt) {
    sched::LaunchTasks tasks;
    tasks.tasks.tasks.push_back({.index = 0, .attempt = attempt});
    return tasks;
  };
  outbox.scheduling().send(kTo, launch(1));
  outbox.scheduling().send(kTo, launch(sched::first_after(1) + 1));
  outbox.scheduling().send(kTo, launch(2));
  outbox.mark(4, 3);
  outbox.release(transport, 3);
  EXPECT_EQ(transport.sent.size(), 2u) << "first attempts of two homes";
  outbox.release(transport, 4);
  EXPECT_EQ(transport.sent.size(), 3u);
}

TEST_F(OutboxTest, EachWaitsForItsOwnRecords) {
  outbox.mark(5, 2);
  outbox.release(transport, 2);
  EXPECT_EQ(
      transport.sent, (std::vector<Layer>{Layer::cell, Layer::overlay, Layer::sched, Layer::node}));
  outbox.scheduling().send(kTo, sched::DoneAck{});
  outbox.mark(5, 2);
  outbox.scheduling().send(kTo, sched::Tasks{});
  outbox.mark(6, 2);
  transport.sent.clear();
  outbox.release(transport, 5);
  EXPECT_EQ(transport.sent, (std::vector<Layer>{Layer::sched, Layer::sched}));
  outbox.release(transport, 6);
  EXPECT_EQ(transport.sent.size(), 3u);
}

TEST_F(OutboxTest, TheLeasesOfTasksWaitForNoDisk) {
  outbox.mark(1, 1);
  outbox.release(transport, 0);
  transport.sent.clear();
  outbox.scheduling().send(kTo, sched::Renew{});
  outbox.scheduling().send(kTo, sched::RenewAck{});
  outbox.scheduling().send(kTo, sched::Done{});
  outbox.scheduling().send(kTo, sched::GetTask{});
  outbox.mark(1, 1);
  outbox.release(transport, 0);
  EXPECT_EQ(transport.sent.size(), 4u);
}

TEST_F(OutboxTest, WhatRestsOnARecordThatWasNotWrittenIsDropped) {
  outbox.mark(1, 1);
  outbox.release(transport, 0);
  outbox.drop_waiting();
  EXPECT_EQ(transport.sent, (std::vector<Layer>{Layer::overlay, Layer::sched, Layer::node}));
  EXPECT_EQ(metrics.messages_held_back, 2u);
  outbox.release(transport, 9);
  EXPECT_EQ(transport.sent.size(), 3u) << "it never leaves later either";
}

TEST_F(OutboxTest, ADiskThatTakesMinutesCostsBoundedMemory) {
  sched::Tasks large;
  large.spec = std::string(200'000, 'x');
  for (int i = 0; i < 300; ++i) {
    outbox.scheduling().send(kTo, large);
    outbox.mark(1, 1);
  }
  outbox.release(transport, 0);
  transport.sent.clear();
  outbox.release(transport, 1);
  EXPECT_LE((transport.sent.size() - 2) * large.spec.size(), Outbox::kWaitingMax);
  EXPECT_EQ(metrics.messages_held_back + transport.sent.size() - 2, 300u)
      << "each is sent or counted, beside the two of every test";
}

}  // namespace
}  // namespace dunlin::node
