// SPDX-License-Identifier: MIT
#include "node/agent/outbox.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace dunlin::node {
namespace {

/// Keeps the layers of what is sent, and counts flushes.
class KeptTransport final : public Transport {
 public:
  overlay::Endpoint self() const override { return {}; }
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
  Outbox outbox{metrics};
  KeptTransport transport;
};

TEST_F(OutboxTest, WhatRestsOnARecordLeavesFirstWhenTheRecordsAreDurable) {
  outbox.release(transport, true);
  EXPECT_EQ(transport.sent,
      (std::vector<Layer>{Layer::sched, Layer::cell, Layer::overlay, Layer::sched, Layer::node}));
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(metrics.messages_held_back, 0u);
  EXPECT_EQ(metrics.cell_messages_sent, 1u);
}

TEST_F(OutboxTest, GossipOutputAndReservationsLeaveWithoutTheDisk) {
  outbox.release_free(transport);
  EXPECT_EQ(transport.sent, (std::vector<Layer>{Layer::overlay, Layer::sched, Layer::node}));
  EXPECT_EQ(transport.flushes, 1);
  EXPECT_FALSE(outbox.empty());
  outbox.release_free(transport);
  EXPECT_EQ(transport.flushes, 1) << "nothing was left to send at once";
}

TEST_F(OutboxTest, WhatRestsOnARecordThatWasNotWrittenIsDropped) {
  outbox.release(transport, false);
  EXPECT_EQ(transport.sent, (std::vector<Layer>{Layer::overlay, Layer::sched, Layer::node}));
  EXPECT_EQ(metrics.messages_held_back, 2u);
  EXPECT_TRUE(outbox.empty()) << "it never leaves later either";
}

}  // namespace
}  // namespace dunlin::node
