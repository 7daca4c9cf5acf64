// SPDX-License-Identifier: MIT
#include "node/agent/inbox.h"

#include <gtest/gtest.h>
#include <string>

#include "node/codec.h"
#include "tests/support/scratch.h"
#include "tests/unit/node/control/fake_agent.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

/// An agent that has a peer, and nothing else.
class InboxTest : public ::testing::Test {
 protected:
  InboxTest() {
    const sched::NodeSpec self{.endpoint = {.id = {1}, .address = address_of(1)}};
    parts.peer.emplace(parts.configuration.peer, self, std::vector<overlay::Endpoint>{});
  }

  void receive(const Message& message, Layer layer = Layer::node) {
    std::string bytes;
    encode(message, bytes);
    inbox.receive({.id = {2}}, layer, std::as_bytes(std::span(bytes)));
  }

  Loop loop;
  AgentParts parts{loop.get(), Configuration{}};
  FakeAgent services;
  ControlServer control{loop.get(), services, parts.metrics.requests};
  int links = 0;
  int reached = 0;
  Inbox inbox{parts, services, control,
      [this](const overlay::Endpoint&, const Message& message) {
        ++links;
        return std::holds_alternative<Elsewhere>(message);
      },
      [this](const overlay::Endpoint&, const Message& message) {
        ++reached;
        return std::holds_alternative<Whereabouts>(message);
      }};
};

TEST_F(InboxTest, WhatIsNoMessageIsCountedAndIgnored) {
  const std::string nonsense = "nonsense";
  for (const Layer layer :
      {Layer::overlay, Layer::sched, Layer::cell, Layer::node, Layer::link, Layer::reach}) {
    inbox.receive({.id = {2}}, layer, std::as_bytes(std::span(nonsense)));
  }
  EXPECT_EQ(parts.metrics.malformed, 6u);
  EXPECT_EQ(parts.metrics.cell_messages_malformed, 1u);
  EXPECT_EQ(parts.metrics.cell_messages_received, 0u);
}

TEST_F(InboxTest, QuestionsAboutCellsAreAnsweredUpToARate) {
  for (std::uint64_t i = 1; i <= 500; ++i) receive(CellQuestion{.request = i});
  EXPECT_EQ(parts.metrics.cell_questions, 400u) << "two seconds' worth";
  EXPECT_EQ(parts.metrics.cell_questions_dropped, 100u);
  EXPECT_FALSE(parts.outbox.empty());
}

TEST_F(InboxTest, AnAnswerThatNobodyAskedForIsDropped) {
  receive(CellAnswer{.request = 1});
  receive(WriteOffAnswer{.request = 1});
  EXPECT_EQ(parts.metrics.cell_answers_dropped, 2u);
}

// A link message may come from a twin, or be for another incarnation: no other layer hears it.
TEST_F(InboxTest, LinkMessagesKeepToTheirLayer) {
  receive(Elsewhere{.incarnation = 7});
  receive(Twin{.nonce = 7});
  EXPECT_EQ(links, 0);
  EXPECT_EQ(parts.metrics.malformed, 2u);
  receive(Elsewhere{.incarnation = 7}, Layer::link);
  EXPECT_EQ(links, 1);
  EXPECT_EQ(parts.metrics.malformed, 2u);
  receive(CellQuestion{.request = 1}, Layer::link);
  EXPECT_EQ(links, 2);
  EXPECT_EQ(parts.metrics.malformed, 3u) << "it means nothing there";
  EXPECT_TRUE(parts.outbox.empty());
}

TEST_F(InboxTest, MessagesAboutAddressesKeepToTheirLayer) {
  receive(Whereabouts{.name = "osprey"});
  receive(NodeSought{.node = {3}});
  receive(NodeFound{.node = {3}});
  EXPECT_EQ(reached, 0);
  EXPECT_EQ(parts.metrics.malformed, 3u);
  receive(Whereabouts{.name = "osprey"}, Layer::reach);
  EXPECT_EQ(reached, 1);
  EXPECT_EQ(parts.metrics.malformed, 3u);
  receive(Elsewhere{.incarnation = 7}, Layer::reach);
  EXPECT_EQ(parts.metrics.malformed, 4u);
}

TEST_F(InboxTest, AWriteOffIsAnsweredEvenIfItFails) {
  EXPECT_TRUE(parts.outbox.empty());
  receive(WriteOff{.request = 1, .cell = {5}, .lost = {6}});
  EXPECT_FALSE(parts.outbox.empty());
}

TEST_F(InboxTest, AHomeSaysWhichJobsItHasForgotten) {
  receive(OutputCheck{});
  EXPECT_TRUE(parts.outbox.empty());
  OutputCheck check;
  check.jobs.push_back({.number = 3, .lineage = 7});
  receive(check);
  EXPECT_FALSE(parts.outbox.empty());
}

// What is kept of it is of no use to anybody. Another node's word does not count.
TEST_F(InboxTest, OutputGoesWhenItsJobIsForgotten) {
  const test::Scratch scratch;
  auto output = OutputStore::open({.directory = scratch / "output"});
  ASSERT_TRUE(output);
  parts.output.emplace(std::move(*output));
  const auto write = [&](std::uint64_t home) {
    const sched::TaskId task{.job = {.home = {home}, .number = 3, .lineage = 7}, .index = 0};
    parts.output->begin(task, 1, 0);
    test::write_file(parts.output->live_path(0, OutputStream::out), "x");
    EXPECT_TRUE(parts.output->end(task, 1, 1, 0));
    return task;
  };
  const sched::TaskId of_sender = write(2);
  const sched::TaskId of_another = write(5);
  OutputGone gone;
  gone.jobs.push_back({.number = 3, .lineage = 7});
  receive(gone);
  EXPECT_FALSE(parts.output->read(of_sender, {}, OutputStream::out, 0, 1).found);
  EXPECT_TRUE(parts.output->read(of_another, {}, OutputStream::out, 0, 1).found);
}

}  // namespace
}  // namespace dunlin::node
